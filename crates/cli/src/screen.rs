//! What a person sees in the terminal before a run.

use plan::{LoadPlan, Plan};
use study::Study;
use terms::Nanos;

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
