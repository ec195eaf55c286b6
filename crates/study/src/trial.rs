//! `--for D`: a trial of about D in all (language page, end of A.2).
//!
//! Phases, waits and counts shrink by one factor; rates, users, time-outs, think times and limits stay. How long a wait for
//! a state takes is the system's: it comes on top.
//!
//! How long users take for a count is the system's, too, and no factor would make it fit: such a load keeps its count, and
//! ends after its share of the time if that comes first. Scenarios that prepare something stay whole (`shorten: false`), so
//! that what they prepare is there.

use crate::Together;
use crate::model::{Extent, Load, Model, Profile, Scenario, Trial, Wait};
use terms::Nanos;

/// A hold shorter than this shows nothing.
const HOLD_LEAST: Nanos = Nanos::from_secs(3);
/// Nor does an idle phase: monitors look once a second, and what is counted is counted from a look before the load on.
const IDLE_LEAST: Nanos = Nanos::from_secs(2);

/// What a study says of its scenarios in rules, which are read after this.
pub(crate) struct Ruled<'a> {
    /// Whether a rule has to bring a scenario about.
    pub(crate) is_conditional: &'a dyn Fn(&Scenario) -> bool,
    /// Whether a wait of it ends with a state.
    pub(crate) is_until: &'a dyn Fn(&Scenario, Wait) -> bool,
}

/// Shrinks the scenarios so that all of them, run once, take about `asked`; what rules bring about comes on top, and so do
/// waits for states. A study that is shorter already stays as it is, and is not a trial: all of it is carried out.
pub(crate) fn shorten(scenarios: &mut [Scenario], repeat: &mut u32, asked: Nanos, ruled: &Ruled<'_>) -> Option<Trial> {
    let Ruled { is_conditional, is_until } = *ruled;
    let waits = |scenario: &Scenario| {
        let ended = Wait::ALL.into_iter().filter(|wait| is_until(scenario, *wait));
        ended.map(|wait| scenario.longest(wait)).fold(Nanos::ZERO, |sum, longest| sum + longest)
    };
    let is_counted_in = |scenario: &Scenario| !is_conditional(scenario) && !scenario.is_whole;
    let of = |scenario: &Scenario| {
        if is_counted_in(scenario) { (length(scenario) - waits(scenario)) * attempts(scenario) } else { Nanos::ZERO }
    };
    let once: Nanos = scenarios.iter().fold(Nanos::ZERO, |sum, scenario| sum + of(scenario));
    let each = scenarios.iter().map(|scenario| of(scenario) * i64::from(scenario.repeat));
    let whole = each.fold(Nanos::ZERO, |sum, length| sum + length) * i64::from(*repeat);
    let mut left_out = Vec::new();
    if whole <= asked && !scenarios.iter().any(|scenario| is_open_ended(scenario) && !scenario.is_whole) {
        return None;
    }
    if *repeat > 1 {
        left_out.push(format!("the order is run once instead of {repeat} times"));
        *repeat = 1;
    }
    if let Some(most) = scenarios.iter().map(|scenario| scenario.repeat).max().filter(|most| *most > 1) {
        left_out.push(format!("scenarios are carried out once instead of up to {most} times"));
        scenarios.iter_mut().for_each(|scenario| scenario.repeat = 1);
    }
    let times = |is_meant: &dyn Fn(&Scenario) -> bool| -> i64 {
        scenarios.iter().filter(|scenario| is_counted_in(scenario) && is_meant(scenario)).map(attempts).sum()
    };
    let Shares { planned, counted } = shares(asked, once, (times(&|_| true), times(&is_open_ended)));
    let factor = if once > planned { planned.as_secs_f64() / once.as_secs_f64() } else { 1.0 };
    if factor < 1.0 {
        left_out.push(format!(
            "every phase, wait and count is {:.3}% of what the study plans ({} instead of {})",
            factor * 100.0,
            rounded(planned),
            rounded(once)
        ));
    }
    let mut longest = Nanos::ZERO;
    for scenario in scenarios.iter_mut() {
        if scenario.is_whole {
            left_out.push(format!("scenario `{}` is not shortened and comes on top: `shorten: false`", scenario.name));
            continue;
        }
        let ended: Vec<Wait> = Wait::ALL.into_iter().filter(|wait| is_until(scenario, *wait)).collect();
        shorten_one(scenario, (factor, counted), &ended, &mut left_out);
        // All attempts together wait no longer than the trial is to take.
        let bound = Nanos(asked.0 / attempts(scenario).max(1));
        for wait in ended {
            let wait = scenario.longest_mut(wait);
            *wait = (*wait).min(bound);
            longest += *wait * attempts(scenario);
        }
    }
    if longest > Nanos::ZERO {
        left_out.push(format!("waits until something has come to rest come on top: up to {} more", rounded(longest)));
    }
    let conditional = scenarios.iter().filter(|scenario| is_conditional(scenario));
    let more = conditional.fold(Nanos::ZERO, |sum, scenario| sum + length(scenario));
    if more > Nanos::ZERO {
        left_out.push(format!("what is carried out only if a rule holds comes on top: up to {} more", rounded(more)));
    }
    Some(Trial { asked, factor, left_out })
}

/// What of a trial's time is for whom.
struct Shares {
    /// All that has a planned length.
    planned: Nanos,
    /// Each load that ends by a count, nobody knows when.
    counted: Nanos,
}

/// `once`: what all that has a planned length takes; `times`: how many scenarios there are, and how many of them end by a
/// count. Each of those has as much as each other scenario and as all planned phases around them, and what these leave.
fn shares(asked: Nanos, once: Nanos, (all, counted): (i64, i64)) -> Shares {
    if counted == 0 {
        return Shares { planned: asked, counted: asked };
    }
    let planned = once.min(Nanos(asked.0 * (all + 1 - counted) / (all + 1)));
    Shares { planned, counted: Nanos((asked - planned).0 / counted) }
}

/// Whether its load ends by a count of which nobody knows how long it takes. A mix ends its loads together.
fn is_open_ended(scenario: &Scenario) -> bool {
    let is_counted = |load: &Load| matches!(load.hold, Extent::Count(_)) && rate_of_count(load).is_none();
    !scenario.is_mix() && scenario.parts.iter().any(|part| is_counted(&part.load))
}

/// How often something as long as a scenario is expected: of a search its usual number of attempts, however many there are
/// by now.
fn attempts(scenario: &Scenario) -> i64 {
    match &scenario.point {
        None => 1,
        Some(point) if point.number == 1 => i64::from(point.search.usual_attempts()),
        Some(_) => 0,
    }
}

fn rounded(span: Nanos) -> Nanos {
    Nanos((span.0 / 1_000_000) * 1_000_000)
}

/// Planned length, without automatic drains and without counts, whose time is unknown beforehand.
pub(crate) fn length(scenario: &Scenario) -> Nanos {
    let load = match scenario.together() {
        Some(together) if scenario.is_mix() => together.ends,
        _ => scenario.parts.iter().map(|part| length_of_load(&part.load)).max().unwrap_or_default(),
    };
    scenario.idle + load + scenario.drain.unwrap_or(Nanos::ZERO) + scenario.recovery + scenario.gap
}

fn length_of_load(load: &Load) -> Nanos {
    let rate = rate_of_count(load).flatten();
    let extent = |extent: &Extent| match extent {
        Extent::Time(span) => *span,
        Extent::Count(count) => rate.map_or(Nanos::ZERO, |rate| Nanos::from_secs_f64(*count as f64 / rate)),
    };
    load.ramp.map_or(Nanos::ZERO, |ramp| ramp.over)
        + load.warm_up.as_ref().map_or(Nanos::ZERO, extent)
        + extent(&load.hold)
}

/// `None` when a count of iterations has no known time; `Some(None)` when nothing is counted.
fn rate_of_count(load: &Load) -> Option<Option<f64>> {
    let is_count = |extent: &Extent| matches!(extent, Extent::Count(_));
    if !is_count(&load.hold) && !load.warm_up.as_ref().is_some_and(is_count) {
        return Some(None);
    }
    match &load.model {
        Model::Arrivals { profile: Profile::Constant(rate), .. } => Some(Some(*rate)),
        _ => None,
    }
}

/// By the factor, and by the share of a load that ends by a count. `ended` are the waits that end with a state.
fn shorten_one(scenario: &mut Scenario, (factor, counted): (f64, Nanos), ended: &[Wait], left_out: &mut Vec<String>) {
    let shrink = |span: Nanos| Nanos::from_secs_f64(span.as_secs_f64() * factor);
    for wait in Wait::ALL.into_iter().filter(|wait| !ended.contains(wait)) {
        if wait == Wait::Drain && scenario.drain.is_none() {
            continue;
        }
        let least = if wait == Wait::Idle { IDLE_LEAST.min(scenario.idle) } else { Nanos::ZERO };
        let wait = scenario.longest_mut(wait);
        *wait = shrink(*wait).max(least);
    }
    let planned = scenario.together();
    let is_mix = scenario.is_mix();
    for part in &mut scenario.parts {
        part.after = shrink(part.after);
        let name =
            if part.name.is_empty() { scenario.name.clone() } else { format!("{}/{}", scenario.name, part.name) };
        if !is_mix && rate_of_count(&part.load).is_none() {
            bound_load(&mut part.load, &name, (factor, counted), left_out);
        } else {
            shorten_load(&mut part.load, &name, factor, left_out);
        }
    }
    if let (true, Some(planned)) = (is_mix, planned) {
        keep_hold(scenario, planned, left_out);
    }
}

/// Holds of parts kept at their minimum may still overlap by less than that.
fn keep_hold(mix: &mut Scenario, planned: Together, left_out: &mut Vec<String>) {
    let Some(now) = mix.together() else { return };
    let lacking = HOLD_LEAST.min(planned.ends - planned.holds) - (now.ends - now.holds);
    if lacking <= Nanos::ZERO {
        return;
    }
    for part in &mut mix.parts {
        let load = &mut part.load;
        let last = load.model.pieces_mut().into_iter().rfind(|(is_hold, _)| *is_hold);
        last.into_iter().for_each(|(_, length)| *length += lacking);
        if let Extent::Time(hold) = &mut load.hold {
            *hold += lacking;
        }
    }
    left_out.push(format!("scenario `{}`: a hold stays at {HOLD_LEAST}, so the trial takes longer", mix.name));
}

/// A load whose count takes nobody knows how long ends after its share of the time.
fn bound_load(load: &mut Load, name: &str, (factor, counted): (f64, Nanos), left_out: &mut Vec<String>) {
    let shrink = |span: Nanos| Nanos::from_secs_f64(span.as_secs_f64() * factor).max(Nanos(1));
    if let Some(ramp) = &mut load.ramp {
        ramp.over = shrink(ramp.over);
    }
    let before = load.ramp.map_or(Nanos::ZERO, |ramp| ramp.over);
    let mut warm = Nanos::ZERO;
    match &mut load.warm_up {
        Some(Extent::Time(span)) => {
            *span = shrink(*span);
            warm = *span;
        }
        // Nobody knows how long it takes, and it may take all of the time.
        Some(Extent::Count(count)) => {
            left_out.push(format!("scenario `{name}`: its warm-up of {count} iterations"));
            load.warm_up = None;
        }
        None => {}
    }
    match &mut load.hold {
        Extent::Count(count) => {
            let longest = counted.max(HOLD_LEAST);
            let at_most = before + warm + longest;
            load.at_most = Some(load.at_most.map_or(at_most, |known| known.min(at_most)));
            left_out.push(format!(
                "scenario `{name}`: its load ends after {}, or with its {count} iterations if that comes first",
                rounded(at_most)
            ));
        }
        Extent::Time(span) => {
            let mut is_least = false;
            *span = shrink_hold(*span, factor, &mut is_least);
        }
    }
}

fn shorten_load(load: &mut Load, name: &str, factor: f64, left_out: &mut Vec<String>) {
    let shrink = |span: Nanos| Nanos::from_secs_f64(span.as_secs_f64() * factor);
    if let Some(ramp) = &mut load.ramp {
        ramp.over = shrink(ramp.over).max(Nanos(1));
    }
    let mut counted = |extent: &mut Extent, what: &str| {
        if let Extent::Count(count) = extent {
            let fewer = ((*count as f64 * factor).round() as u64).max(1);
            if fewer != *count {
                left_out.push(format!("scenario `{name}`: {fewer} instead of {count} iterations in its {what}"));
            }
            *count = fewer;
        }
    };
    if let Some(extent) = &mut load.warm_up {
        counted(extent, "warm-up");
        if let Extent::Time(span) = extent {
            *span = shrink(*span).max(Nanos(1));
        }
    }
    counted(&mut load.hold, "hold");
    let mut is_least = false;
    for (is_hold, length) in load.model.pieces_mut() {
        *length = if is_hold { shrink_hold(*length, factor, &mut is_least) } else { shrink(*length).max(Nanos(1)) };
    }
    let pieces = load.model.pieces();
    if !pieces.is_empty() {
        load.hold = Extent::Time(pieces.iter().fold(Nanos::ZERO, |sum, (_, length)| sum + *length));
    } else if let Extent::Time(span) = &mut load.hold {
        *span = shrink_hold(*span, factor, &mut is_least);
    }
    if is_least {
        left_out.push(format!("scenario `{name}`: a hold stays at {HOLD_LEAST}, so the trial takes longer"));
    }
}

fn shrink_hold(span: Nanos, factor: f64, is_least: &mut bool) -> Nanos {
    let shrunk = Nanos::from_secs_f64(span.as_secs_f64() * factor);
    let least = HOLD_LEAST.min(span);
    *is_least |= shrunk < least;
    shrunk.max(least)
}
