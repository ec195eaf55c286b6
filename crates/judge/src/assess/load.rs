//! What was asked for, what came of it, and what was still waited for.

use super::thirds;
use crate::Finding;
use crate::findings::Found;

/// Less than this of what was asked for is missing: one in a hundred is what the cut at both ends of a hold of a few
/// minutes can explain.
const CUT: f64 = 0.01;
/// What three digits print as nothing is nothing.
const NOTHING: f64 = 5e-4;
/// From this ratio of the last third of the judged seconds to the first on, more is waited for.
const RISES: f64 = 1.5;
/// Fewer than this on average are not a pile, whatever their ratio.
const FEW: f64 = 10.0;
/// A stretch that holds less than this share of all failures is none that they come from.
const PEAK: f64 = 0.25;
/// Failures that all lie within this part of a scenario have something in common: when they happened.
const TOGETHER: f64 = 0.4;
/// A step that differs from its planned length by less than this part of it was as long as planned,
const LENGTH_PART: f64 = 0.01;
/// and so is one that differs by less than this, seconds.
const LENGTH_S: f64 = 0.05;

/// Whether a step was as long as planned, both in seconds.
pub fn is_as_planned(planned: f64, seconds: f64) -> bool {
    (planned - seconds).abs() <= (LENGTH_PART * planned).max(LENGTH_S)
}

/// The load as planned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Plan {
    /// A closed load plans no starts.
    Closed,
    /// Every planned start was made.
    Kept,
    /// This share of the planned starts was dropped.
    Short(f64),
}

/// Whether the starts of the judged part were made.
pub fn plan(is_closed: bool, intended: u64, dropped: u64) -> Plan {
    match (is_closed, dropped) {
        (true, _) => Plan::Closed,
        (false, 0) => Plan::Kept,
        (false, _) => Plan::Short(dropped as f64 / intended.max(1) as f64),
    }
}

/// Proof of a finding BACKLOG: without one, no figure says that a backlog grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backlog(());

impl Backlog {
    /// `None` where none of the findings is one.
    pub fn among<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> Option<Self> {
        findings.into_iter().any(|finding| matches!(finding.found, Found::Backlog(_))).then_some(Self(()))
    }
}

/// What succeeded of what was asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Throughput {
    /// A closed load asks for no rate.
    Closed,
    /// Nothing was asked for by rate.
    NotAsked,
    /// The finding BACKLOG: work piled up.
    PiledUp,
    /// All of it, to three digits.
    All,
    /// All but this share, which the edges of the hold explain.
    Carried(f64),
    /// This share did not end well.
    Short(f64),
}

/// Rates of the judged part, a second.
pub fn throughput(is_closed: bool, offered: f64, rate: f64, backlog: Option<Backlog>) -> Throughput {
    let short = 1.0 - rate / offered;
    match () {
        () if is_closed => Throughput::Closed,
        () if offered <= 0.0 => Throughput::NotAsked,
        () if backlog.is_some() && short < CUT => Throughput::PiledUp,
        () if short.abs() < NOTHING => Throughput::All,
        () if short < CUT => Throughput::Carried(short.abs()),
        () => Throughput::Short(short),
    }
}

/// Replies that were still waited for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Awaiting {
    /// The finding BACKLOG: it grew from one mean to another.
    Grows(f64, f64),
    /// It rose from one mean to another, and no finding says that it would go on.
    Rises(f64, f64),
    /// It did not pile up, and nothing was open at the end.
    Level,
    /// It did not pile up, and so many were open at the end.
    Left(f64),
}

/// Counts of the judged seconds, in order, and what was open when the scenario ended.
pub fn awaiting(judged: &[f64], left: f64, backlog: Option<Backlog>) -> Awaiting {
    match thirds(judged).filter(|(begin, end)| *end > FEW && *end > begin * RISES) {
        Some((begin, end)) if backlog.is_some() => Awaiting::Grows(begin, end),
        Some((begin, end)) => Awaiting::Rises(begin, end),
        None if left == 0.0 => Awaiting::Level,
        None => Awaiting::Left(left),
    }
}

/// What came of what was accepted of a leg that a watched count closes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Through {
    /// Nothing was left at the first look after the load.
    Kept,
    /// Nothing was left so many seconds after the load, and not before.
    Drained(f64),
    /// So many units were left at the last look.
    Left(f64),
    /// Nobody looked after the load.
    Unseen,
}

/// Looks after the load: seconds since it ended, and units that were left.
pub fn through(after: &[(f64, f64)]) -> Through {
    let empty = after.iter().position(|(_, left)| *left <= 0.0);
    match (after.last(), empty) {
        (None, _) => Through::Unseen,
        (_, Some(0)) => Through::Kept,
        (_, Some(place)) => Through::Drained(after[place].0),
        (Some((_, left)), None) => Through::Left(*left),
    }
}

/// Failures over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failures {
    /// Over many stretches.
    Spread,
    /// Over several, all of them in a small part of the scenario.
    Together,
    /// Mostly in one.
    Peak,
}

/// How many stretches of time have failures, the share of all that the worst of them has, and which part of the scenario
/// lies between the first and the last of them.
pub fn failures(stretches: usize, share: f64, part: f64) -> Failures {
    match () {
        () if stretches <= 1 || share >= PEAK => Failures::Peak,
        () if part <= TOGETHER => Failures::Together,
        () => Failures::Spread,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_through_is_told_by_the_looks_after_the_load() {
        assert_eq!(through(&[]), Through::Unseen);
        assert_eq!(through(&[(0.2, 0.0), (0.7, 3.0)]), Through::Kept);
        assert_eq!(through(&[(0.2, 9.0), (0.7, 3.0), (1.2, 0.0)]), Through::Drained(1.2));
        assert_eq!(through(&[(0.2, 9.0), (0.7, 3.0)]), Through::Left(3.0));
    }

    #[test]
    fn a_figure_speaks_of_a_backlog_where_the_finding_does() {
        let rising: Vec<f64> = (0..30).map(|second| f64::from(second) * 10.0).collect();
        assert_eq!(awaiting(&rising, 290.0, Some(Backlog(()))), Awaiting::Grows(45.0, 245.0));
        assert_eq!(awaiting(&rising, 290.0, None), Awaiting::Rises(45.0, 245.0));
        assert_eq!(awaiting(&[20.0; 30], 0.0, Some(Backlog(()))), Awaiting::Level);
        assert_eq!(awaiting(&[20.0; 30], 3.0, None), Awaiting::Left(3.0));
        assert_eq!(awaiting(&[1.0, 9.0], 0.0, None), Awaiting::Level, "two seconds are too few to compare thirds");
        assert_eq!(throughput(false, 100.0, 99.5, Some(Backlog(()))), Throughput::PiledUp);
        assert_eq!(throughput(false, 128.0, 127.5, None), Throughput::Carried(1.0 / 256.0));
    }

    #[test]
    fn a_step_is_as_long_as_planned_within_a_hundredth() {
        assert!(is_as_planned(100.0, 101.0) && !is_as_planned(100.0, 101.1));
        assert!(is_as_planned(1.0, 1.04) && !is_as_planned(1.0, 1.06));
    }

    #[test]
    fn what_the_edges_of_a_hold_explain_is_not_short() {
        assert_eq!(throughput(false, 100.0, 100.0, None), Throughput::All);
        assert!(
            matches!(throughput(false, 100.0, 98.0, None), Throughput::Short(share) if (share - 0.02).abs() < 1e-9)
        );
        assert_eq!(throughput(false, 0.0, 0.0, None), Throughput::NotAsked);
        assert_eq!(throughput(true, 0.0, 5.0, None), Throughput::Closed);
        assert_eq!(plan(false, 200, 50), Plan::Short(0.25));
        assert_eq!((plan(false, 200, 0), plan(true, 0, 0)), (Plan::Kept, Plan::Closed));
        assert_eq!(failures(5, 0.2, 0.3), Failures::Together);
        assert_eq!(
            (failures(5, 0.2, 0.5), failures(5, 0.25, 0.5), failures(1, 0.1, 0.0)),
            (Failures::Spread, Failures::Peak, Failures::Peak)
        );
    }
}
