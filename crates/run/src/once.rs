//! One exchange of each kind: the system is started, asked once, and stopped.

use crate::descriptors;
use crate::error::RunError;
use crate::folder::Folder;
use crate::foresee;
use crate::observer::Observer;
use crate::prepare::Prepared;
use crate::replies::{self, Replies};
use crate::signals::Signals;
use crate::system::{Starter, Surroundings};
use clock::Clock;
use drive::{Control, Shown};
use listen::Notice;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use study::{Exchange, Item, Per, Places, Study};
use terms::{Nanos, Outcome};

/// Between two looks at signals.
const LOOK: Nanos = Nanos::from_millis(50);

/// Starts the system and sends one exchange of each kind that a scenario carries out; `show` gets what came of it. What
/// listeners have to tell goes to `tell`, from a thread of their own. Says whether every exchange succeeded. A first
/// signal lets the exchange in hand end, a second one cuts it off.
///
/// # Errors
/// As [`crate::conduct()`], but for what a run folder has.
pub fn once(
    prepared: &Prepared,
    observer: &dyn Observer,
    show: &mut dyn FnMut(&Exchange, &Shown),
    tell: impl Fn(Notice) + Send + 'static,
) -> Result<bool, RunError> {
    foresee::refuse_unknown_hosts(prepared)?;
    let signals = Signals::listen().map_err(RunError::Signals)?;
    let folder = Folder::look(&std::env::temp_dir().join(format!("loadproof-check-{}", std::process::id())));
    let sent = send(prepared, &signals, folder.path(), observer, show, tell);
    let is_ok = sent.map_err(|error| folder.restore(error, &prepared.kept_out))?;
    let _ = std::fs::remove_dir_all(folder.path());
    Ok(is_ok)
}

fn send(
    prepared: &Prepared,
    signals: &Signals,
    folder: &Path,
    observer: &dyn Observer,
    show: &mut dyn FnMut(&Exchange, &Shown),
    tell: impl Fn(Notice) + Send + 'static,
) -> Result<bool, RunError> {
    let clock = Clock::system();
    let bound = replies::bind(prepared)?;
    let run_id = format!("check-{}", std::process::id());
    let replies = Replies::new(&run_id, &bound);
    let surroundings = Surroundings::within(folder, &run_id, &bound);
    let starter = Starter { surroundings: &surroundings, clock: &clock, interrupted: signals.interrupted(), observer };
    let (launched, places) = starter.start(prepared)?;
    descriptors::raise();
    let names = study::names(&prepared.study, &prepared.secrets, &prepared.tables, None, &places);
    let _listening = replies.serve(prepared, &names, bound, &clock, tell)?;
    let (control, done) = (Control::new(), AtomicBool::new(false));
    let is_ok = std::thread::scope(|scope| {
        let watch = || {
            while !done.load(Ordering::Acquire) {
                signals.pass_on(&control);
                clock.sleep_until(clock.now() + LOOK);
            }
        };
        let watching = std::thread::Builder::new().name("signals".into()).spawn_scoped(scope, watch);
        watching.map_err(RunError::Thread)?;
        let is_ok = send_all(prepared, &replies, &places, &clock, &control, show);
        done.store(true, Ordering::Release);
        is_ok
    });
    launched.stop();
    is_ok
}

fn send_all(
    prepared: &Prepared,
    replies: &Replies,
    places: &Places,
    clock: &Clock,
    control: &Control,
    show: &mut dyn FnMut(&Exchange, &Shown),
) -> Result<bool, RunError> {
    let study = &prepared.study;
    let mut is_ok = true;
    let mut seen = BTreeSet::<u16>::new();
    // Every scenario once, however often the order repeats.
    for (scenario, own) in prepared.plan.scenarios.iter().zip(&study.scenarios) {
        for (index, (part, own)) in scenario.parts.iter().zip(&own.parts).enumerate() {
            let names = study::names(study, &prepared.secrets, &prepared.tables, Some(own), places);
            let blueprint = replies.blueprint(prepared, &names, 1)?;
            let before = own.set_up.iter().map(|(exchange, _)| *exchange).chain(exchanges(&part.run));
            let exchanges: Vec<u16> = before.chain(clean_up(study, (scenario.number, index))).collect();
            // A part whose exchanges were all seen would show nothing new; set-up comes along, for its captures.
            let new: Vec<u16> = exchanges.iter().copied().filter(|exchange| !seen.contains(exchange)).collect();
            if new.is_empty() {
                continue;
            }
            seen.extend(&new);
            let shown =
                drive::once(&blueprint, (scenario, index), &exchanges, clock, control).map_err(RunError::Drive)?;
            is_ok &= shown.len() == exchanges.len() && shown.iter().all(|shown| shown.outcome == Outcome::Ok);
            shown.iter().for_each(|shown| show(&study.exchanges[usize::from(shown.exchange)], shown));
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

/// In the order written; a condition is taken to hold, and to fail, too.
fn exchanges(items: &[Item]) -> Vec<u16> {
    study::all_items(items).into_iter().flat_map(Item::calls).copied().collect()
}
