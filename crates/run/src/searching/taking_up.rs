//! A search that was stopped goes on: its attempts are taken over as they were judged, and the next ones are made by a run of
//! its own.

use super::tried;
use crate::error::RunError;
use crate::prepare::Prepared;
use judge::searches::{SearchResult, Standing};
use study::{Study, Tried};

impl Prepared {
    /// The same, with the searches of a recorded run going on behind the attempts that are in it.
    ///
    /// `run` is its id, `recorded` its study as it was carried out, `searches` what was found. The attempt in which it was
    /// stopped is made again.
    ///
    /// # Errors
    /// A run without a search, of another study, or with a search that is over.
    pub fn taking_up(&self, run: &str, recorded: &Study, searches: &[SearchResult]) -> Result<Self, RunError> {
        if searches.is_empty() {
            return Err(RunError::refused(format!(
                "the run `{run}` has no search that could go on; leave out `--resume` to carry out the study"
            )));
        }
        self.check_same(run, recorded)?;
        let mut all = Vec::new();
        for found in searches {
            let name = &found.search.name;
            let Standing::Next(next) = &found.standing else {
                let over = format!("the search `{name}` of the run `{run}` is over, so it cannot go on");
                let hint = if searches.len() == 1 {
                    "leave out `--resume` to search again"
                } else {
                    "write the scenarios that are left to `order`, and run the study without `--resume`"
                };
                return Err(RunError::refused(format!("{over}; {hint}")));
            };
            let earlier = found.attempts.len() as u32;
            all.push(Tried { search: name.clone(), earlier, attempts: vec![next.clone()] });
        }
        let heads = |found: &SearchResult| {
            found.attempts.iter().map(|attempt| attempt.to_head(&found.search, run)).collect::<Vec<_>>()
        };
        let taken_over = searches.iter().flat_map(heads).collect();
        Ok(Self { taken_over, ..self.with_attempts(&all)? })
    }

    /// What was recorded is what this study would have carried out with the same attempts.
    fn check_same(&self, run: &str, recorded: &Study) -> Result<(), RunError> {
        let attempts = tried(recorded, None);
        let own = if attempts.is_empty() {
            self.study.clone()
        } else {
            self.study.with_attempts(&attempts, &self.registry)?
        };
        let differs = own.effective.lines().zip(recorded.effective.lines()).find(|(own, recorded)| own != recorded);
        let (here, there) = match differs {
            Some((here, there)) => (here.trim(), there.trim()),
            None if own.effective == recorded.effective => return Ok(()),
            None => ("", ""),
        };
        let shown = if here.is_empty() && there.is_empty() {
            String::new()
        } else {
            format!(": here it has `{here}`, there `{there}`")
        };
        Err(RunError::refused(format!(
            "the study is not the one of the run `{run}`{shown}; a search goes on with the study that began it, and the same \
             `--set` and `--for`"
        )))
    }
}
