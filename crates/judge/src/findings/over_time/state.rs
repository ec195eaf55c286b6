//! A store that was fuller than at the first hold.

use super::{Hold, Watched, arg, of_series, text};
use crate::findings::declare::{Share, declare};
use crate::{Arg, Finding, Gravity};
use contract::Role;
use terms::Nanos;

declare! {
    /// A later hold began with more data, or a longer queue, than the first.
    FullerStore = "STATE" {
        before: Arg,
        change: Share,
        first: String,
        instance: String,
        now: Arg,
        series: String,
    }
}

/// A store at the beginning of a later hold is fuller by this part than at the first.
const STATE_FULLER: f64 = 0.1;

/// STATE: a later hold began upon a fuller store than the first.
pub(super) fn state(watched: &Watched<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let holds: Vec<&Hold<'_>> = watched.windows().collect();
    let Some((first, later)) = holds.split_first() else { return findings };
    for series in watched.series.iter().filter(|series| series.is_level_of(&[Role::Stored, Role::Lag])) {
        let at = |hold: &Hold<'_>| {
            let every = Nanos::from_secs_f64(series.monitor.every_s.clamp(1.0, 3600.0));
            let near = series.within(hold.span.from - every, hold.span.from + every + every);
            near.first().map(|(_, value)| *value)
        };
        let Some(base) = at(first).filter(|base| *base > 0.0) else { continue };
        let fuller = later.iter().filter_map(|hold| Some((hold, at(hold)?)));
        let Some((hold, now)) = fuller.max_by(|a, b| a.1.total_cmp(&b.1)) else { continue };
        if now / base - 1.0 <= STATE_FULLER {
            continue;
        }
        let args = FullerStore {
            before: arg(series.kind(), base),
            change: Share(now / base - 1.0),
            first: first.shared.to_string(),
            instance: text(series.instance),
            now: arg(series.kind(), now),
            series: text(series.name()),
        };
        findings.push(of_series(Gravity::Notice, &hold.shared, series, args));
    }
    findings
}
