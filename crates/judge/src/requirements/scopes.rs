//! What each verdict of a rule is about: which steps, which part of them, which exchange or instance.

use crate::asked::{asked_by, exchanges_of, looks_around};
use crate::evidence::StepSpan;
use crate::figures::{Around, Figures, Sampled, Selection};
use crate::rows::{Index, seconds_of};
use std::ops::Range;
use std::rc::Rc;
use study::rule::{Clause, Comparison, Expression, Part, Rule, Scope, Series, State, Subject, Window};
use terms::{Nanos, Phase};

/// A stretch of one step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece<'a> {
    pub(super) step: &'a StepSpan,
    pub(super) from: Nanos,
    pub(super) to: Nanos,
}

/// What one verdict is about.
pub(super) struct ScopeOf<'a> {
    /// `nominal/hold/ping`.
    pub(super) name: String,
    /// `nominal/hold`.
    pub(super) base: String,
    pub(super) pieces: Vec<Piece<'a>>,
    pub(super) figures: Rc<Figures>,
    /// The same window of other scenarios that the rule names.
    pub(super) elsewhere: Rc<Vec<Figures>>,
    also_rests_on: Vec<u32>,
    pub(super) exchange: Option<u16>,
    pub(super) instance: Option<String>,
    /// Whether the run ended before all of it was seen.
    pub(super) is_cut: bool,
}

impl ScopeOf<'_> {
    /// Begin and end.
    pub(super) fn span(&self) -> (Nanos, Nanos) {
        let from = self.pieces.iter().map(|piece| piece.from).min().unwrap_or_default();
        let to = self.pieces.iter().map(|piece| piece.to).max().unwrap_or_default();
        (from, to)
    }

    /// Numbers of all steps that its figures come from.
    pub(super) fn rests_on(&self) -> Vec<u32> {
        self.pieces.iter().map(|piece| piece.step.number).chain(self.also_rests_on.iter().copied()).collect()
    }

    fn part(&self, name: &str, exchange: Option<u16>, instance: Option<String>) -> Self {
        Self {
            name: format!("{}/{name}", self.name),
            base: self.base.clone(),
            pieces: self.pieces.clone(),
            figures: self.figures.clone(),
            elsewhere: self.elsewhere.clone(),
            also_rests_on: self.also_rests_on.clone(),
            exchange: exchange.or(self.exchange),
            instance: instance.or_else(|| self.instance.clone()),
            is_cut: self.is_cut,
        }
    }
}

/// The window's steps, split as `per` says. Never none: a rule without anything to look at has one verdict too.
pub(super) fn scopes<'a>(index: &Index<'a>, scenario: usize, rule: &Rule) -> Vec<ScopeOf<'a>> {
    let window = rule.window.unwrap_or_else(|| default_window(rule));
    let evidence = index.evidence;
    let name = index.head().scenarios.get(scenario).map_or("", |scenario| scenario.name.as_str());
    let phase = window.phase.map_or("all", Phase::name);
    let names = Names::of(rule, scenario);
    let steps: Vec<&StepSpan> = evidence.steps_of(scenario, window.phase).collect();
    let mut scopes: Vec<ScopeOf<'a>> = if rule.per.contains(&Scope::Step) && !steps.is_empty() {
        let one = |step: &&'a StepSpan| {
            make(index, &Frame { scenario, window, rule, names: &names }, format!("{name}/{}", step.id), vec![*step])
        };
        steps.iter().map(one).collect()
    } else {
        vec![make(index, &Frame { scenario, window, rule, names: &names }, format!("{name}/{phase}"), steps)]
    };
    if rule.per.contains(&Scope::Exchange) && !names.exchanges.is_empty() {
        let name_of = |number: u16| index.head().exchanges.get(usize::from(number)).map_or("?", |head| &head.name);
        let split = |scope: ScopeOf<'a>| {
            names.exchanges.iter().map(move |number| scope.part(name_of(*number), Some(*number), None))
        };
        scopes = scopes.into_iter().flat_map(split).collect();
    }
    if rule.per.contains(&Scope::Instance) || rule.per.contains(&Scope::Replica) {
        scopes = scopes.into_iter().flat_map(|scope| split_instances(index, &names, scope)).collect();
    }
    scopes
}

/// A rule in one scenario.
struct Frame<'a> {
    scenario: usize,
    window: Window,
    rule: &'a Rule,
    names: &'a Names,
}

fn make<'a>(index: &Index<'a>, frame: &Frame<'_>, name: String, steps: Vec<&'a StepSpan>) -> ScopeOf<'a> {
    let is_of_one_step = frame.rule.per.contains(&Scope::Step) && !steps.is_empty();
    let is_cut = is_cut(index, frame.scenario, frame.window, &steps, is_of_one_step);
    let (pieces, seconds) = pieces(&steps, frame.window);
    let figures = figures(index, frame, frame.scenario, (&pieces, seconds));
    let (mut elsewhere, mut also_rests_on, mut is_cut_elsewhere) = (Vec::new(), Vec::new(), false);
    for &other in &frame.names.scenarios {
        let steps: Vec<&StepSpan> = index.evidence.steps_of(other, frame.window.phase).collect();
        is_cut_elsewhere |= is_cut_in(index, other, frame.window, &steps);
        let (pieces, seconds) = self::pieces(&steps, frame.window);
        also_rests_on.extend(pieces.iter().map(|piece| piece.step.number));
        if !pieces.is_empty() {
            elsewhere.push(self::figures(index, frame, other, (&pieces, seconds)));
        }
    }
    ScopeOf {
        base: name.clone(),
        name,
        pieces,
        figures: Rc::new(figures),
        elsewhere: Rc::new(elsewhere),
        also_rests_on,
        exchange: None,
        instance: None,
        is_cut: is_cut || is_cut_elsewhere,
    }
}

/// Stretches of the steps that a window takes, and the seconds of intended starts when it is a part of a phase: such
/// parts are cut at whole seconds, as rows are.
fn pieces<'a>(steps: &[&'a StepSpan], window: Window) -> (Vec<Piece<'a>>, Option<Range<i64>>) {
    let (mut from, mut to) = (Nanos(i64::MIN), Nanos::MAX);
    let begin = steps.iter().map(|step| step.from).min().unwrap_or_default();
    let end = steps.iter().map(|step| step.to).max().unwrap_or_default();
    match window.part {
        Some((Part::First, length)) => to = Nanos::from_secs(seconds_of(begin, begin + length).end),
        Some((Part::Last, length)) => from = Nanos::from_secs(seconds_of(end - length, end).start),
        None => {}
    }
    let piece = |step: &&'a StepSpan| Piece { step, from: step.from.max(from), to: step.to.min(to) };
    let is_whole = window.part.is_none();
    let pieces = steps.iter().map(piece).filter(|piece| is_whole || piece.from < piece.to).collect();
    (pieces, (!is_whole).then(|| seconds_of(from, to)))
}

fn figures(
    index: &Index<'_>,
    frame: &Frame<'_>,
    scenario: usize,
    (pieces, seconds): (&[Piece<'_>], Option<Range<i64>>),
) -> Figures {
    let length = |piece: &Piece<'_>| (piece.to - piece.from).as_secs_f64().max(0.0);
    let mut ends: Vec<_> = pieces.iter().map(|piece| seconds_of(piece.from, piece.to)).collect();
    let real: f64 = pieces.iter().map(length).sum();
    let mut whole = ends.iter().map(|seconds| (seconds.end - seconds.start) as f64).sum();
    if whole <= 0.0 {
        // Shorter than a second: everything that ended in the seconds it touches, over its real length.
        ends = pieces.iter().map(|piece| piece.from.second()..piece.to.second().saturating_add(1)).collect();
        whole = real;
    }
    let selection = Selection {
        steps: pieces.iter().map(|piece| piece.step.number).collect(),
        ends_of: index.evidence.steps_of(scenario, None).map(|step| step.number).collect(),
        exchanges: Some(frame.names.exchanges.clone()),
        intended: seconds,
        ends,
        moments: pieces.iter().map(|piece| piece.from..piece.to).collect(),
    };
    let mut figures = Figures::new(index.head(), scenario, &asked_by(frame.rule));
    (figures.seconds, figures.end_seconds) = (real, whole);
    figures.add_index(index, &selection);
    if frame.names.has_metrics {
        figures.add_samples(index.head(), &index.evidence.samples, &selection);
        if frame.rule.clauses.iter().any(looks_around) {
            figures.around = around(index, scenario, pieces);
        }
    }
    figures
}

/// What was watched in the scenario's idle phase, and from the end of the load in these pieces until the next load.
fn around(index: &Index<'_>, scenario: usize, pieces: &[Piece<'_>]) -> Option<Around> {
    let evidence = index.evidence;
    let samples = |moments: Vec<Range<Nanos>>| -> Sampled {
        let mut figures = Figures::default();
        let selection = Selection { moments, ..Selection::default() };
        figures.add_samples(index.head(), &evidence.samples, &selection);
        figures.samples
    };
    let with_load = |step: &&StepSpan| step.phase.has_load();
    // A window of its own, such as the recovery, asks about the load before it.
    let last = pieces.iter().map(|piece| piece.to).max()?;
    let own = evidence.steps_of(scenario, None).filter(with_load).filter(|step| step.from < last);
    let load_end = own.map(|step| step.to).max()?.min(last);
    let next = evidence.steps.iter().filter(with_load).map(|step| step.from).filter(|from| *from >= load_end).min();
    let seen_to = next.unwrap_or(evidence.end).max(load_end);
    let idle = evidence.steps_of(scenario, Some(Phase::Idle)).map(|step| step.from..step.to).collect();
    Some(Around { idle: samples(idle), after: samples(vec![load_end..seen_to]), load_end, seen_to })
}

/// Whether the run ended before all of the window was seen.
fn is_cut(index: &Index<'_>, scenario: usize, window: Window, steps: &[&StepSpan], is_of_one_step: bool) -> bool {
    if is_of_one_step { is_any_cut(index, window, steps) } else { is_cut_in(index, scenario, window, steps) }
}

fn is_cut_in(index: &Index<'_>, scenario: usize, window: Window, steps: &[&StepSpan]) -> bool {
    let planned = index.head().steps.iter().enumerate().filter(|(_, step)| usize::from(step.scenario) == scenario);
    let is_ours = |phase: &str| window.phase.is_none_or(|wanted| wanted.name() == phase);
    let mut planned = planned.filter(|(_, step)| is_ours(&step.phase));
    let is_missing = planned.any(|(number, _)| steps.iter().all(|step| step.number as usize != number));
    let is_seen_anyway = matches!(window.part, Some((Part::First, _))) && is_first_part_seen(window, steps);
    (is_missing && !is_seen_anyway) || is_any_cut(index, window, steps)
}

fn is_first_part_seen(window: Window, steps: &[&StepSpan]) -> bool {
    let Some((Part::First, length)) = window.part else { return false };
    let begin = steps.iter().map(|step| step.from).min().unwrap_or_default();
    steps.iter().any(|step| step.to >= begin + length)
}

fn is_any_cut(index: &Index<'_>, window: Window, steps: &[&StepSpan]) -> bool {
    let is_cut = |step: &&StepSpan| {
        let planned = index.head().steps.get(step.number as usize);
        let length = planned.and_then(|planned| planned.seconds).filter(|_| step.phase != Phase::Drain);
        let count = planned.and_then(|planned| planned.iterations).filter(|_| length.is_none());
        !step.is_ended
            || length.is_some_and(|length| (step.to - step.from).as_secs_f64() < length * 0.99 - 0.05)
            || count.is_some_and(|count| step.phase.has_load() && index.books(step.number).intended < count)
    };
    !is_first_part_seen(window, steps) && steps.iter().any(is_cut)
}

/// `hold`, but `all` where counts are joined by `=`.
fn default_window(rule: &Rule) -> Window {
    let is_reconciliation = rule.clauses.iter().any(|clause| match clause {
        Clause::Compare { operators, sums } => {
            operators.iter().all(|operator| *operator == Comparison::Equal)
                && sums.iter().filter(|sum| !matches!(sum, Expression::Number(_))).count() > 1
        }
        Clause::State { .. } => false,
    });
    Window { part: None, phase: (!is_reconciliation).then_some(Phase::Hold) }
}

fn split_instances<'a>(index: &Index<'a>, names: &Names, scope: ScopeOf<'a>) -> Vec<ScopeOf<'a>> {
    let head = index.head();
    let is_named = |monitor: u16, metric: u16| {
        let monitor = head.monitors.get(usize::from(monitor));
        let metric = monitor.and_then(|monitor| Some((&monitor.name, &monitor.metrics.get(usize::from(metric))?.name)));
        metric.is_some_and(|(monitor, metric)| names.metrics.contains(&(monitor.clone(), metric.clone())))
    };
    let watched = scope.figures.samples.keys().filter(|(monitor, metric, _)| is_named(*monitor, *metric));
    let mut instances: Vec<String> = watched.map(|(.., instance)| instance.clone()).collect();
    for wanted in &names.instances {
        let of = head.instances.iter().filter(|instance| is_instance(&instance.name, wanted));
        instances.extend(of.map(|instance| instance.name.clone()));
    }
    instances.sort();
    instances.dedup();
    if instances.is_empty() {
        return vec![scope];
    }
    instances.into_iter().map(|instance| scope.part(&instance.clone(), None, Some(instance))).collect()
}

/// Whether an instance is the one of that name, or a replica of it.
pub(super) fn is_instance(instance: &str, name: &str) -> bool {
    name == "*" || instance == name || instance.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'))
}

/// Everything that a rule names.
#[derive(Default)]
struct Names {
    exchanges: Vec<u16>,
    scenarios: Vec<usize>,
    metrics: Vec<(String, String)>,
    instances: Vec<String>,
    has_metrics: bool,
}

impl Names {
    fn of(rule: &Rule, own: usize) -> Self {
        let mut names = Self { exchanges: exchanges_of(rule), ..Self::default() };
        for clause in &rule.clauses {
            match clause {
                Clause::Compare { sums, .. } => sums.iter().for_each(|sum| names.add(sum)),
                Clause::State { state: State::Alive, subject, .. } => {
                    if let Subject::Instance(name) = &subject.subject {
                        names.instances.push(name.clone());
                    }
                }
                Clause::State { state: State::Steady | State::Drained | State::Settled, subject, .. } => {
                    names.add_series(subject);
                }
                Clause::State { .. } => {}
            }
        }
        names.scenarios.sort_unstable();
        names.scenarios.dedup();
        names.scenarios.retain(|scenario| *scenario != own);
        names.has_metrics = !names.metrics.is_empty();
        names
    }

    fn add(&mut self, expression: &Expression) {
        match expression {
            Expression::Number(_) => {}
            Expression::Statistic(statistic) => self.add_series(&statistic.series),
            Expression::Binary { left, right, .. } => {
                self.add(left);
                self.add(right);
            }
        }
    }

    fn add_series(&mut self, series: &Series) {
        self.scenarios.extend(series.scenario);
        if let Subject::Metric { monitor, metric } = &series.subject {
            self.metrics.push((monitor.clone(), metric.clone()));
        }
    }
}
