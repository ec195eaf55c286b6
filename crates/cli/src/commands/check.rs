//! `loadproof check`: all mistakes, the plan, and with `--once` one exchange of each kind.

use super::check_json::Told;
use crate::exit::{Exit, Failed};
use crate::limits::hosts;
use crate::options::CheckOptions;
use crate::output::{put, say};
use crate::prepare::{Prepared, prepare};
use crate::refusal::Untouched;
use crate::replies::{self, Replies};
use crate::signals::Signals;
use crate::system::{self, Folders};
use crate::{conduct, limits, screen};
use clock::Clock;
use contract::Closes;
use drive::{Control, Shown};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use study::{Per, Places, Study};
use terms::{Nanos, Outcome};

/// Lines of a note that are shown.
const NOTE_LINES_MAX: usize = 40;
/// Between two looks at signals.
const LOOK: Nanos = Nanos::from_millis(50);

/// Where what is found goes: lines for people, or one object for a program.
struct Outlet {
    json: Option<Told>,
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
    let mut outlet = Outlet { json: options.json.then(Told::default) };
    let checked = look(options, &mut outlet);
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
        None => screen::plan(&prepared.study, &prepared.plan),
    }
    outlet.warnings(&limits::foresee(&prepared)?);
    limits::threads::try_out(conduct::workers(&prepared, None), prepared.study.watch.len())?;
    if options.once {
        return once(&prepared, outlet);
    }
    // A study may be checked where its hosts are not known, or beside a run that has the ports, as on a build server.
    outlet.warnings(replies::foresee(&prepared)?.as_slice());
    outlet.warnings(&hosts::unknown(&prepared)?);
    Ok(Exit::Met)
}

/// Starts the system and sends one exchange of each kind that a scenario carries out.
fn once(prepared: &Prepared, outlet: &mut Outlet) -> Result<Exit, Failed> {
    hosts::refuse_unknown(prepared)?;
    let signals = Signals::listen().map_err(anyhow::Error::from)?;
    let scratch = std::env::temp_dir().join(format!("loadproof-check-{}", std::process::id()));
    let untouched = Untouched::look(&scratch);
    let sent = send(prepared, &signals, &scratch, outlet);
    let is_ok = sent.map_err(|failed| untouched.restore(failed, &prepared.kept_out))?;
    let _ = std::fs::remove_dir_all(&scratch);
    Ok(if is_ok { Exit::Met } else { Exit::NotMet })
}

/// Says whether every exchange ended well. A first signal lets the one in hand end, a second cuts it off.
fn send(prepared: &Prepared, signals: &Signals, scratch: &Path, outlet: &mut Outlet) -> Result<bool, Failed> {
    let clock = Clock::system();
    let bound = replies::bind(prepared)?;
    let run_id = format!("check-{}", std::process::id());
    let ways = Replies::new(&run_id, &bound);
    let listeners = replies::places(&bound);
    let folders = Folders { scratch: scratch.join("scratch"), logs: scratch.join("logs"), run_id, listeners };
    let (launched, places) = system::start(prepared, &folders, &clock, signals.interrupted())?;
    limits::raise_descriptors();
    let names = study::names(&prepared.study, &prepared.secrets, &prepared.tables, None, &places);
    let is_json = outlet.json.is_some();
    let tell = move |told: listen::Told| {
        if is_json { say!("{}: {}", told.listener, told.text) } else { put!("{}: {}", told.listener, told.text) }
    };
    let _listening = ways.serve(prepared, &names, bound, &clock, tell)?;
    let (control, done) = (Control::new(), AtomicBool::new(false));
    let is_ok = std::thread::scope(|scope| {
        let watch = || {
            while !done.load(Ordering::Acquire) {
                signals.pass_on(&control);
                clock.sleep_until(clock.now() + LOOK);
            }
        };
        std::thread::Builder::new().name("signals".into()).spawn_scoped(scope, watch).map_err(Failed::invalid)?;
        let is_ok = send_all(prepared, &ways, &places, &clock, &control, outlet);
        done.store(true, Ordering::Release);
        is_ok
    });
    launched.stop();
    is_ok
}

fn send_all(
    prepared: &Prepared,
    ways: &Replies,
    places: &Places,
    clock: &Clock,
    control: &Control,
    outlet: &mut Outlet,
) -> Result<bool, Failed> {
    let mut is_ok = true;
    let mut seen = std::collections::BTreeSet::<u16>::new();
    // Every scenario once, however often the order repeats.
    for (scenario, own) in prepared.plan.scenarios.iter().zip(&prepared.study.scenarios) {
        for (index, (part, own)) in scenario.parts.iter().zip(&own.parts).enumerate() {
            let names = study::names(&prepared.study, &prepared.secrets, &prepared.tables, Some(own), places);
            let setup = ways.setup(prepared, &names, 1)?;
            let before = own.set_up.iter().map(|(exchange, _)| *exchange).chain(exchanges(&part.run));
            let exchanges: Vec<u16> = before.chain(clean_up(&prepared.study, (scenario.number, index))).collect();
            // A part whose exchanges were all seen would show nothing new; set-up comes along, for its captures.
            let new: Vec<u16> = exchanges.iter().copied().filter(|exchange| !seen.contains(exchange)).collect();
            if new.is_empty() {
                continue;
            }
            seen.extend(&new);
            let shown = drive::once(&setup, (scenario, index), &exchanges, clock, control).map_err(Failed::invalid)?;
            is_ok &= shown.len() == exchanges.len() && shown.iter().all(|shown| shown.outcome == Outcome::Ok);
            shown.iter().for_each(|shown| show(prepared, shown, outlet));
        }
    }
    Ok(is_ok)
}

/// The clean-up of a part. What is there once a study waits for the last part that has it: others may need what it takes
/// away.
fn clean_up(study: &Study, (number, index): (u16, usize)) -> impl Iterator<Item = u16> {
    let after = |scenario: usize, part: usize| (scenario, part) > (usize::from(number), index);
    let all = study.scenarios.iter().enumerate().flat_map(|(scenario, own)| {
        own.parts.iter().enumerate().filter(move |(part, _)| after(scenario, *part)).map(|(_, part)| &part.clean_up)
    });
    let later: Vec<(u16, Per)> = all.flatten().copied().filter(|(_, per)| *per == Per::Study).collect();
    let own = study.scenarios.get(usize::from(number)).and_then(|scenario| scenario.parts.get(index));
    let own = own.map_or_else(Vec::new, |part| part.clean_up.clone());
    own.into_iter().filter(move |entry| !later.contains(entry)).map(|(exchange, _)| exchange)
}

fn exchanges(items: &[study::Item]) -> Vec<u16> {
    let of = |item: &study::Item| match item {
        study::Item::Exchange(number) => vec![*number],
        study::Item::Think(_) => Vec::new(),
        study::Item::Choose(choices) => choices.iter().map(|(_, number)| *number).collect(),
        study::Item::Times(_, items) => exchanges(items),
    };
    items.iter().flat_map(of).collect()
}

fn show(prepared: &Prepared, shown: &Shown, outlet: &mut Outlet) {
    let exchange = &prepared.study.exchanges[usize::from(shown.exchange)];
    let legs = exchange.legs.iter().zip(0u8..).skip(1);
    let mut lines: Vec<String> =
        legs.flat_map(|(leg, number)| later(leg, shown.later.iter().filter(|later| later.leg == number))).collect();
    lines.extend(shown.notes.iter().flat_map(|note| note.lines().take(NOTE_LINES_MAX)).map(str::to_owned));
    outlet.line(&format!("{}: {} in {}", exchange.name, shown.outcome, crate::words::short(shown.took)));
    lines.iter().for_each(|line| outlet.line(&format!("    {line}")));
    outlet.json.iter_mut().for_each(|told| told.exchange(&exchange.name, shown, &lines));
}

/// What is to be said of a leg behind the first: that it was waited for, and what came of that.
fn later<'a>(leg: &contract::LegKind, ends: impl Iterator<Item = &'a drive::Later>) -> Vec<String> {
    let say = |end: &drive::Later| match (end.outcome, end.took) {
        (Outcome::Missing, Some(took)) => {
            format!("{}: missing, nothing came within {}", leg.name, crate::words::short(took))
        }
        (outcome, Some(took)) => format!("{}: {outcome}, it came after {}", leg.name, crate::words::short(took)),
        (outcome, None) => format!("{}: {outcome}", leg.name),
    };
    let lines: Vec<String> = ends.map(say).collect();
    match leg.closes {
        _ if !lines.is_empty() => lines,
        Closes::Matched => vec![format!("{}: not waited for, this exchange asks for none", leg.name)],
        Closes::Afterwards => vec![format!("{}: none came", leg.name)],
        Closes::Here | Closes::Counted => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::LegKind;
    use terms::Nanos;

    #[test]
    fn a_later_leg_says_whether_it_was_waited_for_and_what_came() {
        let leg = |name, closes| LegKind { name, closes, many: false };
        let said = |leg: &LegKind, outcome: Outcome| {
            let end = drive::Later { leg: 1, outcome, took: Some(Nanos::from_secs(2)) };
            later(leg, [&end].into_iter()).concat()
        };
        let reply = leg("reply", Closes::Matched);
        assert_eq!(
            said(&reply, Outcome::Ok),
            format!("reply: ok, it came after {}", crate::words::short(Nanos::from_secs(2)))
        );
        assert!(said(&reply, Outcome::Missing).starts_with("reply: missing, nothing came within "));
        assert_eq!(later(&reply, [].into_iter()), ["reply: not waited for, this exchange asks for none"]);
        assert_eq!(later(&leg("error", Closes::Afterwards), [].into_iter()), ["error: none came"]);
        assert_eq!(later(&leg("answer", Closes::Here), [].into_iter()), [""; 0]);
    }
}
