//! Limits that rules ask about: counted exactly where the run counted them, else bracketed by histogram buckets.

use crate::row::times_of;
use record::Head;
use record::LegRow;
use std::collections::BTreeMap;
use study::rule::{Clause, Comparison, Expression, Function, Rule, Series, State, Statistic, Subject, What};
use terms::{Buckets, Nanos, SparseHistogram};

/// Which time a limit is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Timed {
    /// Response time; in a closed load service time.
    Response,
    /// Service time.
    Service,
    /// Lateness of the generator.
    Lateness,
}

impl Timed {
    /// The time that a series names where a time is wanted; `None` where it names something else.
    pub fn of(what: What) -> Option<Self> {
        match what {
            What::Itself | What::Response | What::Outcome(terms::Outcome::Ok) => Some(Self::Response),
            What::Service => Some(Self::Service),
            What::Lateness => Some(Self::Lateness),
            _ => None,
        }
    }
}

/// A question about a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AskedLimit {
    pub exchange: u16,
    pub leg: u8,
    /// Which time.
    pub timed: Timed,
    pub limit: Nanos,
    /// Whether the limit itself is on the low side.
    pub inclusive: bool,
}

/// A limit of one leg.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Which time.
    pub timed: Timed,
    pub limit: Nanos,
    /// Whether the limit itself is on the low side.
    pub inclusive: bool,
    /// Place among the counts of a row, when the run counted it exactly.
    pub exact: Option<usize>,
}

impl Limit {
    /// How many times of a row lie on its low side; `None` for a limit on lateness, which is not of closes.
    pub fn count(&self, row: &LegRow) -> Option<Bracket> {
        let times = match self.timed {
            Timed::Response => times_of(row),
            Timed::Service => &row.service,
            Timed::Lateness => return None,
        };
        let exact = self.exact.and_then(|place| row.below.get(place));
        let bracketed = || {
            let Bracket { sure, maybe } = Bracket::of(times, self);
            // Calls of whose times nothing is known, as a tool that only counts has them, may lie on either side.
            Bracket { sure, maybe: maybe + row.count.saturating_sub(times.total()) }
        };
        Some(exact.map_or_else(bracketed, |&below| Bracket { sure: below, maybe: below }))
    }
}

/// How many certainly lie on the low side of a limit, and how many may.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bracket {
    /// Certainly.
    pub sure: u64,
    /// At most.
    pub maybe: u64,
}

impl Bracket {
    /// From a histogram: the bucket that the limit cuts may lie on either side, unless least and greatest time tell.
    pub fn of(times: &SparseHistogram, limit: &Limit) -> Self {
        let is_low = |time: Nanos| time < limit.limit || (limit.inclusive && time == limit.limit);
        let mut bracket = Self::default();
        for &(index, count) in &times.buckets {
            bracket.sure += if is_low(Buckets::high(index).min(times.max)) { count } else { 0 };
            bracket.maybe += if is_low(Buckets::low(index).max(times.min)) { count } else { 0 };
        }
        bracket
    }
}

impl std::ops::AddAssign for Bracket {
    fn add_assign(&mut self, other: Self) {
        self.sure += other.sure;
        self.maybe += other.maybe;
    }
}

/// Asked limits by exchange and leg, each with its place among those that the run counted.
pub(crate) fn limits(head: &Head, asked: &[AskedLimit]) -> BTreeMap<(u16, u8), Vec<Limit>> {
    let mut all: BTreeMap<(u16, u8), Vec<Limit>> = BTreeMap::new();
    for asked in asked {
        let counted = head.exchanges.get(usize::from(asked.exchange)).map(|exchange| &exchange.thresholds);
        let of_leg = counted.into_iter().flatten().filter(|threshold| threshold.leg == asked.leg);
        let measure = match asked.timed {
            Timed::Response => "response",
            Timed::Service => "service",
            Timed::Lateness => "",
        };
        let mut of_leg = of_leg.map(|threshold| (threshold.measure.as_str(), threshold.limit_ns, threshold.inclusive));
        let exact = of_leg.position(|counted| counted == (measure, asked.limit.0, asked.inclusive));
        let limit = Limit { timed: asked.timed, limit: asked.limit, inclusive: asked.inclusive, exact };
        let limits = all.entry((asked.exchange, asked.leg)).or_default();
        if !limits.contains(&limit) {
            limits.push(limit);
        }
    }
    all
}

/// Every limit on times that a rule names: in a condition, and as the number beside a percentile.
pub(crate) fn asked_by(rule: &Rule) -> Vec<AskedLimit> {
    let mut asked = Vec::new();
    for clause in &rule.clauses {
        let Clause::Compare { sums, operators } = clause else { continue };
        for statistic in clause.statistics() {
            let condition =
                statistic.condition.iter().filter_map(|(comparison, limit)| Some((comparison, limit.nanos()?)));
            asked.extend(condition.flat_map(|(comparison, limit)| questions(statistic, *comparison, limit)));
        }
        for (pair, operator) in sums.windows(2).zip(operators) {
            beside(&pair[0], *operator, &pair[1], &mut asked);
            beside(&pair[1], operator.turned(), &pair[0], &mut asked);
        }
    }
    asked
}

/// Every exchange that a rule names.
pub(crate) fn exchanges_of(rule: &Rule) -> Vec<u16> {
    let named = rule.clauses.iter().flat_map(Clause::series).filter_map(|series| match &series.subject {
        Subject::Exchanges { exchanges, .. } => Some(exchanges),
        _ => None,
    });
    let mut found: Vec<u16> = named.flatten().copied().collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Where the exchanges stand that a rule names: another scenario, a part. Once for each series.
pub(crate) fn places_of(rule: &Rule) -> Vec<(Option<usize>, Option<usize>)> {
    let of = |clause: &Clause| -> Vec<(Option<usize>, Option<usize>)> {
        // A change looks at two scenarios, and both are its own.
        let scenario = |series: &Series| if matches!(clause, Clause::Change(_)) { None } else { series.scenario };
        let exchanges = |series: &&Series| matches!(series.subject, Subject::Exchanges { .. });
        clause.series().into_iter().filter(exchanges).map(|series| (scenario(series), series.part)).collect()
    };
    rule.clauses.iter().flat_map(of).collect()
}

/// Whether a clause has a statistic of which `is_wanted` holds.
pub(crate) fn has_function(clause: &Clause, is_wanted: fn(Function) -> bool) -> bool {
    clause.statistics().into_iter().any(|statistic| is_wanted(statistic.function))
}

/// Whether a clause asks what happens before and after the load.
pub(crate) fn looks_around(clause: &Clause) -> bool {
    matches!(clause, Clause::State { state: State::Drained | State::Settled, .. })
        || has_function(clause, |function| matches!(function, Function::DrainTime | Function::SettleTime))
}

fn beside(left: &Expression, operator: Comparison, right: &Expression, asked: &mut Vec<AskedLimit>) {
    if let (Expression::Statistic(statistic), Expression::Number(limit)) = (left, right)
        && matches!(statistic.function, Function::Percentile(_))
    {
        asked.extend(limit.nanos().iter().flat_map(|limit| questions(statistic, operator, *limit)));
    }
}

fn questions(statistic: &Statistic, comparison: Comparison, limit: Nanos) -> Vec<AskedLimit> {
    let Subject::Exchanges { exchanges, leg, what } = &statistic.series.subject else { return Vec::new() };
    let timed = match what {
        What::Failed => Some(Timed::Response),
        what => Timed::of(*what),
    };
    let Some(timed) = timed else { return Vec::new() };
    let leg = if timed == Timed::Lateness { 0 } else { leg.unwrap_or(0) };
    let inclusive = is_inclusive(comparison);
    exchanges.iter().map(|&exchange| AskedLimit { exchange, leg, timed, limit, inclusive }).collect()
}

/// `> 2s` is what is not `<= 2s`, `>= 2s` what is not `< 2s`: both are counted on the low side.
pub(crate) fn is_inclusive(comparison: Comparison) -> bool {
    matches!(comparison, Comparison::AtMost | Comparison::Greater)
}

/// A comparison seen from its other side.
pub(crate) trait Turned {
    /// `a < b` is `b > a`.
    fn turned(self) -> Self;
}

impl Turned for Comparison {
    fn turned(self) -> Self {
        match self {
            Self::Less => Self::Greater,
            Self::AtMost => Self::AtLeast,
            Self::Greater => Self::Less,
            Self::AtLeast => Self::AtMost,
            Self::Equal => Self::Equal,
        }
    }
}
