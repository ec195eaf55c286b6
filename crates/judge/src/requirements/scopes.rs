//! What each verdict of a rule is about: which steps, which part of them, which exchange or instance.

mod names;
mod seen;
mod split;
mod stretch;

pub(crate) use stretch::{around_load, watched_in};

use super::counted::Piece;
use crate::evaluate::OfStream;
use crate::evidence::StepSpan;
use crate::figures::Figures;
use crate::limits::places_of;
use crate::rows::Index;
use names::Names;
use split::{split_instances, split_streams};
use std::ops::Range;
use std::rc::Rc;
use study::rule::{Clause, Comparison, Expression, Rule, Scope, Window};
use terms::{Nanos, Phase};

/// What one verdict is about.
pub(super) struct ScopeOf<'a> {
    /// `nominal/hold/ping`.
    pub(super) name: crate::Scope,
    /// `nominal/hold`.
    pub(super) base: crate::Scope,
    pub(super) pieces: Vec<Piece<'a>>,
    seconds: Option<Vec<Range<i64>>>,
    gaps: Vec<(i64, i64)>,
    pub(super) figures: Rc<Figures>,
    /// The same window of other scenarios that the rule names.
    pub(super) elsewhere: Rc<Vec<Figures>>,
    also_rests_on: Vec<u32>,
    pub(super) exchange: Option<u16>,
    pub(super) instance: Option<String>,
    /// The stream that the figures are of.
    pub(super) stream: Option<OfStream>,
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

    /// Whether nobody knows when one of its steps began or ended.
    pub(super) fn has_inner(&self) -> bool {
        self.pieces.iter().any(|piece| piece.step.is_inner)
    }

    /// Numbers of the steps that it is about.
    pub(super) fn steps(&self) -> Vec<u32> {
        self.pieces.iter().map(|piece| piece.step.number).collect()
    }

    /// Numbers of all steps that its figures come from.
    pub(super) fn rests_on(&self) -> Vec<u32> {
        self.pieces.iter().map(|piece| piece.step.number).chain(self.also_rests_on.iter().copied()).collect()
    }

    fn part(&self, name: &str, exchange: Option<u16>, instance: Option<String>) -> Self {
        Self {
            name: self.name.within(name),
            base: self.base.clone(),
            pieces: self.pieces.clone(),
            seconds: self.seconds.clone(),
            gaps: self.gaps.clone(),
            figures: self.figures.clone(),
            elsewhere: self.elsewhere.clone(),
            also_rests_on: self.also_rests_on.clone(),
            exchange: exchange.or(self.exchange),
            instance: instance.or_else(|| self.instance.clone()),
            stream: self.stream.clone(),
            is_cut: self.is_cut,
        }
    }
}

/// The window's steps, split as `per` says. Never none: a rule without anything to look at has one verdict too.
pub(super) fn scopes<'a>(index: &Index<'a>, scenario: usize, rule: &Rule) -> Vec<ScopeOf<'a>> {
    let window = rule.window.unwrap_or_else(|| default_window(rule));
    let name = index.head().scenarios.get(scenario).map_or("", |scenario| scenario.name.as_str());
    let phase = window.phase.map_or("all", Phase::name);
    let part = only_part(rule);
    let names = Names::of(rule, (scenario, part));
    let frame = Frame { place: (scenario, part), window, rule, names: &names };
    let steps = steps_of(index, frame.place, window);
    let of_part = part.and_then(|part| index.head().scenarios.get(scenario)?.parts.get(part));
    let of_part = |place: crate::Scope| of_part.map_or(place.clone(), |part| place.within(&part.name));
    let within = |repetition| of_part(crate::Scope::step(name, phase, repetition));
    let mut scopes: Vec<ScopeOf<'a>> = if rule.per.contains(&Scope::Step) && !steps.is_empty() {
        let one =
            |steps: Vec<&'a StepSpan>| make(index, &frame, of_part(index.shared_scope(steps[0])), steps, Extent::Steps);
        grouped(&steps, |step| index.shared_scope(step)).into_iter().map(one).collect()
    } else if rule.per.contains(&Scope::Repetition) && index.head().repetitions(scenario as u16) > 1 {
        let one = |repetition: u32| {
            let of = steps.iter().copied().filter(|step| index.repetition(step) == repetition).collect();
            make(index, &frame, within(Some(repetition)), of, Extent::Repetition(repetition))
        };
        (1..=index.head().repetitions(scenario as u16)).map(one).collect()
    } else {
        vec![make(index, &frame, within(None), steps, Extent::All)]
    };
    if rule.per.contains(&Scope::Stream) {
        scopes = scopes.into_iter().flat_map(|scope| split_streams(index, &frame, scope)).collect();
    }
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

/// A scenario, or one part of it.
type PlaceOf = (usize, Option<usize>);

/// The part that every exchange of the rule belongs to, when it is the same for all of them.
fn only_part(rule: &Rule) -> Option<usize> {
    let places = places_of(rule);
    let (_, part) = *places.first()?;
    places.iter().all(|place| *place == (None, part)).then_some(part).flatten()
}

/// Steps of a scenario, or those of one part and those that all parts share, in a window's phase.
fn steps_of<'a>(index: &Index<'a>, (scenario, part): PlaceOf, window: Window) -> Vec<&'a StepSpan> {
    let all = index.steps_of_part(scenario, part);
    all.filter(|step| window.phase.is_none_or(|phase| step.phase == phase)).collect()
}

/// Steps with the same key together, in order of the first of each.
fn grouped<'a, K: PartialEq>(steps: &[&'a StepSpan], key: impl Fn(&StepSpan) -> K) -> Vec<Vec<&'a StepSpan>> {
    let mut groups: Vec<(K, Vec<&'a StepSpan>)> = Vec::new();
    for &step in steps {
        let own = key(step);
        match groups.iter_mut().find(|(known, _)| *known == own) {
            Some((_, group)) => group.push(step),
            None => groups.push((own, vec![step])),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

/// Which of the planned steps one verdict is about.
#[derive(Clone, Copy)]
enum Extent {
    /// All of the window.
    All,
    /// Those of one repetition.
    Repetition(u32),
    /// Those that took place.
    Steps,
}

/// A rule in one scenario, or one part of it.
struct Frame<'a> {
    place: PlaceOf,
    window: Window,
    rule: &'a Rule,
    names: &'a Names,
}

fn make<'a>(
    index: &Index<'a>,
    frame: &Frame<'_>,
    name: crate::Scope,
    steps: Vec<&'a StepSpan>,
    extent: Extent,
) -> ScopeOf<'a> {
    let is_cut = seen::is_cut(index, frame.place, frame.window, &steps, extent);
    let stretch = stretch::stretch(index, &steps, frame.window);
    let figures = stretch::figures(index, frame, frame.place, &stretch);
    let (mut elsewhere, mut also_rests_on, mut is_cut_elsewhere) = (Vec::new(), Vec::new(), false);
    for &other in &frame.names.places {
        let mut steps = steps_of(index, other, frame.window);
        let mut extent = extent;
        if let (Extent::Repetition(_) | Extent::Steps, Some(step)) = (extent, stretch.pieces.first()) {
            // Beside one repetition stands the same one of the other place.
            let own = index.repetition(step.step);
            extent = Extent::Repetition(own);
            steps.retain(|step| index.repetition(step) == own);
        }
        is_cut_elsewhere |= seen::is_cut(index, other, frame.window, &steps, extent);
        let there = stretch::stretch(index, &steps, frame.window);
        also_rests_on.extend(there.pieces.iter().map(|piece| piece.step.number));
        if !there.pieces.is_empty() {
            elsewhere.push(stretch::figures(index, frame, other, &there));
        }
    }
    ScopeOf {
        base: name.clone(),
        name,
        pieces: stretch.pieces,
        seconds: stretch.seconds,
        gaps: stretch.gaps,
        figures: Rc::new(figures),
        elsewhere: Rc::new(elsewhere),
        also_rests_on,
        exchange: None,
        instance: None,
        stream: None,
        is_cut: is_cut || is_cut_elsewhere,
    }
}

/// `hold`, but `all` where counts are joined by `=`.
pub(crate) fn default_window(rule: &Rule) -> Window {
    let is_reconciliation = rule.clauses.iter().any(|clause| match clause {
        Clause::Compare { operators, sums } => {
            operators.iter().all(|operator| *operator == Comparison::Equal)
                && sums.iter().filter(|sum| !matches!(sum, Expression::Number(_))).count() > 1
        }
        Clause::State { .. } | Clause::Change(_) => false,
    });
    Window { part: None, phase: (!is_reconciliation).then_some(Phase::Hold) }
}

/// Whether an instance is the one of that name, or a replica of it.
pub(crate) fn is_instance(instance: &str, name: &str) -> bool {
    name == "*" || instance == name || instance.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'))
}
