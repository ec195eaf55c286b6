//! A search that was stopped goes on: its attempts are taken over as they were judged, and the next ones are made by a run of
//! its own.

use super::tried;
use crate::error::RunError;
use crate::prepare::Prepared;
use judge::searches::{SearchResult, Standing};
use study::{Study, Tried};

impl Prepared {
    /// The same, with the searches of a recorded run going on after the attempts that are in it.
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
        if let Some(told) = options_differ(&self.study, run, recorded) {
            return Err(RunError::refused(told));
        }
        let shown = if here.is_empty() && there.is_empty() {
            String::new()
        } else {
            format!(": here it has `{here}`, there `{there}`")
        };
        Err(RunError::refused(format!(
            "the study is not the one of the run `{run}`{shown}; a search goes on with the study that began it"
        )))
    }
}

/// That a study differs by what was typed and not by what is written in it: a trial of another length, else another value
/// of a variable.
fn options_differ(own: &Study, run: &str, recorded: &Study) -> Option<String> {
    let lengths = [own, recorded].map(|study| study.trial.as_ref().map(|trial| trial.asked));
    let typed = match lengths {
        [None, Some(there)] => format!("was carried out with `--for {there}`; type `--for {there}` here, too"),
        [Some(_), None] => "was carried out without `--for`; leave it out here, too".to_owned(),
        [Some(here), Some(there)] if here != there => {
            format!("was carried out with `--for {there}`, and here it is `--for {here}`; type `--for {there}`")
        }
        _ => {
            let value = |study: &Study, name: &str| {
                study.variables.iter().find(|known| known.name == name).map(|known| known.written.clone())
            };
            let differs =
                |known: &&study::Variable| value(recorded, &known.name).is_some_and(|written| written != known.written);
            let known = own.variables.iter().find(differs)?;
            let (name, here, there) = (&known.name, &known.written, value(recorded, &known.name)?);
            format!("was carried out with `{name}` as `{there}`, and here it is `{here}`; type `--set {name}={there}`")
        }
    };
    Some(format!("the run `{run}` {typed}: a search goes on with the study and the options that began it"))
}
