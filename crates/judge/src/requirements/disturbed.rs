//! What failed checks of validity take from a verdict: only what they can have turned.

use super::decision::Decision;
use super::scopes::ScopeOf;
use super::unit_arg;
use crate::limits::Turned;
use crate::processors::GENERATOR;
use crate::rows::Index;
use crate::validity::{Figure, Moves, Placed, against, lost_by_generator, reach};
use crate::{Arg, Disturbance, Sign, WireValidity};
use contract::Role;
use study::rule::{Book, Clause, Comparison, Expression, Function, Rule, State, Statistic, Subject, What};
use terms::{Nanos, Outcome, Phase, Verdict};

/// A late generator delays a call at most by its greatest lateness before it starts, and as much again before its answer
/// is read.
const DELAYS: f64 = 2.0;

/// Checks that say no more than that the generator itself was behind, or full.
const BEHIND: [&str; 3] = ["cores_full", "lateness", "overloaded"];

/// Takes from a verdict what the failed checks of its steps can have turned, and notes what they can have moved.
/// `deciding` is the clause that decided, for a verdict that is "not met"; `again` is what the same data say of another
/// rule.
pub(super) fn temper(
    decision: &mut Decision,
    rule: &Rule,
    deciding: usize,
    index: &Index<'_>,
    scope: &ScopeOf<'_>,
    signs: &[Placed],
    again: &dyn Fn(&Rule) -> Verdict,
) -> Vec<Disturbance> {
    let steps = scope.rests_on();
    let before = decision.clone();
    let verdict = before.verdict;
    // "Met" rests on all clauses, "not met" on the one that decided.
    let clauses = match verdict {
        Verdict::NotMet => rule.clauses.get(deciding).map_or(&rule.clauses[..], std::slice::from_ref),
        _ => &rule.clauses[..],
    };
    let mut found = Vec::new();
    let is_above = only_figure(rule)
        .and_then(|_| before.value.zip(before.limit))
        .filter(|_| verdict == Verdict::NotMet)
        .map(|(value, limit)| value > limit);
    for sign in against(signs, &steps) {
        let check = Check {
            code: &sign.code,
            node: name_of(sign, "instance"),
            monitor: name_of(sign, "monitor"),
            index,
            is_reconciled: before.is_reconciliation,
            is_above,
        };
        let reached: Vec<Reached> = clauses.iter().map(|clause| check.of_clause(clause)).collect();
        let moves = reached.iter().fold(Moves::NONE, |all, one| all.and(one.figure));
        if moves == Moves::NONE {
            continue;
        }
        let at_most = at_most(sign, &before, rule, index, scope);
        let can_turn = reached.iter().any(|reached| reached.can_turn(verdict));
        let stands = || outlasts(&before, rule, at_most) || outlasts_by_limit(&before, rule, at_most, again);
        if can_turn && !stands() {
            take(decision, sign, at_most.is_some());
        }
        found.push(Disturbance {
            check: sign.code.clone(),
            scope: sign.scope.clone(),
            state: sign.state,
            moves,
            can_turn,
            at_most: at_most.map(|at_most| unit_arg(decision.kind, at_most)),
        });
    }
    found
}

/// What a check can have turned becomes "cannot tell". A "not met" of a questionable run stands where nobody knows how
/// much the check can have added: it is little.
fn take(decision: &mut Decision, sign: &Sign, is_bounded: bool) {
    let says = [("sign", Arg::Text(sign.code.clone())), ("where", Arg::Text(sign.scope.to_string()))];
    match (sign.state, decision.verdict) {
        (_, Verdict::CannotTell) => {}
        (WireValidity::Invalid, _) => decision.withdraw("run_invalid", says),
        (_, Verdict::NotMet) if !is_bounded => {}
        _ => decision.withdraw("run_questionable", says),
    }
}

fn name_of<'a>(sign: &'a Sign, argument: &str) -> Option<&'a str> {
    match sign.args.get(argument) {
        Some(Arg::Text(name)) => Some(name),
        _ => None,
    }
}

/// What a check can have moved in a clause.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Reached {
    /// The figure that is shown.
    figure: Moves,
    /// How far it is from keeping the limit, from well within to well beyond; of an equality, nothing is on one side.
    beyond: Moves,
}

impl Reached {
    /// Whether a verdict may be another one without it.
    fn can_turn(self, verdict: Verdict) -> bool {
        match verdict {
            Verdict::Met => self.beyond.lowered,
            Verdict::NotMet => self.beyond.raised,
            Verdict::CannotTell => false,
        }
    }
}

/// A failed check of validity, asked what it can have moved.
struct Check<'a> {
    code: &'a str,
    /// The node that it is about, if it is about one.
    node: Option<&'a str>,
    /// The monitor that it is about, if it is about one.
    monitor: Option<&'a str>,
    index: &'a Index<'a>,
    /// Whether the verdict is on counts laid side by side.
    is_reconciled: bool,
    /// Of a figure that is not the one number that it must be, whether it is more.
    is_above: Option<bool>,
}

impl Check<'_> {
    fn of(&self, figure: Figure) -> Moves {
        reach(self.code, figure)
    }

    fn of_clause(&self, clause: &Clause) -> Reached {
        let both = |moves: Moves| if moves == Moves::NONE { Moves::NONE } else { Moves::EITHER };
        match clause {
            Clause::Compare { sums, operators } => {
                let moves: Vec<Moves> = sums.iter().map(|sum| self.of_sum(sum)).collect();
                let is_number_first = matches!(sums.first(), Some(Expression::Number(_)));
                let one = |(pair, operator): (&[Moves], &Comparison)| {
                    // Of `a <= b`, what is beyond is a − b; of one figure that is to equal a number, it is the figure.
                    let difference = pair[0].and(pair[1].turned());
                    let figure = if is_number_first { difference.turned() } else { difference };
                    match operator {
                        Comparison::Less | Comparison::AtMost => difference,
                        Comparison::Greater | Comparison::AtLeast => difference.turned(),
                        // What is too much stays too much where it can only have been lowered.
                        Comparison::Equal if self.is_above == Some(true) => figure,
                        Comparison::Equal if self.is_above == Some(false) => figure.turned(),
                        Comparison::Equal => both(difference),
                    }
                };
                let beyond = moves.windows(2).zip(operators).map(one).fold(Moves::NONE, Moves::and);
                Reached { figure: moves.into_iter().fold(Moves::NONE, Moves::and), beyond }
            }
            Clause::State { state: State::Alive, .. } => {
                let figure = self.of(Figure::Alive);
                Reached { figure, beyond: figure.turned() }
            }
            // The other requirement has lost what a check can take from it.
            Clause::State { state: State::Met | State::Broken, .. } => {
                Reached { figure: Moves::NONE, beyond: Moves::NONE }
            }
            Clause::State { .. } | Clause::Change(_) => {
                let figure = both(self.of(Figure::Other));
                Reached { figure, beyond: figure }
            }
        }
    }

    /// Whether a monitor went on all the same: one that another process ran than the one that was lost, or whose values
    /// are in another file.
    fn spares(&self, monitor: &str) -> bool {
        let carrier = self.index.head().monitors.iter().find(|known| known.name == monitor);
        let carrier = carrier.and_then(|known| known.carrier());
        match self.code {
            "unwatched" => carrier.is_some(),
            "node_unwatched" => carrier != self.node,
            "unreadable_samples" => self.monitor != Some(monitor),
            _ => false,
        }
    }

    /// Statistics are never negative, but for growths and slopes, which go either way; numbers may be.
    fn of_sum(&self, expression: &Expression) -> Moves {
        match expression {
            Expression::Number(_) => Moves::NONE,
            Expression::Statistic(statistic) => self.of_statistic(statistic),
            Expression::Binary { operator, left, right } => {
                let (a, b) = (self.of_sum(left), self.of_sum(right));
                let is_negative = |side: &Expression| matches!(side, Expression::Number(number) if number.value < 0.0);
                let moves = if matches!(operator, '-' | '/') { a.and(b.turned()) } else { a.and(b) };
                let is_turned = matches!(operator, '*' | '/') && (is_negative(left) != is_negative(right));
                if is_turned { moves.turned() } else { moves }
            }
        }
    }

    fn of_statistic(&self, statistic: &Statistic) -> Moves {
        use Function::{Capacity, DrainTime, DropAt, Growth, Sd, SettleTime, Slope, WorkingRate};
        match (&statistic.series.subject, statistic.function) {
            (Subject::Metric { monitor, .. }, _) if self.spares(monitor) => Moves::NONE,
            // That the generator was behind is what its own figures are about.
            (Subject::Metric { monitor, .. }, _) if monitor == GENERATOR && BEHIND.contains(&self.code) => Moves::NONE,
            // Whatever is asked of a monitor rests on its rows.
            (Subject::Metric { .. }, _) if self.code == "unreadable_samples" => self.of(Figure::Watched),
            (Subject::Metric { .. }, _) if self.is_reconciled => self.of(Figure::Reconciled),
            (_, Growth | Slope | Sd | DropAt | WorkingRate | Capacity | DrainTime | SettleTime) => {
                self.of(Figure::Other)
            }
            (Subject::Metric { monitor, metric }, _) if is_machine(self.index, monitor, metric) => {
                self.of(Figure::Machine)
            }
            (Subject::Metric { .. }, _) => self.of(Figure::Watched),
            (Subject::Exchanges { what, .. }, _) => self.of_exchanges(*what, statistic),
            _ => self.of(Figure::Other),
        }
    }

    fn of_exchanges(&self, what: What, statistic: &Statistic) -> Moves {
        let is_plan = matches!(what, What::Book(Book::Intended | Book::Dropped));
        let is_ok = matches!(what, What::Itself | What::Outcome(Outcome::Ok) | What::Book(Book::Completed));
        let figure = match (statistic.function, what) {
            (_, What::Lateness | What::Size) => Figure::Other,
            (Function::Share, _) if statistic.condition.is_some() => return self.of_part(what, statistic),
            (Function::Share, _) if is_ok => return self.of_planned(statistic, self.of(Figure::Failures).turned()),
            (Function::Share, What::Book(_)) => Figure::Other,
            (Function::Share, _) => Figure::Failures,
            (Function::Count, _) if self.is_reconciled && is_plan => Figure::ReconciledPlan,
            (Function::Count, _) if self.is_reconciled => Figure::Reconciled,
            (Function::Count, _) if is_plan => Figure::Other,
            (Function::Count, _) => Figure::Count,
            (Function::Rate, _) if is_ok => Figure::Throughput,
            (Function::Rate, What::Failed | What::Outcome(_)) => Figure::Count,
            (Function::Rate, _) => Figure::Throughput,
            _ => time(what),
        };
        self.of(figure)
    }

    /// The share of calls on one side of a time.
    fn of_part(&self, what: What, statistic: &Statistic) -> Moves {
        let of_times = self.of(time(what));
        let is_of_slow =
            |(comparison, _): &(Comparison, _)| matches!(comparison, Comparison::Greater | Comparison::AtLeast);
        let is_turned = !statistic.condition.as_ref().is_some_and(is_of_slow);
        self.of_planned(statistic, if is_turned { of_times.turned() } else { of_times })
    }

    /// What was planned and never started stands in a share of the planned as none of those that are asked for, whatever
    /// would have become of it.
    fn of_planned(&self, statistic: &Statistic, moves: Moves) -> Moves {
        let is_touched = statistic.of.is_none() && self.of(Figure::ReconciledPlan) != Moves::NONE;
        if is_touched { Moves::EITHER } else { moves }
    }
}

/// Whether a metric is the processor time of the whole machine that the load comes from.
fn is_machine(index: &Index<'_>, monitor: &str, metric: &str) -> bool {
    let monitor = index.head().monitors.iter().find(|known| known.name == monitor && known.is_here());
    let metric = monitor.and_then(|monitor| monitor.metrics.iter().find(|known| known.name == metric));
    metric.is_some_and(|metric| metric.role() == Some(Role::Processor) && metric.unit == "share")
}

fn time(what: What) -> Figure {
    if what == What::Service { Figure::Service } else { Figure::Response }
}

/// By how much at most a check can have moved the figure, in its base unit; `None` where nobody knows, or where the rule
/// is more than one figure against a limit.
fn at_most(sign: &Sign, decision: &Decision, rule: &Rule, index: &Index<'_>, scope: &ScopeOf<'_>) -> Option<f64> {
    let statistic = only_figure(rule)?;
    if let (Subject::Metric { monitor, metric }, Function::Mean, "foreign") =
        (&statistic.series.subject, statistic.function, sign.code.as_str())
    {
        let used = sign.value.as_ref().and_then(|used| if let Arg::Share(used) = used { Some(*used) } else { None });
        return used.filter(|_| is_machine(index, monitor, metric));
    }
    let Subject::Exchanges { exchanges, what, .. } = &statistic.series.subject else { return None };
    let steps = scope.rests_on();
    let is_share = statistic.function == Function::Share;
    let is_time = !is_share && !matches!(statistic.function, Function::Count | Function::Rate | Function::Sd);
    let is_response = is_time && matches!(what, What::Itself | What::Response | What::Total);
    match sign.code.as_str() {
        "lateness" | "run_queue" if is_response && steps.iter().all(|step| is_open(index, *step)) => {
            Some(DELAYS * greatest_lateness(index, scope, &steps)?.as_secs_f64())
        }
        // That an answer was refused, broken off or wrong is not a matter of when it came.
        "lateness" | "run_queue" | "steal" | "foreign" if is_share && statistic.condition.is_none() => {
            let is_asked =
                |outcome: Outcome| !matches!(what, What::Outcome(only) if *only != outcome && *only != Outcome::Ok);
            let is_of_time = |outcome| matches!(outcome, Outcome::Timeout | Outcome::Missing | Outcome::Late);
            let rows = steps.iter().flat_map(|step| index.evidence.rows.outcomes_of(*step));
            let rows = rows
                .filter(|row| exchanges.contains(&row.exchange) && is_of_time(row.outcome) && is_asked(row.outcome));
            let timed_out: u64 = rows.map(|row| row.count).sum();
            (decision.count > 0).then(|| timed_out as f64 / decision.count as f64)
        }
        // Less load makes nothing worse. So of what is not met, the lost starts themselves are all that can have done it.
        "lost_starts" if decision.verdict == Verdict::NotMet && is_share => {
            let spans = || index.evidence.steps.iter().filter(|span| steps.contains(&span.number));
            let lost: u64 = spans().map(|span| lost_by_generator(index, span)).sum();
            let intended: u64 = spans().map(|span| index.books(span.number).intended).sum();
            (intended > 0).then(|| lost as f64 / intended as f64)
        }
        _ => None,
    }
}

fn is_open(index: &Index<'_>, step: u32) -> bool {
    let span = index.evidence.steps.iter().find(|span| span.number == step);
    span.and_then(|span| index.load_of(span)).is_none_or(|load| load.model != "closed")
}

/// The one figure of a rule that holds it against a number.
fn only_figure(rule: &Rule) -> Option<&Statistic> {
    let [Clause::Compare { sums, .. }] = &rule.clauses[..] else { return None };
    match &sums[..] {
        [Expression::Statistic(statistic), Expression::Number(_)]
        | [Expression::Number(_), Expression::Statistic(statistic)] => Some(statistic),
        _ => None,
    }
}

/// The generator's greatest lateness from the first load of the scenario on: what started late then may have been in the
/// way of what came after it.
fn greatest_lateness(index: &Index<'_>, scope: &ScopeOf<'_>, steps: &[u32]) -> Option<Nanos> {
    let (_, to) = scope.span();
    let own = index.evidence.steps.iter().filter(|span| steps.contains(&span.number));
    let places: Vec<_> = own.map(|span| (span.scenario, index.repetition(span))).collect();
    let before = index.evidence.steps.iter().filter(|span| {
        span.from < to && span.phase.has_load() && places.contains(&(span.scenario, index.repetition(span)))
    });
    before.filter(|span| span.phase != Phase::Drain).filter_map(|span| index.lateness(span.number).max()).max()
}

/// Whether what is not met would not be met either with a limit that is farther away by what the figure was moved:
/// for verdicts that need no interval of the figure.
fn outlasts_by_limit(decision: &Decision, rule: &Rule, at_most: Option<f64>, again: &dyn Fn(&Rule) -> Verdict) -> bool {
    let has_interval = decision.low.is_some() || decision.high.is_some();
    let Some(at_most) = at_most.filter(|_| decision.verdict == Verdict::NotMet && !has_interval) else { return false };
    let mut farther = rule.clone();
    let [Clause::Compare { sums, operators }] = &mut farther.clauses[..] else { return false };
    let is_turned = matches!(sums.first(), Some(Expression::Number(_)));
    let Some(operator) = operators.first() else { return false };
    let by = match if is_turned { operator.turned() } else { *operator } {
        Comparison::Less | Comparison::AtMost => at_most,
        Comparison::Greater | Comparison::AtLeast => -at_most,
        Comparison::Equal => return false,
    };
    let limits = sums.iter_mut().filter_map(|sum| if let Expression::Number(limit) = sum { Some(limit) } else { None });
    limits.for_each(|limit| limit.value += by);
    again(&farther) == Verdict::NotMet
}

/// Whether a verdict on one figure holds as well where the figure was moved by so much.
fn outlasts(decision: &Decision, rule: &Rule, at_most: Option<f64>) -> bool {
    let (Some(at_most), Some(limit), Some(Clause::Compare { sums, operators })) =
        (at_most, decision.limit, rule.clauses.first())
    else {
        return false;
    };
    if at_most == 0.0 {
        return true;
    }
    let Some(operator) = operators.first() else { return false };
    let is_turned = matches!(sums.first(), Some(Expression::Number(_)));
    let operator = if is_turned { operator.turned() } else { *operator };
    // Of an estimate the end of its interval, of a census the value.
    let exact = decision.value.filter(|_| decision.is_census);
    let (Some(low), Some(high)) = (decision.low.or(exact), decision.high.or(exact)) else { return false };
    let (least, greatest) = (low - at_most, high + at_most);
    match (decision.verdict, operator) {
        (Verdict::Met, Comparison::Less) => greatest < limit,
        (Verdict::Met, Comparison::AtMost) => greatest <= limit,
        (Verdict::Met, Comparison::Greater) => least > limit,
        (Verdict::Met, Comparison::AtLeast) => least >= limit,
        (Verdict::NotMet, Comparison::Less) => least >= limit,
        (Verdict::NotMet, Comparison::AtMost) => least > limit,
        (Verdict::NotMet, Comparison::Greater) => greatest <= limit,
        (Verdict::NotMet, Comparison::AtLeast) => greatest < limit,
        _ => false,
    }
}
