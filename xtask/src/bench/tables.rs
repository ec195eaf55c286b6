//! The tables of the bench, as text.

use super::generators::Said;
use super::lengths::Judged;
use crate::child::{Instructions, Measured};
use serde_json::Value;
use std::fmt::Write as _;

/// One run of one generator.
#[derive(Clone, Debug)]
pub(super) struct Round {
    pub(super) said: Said,
    pub(super) measured: Measured,
}

/// What judging takes, by the length of the run.
pub(super) fn lengths(rows: &[Judged]) -> String {
    let mut text = "Judging a run of thirty exchanges, by its length\n".to_owned();
    _ = writeln!(text, "{:<14} {:>12} {:>9} {:>8}", "", "evidence MiB", "RSS MiB", "CPU s");
    for Judged { length, evidence, measured } in rows {
        let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
        let (evidence, resident) = (mib(*evidence), mib(measured.resident));
        _ = writeln!(text, "{length:<14} {evidence:>12.1} {resident:>9.1} {:>8.1}", measured.cpu_s);
    }
    text
}

/// What a request costs, of one round: what a run costs whatever its load is taken off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cost {
    /// Instructions for a request: in user mode, and all.
    pub(super) instructions: Option<(f64, f64)>,
    /// Processor seconds for a million requests.
    pub(super) cpu_s: f64,
    pub(super) per_s: f64,
    pub(super) resident_mib: f64,
}

/// The cost of a round's requests, beyond those of a run without load.
pub(super) fn cost(round: &Round, fixed: Option<&Measured>) -> Cost {
    let requests = round.said.requests.max(1) as f64;
    let measured = &round.measured;
    let fixed_cpu = fixed.map_or(0.0, |fixed| fixed.cpu_s);
    let less = |all: u64, fixed: u64| all.saturating_sub(fixed) as f64 / requests;
    let fixed_of = |fixed: Option<&Measured>| {
        fixed.and_then(|fixed| fixed.instructions).unwrap_or(Instructions { user: 0, kernel: 0 })
    };
    let instructions = measured.instructions.map(|all| {
        let fixed = fixed_of(fixed);
        (less(all.user, fixed.user), less(all.user + all.kernel, fixed.user + fixed.kernel))
    });
    Cost {
        instructions,
        cpu_s: (measured.cpu_s - fixed_cpu).max(0.0) / requests * 1e6,
        per_s: requests / measured.wall_s.max(1e-9),
        resident_mib: measured.resident as f64 / f64::from(1 << 20),
    }
}

/// Rows of generators: names, and each one's rounds. The first row is what the others are held against.
pub(super) fn costs(title: &str, rows: &[(String, Vec<Cost>)]) -> String {
    let mut text = format!(
        "{title}\n{:<14} {:>20} {:>8} {:>12} {:>12} {:>8} {:>9}\n",
        "", "instructions/request", "× floor", "in user mode", "CPU s / 1e6", "× floor", "RSS MiB"
    );
    let of = |costs: &[Cost], what: &dyn Fn(&Cost) -> Option<f64>| median(costs.iter().filter_map(what).collect());
    let total = |cost: &Cost| cost.instructions.map(|(_, all)| all);
    let user = |cost: &Cost| cost.instructions.map(|(user, _)| user);
    let floor = rows.first().map(|(_, costs)| (of(costs, &total), of(costs, &|cost| Some(cost.cpu_s))));
    for (name, costs) in rows {
        let cpu = of(costs, &|cost| Some(cost.cpu_s));
        let all = of(costs, &total);
        let ratio = |value: Option<f64>, floor: Option<f64>| value.zip(floor).map(|(value, floor)| value / floor);
        let _ = writeln!(
            text,
            "{name:<14} {:>20} {:>8} {:>12} {:>12} {:>8} {:>9}",
            number(all, 0),
            number(ratio(all, floor.and_then(|floor| floor.0)), 2),
            number(of(costs, &user), 0),
            number(cpu, 2),
            number(ratio(cpu, floor.and_then(|floor| floor.1)), 2),
            number(of(costs, &|cost| Some(cost.resident_mib)), 1),
        );
    }
    text
}

/// Distances from the schedule and of gaps, µs, as the server's kernel stamped arrivals.
pub(super) fn schedules(rows: &[(String, Vec<Value>)]) -> String {
    let mut text = format!(
        "Arrivals at the server against the schedule, µs\n{:<14} {:>9} {:>14} {:>9} {:>14} {:>9}\n",
        "", "arrivals", "distance p50", "p99", "gaps off p50", "p99"
    );
    for (name, rounds) in rows {
        let at =
            |part: &str, name: &str| median(rounds.iter().filter_map(|round| round[part][name].as_f64()).collect());
        let count = median(rounds.iter().filter_map(|round| round["arrivals"].as_f64()).collect());
        let _ = writeln!(
            text,
            "{name:<14} {:>9} {:>14} {:>9} {:>14} {:>9}",
            number(count, 0),
            number(at("from_schedule_us", "p50"), 1),
            number(at("from_schedule_us", "p99"), 1),
            number(at("gaps_us", "p50"), 1),
            number(at("gaps_us", "p99"), 1),
        );
    }
    text
}

/// Times under a freeze, ms, beside the truth.
pub(super) fn freezes(title: &str, truth: [f64; 5], rows: &[(String, Vec<[f64; 5]>)]) -> String {
    let mut text =
        format!("{title}, ms\n{:<14} {:>8} {:>8} {:>8} {:>8} {:>8}\n", "", "p50", "p90", "p99", "p99.9", "max");
    let mut line = |name: &str, times: [Option<f64>; 5]| {
        let _ = write!(text, "{name:<14}");
        for time in times {
            let _ = write!(text, " {:>8}", number(time, 2));
        }
        text.push('\n');
    };
    line("truth", truth.map(Some));
    for (name, rounds) in rows {
        line(name, std::array::from_fn(|place| median(rounds.iter().map(|times| times[place]).collect())));
    }
    text
}

/// The middle one; of an even number the lower of the two.
pub(super) fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len().saturating_sub(1) / 2).copied()
}

fn number(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(|| "–".to_owned(), |value| format!("{value:.digits$}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(cpu_s: f64, user: u64, kernel: u64) -> Measured {
        let instructions = Some(Instructions { user, kernel });
        Measured {
            command: "x".into(),
            stdout: String::new(),
            stderr: String::new(),
            cpu_s,
            kernel_s: 0.0,
            wall_s: 2.0,
            instructions,
            resident: 3 << 20,
            resident_over: Vec::new(),
        }
    }

    #[test]
    fn what_a_run_costs_anyway_is_taken_off() {
        let round = Round {
            said: Said { requests: 1_000_000, ..Said::default() },
            measured: measured(5.0, 4_000_000_000, 16_000_000_000),
        };
        let fixed = measured(1.0, 1_000_000_000, 500_000_000);
        let found = cost(&round, Some(&fixed));
        assert_eq!(found.instructions, Some((3000.0, 18_500.0)));
        assert_eq!((found.cpu_s, found.per_s, found.resident_mib), (4.0, 500_000.0, 3.0));
        let rows = [("floor".to_owned(), vec![cost(&round, None)]), ("ours".to_owned(), vec![found])];
        let text = costs("Closed", &rows);
        // 18.5 of 20 thousand; 4 of 5 seconds.
        assert!(text.lines().last().unwrap().contains("18500     0.93         3000         4.00     0.80"), "{text}");
    }

    #[test]
    fn rounds_are_told_by_their_median() {
        assert_eq!((median(vec![]), median(vec![3.0, 1.0]), median(vec![9.0, 1.0, 2.0])), (None, Some(1.0), Some(2.0)));
        let text = freezes("Plenty", [1.0; 5], &[("ours".into(), vec![[1.5; 5], [1.0; 5], [9.0; 5]])]);
        assert!(text.ends_with("1.50     1.50     1.50     1.50     1.50\n"), "{text}");
        let spread = serde_json::json!({"arrivals": 5, "from_schedule_us": {"p50": 1.0, "p99": 2.0},
            "gaps_us": {"p50": 3.0, "p99": 4.0}});
        let text = schedules(&[("ours".into(), vec![spread])]);
        assert!(text.contains("1.0       2.0            3.0       4.0"), "{text}");
    }
}
