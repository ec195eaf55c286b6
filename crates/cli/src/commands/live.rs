//! `loadproof live`, and the page beside a run.

use crate::ci::Ci;
use crate::commands::report::{Judged, Shown, conclude, judged_as_it_is, own_study};
use crate::exit::{Exit, Failed};
use crate::opened::{fill_in, folder_of};
use crate::options::{LiveOptions, PageOptions};
use crate::output::say;
use live::{Ask, Live, Outcome, Requirement, Wanted, loopback};
use record::Run;
use run::{News, Observer, Signals};
use std::path::{Path, PathBuf};
use std::time::Duration;
use study::Study;

/// Reasons of a verdict that say no more than that its load has not ended, as long as the run goes on.
const OPEN: [&str; 3] = ["cut_short", "cut_short_below", "not_run"];
/// Between two looks at signals.
const LOOK: Duration = Duration::from_millis(200);

impl From<live::LiveError> for Failed {
    fn from(error: live::LiveError) -> Self {
        Self::wrong(error)
    }
}

/// The page beside a run, where one is wanted.
pub(crate) struct Page(Option<Live>);

impl Page {
    /// Serves it, before anything is measured: what cannot be served is known now.
    pub(crate) fn open(options: &PageOptions) -> Result<Self, Failed> {
        let Some(address) = &options.live else { return Ok(Self(None)) };
        let page = Live::start(Wanted {
            address: loopback(address)?,
            ask: Some(Box::new(|asked| run::ask_from_page(asked == Ask::Stop))),
            fill_in,
            planned,
            judged: as_it_is,
            is_told: true,
        })?;
        say!("live page: {}", page.url());
        Ok(Self(Some(page)))
    }

    /// Whoever hears the run, and the page beside it, which is told of the run's folder.
    pub(crate) fn beside<'a>(&'a self, others: &'a dyn Observer) -> impl Observer + 'a {
        Beside { others, page: self.0.as_ref() }
    }

    /// Judges and reports the run, and shows on the page what it came to.
    pub(crate) fn conclude(self, folder: &Path, json: bool, ci: &mut Ci) -> Result<Exit, Failed> {
        let tell = |judged: &Judged, written: &[PathBuf]| {
            if let Some(page) = &self.0 {
                let report = written.iter().find(|path| path.extension().is_some_and(|extension| extension == "html"));
                let report = report.and_then(|path| std::path::absolute(path).ok());
                let report = report.map_or_else(String::new, |path| path.display().to_string());
                page.over(Outcome { report, ..outcome(judged) });
            }
        };
        let concluded = conclude(folder, json, ci, tell);
        if let Some(page) = self.0 {
            if let Err(failed) = &concluded {
                page.over(Outcome { ending: crate::outlet::clean(&failed.text()).into_owned(), ..Outcome::default() });
            }
            page.end();
        }
        concluded
    }
}

struct Beside<'a> {
    others: &'a dyn Observer,
    page: Option<&'a Live>,
}

impl Observer for Beside<'_> {
    fn hear(&self, news: News<'_>) {
        if let (News::Folder(path), Some(page)) = (&news, self.page) {
            page.follow(path);
        }
        self.others.hear(news);
    }
}

/// `loadproof live`
pub(crate) fn live(options: &LiveOptions) -> Result<Exit, Failed> {
    let folder_of_run = &folder_of(&options.run)?;
    // Anything that is not a run is refused now, with all that would help.
    Run::open(folder_of_run)?;
    let before = run::came();
    let signals = Signals::listen().map_err(anyhow::Error::from)?;
    let page = Live::start(Wanted {
        address: loopback(&options.port.to_string())?,
        ask: None,
        fill_in,
        planned,
        judged: as_it_is,
        is_told: false,
    })?;
    page.follow(folder_of_run);
    say!("live page: {} (until Ctrl-C)", page.url());
    while run::came() == before {
        std::thread::park_timeout(LOOK);
    }
    drop(signals);
    page.end();
    Ok(Exit::Met)
}

/// The requirements of a run's own study, none judged yet.
fn planned(folder: &Path) -> Vec<Requirement> {
    let study = Run::open(folder).map_err(Failed::from).and_then(|run| own_study(&run));
    study.as_ref().map(requirements).unwrap_or_default()
}

fn requirements(study: &Study) -> Vec<Requirement> {
    let scenario = |number: usize| study.scenarios.get(number).map_or("", |scenario| scenario.name.as_str());
    let of = |requirement: &study::Requirement| -> Vec<Requirement> {
        let row = |applies: &study::Applies| Requirement {
            id: requirement.name.clone(),
            scope: scenario(applies.scenario).to_owned(),
            reason: applies.rule.text.clone(),
            ..Requirement::default()
        };
        requirement.applies.iter().map(row).collect()
    };
    study.requirements.iter().flat_map(of).collect()
}

/// Judges a folder, whether its run goes on or not.
fn as_it_is(folder: &Path) -> Result<Outcome, String> {
    let judged = || {
        let mut run = Run::open(folder)?;
        fill_in(&mut run.head);
        judged_as_it_is(run, None, Shown::Announced)
    };
    let judged = judged().map_err(|failed| crate::outlet::clean(&failed.text()).into_owned())?;
    let report = folder.join("report.html");
    let report = if report.exists() { std::path::absolute(&report).unwrap_or(report) } else { PathBuf::new() };
    Ok(Outcome { report: report.display().to_string(), ..outcome(&judged) })
}

fn outcome(judged: &Judged) -> Outcome {
    let input = judged.input();
    let row = |line: report::VerdictLine| Requirement {
        id: line.id,
        scope: line.scope,
        verdict: line.verdict.name().to_owned(),
        measured: line.measured,
        limit: line.limit,
        reason: line.reason,
        is_open: OPEN.contains(&line.code.as_str()),
    };
    let ending = input.head.ending.as_ref().map_or_else(String::new, |ending| ending.text.clone());
    Outcome {
        validity: judged.judgement().validity.name().to_owned(),
        ending,
        requirements: report::verdict_lines(&input).into_iter().map(row).collect(),
        report: String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::OPEN;

    #[test]
    fn whatever_the_judge_says_of_a_load_that_was_cut_short_is_open_while_it_goes_on() {
        let codes = judge::catalogue::REASONS.iter().map(|(code, _)| *code);
        let cut: Vec<&str> = codes.filter(|code| code.starts_with("cut_short")).collect();
        assert!(cut.len() >= 2 && cut.iter().all(|code| OPEN.contains(code)), "{cut:?} of {OPEN:?}");
        assert!(OPEN.iter().all(|code| judge::catalogue::REASONS.iter().any(|(known, _)| known == code)));
    }
}
