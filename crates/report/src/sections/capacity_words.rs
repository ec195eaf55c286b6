//! How much the system carries, as a sentence that chapter, summary and figure share.

use crate::input::Context;
use crate::messages::say;
use judge::Arg;
use judge::capacity::CapacityLine;

/// A load with its unit: `200/s`, or a number of users.
pub(super) fn load(cx: &Context<'_>, load: f64, is_users: bool) -> String {
    if is_users {
        say!(cx.m, "capacity-users", users = Arg::Count(load))
    } else {
        cx.m.numbers.arg(&Arg::PerSecond(load))
    }
}

/// The capacity line: an interval, or a bound.
pub(super) fn sentence(cx: &Context<'_>, line: &CapacityLine) -> String {
    let family = &line.family;
    let (held, failed) = (line.interval.highest_held, line.interval.lowest_failed);
    let shown = |value: Option<f64>| value.map_or_else(String::new, |value| load(cx, value, family.is_users));
    let (held, failed, name) = (shown(held), shown(failed), family.name());
    let throughput = Arg::PerSecond(line.throughput_per_s.unwrap_or(0.0));
    match line.code() {
        "between" => {
            say!(cx.m, "capacity-between", scenarios = &name, held = &held, failed = &failed, throughput = throughput)
        }
        "at_least" => say!(cx.m, "capacity-at-least", scenarios = &name, held = &held, throughput = throughput),
        "below" => say!(cx.m, "capacity-below", scenarios = &name, failed = &failed),
        "nothing" => say!(cx.m, "capacity-nothing", scenarios = &name),
        _ => say!(cx.m, "capacity-unknown", scenarios = &name),
    }
}
