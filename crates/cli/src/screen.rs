//! What a person sees in the terminal before a run.

use crate::output::{put, say};
use crate::search_words;
use plan::{LoadPlan, PartPlan, Plan, ScenarioPlan};
use study::{Scenario, Study, Wait};
use terms::{Nanos, Phase};

/// Warnings: no mistakes, but worth a look.
pub(crate) fn warnings(study: &Study) {
    for warning in &study.warnings {
        say!("{}", study::show("warning", warning, &study.files).trim_end());
    }
}

/// Phases, counts, volumes and time of a plan.
/// `flow` says more of what one iteration of a part does.
pub(crate) fn plan(study: &Study, plan: &Plan, flow: impl Fn(&PartPlan) -> Vec<String>) {
    put!("study: {}", study.title.in_language("en"));
    if let Some(trial) = &study.trial {
        put!("trial of about {}: phases and waits times {:.3}", trial.asked, trial.factor);
        trial.left_out.iter().for_each(|text| put!("  left out: {text}"));
    }
    let (mut total, mut iterations, mut is_closed) = (Nanos::ZERO, 0, false);
    // Whether a load ends by a count alone, and whether one ends by a count or after so long.
    let (mut is_open_ended, mut is_bounded) = (false, false);
    // What only a rule brings about, or what a rule may end at once.
    let (mut conditional, mut has_drains) = (Nanos::ZERO, false);
    // What the attempts of searches usually add, after the first of each.
    let (mut attempts, mut conditional_attempts, mut searches) = (Nanos::ZERO, Nanos::ZERO, Vec::new());
    for scenario in &plan.scenarios {
        let (before, conditional_before) = (total, conditional);
        let own = study.scenarios.get(usize::from(scenario.number));
        let again = match study.repeat * own.map_or(1, |own| own.repeat) {
            0 | 1 => String::new(),
            times => format!(", time {} of {times}", scenario.repetition),
        };
        let models: Vec<String> = scenario.parts.iter().map(model).collect();
        put!("\nscenario {} ({}{again})", scenario.name, models.join("; "));
        let search = own.and_then(|own| Some((own, &*search_words::begun(study, own)?.search)));
        for line in search.into_iter().flat_map(|(own, search)| search_words::lines(own, search)) {
            put!("  {line}");
        }
        // What an iteration does is the same each time.
        for part in scenario.parts.iter().filter(|_| scenario.repetition == 1) {
            let name = if part.name.is_empty() { String::new() } else { format!("{}: ", part.name) };
            flow(part).iter().for_each(|line| put!("  {name}{line}"));
        }
        let is_ours = |step: &&plan::Step| (step.scenario, step.repetition) == (scenario.number, scenario.repetition);
        for step in plan.steps.iter().filter(is_ours) {
            let wait = own.and_then(|own| wait_of(own, step.phase));
            let length = match (step.length, &wait) {
                (Some(length), _) => length.to_string(),
                (None, Some((most, _))) => format!("at most {most}"),
                (None, None) => step.at_most.map_or("until it ends".into(), |most| format!("at most {most}")),
            };
            let is_staged = of_step(scenario, step)
                .is_some_and(|part| matches!(&part.load, LoadPlan::Closed { users, .. } if users.has_stages));
            // Where their number changes, each step says it; elsewhere it stands above them.
            let users = step.users.filter(|_| is_staged).map_or_else(String::new, |users| several(users, "user"));
            let users = step.connections.map_or(users, |open| several(open, "connection"));
            let offered = step.offered.map_or(users, |(from, to)| {
                if (from - to).abs() < 1e-9 { format!("{from}/s") } else { format!("{from:.3}/s to {to:.3}/s") }
            });
            let unit = if step.connections.is_some() { "message" } else { "iteration" };
            let count = step.iterations.map_or_else(String::new, |count| several(count, unit));
            let part = of_step(scenario, step).filter(|_| step.part.is_some());
            let id = part.map_or_else(|| step.id.clone(), |part| format!("{} {}", step.id, part.name));
            let offered = wait.map_or(offered, |(most, rule)| {
                conditional += most;
                format!("until {rule}")
            });
            put!("  {id:<24} {length:>14}  {offered:<20} {count}");
            has_drains |= step.phase == Phase::Drain && !scenario.until.contains(&Wait::Drain);
            // Parts have their phases together.
            total += step.length.filter(|_| step.part.unwrap_or(0) == 0).unwrap_or_default();
            is_open_ended |= step.length.is_none() && step.phase.has_load() && scenario.at_most.is_none();
            iterations += step.iterations.unwrap_or(0);
            is_closed |= step.phase.has_load()
                && step.iterations.is_none()
                && of_step(scenario, step).is_some_and(|part| matches!(part.load, LoadPlan::Closed { .. }));
        }
        // The bound is one of the whole load, a warm-up by count with it.
        if let Some(at_most) = scenario.at_most {
            let own = plan.steps.iter().filter(is_ours).filter(|step| step.phase.has_load());
            total += at_most - own.filter_map(|step| step.length).fold(Nanos::ZERO, |sum, length| sum + length);
            is_bounded = true;
        }
        match own.and_then(|own| own.until.get(&Wait::Gap)) {
            Some(until) => {
                let most = format!("at most {}", scenario.gap);
                put!("  {:<24} {most:>14}  until {}", "gap", until.text);
                conditional += scenario.gap;
            }
            None => total += scenario.gap,
        }
        if own.is_some_and(|own| own.only_if.is_some()) {
            conditional += total - before;
            total = before;
        }
        if let Some((_, search)) = search {
            attempts += search_words::more(search, total - before);
            conditional_attempts += search_words::more(search, conditional - conditional_before);
            searches.push(format!("{} of {}", several(search.usual_attempts(), "attempt"), search.name));
        }
    }
    let bound = match (is_open_ended, is_bounded) {
        (true, _) => "at least ",
        (false, true) => "at most ",
        (false, false) => "",
    };
    let iterations = planned(&format!("{bound}{iterations}"), iterations, is_closed);
    let requirements = several(study.requirements.len() as u64, "requirement");
    let one = if searches.is_empty() { "" } else { "with one attempt of each search " };
    put!("\n{one}{bound}{}; {iterations}; {requirements}", takes((total, conditional), has_drains));
    if !searches.is_empty() {
        let usual = takes((total + attempts, conditional + conditional_attempts), has_drains);
        put!("with {}, as is usual, {bound}{usual}", searches.join(" and "));
    }
}

/// `1 user`, `8 users`.
pub(crate) fn several(count: impl Into<u64>, word: &str) -> String {
    let count = count.into();
    if count == 1 { format!("1 {word}") } else { format!("{count} {word}s") }
}

/// How long all of it takes: what is sure, and what rules may add to it.
fn takes((sure, more): (Nanos, Nanos), has_drains: bool) -> String {
    let more = match more {
        Nanos::ZERO => String::new(),
        more => {
            format!(", up to {} more where rules bring it about{}", legible(more), if has_drains { "," } else { "" })
        }
    };
    format!("{}{more}{}", legible(sure), if has_drains { " and the drains" } else { "" })
}

/// `6h 33m 45s`: a sum of phases, from a minute on to the second.
fn legible(sum: Nanos) -> String {
    if sum < Nanos::from_secs(60) {
        return sum.to_string();
    }
    let seconds = (sum.0 + Nanos::SECOND.0 / 2) / Nanos::SECOND.0;
    let units = [(seconds / 3600, "h"), (seconds / 60 % 60, "m"), (seconds % 60, "s")];
    let told: Vec<String> =
        units.iter().filter(|(count, _)| *count > 0).map(|(count, unit)| format!("{count}{unit}")).collect();
    told.join(" ")
}

/// The longest of a phase that a rule may end, and the rule.
fn wait_of(own: &Scenario, phase: Phase) -> Option<(Nanos, &str)> {
    let wait = match phase {
        Phase::Idle => Wait::Idle,
        Phase::Drain => Wait::Drain,
        Phase::Recovery => Wait::Recovery,
        Phase::Ramp | Phase::WarmUp | Phase::Hold => return None,
    };
    own.until.get(&wait).map(|rule| (own.longest(wait), rule.text.as_str()))
}

/// The iterations of a plan, as `number` has them. In a closed load without a number of its own there are as many as the
/// answers allow, which no plan knows.
fn planned(number: &str, iterations: u64, is_closed: bool) -> String {
    match (iterations, is_closed) {
        (0, true) => "as many iterations as the users get through".to_owned(),
        (1, true) => format!("{number} iteration, and as many as the users of closed loads get through"),
        (_, true) => format!("{number} iterations, and as many as the users of closed loads get through"),
        (1, false) => format!("{number} iteration"),
        (_, false) => format!("{number} iterations"),
    }
}

/// The part whose load a step is of.
fn of_step<'a>(scenario: &'a ScenarioPlan, step: &plan::Step) -> Option<&'a PartPlan> {
    scenario.parts.get(step.part.map_or(0, usize::from))
}

/// A part's load in a few words.
fn model(part: &PartPlan) -> String {
    let model = match &part.load {
        LoadPlan::Open { schedule, .. } if schedule.is_poisson() => "open, Poisson arrivals".to_owned(),
        LoadPlan::Open { .. } => "open, evenly spaced arrivals".to_owned(),
        LoadPlan::Closed { users, count: Some(count), .. } => {
            format!("closed, {}, {}", several(users.count, "user"), several(*count, "iteration"))
        }
        LoadPlan::Closed { users, .. } if users.has_stages => format!("closed, up to {}", several(users.count, "user")),
        LoadPlan::Closed { users, .. } => format!("closed, {}", several(users.count, "user")),
        LoadPlan::Held(held) => {
            let count = held.connections.count;
            match held.every {
                Some(every) if held.in_step => format!("fan-out, {count} subscribers, an event every {every}"),
                Some(every) => format!("held, {count} connections, each sending every {every}"),
                None => format!("held, {count} connections, only listening"),
            }
        }
    };
    let after = if part.after > Nanos::ZERO { format!(", after {}", part.after) } else { String::new() };
    if part.name.is_empty() { model } else { format!("{}: {model}{after}", part.name) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_rules_may_add_is_told_apart_from_what_is_sure() {
        let [five, two] = [5, 2].map(|minutes| Nanos::from_secs(60 * minutes + 1));
        assert_eq!(takes((five, Nanos::ZERO), true), "5m 1s and the drains");
        assert_eq!(takes((five, two), true), "5m 1s, up to 2m 1s more where rules bring it about, and the drains");
        // A drain that a rule may end is among what it may add.
        assert_eq!(takes((five, two), false), "5m 1s, up to 2m 1s more where rules bring it about");
    }

    #[test]
    fn iterations_that_no_plan_knows_are_not_counted_as_none() {
        assert_eq!(planned("160", 160, false), "160 iterations");
        assert_eq!(planned("1", 1, false), "1 iteration");
        assert_eq!(planned("at least 1", 1, false), "at least 1 iteration");
        assert_eq!((several(1u64, "user"), several(8u64, "user")), ("1 user".to_owned(), "8 users".to_owned()));
        assert_eq!(planned("0", 0, false), "0 iterations");
        assert_eq!(planned("0", 0, true), "as many iterations as the users get through");
        assert_eq!(planned("160", 160, true), "160 iterations, and as many as the users of closed loads get through");
    }
}
