//! Names and units of a rule in one scenario: exchanges, legs, outcomes, metrics, instances.

mod carried;
pub(super) mod figures;

use super::change;
use super::draft::{Call, Draft, DraftClause, DraftPlace, DraftSeries, Sum};
use super::falls;
use super::units::{self, Measured};
use super::waits;
use crate::model::rule::{Clause, Comparison, Expression, Function, Rule, Series, State, Statistic, Subject, Window};
use crate::model::{Carried, CountedLeg, Exchange, TRANSACTION_LEGS, Wait, Watch};
use crate::syntax::{not_yet, read};
use contract::{DriverKind, LegKind, MetricKind, Mistake, Mistakes, MonitorKind, Place};
use terms::{Phase, Unit};

/// Everything that a rule can name.
pub(crate) struct World<'a> {
    pub(crate) exchanges: &'a [Exchange],
    pub(crate) watch: &'a [Watch],
    /// Names of transactions, whose numbers follow those of the exchanges.
    pub(crate) transactions: &'a [String],
    pub(crate) drivers: &'a [DriverKind],
    pub(crate) monitors: &'a [MonitorKind],
    pub(crate) instances: Vec<String>,
    pub(crate) requirements: Vec<String>,
    pub(crate) scenarios: Vec<ScenarioView>,
}

/// What a rule needs to know of a scenario.
pub(crate) struct ScenarioView {
    pub(crate) name: String,
    /// Exchanges that its iterations send, and transactions that they go through.
    pub(crate) runs: Vec<u16>,
    /// Phases that it has.
    pub(crate) phases: Vec<Phase>,
    /// Parts of a mix, by name, and the exchanges of their iterations.
    pub(crate) parts: Vec<(String, Vec<u16>)>,
    /// Whether any of its loads has streams.
    pub(crate) has_streams: bool,
    /// The grid that it is a step of, and what its variables are bound to.
    pub(crate) cell: Option<(String, Vec<(String, String)>)>,
    /// What its exchanges carry.
    pub(crate) carries: Vec<Carried>,
    /// Whether all of it could be read; what is reported about the rest would only repeat that.
    pub(crate) is_sound: bool,
}

impl ScenarioView {
    /// Number of a part.
    pub(crate) fn part(&self, name: &str) -> Option<usize> {
        self.parts.iter().position(|(known, _)| known == name)
    }
}

/// Where a rule is used, which decides what it may contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Where {
    Requirement,
    Abort,
    /// What ends a wait.
    Wait(Wait),
}

impl World<'_> {
    pub(crate) fn scenario(&self, name: &str) -> Option<usize> {
        self.scenarios.iter().position(|scenario| scenario.name == name)
    }

    fn exchange(&self, name: &str) -> Option<u16> {
        let found = self.names().position(|known| known == name)?;
        u16::try_from(found).ok()
    }

    /// Names of exchanges and transactions, by their numbers.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.exchanges.iter().map(|exchange| exchange.name.as_str()).chain(self.transactions.iter().map(String::as_str))
    }

    /// Whether a number is that of a transaction.
    pub(super) fn is_transaction(&self, number: u16) -> bool {
        usize::from(number) >= self.exchanges.len()
    }

    /// Legs of an exchange or a transaction.
    pub(super) fn legs(&self, number: u16) -> &'static [LegKind] {
        self.exchanges.get(usize::from(number)).map_or(TRANSACTION_LEGS, |exchange| exchange.legs)
    }

    pub(crate) fn metric(&self, monitor: &str, metric: &str) -> Option<&MetricKind> {
        if self.counted(monitor).is_some() {
            return crate::model::COUNTED_METRICS.iter().find(|known| known.name == metric);
        }
        if monitor == contract::GENERATOR {
            return contract::GENERATOR_METRICS.iter().find(|known| known.name == metric);
        }
        let watch = self.watch.iter().find(|watch| watch.name == monitor)?;
        let kind = self.monitors.iter().find(|kind| kind.name == watch.kind)?;
        let own = kind.metrics.iter().find(|known| known.name == metric);
        own.or_else(|| kind.named_kind(&watch.node, metric))
    }

    /// Names of a monitor's metrics, those included that the author named.
    pub(crate) fn metrics(&self, watch: &Watch) -> Vec<String> {
        let Some(kind) = self.monitors.iter().find(|kind| kind.name == watch.kind) else { return Vec::new() };
        let own = kind.metrics.iter().map(|metric| metric.name);
        own.chain(kind.named_in(&watch.node)).map(str::to_owned).collect()
    }

    /// A leg that a watched count closes, by the name under which what is derived of it stands: `register.stored`.
    pub(super) fn counted(&self, derived: &str) -> Option<&CountedLeg> {
        let (exchange, leg) = derived.split_once('.')?;
        let exchange = self.exchanges.iter().find(|known| known.name == exchange)?;
        exchange.counted.iter().find(|known| known.name == leg)
    }

    /// Whether no driver does an exchange. That is a mistake of its own, and nobody knows which legs it has.
    fn is_of_no_driver(&self, number: u16) -> bool {
        self.exchanges.get(usize::from(number)).is_some_and(|exchange| exchange.driver.is_empty())
    }

    /// Where the rule names what cannot be looked up: a metric of a monitor that has no kind, or what may be a leg of an
    /// exchange that no driver does, whose function may have a meaning for it.
    fn open_places(&self, draft: &Draft) -> Vec<Place> {
        let mut open = Vec::new();
        for series in draft.series() {
            let [(name, _), rest @ ..] = series.segments.as_slice() else { continue };
            if self.watch.iter().any(|watch| watch.name == *name && watch.kind.is_empty()) {
                open.extend(rest.iter().map(|(_, place)| *place));
            }
            let mut named = self.exchanges.iter().filter(|exchange| name == "*" || exchange.name == *name);
            let is_open = named.any(|exchange| exchange.driver.is_empty());
            if is_open && rest.first().is_some_and(|(word, _)| figures::may_be_leg(word)) {
                open.push(series.place);
            }
        }
        open
    }

    /// Whether a scenario runs all exchanges of the rule, by streams where the rule is per stream.
    pub(crate) fn occurs(&self, draft: &Draft, scenario: usize) -> bool {
        let has_its_streams = draft.stream_scope().is_none() || self.scenarios[scenario].has_streams;
        has_its_streams
            && draft.series().iter().filter(|series| series.scenario.is_none()).all(|series| {
                let head = series.segments.first().map_or("", |(name, _)| name);
                match self.exchange(head) {
                    Some(number) => self.scenarios[scenario].runs.contains(&number),
                    None => true,
                }
            })
    }

    /// Whether a mix has a part of this name.
    pub(crate) fn is_part(&self, name: &str) -> bool {
        self.scenarios.iter().any(|scenario| scenario.part(name).is_some())
    }

    /// Names of exchanges in the rule that no scenario runs.
    pub(crate) fn never_run<'a>(&self, draft: &'a Draft) -> Vec<&'a (String, Place)> {
        let heads = draft.series().into_iter().filter_map(|series| series.segments.first());
        heads
            .filter(|(name, _)| {
                self.exchange(name).is_some_and(|number| !self.scenarios.iter().any(|s| s.runs.contains(&number)))
            })
            .collect()
    }
}

/// Resolves a rule for one scenario, or one part of it. What it says of an exchange or monitor without a kind is left out:
/// that is a mistake already.
pub(crate) fn resolve(
    draft: &Draft,
    world: &World<'_>,
    of: (usize, Option<usize>),
    at: Where,
    mistakes: &mut Mistakes,
) -> Option<Rule> {
    let mut own = Mistakes::default();
    let rule = resolve_all(draft, world, of, at, &mut own);
    let open = world.open_places(draft);
    own.0.retain(|mistake| mistake.place.is_none_or(|place| !open.contains(&place)));
    let is_right = own.is_empty();
    mistakes.extend(own);
    is_right.then_some(rule)
}

fn resolve_all(
    draft: &Draft,
    world: &World<'_>,
    (own, part): (usize, Option<usize>),
    at: Where,
    mistakes: &mut Mistakes,
) -> Rule {
    let resolver = Resolver { world, own, part };
    if let (Where::Requirement, Some((_, place))) = (at, draft.sliding) {
        mistakes.push(
            Mistake::at(place, "study::rule-not-here", "`for` belongs to abort rules")
                .label("remove `for …`")
                .hint("a requirement looks at a window: `in hold`, `in last 5m of hold`"),
        );
    }
    if let Where::Wait(wait) = at {
        waits::check(draft, wait, &world.scenarios[own], mistakes);
    }
    if let (Where::Abort, Some((_, place))) = (at, draft.per.first()) {
        mistakes
            .push(Mistake::at(*place, "study::rule-not-here", "`per` belongs to requirements").label("remove `per …`"));
    }
    if at == Where::Requirement {
        change::check_frame(draft, mistakes);
    }
    let mut clauses = Vec::new();
    for clause in &draft.clauses {
        let row = match clause {
            DraftClause::State { state: State::Drained | State::Settled, .. } => "state in abort",
            DraftClause::Compare { sums, .. } if sums.iter().any(Sum::looks_back) => "looking back in abort",
            _ => "",
        };
        let is_derived = |series: &DraftSeries| {
            let words: Vec<&str> = series.segments.iter().take(2).map(|(word, _)| word.as_str()).collect();
            world.counted(&words.join(".")).is_some()
        };
        if at == Where::Abort
            && let Some(series) = draft.series().into_iter().find(|series| is_derived(series))
        {
            not_yet::refuse("counted leg in abort", series.place, mistakes);
            continue;
        }
        if let (Where::Wait(wait), DraftClause::State { state, subject, .. }) = (at, clause)
            && is_derived(subject)
            && let Some(mistake) = waits::counted(*state, subject, wait)
        {
            mistakes.push(mistake);
            continue;
        }
        if falls::refuse(clause, at, mistakes) {
            continue;
        }
        if at == Where::Abort && (not_yet::refuse(row, draft.place, mistakes) || change::refuse(clause, mistakes)) {
            continue;
        }
        clauses.extend(resolver.clause(clause, mistakes));
    }
    if let Some((Window { phase: Some(phase), .. }, place)) = draft.window
        && !world.scenarios[own].phases.contains(&phase)
    {
        mistakes.push(
            Mistake::at(
                place,
                "study::no-window",
                format!("scenario `{}` has no phase `{phase}`", world.scenarios[own].name),
            )
            .label("name the scenarios that have it under `scenarios`, or give this one that phase"),
        );
    }
    if let Some(place) = draft.stream_scope().filter(|_| !world.scenarios[own].has_streams) {
        let name = &world.scenarios[own].name;
        mistakes.push(
            Mistake::at(place, "study::no-streams", format!("scenario `{name}` has no streams"))
                .label("remove `per stream`, or name the scenarios that have them under `scenarios`")
                .hint("streams are part of a load: `streams: { of: DATA, first: 20 }`"),
        );
    }
    Rule {
        text: draft.text.clone(),
        place: draft.place,
        clauses,
        window: draft.window.map(|(window, _)| window),
        per: draft.per.iter().map(|(scope, _)| *scope).collect(),
        sliding: draft.sliding.map(|(span, _)| span),
        asked: Vec::new(),
    }
}

pub(super) struct Resolver<'a> {
    pub(super) world: &'a World<'a>,
    pub(super) own: usize,
    /// The part that is meant where a series names none.
    part: Option<usize>,
}

/// Which names a series may begin with.
#[derive(Clone, Copy, PartialEq)]
enum Want {
    Figures,
    Instance,
    Requirement,
    Scenario,
}

impl Resolver<'_> {
    fn clause(&self, clause: &DraftClause, mistakes: &mut Mistakes) -> Option<Clause> {
        match clause {
            DraftClause::State { state, function, subject, options } => {
                let want = match state {
                    State::Alive => Want::Instance,
                    State::Met | State::Broken => Want::Requirement,
                    _ => Want::Figures,
                };
                let subject = &self.of_backlog(subject, matches!(state, State::Drained | State::Settled));
                let found = mistakes.keep(self.series(subject, want))?;
                let metric = self.metric_of(&found.subject);
                mistakes.keep(units::of_state(*state, *function, subject, &found.subject, metric))?;
                let options = mistakes.keep(units::options(*state, options))?;
                Some(Clause::State {
                    state: *state,
                    function: function.map(|(function, _)| function),
                    subject: found,
                    options,
                })
            }
            DraftClause::Compare { sums, operators } => {
                let measured: Vec<_> = sums.iter().map(|sum| self.sum(sum, mistakes)).collect();
                let measured: Vec<_> = measured.into_iter().collect::<Option<_>>()?;
                check_units(sums, &measured, mistakes);
                check_possible(sums, operators, &measured, mistakes);
                let sums = measured.into_iter().map(|(expression, _)| expression).collect();
                Some(Clause::Compare { sums, operators: operators.clone() })
            }
            DraftClause::Change(change) => self.change(change, mistakes),
        }
    }

    fn metric_of(&self, subject: &Subject) -> Option<&MetricKind> {
        match subject {
            Subject::Metric { monitor, metric } => self.world.metric(monitor, metric),
            _ => None,
        }
    }

    fn sum(&self, sum: &Sum, mistakes: &mut Mistakes) -> Option<(Expression, Measured)> {
        match sum {
            Sum::Number(quantity, _) => Some((Expression::Number(quantity.clone()), units::of_number(quantity))),
            Sum::Call(call) => self.call(call, mistakes),
            Sum::Binary { operator, left, right, place } => {
                let (left, right) = (self.sum(left, mistakes), self.sum(right, mistakes));
                let ((left, left_unit), (right, right_unit)) = (left?, right?);
                let unit = mistakes.keep(units::join(*operator, &left_unit, &right_unit, *place))?;
                Some((Expression::Binary { operator: *operator, left: Box::new(left), right: Box::new(right) }, unit))
            }
        }
    }

    fn call(&self, call: &Call, mistakes: &mut Mistakes) -> Option<(Expression, Measured)> {
        if let Some(found) = self.carried(call) {
            return mistakes.keep(found);
        }
        let want = if call.function == Function::Capacity { Want::Scenario } else { Want::Figures };
        let is_of_backlog = matches!(call.function, Function::DrainTime | Function::SettleTime);
        let call = &Call { series: self.of_backlog(&call.series, is_of_backlog), ..call.clone() };
        let series = mistakes.keep(self.series(&call.series, want))?;
        let metric = self.metric_of(&series.subject);
        let unit = mistakes.keep(units::of_call(call, &series.subject, metric))?;
        let statistic = Statistic {
            function: call.function,
            series,
            condition: call.condition.as_ref().map(|(comparison, limit, _)| (*comparison, limit.clone())),
            of: call.of.map(|(of, _)| of),
            conditions: call.conditions.clone(),
        };
        Some((Expression::Statistic(statistic), unit))
    }

    fn series(&self, draft: &DraftSeries, want: Want) -> Result<Series, Mistake> {
        let (scenario, part) = self.place(draft)?;
        let subject = match want {
            Want::Figures => self.figures(draft, scenario.unwrap_or(self.own), part)?,
            _ => self.by_itself(draft, want)?,
        };
        // What a monitor sees is of the whole; a part's own rules may look at it all the same.
        let part = part.filter(|_| matches!(subject, Subject::Exchanges { .. }));
        let scenario = scenario.filter(|number| *number != self.own);
        Ok(Series { text: draft.text.clone(), place: draft.place, scenario, part, subject })
    }

    /// `rih/x` is a part of the rule's own scenario, else a scenario; `high_all/rih/x` is a part of that one; `high(rate:
    /// 5/s)/x` is one step of a grid.
    fn place(&self, draft: &DraftSeries) -> Result<(Option<usize>, Option<usize>), Mistake> {
        let scenarios = &self.world.scenarios;
        let Some(whole) = &draft.scenario else { return Ok((None, self.part)) };
        let DraftPlace { name, place, step } = whole;
        let names_of_parts = |number: usize| scenarios[number].parts.iter().map(|(name, _)| name.clone());
        let Some((part, part_place)) = &draft.part else {
            if let Some(part) = scenarios[self.own].part(name).filter(|_| step.is_empty()) {
                return Ok((None, Some(part)));
            }
            if !step.is_empty() || self.world.is_grid(name) {
                return Ok((Some(self.world.find(whole)?), None));
            }
            let mut known: Vec<String> = scenarios.iter().map(|scenario| scenario.name.clone()).collect();
            known.extend(names_of_parts(self.own));
            let found = self.world.scenario(name);
            return match found {
                Some(_) => Ok((found, None)),
                None => Err(read::unknown(name, "scenario or part", &known, *place)),
            };
        };
        let number = self.world.find(whole)?;
        let own: Vec<String> = names_of_parts(number).collect();
        let found = scenarios[number].part(part);
        match found {
            Some(_) => Ok((Some(number), found)),
            None => Err(read::unknown(part, &format!("part of `{name}`"), &own, *part_place)),
        }
    }

    fn by_itself(&self, draft: &DraftSeries, want: Want) -> Result<Subject, Mistake> {
        let (name, place) = &draft.segments[0];
        let world = self.world;
        let (what, known): (_, Vec<String>) = match want {
            Want::Instance => ("instance", world.instances.clone()),
            Want::Requirement => ("requirement", world.requirements.clone()),
            _ => ("scenario", world.scenarios.iter().map(|scenario| scenario.name.clone()).collect()),
        };
        let whole = draft.segments.iter().map(|(text, _)| text.as_str()).collect::<Vec<_>>().join(".");
        let is_any = want == Want::Instance && whole == "*";
        // A replica is named by its number: `lookup.1`.
        let is_replica = want == Want::Instance
            && draft.segments.len() == 2
            && draft.segments[1].0.bytes().all(|b| b.is_ascii_digit())
            && known.contains(name);
        if !is_any && !is_replica && !known.contains(&whole) {
            return Err(read::unknown(&whole, what, &known, *place));
        }
        Ok(match want {
            Want::Instance => Subject::Instance(whole),
            Want::Requirement => Subject::Requirement(whole),
            _ => Subject::Scenario(world.scenario(&whole).unwrap_or_default()),
        })
    }
}

fn check_units(sums: &[Sum], measured: &[(Expression, Measured)], mistakes: &mut Mistakes) {
    // The side that holds a statistic says which unit is meant.
    let lead = sums.iter().position(Sum::has_call).unwrap_or_default();
    for (index, (_, unit)) in measured.iter().enumerate() {
        if index != lead {
            mistakes.keep(units::compare(&measured[lead].1, unit, &sums[index]));
        }
    }
}

/// A share above 100 % is never reached, whatever the run shows.
fn check_possible(
    sums: &[Sum],
    operators: &[Comparison],
    measured: &[(Expression, Measured)],
    mistakes: &mut Mistakes,
) {
    let [Sum::Call(call), Sum::Number(limit, place)] = sums else { return };
    let is_share = call.function == Function::Share && measured[0].1.unit == Unit::Share && limit.unit == Unit::Share;
    if is_share && !operators.is_empty() && !(0.0..=1.0).contains(&limit.value) {
        mistakes.push(
            Mistake::at(*place, "study::out-of-range", "a share lies between 0% and 100%")
                .label("write `95%`, for example"),
        );
    }
}
