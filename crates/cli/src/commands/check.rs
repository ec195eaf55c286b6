//! `loadproof check`: all mistakes, the plan, and with `--once` one exchange of each kind.

use crate::exit::{Exit, Failed};
use crate::options::CheckOptions;
use crate::prepare::{Prepared, prepare};
use crate::replies::{self, Replies};
use crate::signals::Signals;
use crate::system::{self, Folders};
use crate::{limits, screen};
use clock::Clock;
use drive::Shown;
use terms::Outcome;

/// Finds all mistakes; prints phases, counts, volumes, time.
pub(crate) fn check(options: &CheckOptions) -> Result<Exit, Failed> {
    let prepared = prepare(&options.study)?;
    screen::warnings(&prepared.study);
    screen::plan(&prepared.study, &prepared.plan);
    limits::foresee(&prepared)?.iter().for_each(|text| eprintln!("warning: {text}"));
    if options.once { once(&prepared) } else { Ok(Exit::Met) }
}

/// Starts the system and sends one exchange of each kind that a scenario carries out.
fn once(prepared: &Prepared) -> Result<Exit, Failed> {
    let clock = Clock::system();
    let signals = Signals::listen().map_err(anyhow::Error::from)?;
    let scratch = std::env::temp_dir().join(format!("loadproof-check-{}", std::process::id()));
    let bound = replies::bind(prepared)?;
    let run_id = format!("check-{}", std::process::id());
    let ways = Replies::new(&run_id, &bound);
    let listeners = replies::places(&bound);
    let folders = Folders { scratch: scratch.join("scratch"), logs: scratch.join("logs"), run_id, listeners };
    let (launched, places) = system::start(prepared, &folders, &clock, &signals.interrupted)?;
    limits::raise_descriptors();
    let names = study::names(&prepared.study, &prepared.secrets, &prepared.tables, None, &places);
    let _listening =
        ways.serve(prepared, &names, bound, &clock, |told| println!("{}: {}", told.listener, told.text))?;
    let mut is_ok = true;
    let mut seen = std::collections::BTreeSet::<u16>::new();
    // Every scenario once, however often the order repeats.
    for (scenario, own) in prepared.plan.scenarios.iter().zip(&prepared.study.scenarios) {
        for (index, (part, own)) in scenario.parts.iter().zip(&own.parts).enumerate() {
            let names = study::names(&prepared.study, &prepared.secrets, &prepared.tables, Some(own), &places);
            let setup = ways.setup(prepared, &names, 1)?;
            let exchanges: Vec<u16> =
                own.set_up.iter().map(|(exchange, _)| *exchange).chain(exchanges(&part.run)).collect();
            // A part whose exchanges were all seen would show nothing new; set-up comes along, for its captures.
            let new: Vec<u16> = exchanges.iter().copied().filter(|exchange| !seen.contains(exchange)).collect();
            if new.is_empty() {
                continue;
            }
            seen.extend(&new);
            let shown = drive::once(&setup, (scenario, index), &exchanges, &clock).map_err(Failed::invalid)?;
            is_ok &= shown.iter().all(|shown| shown.outcome == Outcome::Ok);
            shown.iter().for_each(|shown| show(prepared, shown));
        }
    }
    launched.stop();
    let _ = std::fs::remove_dir_all(&scratch);
    Ok(if is_ok { Exit::Met } else { Exit::NotMet })
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

fn show(prepared: &Prepared, shown: &Shown) {
    let name = &prepared.study.exchanges[usize::from(shown.exchange)].name;
    println!("{name}: {} in {}", shown.outcome, crate::words::short(shown.took));
    for note in &shown.notes {
        note.lines().take(40).for_each(|line| println!("    {line}"));
    }
}
