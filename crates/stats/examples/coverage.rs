//! The table of `docs/methods/coverage.md`: how often intervals and verdicts of known processes are right.
//!
//! `cargo run --release -p stats --example coverage -- RUNS` prints it; `cargo xtask coverage` writes it into the page.

#![allow(clippy::print_stdout, reason = "printing is what it is for")]

#[path = "../tests/coverage/measure.rs"]
mod measure;
#[path = "../tests/coverage/processes.rs"]
mod processes;

use measure::{Rates, Subject, measure, truths};

const SUBJECTS: [(&str, Subject); 8] = [
    ("p50", Subject::Percentile(0.5)),
    ("p95", Subject::Percentile(0.95)),
    ("p99", Subject::Percentile(0.99)),
    ("p99.9", Subject::Percentile(0.999)),
    ("mean", Subject::Mean),
    ("1 % time out", Subject::TimeOuts(0.01)),
    ("0.1 % time out", Subject::TimeOuts(0.001)),
    ("1 % fail", Subject::Failures(0.01)),
];
/// Calls from which the truth is taken.
const CALLS: usize = 10_000_000;

fn main() {
    let runs = std::env::args().nth(1).and_then(|runs| runs.parse().ok()).unwrap_or(300);
    println!("Of {runs} runs each, in per cent. Processes on which the rule was chosen, with the seed of that time:\n");
    table(processes::PROCESSES, runs, 7);
    println!("\nProcesses that were written down afterwards, with another seed; nothing was changed for them:\n");
    table(processes::UNSEEN, runs, 20_261_123);
}

fn table(processes: &[processes::Process], runs: usize, seed: u64) {
    let subjects = SUBJECTS.map(|(_, subject)| subject);
    println!(
        "| Process | Time | | printed | covers | met at the limit | not met at it | met, 5 % beyond | not met, 5 % beyond | met, 10 % within |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for process in processes {
        let truths = truths(process, &subjects, CALLS);
        for ((name, _), rates) in SUBJECTS.iter().zip(measure(process, &subjects, &truths, runs, seed)) {
            println!("| {} | {} s | {name} | {} |", process.name, process.seconds, cells(&rates).join(" | "));
        }
    }
}

/// Whole per cent, and tenths below ten. What nothing was printed of covers nothing.
fn cells(rates: &Rates) -> [String; 7] {
    let share = |rate: f64| {
        let percent = 100.0 * rate;
        if percent < 9.95 { format!("{percent:.1}") } else { format!("{percent:.0}") }
    };
    let covered = if rates.printed > 0.0 { share(rates.covered) } else { "–".to_owned() };
    let rest = [rates.met_at, rates.not_met_at, rates.met_beyond, rates.not_met_beyond, rates.met_within];
    let [at, not_at, beyond, not_beyond, within] = rest.map(share);
    [share(rates.printed), covered, at, not_at, beyond, not_beyond, within]
}
