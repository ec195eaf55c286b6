//! Thread groups: how many users, and for how long.

use super::{Plan, inner, prop};
use crate::build::Build;
use crate::draft::{Length, Load, Scenario, Step};
use crate::text::short;
use crate::xml::Element;

/// How long a group runs that only somebody would stop.
const ENDLESS: f64 = 300.0;

pub(super) fn scenario(plan: &mut Plan<'_, '_>, element: &Element, run: Vec<Step>) -> Scenario {
    let name = plan.build.names.give(element.attribute("testname"), "users");
    let mut after = 0.0;
    let tag = element.tag.rsplit('.').next().unwrap_or_default().to_owned();
    let mut load = match tag.as_str() {
        "UltimateThreadGroup" => ultimate(plan, element),
        "SteppingThreadGroup" => stepping(plan, element),
        "ConcurrencyThreadGroup" | "ArrivalsThreadGroup" => target(plan, element, tag == "ArrivalsThreadGroup"),
        "ThreadGroup" => threads(plan, element, &mut after),
        _ => {
            plan.build.lose(
                format!("the load of {tag}"),
                "this kind of thread group is not known here; one user is in its place",
                "write `load` by hand",
            );
            Load::Users { users: 1, ramp: 0.0, length: Length::Hold(60.0), pacing: 1.0 }
        }
    };
    limit(plan, &run, &mut load);
    let action = prop(element, "ThreadGroup.on_sample_error").unwrap_or("continue");
    if action != "continue" && !action.is_empty() {
        plan.build.lose(
            format!("on an error: {}", short(action, 40)),
            "a call that fails does not end the iteration",
            "`abort` stops a run: `share(*.failed) > 20% for 10s`",
        );
    }
    Scenario { name, notes: Vec::new(), load, set_up: Vec::new(), clean_up: Vec::new(), after, run }
}

fn threads(plan: &mut Plan<'_, '_>, element: &Element, after: &mut f64) -> Load {
    let users = plan.number(element, "ThreadGroup.num_threads").unwrap_or(1.0).clamp(1.0, 1_000_000.0) as u64;
    let ramp = plan.number(element, "ThreadGroup.ramp_time").unwrap_or(0.0).clamp(0.0, 1e7);
    // Threads do not start together at the end of a ramp that is as good as none.
    let ramp = if ramp <= 1.0 { 0.0 } else { ramp };
    let is_timed = prop(element, "ThreadGroup.scheduler") == Some("true");
    let controller = inner(element, "ThreadGroup.main_controller");
    let loops = controller.map_or(Some(1.0), |it| plan.number(it, "LoopController.loops"));
    let is_endless = loops.is_none_or(|loops| loops < 0.0);
    if is_timed {
        *after = plan.number(element, "ThreadGroup.delay").unwrap_or(0.0).clamp(0.0, 1e7);
        if let Some(seconds) = plan.number(element, "ThreadGroup.duration").filter(|seconds| *seconds >= 1.0) {
            if !is_endless {
                plan.build.lose(
                    "the number of loops",
                    "beside a duration it would end users one by one; the load lasts as long as the plan says",
                    "",
                );
            }
            if ramp >= seconds {
                let reached = (users as f64 * seconds / ramp).round().max(1.0) as u64;
                return Load::Stages(vec![(reached, seconds, true)]);
            }
            return Load::Users { users, ramp, length: Length::Hold(seconds - ramp), pacing: 0.0 };
        }
    }
    if is_endless {
        plan.build.lose(
            "the end of the load",
            "the plan runs until somebody stops it; five minutes are in its place",
            "write `hold` as long as you need",
        );
        return Load::Users { users, ramp, length: Length::Hold(ENDLESS), pacing: 0.0 };
    }
    let loops = loops.unwrap_or(1.0).clamp(1.0, 1e9) as u64;
    if loops == 1 && ramp > 0.0 && users > 1 {
        // Each thread makes one iteration: that is one arrival for each.
        return Load::Arrivals { rate: users as f64 / ramp, ramp: 0.0, length: Length::Count(users), bound: None };
    }
    if ramp > 0.0 {
        plan.build.lose(
            "the ramp",
            "a load that ends with a number of iterations begins at once here, so that the number is that of the plan",
            "write `ramp` and `hold` instead of `count`",
        );
    }
    if users > 1 && loops > 1 {
        plan.build.lose(
            format!("{loops} loops of each of {users} threads"),
            "the users share all iterations; one that is quicker makes more of them",
            "",
        );
    }
    Load::Users { users, ramp: 0.0, length: Length::Count(users.saturating_mul(loops).min(1_000_000_000)), pacing: 0.0 }
}

/// Rows of users, delay, start-up, hold and shutdown, added up.
fn ultimate(plan: &mut Plan<'_, '_>, element: &Element) -> Load {
    let mut rows: Vec<[f64; 5]> = Vec::new();
    let table = inner(element, "ultimatethreadgroupdata");
    for row in table.map_or(&[][..], |table| table.children.as_slice()).iter().take(200) {
        let mut cells = Vec::new();
        for cell in &row.children {
            let text = plan.text(&cell.text);
            cells.push(plan.build.expanded(&text).trim().parse::<f64>().unwrap_or(0.0).clamp(0.0, 1e6));
        }
        if let Ok(cells) = cells.try_into() {
            rows.push(cells);
        }
    }
    let mut moments: Vec<f64> = vec![0.0];
    for [_, delay, up, hold, down] in &rows {
        moments.extend([*delay, delay + up, delay + up + hold, delay + up + hold + down]);
    }
    moments.sort_by(f64::total_cmp);
    moments.dedup_by(|a, b| (*a - *b).abs() < 0.001);
    let level = |at: f64| -> f64 {
        rows.iter()
            .map(|[users, delay, up, hold, down]| {
                let at = at - delay;
                if at < 0.0 || at > up + hold + down {
                    0.0
                } else if at < *up {
                    users * at / up
                } else if at <= up + hold || *down == 0.0 {
                    *users
                } else {
                    users * (1.0 - (at - up - hold) / down)
                }
            })
            .sum()
    };
    let mut stages: Vec<(u64, f64, bool)> = Vec::new();
    let mut before = 0;
    for pair in moments.windows(2) {
        // Just inside of the piece, where users begin or end at once.
        let (from, to) = (level(pair[0] + 1e-6).round() as u64, level(pair[1] - 1e-6).round() as u64);
        if from != before {
            stages.push((from, 0.001, true));
        }
        stages.push((to, pair[1] - pair[0], to != from));
        before = to;
    }
    stages_or_one(plan.build, stages)
}

fn stepping(plan: &mut Plan<'_, '_>, element: &Element) -> Load {
    let number = |plan: &mut Plan<'_, '_>, name: &str| plan.number(element, name).unwrap_or(0.0).clamp(0.0, 1e6);
    let all = number(plan, "ThreadGroup.num_threads") as u64;
    let delay = number(plan, "Threads initial delay");
    let burst = number(plan, "Start users count burst") as u64;
    let step = (number(plan, "Start users count") as u64).max(1);
    let (period, up) = (number(plan, "Start users period"), number(plan, "rampUp"));
    let hold = number(plan, "flighttime");
    let (stop, stop_period) = ((number(plan, "Stop users count") as u64).max(1), number(plan, "Stop users period"));
    let mut stages = Vec::new();
    if delay > 0.0 {
        stages.push((0, delay, false));
    }
    let mut level = 0;
    while level < all && stages.len() < 900 {
        level = (level + if level == 0 && burst > 0 { burst } else { step }).min(all);
        stages.push((level, up.max(0.001), true));
        if period > 0.0 && level < all {
            stages.push((level, period, false));
        }
    }
    if hold > 0.0 {
        stages.push((all, hold, false));
    }
    if stop_period > 0.0 {
        stages.push((0, stop_period * (all as f64 / stop as f64).ceil(), true));
    }
    stages_or_one(plan.build, stages)
}

fn stages_or_one(build: &mut Build<'_>, stages: Vec<(u64, f64, bool)>) -> Load {
    if stages.iter().all(|(users, ..)| *users == 0) {
        build.lose("the load", "the group has no users; one is in their place", "write `load` by hand");
        return Load::Users { users: 1, ramp: 0.0, length: Length::Hold(60.0), pacing: 1.0 };
    }
    Load::Stages(stages)
}

/// Groups of BlazeMeter's plug-in: a target, steps up to it, a hold.
fn target(plan: &mut Plan<'_, '_>, element: &Element, is_rate: bool) -> Load {
    let unit = if prop(element, "Unit").is_some_and(|unit| unit == "S") { 1.0 } else { 60.0 };
    let target = plan.number(element, "TargetLevel").unwrap_or(1.0).clamp(0.001, 1e6);
    let ramp = plan.number(element, "RampUp").unwrap_or(0.0).clamp(0.0, 1e5) * unit;
    let steps = plan.number(element, "Steps").unwrap_or(0.0).clamp(0.0, 200.0) as u64;
    let hold = plan.number(element, "Hold").unwrap_or(0.0).clamp(0.0, 1e5) * unit;
    let hold = if hold > 0.0 { hold } else { 60.0 };
    if is_rate {
        // The rate is one of iterations, for each unit of time.
        let rate = target / unit;
        let bound = plan.number(element, "ConcurrencyLimit").filter(|bound| *bound >= 1.0).map(|bound| bound as u64);
        if steps > 1 && ramp > 0.0 {
            let pieces = (1..=steps).map(|step| (rate * step as f64 / steps as f64, ramp / steps as f64, false));
            return Load::Pieces(pieces.chain([(rate, hold, false)]).collect(), bound);
        }
        return Load::Arrivals { rate, ramp, length: Length::Hold(hold), bound };
    }
    let users = target.round().max(1.0) as u64;
    if steps > 1 && ramp > 0.0 {
        let each = ramp / steps as f64;
        let mut stages = Vec::new();
        for step in 1..=steps {
            let level = users * step / steps;
            stages.extend([(level, 0.001, true), (level, each, false)]);
        }
        stages.push((users, hold, false));
        return Load::Stages(stages);
    }
    Load::Users { users, ramp, length: Length::Hold(hold), pacing: 0.0 }
}

/// Samples a minute that a timer allows become the time from one iteration to the next.
fn limit(plan: &mut Plan<'_, '_>, run: &[Step], load: &mut Load) {
    let samples = run.iter().map(count_of).sum::<Option<u64>>().filter(|samples| *samples > 0);
    let limits = std::mem::take(&mut plan.limits);
    if let Some((per_minute, is_each)) = limits.first() {
        match (&mut *load, samples) {
            (Load::Users { users, pacing, .. }, Some(samples)) if limits.len() == 1 => {
                let share = if *is_each { 1.0 } else { *users as f64 };
                *pacing = (60.0 * samples as f64 * share / per_minute).min(1e6);
                plan.build.lose(
                    "a throughput timer",
                    "each user begins its next iteration so much later that the rate comes to the same",
                    "`arrivals` keeps a rate whatever the answers take",
                );
            }
            _ => plan.build.lose(
                "a throughput timer",
                "how many samples it is to act on is not known",
                "write `pacing`, or `arrivals`",
            ),
        }
    }
    let shape = std::mem::take(&mut plan.shape);
    if !shape.is_empty() {
        let samples = samples.unwrap_or(1) as f64;
        let mut pieces = Vec::new();
        let mut before = 0.0;
        for (from, to, seconds) in shape.into_iter().take(900).filter(|(_, _, seconds)| *seconds > 0.0) {
            let (from, to) = (from / samples, to / samples);
            if (from - before).abs() > 1e-9 && (from - to).abs() > 1e-9 {
                pieces.push((from, 0.001, true));
            }
            pieces.push((to, seconds, (from - to).abs() > 1e-9));
            before = to;
        }
        let bound = match load {
            Load::Users { users, .. } => Some(*users),
            _ => None,
        };
        plan.build.lose(
            "a throughput shaping timer",
            "its requests a second are arrivals of iterations, that many divided by the requests of one",
            "",
        );
        if pieces.iter().any(|(rate, ..)| *rate > 0.0) {
            *load = Load::Pieces(pieces, bound);
        }
    }
}

/// Samples of a step; `None` where chance decides.
fn count_of(step: &Step) -> Option<u64> {
    match step {
        Step::Call(_) => Some(1),
        Step::Think(_) => Some(0),
        Step::Parallel(names, _) => Some(names.len() as u64),
        Step::Transaction(_, steps) => steps.iter().map(count_of).sum(),
        Step::Times(times, steps) => steps.iter().map(count_of).sum::<Option<u64>>().map(|count| count * times),
        Step::If(..) | Step::Choose(_) => None,
    }
}
