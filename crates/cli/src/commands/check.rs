//! `loadproof check`: all mistakes, the plan, and with `--once` one exchange of each kind.

use super::check_json::Printed;
use crate::ci::Ci;
use crate::exit::{Exit, Failed};
use crate::flow_words::Flow;
use crate::options::{CheckOptions, CiOptions};
use crate::output::{put, say};
use crate::prepare::prepare;
use crate::progress::Progress;
use crate::screen;
use contract::Closes;
use drive::Shown;
use run::{Prepared, foresee};
use study::Exchange;
use terms::Outcome;

/// Lines of a note that are shown.
const NOTE_LINES_MAX: usize = 40;

/// Where what is found goes: lines for people, or one object for a program.
struct Outlet {
    json: Option<Printed>,
}

impl Outlet {
    /// A line for people. Standard output is the object's, where there is one.
    fn line(&self, text: &str) {
        if self.json.is_some() { say!("{text}") } else { put!("{text}") }
    }

    fn warnings(&mut self, texts: &[String]) {
        for text in texts {
            say!("warning: {text}");
            self.json.iter_mut().for_each(|told| told.warning(text));
        }
    }
}

/// Finds all mistakes; prints phases, counts, volumes, time.
pub(crate) fn check(options: &CheckOptions) -> Result<Exit, Failed> {
    let mut outlet = Outlet { json: options.json.then(Printed::default) };
    let mut ci = Ci::of(&CiOptions { ci: options.ci.clone(), summary: None })?;
    let checked = look(options, &mut outlet);
    if let Err(failed) = &checked {
        ci.mistakes(failed, &options.study.study);
    }
    if let Some(told) = outlet.json {
        told.print(checked.as_ref().err())?;
    }
    checked
}

fn look(options: &CheckOptions, outlet: &mut Outlet) -> Result<Exit, Failed> {
    let prepared = prepare(&options.study)?;
    screen::warnings(&prepared.study);
    match &mut outlet.json {
        Some(told) => told.prepared(&prepared),
        None => {
            screen::plan(&prepared.study, &prepared.plan, |part| Flow::of(&prepared, part).lines());
        }
    }
    outlet.warnings(&foresee::connections(&prepared)?);
    foresee::threads(prepared.workers(None), prepared.study.watch.len())?;
    if options.once {
        return once(&prepared, outlet);
    }
    // A study may be checked where its hosts are not known, or beside a run that has the ports, as on a build server.
    outlet.warnings(foresee::listeners(&prepared)?.as_slice());
    outlet.warnings(&foresee::unknown_hosts(&prepared, foresee::NAME_IN_STUDY)?);
    Ok(Exit::Met)
}

/// Sends one exchange of each kind that a scenario uses.
fn once(prepared: &Prepared, outlet: &mut Outlet) -> Result<Exit, Failed> {
    let is_json = outlet.json.is_some();
    let tell = move |told: listen::Notice| {
        if is_json { say!("{}: {}", told.listener, told.text) } else { put!("{}: {}", told.listener, told.text) }
    };
    let is_ok = run::once(prepared, &Progress::new(), &mut |exchange, shown| show(exchange, shown, outlet), tell)?;
    Ok(if is_ok { Exit::Met } else { Exit::NotMet })
}

fn show(exchange: &Exchange, shown: &Shown, outlet: &mut Outlet) {
    let notes: Vec<&str> = shown.notes.iter().flat_map(|note| note.lines().take(NOTE_LINES_MAX)).collect();
    // A driver may tell of each itself, by the leg's name, where there are several.
    let is_told = |leg: &contract::LegKind| {
        leg.closes == Closes::Beside
            && notes.iter().any(|line| line.strip_prefix(leg.name).is_some_and(|rest| rest.starts_with(": ")))
    };
    let legs = exchange.legs.iter().zip(0u8..).skip(1).filter(|(leg, _)| !is_told(leg));
    let mut lines: Vec<String> =
        legs.flat_map(|(leg, number)| later(leg, shown.later.iter().filter(|later| later.leg == number))).collect();
    lines.extend(notes.into_iter().map(str::to_owned));
    outlet.line(&format!("{}: {} in {}", exchange.name, shown.outcome, crate::words::short(shown.took)));
    lines.iter().for_each(|line| outlet.line(&format!("    {line}")));
    outlet.json.iter_mut().for_each(|told| told.exchange(&exchange.name, shown, &lines));
}

/// What to print about a leg after the first: whether it was expected, and how it ended.
fn later<'a>(leg: &contract::LegKind, ends: impl Iterator<Item = &'a drive::Later>) -> Vec<String> {
    let say = |end: &drive::Later| match (end.outcome, end.took) {
        (Outcome::Missing, Some(took)) => {
            format!("{}: missing, nothing arrived within {}", leg.name, crate::words::short(took))
        }
        (outcome, Some(took)) => format!("{}: {outcome}, after {}", leg.name, crate::words::short(took)),
        (outcome, None) => format!("{}: {outcome}", leg.name),
    };
    let lines: Vec<String> = ends.map(say).collect();
    match leg.closes {
        _ if !lines.is_empty() => lines,
        Closes::Matched | Closes::Confirmed => vec![format!("{}: not expected, this exchange asks for none", leg.name)],
        Closes::Afterwards => vec![format!("{}: nothing arrived", leg.name)],
        Closes::Here | Closes::Opening | Closes::Beside => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::LegKind;
    use terms::Nanos;

    #[test]
    fn a_later_leg_says_whether_it_was_waited_for_and_what_came() {
        let leg = |name, closes| LegKind { name, closes };
        let said = |leg: &LegKind, outcome: Outcome| {
            let end = drive::Later { leg: 1, outcome, took: Some(Nanos::from_secs(2)) };
            later(leg, [&end].into_iter()).concat()
        };
        let reply = leg("reply", Closes::Matched);
        assert_eq!(said(&reply, Outcome::Ok), format!("reply: ok, after {}", crate::words::short(Nanos::from_secs(2))));
        assert!(said(&reply, Outcome::Missing).starts_with("reply: missing, nothing arrived within "));
        assert_eq!(later(&reply, [].into_iter()), ["reply: not expected, this exchange asks for none"]);
        assert_eq!(later(&leg("error", Closes::Afterwards), [].into_iter()), ["error: nothing arrived"]);
        assert_eq!(later(&leg("answer", Closes::Here), [].into_iter()), [""; 0]);
    }
}
