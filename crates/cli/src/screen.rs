//! What a person sees in the terminal before and after a run.

use plan::{LoadPlan, Plan};
use std::io::IsTerminal;
use study::Study;
use terms::{EndReason, Nanos, Severity, Validity, Verdict};

/// Things that are no mistakes and still worth a look.
pub(crate) fn warnings(study: &Study) {
    for warning in &study.warnings {
        eprint!("{}", study::show("warning", warning, &study.files));
    }
}

/// Phases, counts, volumes and time of a plan.
pub(crate) fn plan(study: &Study, plan: &Plan) {
    println!("study: {}", study.title.in_language("en"));
    if let Some(trial) = &study.trial {
        println!("trial of about {}: phases and waits times {:.3}", trial.asked, trial.factor);
        trial.left_out.iter().for_each(|text| println!("  left out: {text}"));
    }
    let (mut total, mut is_open_ended, mut iterations) = (Nanos::ZERO, false, 0);
    for scenario in &plan.scenarios {
        let model = match &scenario.load {
            LoadPlan::Open { schedule, .. } if schedule.is_poisson() => "open, Poisson arrivals".to_owned(),
            LoadPlan::Open { .. } => "open, evenly spaced arrivals".to_owned(),
            LoadPlan::Closed { users, .. } => format!("closed, {} users", users.count),
        };
        println!("\nscenario {} ({model})", scenario.name);
        for step in plan.steps.iter().filter(|step| step.scenario == scenario.number) {
            let length = step.length.map_or_else(|| "until it ends".into(), |length| length.to_string());
            let offered = step.offered.map_or_else(String::new, |(from, to)| {
                if (from - to).abs() < 1e-9 { format!("{from}/s") } else { format!("{from:.3}/s to {to:.3}/s") }
            });
            let count = step.iterations.map_or_else(String::new, |count| format!("{count} iterations"));
            println!("  {:<16} {:>14}  {offered:<20} {count}", step.id, length);
            total += step.length.unwrap_or_default();
            is_open_ended |= step.length.is_none() && step.phase.has_load();
            iterations += step.iterations.unwrap_or(0);
        }
        total += scenario.gap;
    }
    let at_least = if is_open_ended { "at least " } else { "" };
    println!(
        "\n{at_least}{total} and the drains; {at_least}{iterations} iterations; {} requirements",
        study.requirements.len()
    );
}

/// The verdicts, the validity, what to know: the last screen of a run.
pub(crate) fn verdicts(input: &report::Input<'_>) {
    let colours = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let judgement = input.judgement;
    eprintln!();
    let validity = judgement.validity;
    if validity != Validity::Valid {
        eprintln!(
            "{}",
            painted(colours, 33, &format!("the run is {validity}: see the threats to validity in the report"))
        );
    }
    if judgement.end_reason != EndReason::Completed {
        let why = input.head.ending.as_ref().map_or("it was killed", |ending| ending.text.as_str());
        eprintln!(
            "{}",
            painted(colours, 33, &format!("the run did not end as planned ({}): {why}", judgement.end_reason))
        );
    }
    for line in report::verdict_lines(input) {
        let colour = match line.verdict {
            Verdict::Met => 32,
            Verdict::NotMet => 31,
            Verdict::CannotTell => 33,
        };
        let verdict = painted(colours, colour, &format!("{} {:<11}", line.mark, line.word));
        let interval = if line.interval.is_empty() { String::new() } else { format!(" ({})", line.interval) };
        let weight = if line.severity == Severity::Must { String::new() } else { format!("  [{}]", line.severity) };
        eprintln!(
            "{verdict} {:<16} {:<24} {}{interval}, limit {}{weight}",
            line.id, line.scope, line.measured, line.limit
        );
        if line.verdict != Verdict::Met {
            eprintln!("              {}", line.reason);
        }
    }
    if judgement.requirements.is_empty() {
        figures(input);
    }
}

/// A percentile is shown when at least so many calls lie beyond it: below, its interval has no upper end.
const CALLS_BEYOND_MIN: f64 = 3.7;

/// Without requirements, the figures themselves.
fn figures(input: &report::Input<'_>) {
    for step in input.judgement.steps.iter().filter(|step| step.phase == "hold") {
        eprintln!(
            "{}/{}: offered {:.1}/s, achieved {:.1}/s, throughput {:.1}/s; ok {}, failed {}, dropped {}, aborted {}",
            step.scenario,
            step.id,
            step.offered_per_s,
            step.achieved_per_s,
            step.throughput_per_s,
            step.books.completed,
            step.books.failed,
            step.books.dropped,
            step.books.aborted
        );
        for exchange in &step.exchanges {
            for leg in exchange.legs.iter().filter(|leg| leg.count > 0 && leg.outcome != "all") {
                let (name, times) = match (&leg.response, &leg.service) {
                    (Some(times), _) => ("response", times),
                    (None, Some(times)) => ("service", times),
                    (None, None) => continue,
                };
                // A percentile that so few calls carry is no statement; the report gives the numbers needed.
                let carried = |quantile: f64| leg.count as f64 * (1.0 - quantile) >= CALLS_BEYOND_MIN;
                let all = times.percentiles.iter().filter(|found| carried(found.quantile));
                let all: Vec<_> = all.map(|found| format!("p{} {:.2}", found.quantile * 100.0, found.value)).collect();
                eprintln!(
                    "  {} {} {name} ms: mean {:.2}{}, max {:.2}",
                    exchange.id,
                    leg.outcome,
                    times.mean,
                    all.iter().map(|text| format!(", {text}")).collect::<String>(),
                    times.max
                );
            }
        }
    }
}

fn painted(colours: bool, colour: u8, text: &str) -> String {
    if colours { format!("\x1b[{colour}m{text}\x1b[0m") } else { text.to_owned() }
}
