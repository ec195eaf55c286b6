//! Are intervals and verdicts right as often as they say? The short form of `cargo xtask coverage`, whose table stands in
//! the guide: the processes that intervals fail on first. Seeds are fixed, so no test fails by chance.

mod measure;
mod processes;

use measure::{Rates, Subject, measure, truths};
use processes::{PROCESSES, Process};

const RUNS: usize = 120;
const TAIL: [Subject; 2] = [Subject::Percentile(0.99), Subject::Percentile(0.999)];

fn named(name: &str, seconds: usize) -> &'static Process {
    PROCESSES.iter().find(|process| process.name == name && process.seconds == seconds).expect("a process of the table")
}

fn rates(name: &str, seconds: usize, subjects: &[Subject]) -> Vec<Rates> {
    let process = named(name, seconds);
    measure(process, subjects, &truths(process, subjects, 2_000_000), RUNS)
}

#[test]
fn a_tail_at_its_limit_is_not_called_met_under_queueing() {
    for rates in rates("M/M/1 at 0.8", 60, &TAIL) {
        // 5 % are stated; of 120 runs, twelve would be seen in one of a hundred tries.
        assert!(rates.met_at < 0.1, "{}", rates.met_at);
        assert!(rates.met_beyond < 0.05, "{}", rates.met_beyond);
    }
}

#[test]
fn where_memory_is_long_nothing_is_said() {
    for rates in rates("0.9 from second to second", 60, &TAIL) {
        assert!(rates.met_at < 0.05 && rates.not_met_at < 0.1, "{} {}", rates.met_at, rates.not_met_at);
    }
}

#[test]
fn intervals_cover_what_they_say() {
    let subjects = [Subject::Percentile(0.5), Subject::Percentile(0.95), Subject::Mean];
    for (name, seconds) in [("independent", 60), ("0.5 from second to second", 60), ("M/M/1 at 0.8", 600)] {
        for (rates, subject) in rates(name, seconds, &subjects).into_iter().zip(["p50", "p95", "mean"]) {
            assert!(rates.covered >= 0.9 || rates.printed < 0.05, "{name}, {subject}: {}", rates.covered);
        }
    }
}

#[test]
fn independent_calls_are_decided() {
    let rates = rates("independent", 60, &[Subject::Percentile(0.95), Subject::Percentile(0.99), Subject::Mean]);
    let [p95, p99, mean] = &rates[..] else { panic!("three subjects") };
    assert!(p95.met_within > 0.9 && p95.not_met_beyond > 0.9, "{} {}", p95.met_within, p95.not_met_beyond);
    assert!(p99.met_within > 0.8, "{}", p99.met_within);
    assert!(mean.met_within > 0.95 && mean.not_met_beyond > 0.95, "{} {}", mean.met_within, mean.not_met_beyond);
}
