//! What each verdict of a rule is about: which steps, which part of them, which exchange or instance.

use super::counted::{self, Piece};
use crate::evaluate::OfStream;
use crate::evidence::StepSpan;
use crate::figures::{Around, Ends, Figures, LeftOut, Sampled, Selection, Unfinished, width};
use crate::limits::{asked_by, exchanges_of, looks_around, places_of};
use crate::rows::{Index, joined, metric_number, seconds_of, seconds_touched, seconds_within, with_ceiling};
use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;
use study::rule::{Clause, Comparison, Expression, Function, Rule, Scope, Series, State, Subject, Window, WindowEnd};
use terms::{Nanos, Phase};

/// Streams of a load, at most; more in a file are forged.
const STREAMS_MAX: usize = 1024;

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
    let is_cut = is_cut(index, frame.place, frame.window, &steps, extent);
    let stretch = stretch(index, &steps, frame.window);
    let figures = figures(index, frame, frame.place, &stretch);
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
        is_cut_elsewhere |= self::is_cut(index, other, frame.window, &steps, extent);
        let there = self::stretch(index, &steps, frame.window);
        also_rests_on.extend(there.pieces.iter().map(|piece| piece.step.number));
        if !there.pieces.is_empty() {
            elsewhere.push(self::figures(index, frame, other, &there));
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

/// What a window takes of some steps.
struct Stretch<'a> {
    pieces: Vec<Piece<'a>>,
    /// Seconds of intended starts when it is a part of a phase: such parts are cut at whole seconds, as rows are.
    seconds: Option<Vec<Range<i64>>>,
    /// Seconds between repetitions, as a selection has them.
    gaps: Vec<(i64, i64)>,
}

/// Stretches of the steps that a window takes: a first or last part is that of each repetition.
fn stretch<'a>(index: &Index<'_>, steps: &[&'a StepSpan], window: Window) -> Stretch<'a> {
    // Of a step that nobody knows the begin or end of, only whole seconds are looked at, too.
    let is_by_seconds = window.part.is_some() || steps.iter().any(|step| step.is_inner);
    let mut stretch = Stretch { pieces: Vec::new(), seconds: is_by_seconds.then(Vec::new), gaps: Vec::new() };
    let mut ended: Option<i64> = None;
    for steps in grouped(steps, |step| index.repetition(step)) {
        let (pieces, seconds) = pieces(&steps, window);
        let begins = pieces.iter().map(|piece| piece.from.second()).min();
        if let (Some(begins), Some(ended)) = (begins, ended)
            && begins > ended
        {
            stretch.gaps.push((begins, begins - ended));
        }
        ended = pieces.iter().map(|piece| seconds_of(piece.from, piece.to).end).max().or(ended);
        if let Some(all) = stretch.seconds.as_mut() {
            match seconds {
                Some(seconds) => all.push(seconds),
                None => all.extend(pieces.iter().map(own_seconds)),
            }
        }
        stretch.pieces.extend(pieces);
    }
    stretch
}

/// Seconds of the starts of a whole step.
fn own_seconds(piece: &Piece<'_>) -> Range<i64> {
    if piece.step.is_inner { seconds_within(piece.from, piece.to) } else { seconds_touched(piece.from, piece.to) }
}

fn pieces<'a>(steps: &[&'a StepSpan], window: Window) -> (Vec<Piece<'a>>, Option<Range<i64>>) {
    let (mut from, mut to) = (Nanos(i64::MIN), Nanos::MAX);
    let begin = steps.iter().map(|step| step.from).min().unwrap_or_default();
    let end = steps.iter().map(|step| step.to).max().unwrap_or_default();
    match window.part {
        Some((WindowEnd::First, length)) => to = Nanos::from_secs(seconds_of(begin, begin + length).end),
        Some((WindowEnd::Last, length)) => from = Nanos::from_secs(seconds_of(end - length, end).start),
        None => {}
    }
    let piece = |step: &&'a StepSpan| Piece { step, from: step.from.max(from), to: step.to.min(to) };
    let is_whole = window.part.is_none();
    let pieces: Vec<Piece<'a>> = steps.iter().map(piece).filter(|piece| is_whole || piece.from < piece.to).collect();
    // Bounded by the steps, so that the seconds of one repetition are not those of another.
    let first = if from < begin { begin.second() } else { seconds_of(from, from).start };
    let last = if to > end { end.second().saturating_add(1) } else { seconds_of(to, to).start };
    let seconds = (!is_whole).then(|| first..last.max(first));
    (pieces, seconds)
}

/// What figures of a stretch take, its real length and the length of its whole seconds.
fn selection(
    index: &Index<'_>,
    frame: &Frame<'_>,
    (scenario, part): PlaceOf,
    stretch: &Stretch<'_>,
) -> (Selection, f64, f64) {
    // The parts of a mix have their steps at the same time; time is counted once.
    let moments = joined(stretch.pieces.iter().map(|piece| piece.from..piece.to));
    let real: f64 = moments.iter().map(|moment| (moment.end - moment.start).as_secs_f64()).sum();
    let steps: Vec<u32> = stretch.pieces.iter().map(|piece| piece.step.number).collect();
    let all = index.steps_of_part(scenario, part).map(|step| step.number).collect();
    let Ends { ends, ends_of, length } = Ends::of(&moments, &steps, all);
    let selection = Selection {
        steps,
        ends_of,
        exchanges: Some(frame.names.exchanges.clone()),
        intended: stretch.seconds.clone(),
        ends,
        moments,
        gaps: stretch.gaps.clone(),
        width: width(real),
    };
    (selection, real, length)
}

fn figures(index: &Index<'_>, frame: &Frame<'_>, (scenario, part): PlaceOf, stretch: &Stretch<'_>) -> Figures {
    let (selection, real, whole) = selection(index, frame, (scenario, part), stretch);
    let mut figures = Figures::new(index.head(), scenario, &asked_by(frame.rule));
    (figures.part, figures.seconds, figures.end_seconds) = (part, real, whole);
    figures.breaks_off = Unfinished::of(index);
    figures.left_out = LeftOut::of(index.evidence);
    figures.add_index(index, &selection);
    if frame.names.has_metrics {
        let is_all = frame.window.phase.is_none() && frame.window.part.is_none();
        for metric in &frame.names.counted {
            let Some((number, kind)) = metric_number(index, metric) else { continue };
            if kind == "gauge" || (kind == "counter" && is_all) {
                let counted = counted::counted(index, number, &stretch.pieces, is_all);
                figures.counted.insert((number.0 as u16, number.1 as u16), counted);
            }
        }
        let watched = frame.names.watched(index);
        figures.add_watched(index, &selection, &watched);
        if frame.rule.clauses.iter().any(looks_around) {
            figures.around = around(index, scenario, &stretch.pieces, &watched);
        }
    }
    figures
}

/// What was watched around the load in these pieces, for each repetition by itself: what one left behind is not made good
/// by the next.
fn around(index: &Index<'_>, scenario: usize, pieces: &[Piece<'_>], watched: &[(u16, u16)]) -> Vec<Around> {
    let mut repetitions: Vec<u32> = pieces.iter().map(|piece| index.repetition(piece.step)).collect();
    repetitions.sort_unstable();
    repetitions.dedup();
    let of = |repetition: u32| {
        // A window of its own, such as the recovery, asks about the load before it.
        let own = pieces.iter().filter(|piece| index.repetition(piece.step) == repetition);
        around_repetition(index, (scenario, repetition), own.map(|piece| piece.to).max()?, watched)
    };
    repetitions.into_iter().filter_map(of).collect()
}

/// What was watched in the idle phase of one repetition, and from the end of its load, `last` at the latest, until the
/// next load.
fn around_repetition(
    index: &Index<'_>,
    (scenario, repetition): (usize, u32),
    last: Nanos,
    watched: &[(u16, u16)],
) -> Option<Around> {
    let evidence = index.evidence;
    let samples = |moments: Vec<Range<Nanos>>| -> Sampled {
        let mut figures = Figures::default();
        let selection = Selection { moments, ..Selection::default() };
        figures.add_watched(index, &selection, watched);
        figures.samples
    };
    let with_load = |step: &&StepSpan| step.phase.has_load();
    let is_own = |step: &&StepSpan| index.repetition(step) == repetition;
    let own = evidence.steps_of(scenario, None).filter(with_load).filter(is_own).filter(|step| step.from < last);
    let load_end = own.map(|step| step.to).max()?.min(last);
    let next = evidence.steps.iter().filter(with_load).map(|step| step.from).filter(|from| *from >= load_end).min();
    let seen_to = next.unwrap_or(evidence.end).max(load_end);
    let idle = evidence.steps_of(scenario, Some(Phase::Idle)).filter(is_own);
    let idle = idle.map(|step| step.from..step.to).collect();
    Some(Around { idle: samples(idle), after: samples(vec![load_end..seen_to]), load_end, seen_to })
}

/// Whether the run ended before all of the window was seen.
fn is_cut(index: &Index<'_>, (scenario, part): PlaceOf, window: Window, steps: &[&StepSpan], extent: Extent) -> bool {
    let is_ours = |step: &record::StepHead| {
        usize::from(step.scenario) == scenario
            && (part.is_none() || step.part.is_none_or(|own| Some(usize::from(own)) == part))
            && window.phase.is_none_or(|wanted| wanted.name() == step.phase)
            && match extent {
                Extent::All => true,
                Extent::Repetition(repetition) => step.repetition.max(1) == repetition,
                Extent::Steps => false,
            }
    };
    let mut planned = index.head().steps.iter().enumerate().filter(|(_, step)| is_ours(step));
    let is_missing = planned.any(|(number, _)| steps.iter().all(|step| step.number as usize != number));
    let is_seen_anyway = matches!(window.part, Some((WindowEnd::First, _))) && is_first_part_seen(window, steps);
    (is_missing && !is_seen_anyway) || is_any_cut(index, window, steps)
}

fn is_first_part_seen(window: Window, steps: &[&StepSpan]) -> bool {
    let Some((WindowEnd::First, length)) = window.part else { return false };
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
pub(super) fn default_window(rule: &Rule) -> Window {
    let is_reconciliation = rule.clauses.iter().any(|clause| match clause {
        Clause::Compare { operators, sums } => {
            operators.iter().all(|operator| *operator == Comparison::Equal)
                && sums.iter().filter(|sum| !matches!(sum, Expression::Number(_))).count() > 1
        }
        Clause::State { .. } | Clause::Change(_) => false,
    });
    Window { part: None, phase: (!is_reconciliation).then_some(Phase::Hold) }
}

/// One scope for each stream of the load, in the order of their labels' first step; the scope itself where there are
/// none. Rows go to their streams in one pass; what is watched is kept once.
fn split_streams<'a>(index: &Index<'a>, frame: &Frame<'_>, scope: ScopeOf<'a>) -> Vec<ScopeOf<'a>> {
    let labels = labels_of(index, &scope.pieces);
    if labels.is_empty() {
        return vec![scope];
    }
    let all: Rc<BTreeSet<String>> = Rc::new(labels.iter().cloned().collect());
    let place = |step: u32, stream: u16| {
        let label = index.stream_label(step, stream)?;
        labels.iter().position(|known| *known == label)
    };
    // Other scenarios have streams of their own; those of the same label meet.
    let split = |figures: &Figures, stretch: &Stretch<'_>| -> Vec<Figures> {
        let (selection, ..) = selection(index, frame, (figures.scenario, figures.part), stretch);
        let empty = || {
            let mut own = Figures::new(index.head(), figures.scenario, &asked_by(frame.rule));
            (own.part, own.seconds, own.end_seconds) = (figures.part, figures.seconds, figures.end_seconds);
            own.breaks_off = figures.breaks_off.clone();
            own.left_out = figures.left_out;
            own
        };
        let mut split: Vec<Figures> = labels.iter().map(|_| empty()).collect();
        Figures::add_index_by_stream(&mut split, index, &selection, &place);
        for (own, label) in split.iter_mut().zip(&labels) {
            let stream = OfStream { label: label.clone(), all: all.clone() };
            let is_wanted = |instance: &str| stream.is_of(instance) != Some(false);
            let is_named = |monitor: u16, metric: u16| {
                let named = frame.names.metrics.iter().filter_map(|named| metric_number(index, named));
                named.into_iter().any(|(number, _)| number == (usize::from(monitor), usize::from(metric)))
            };
            let samples = figures.samples.iter().filter(|((m, n, i), _)| is_named(*m, *n) && is_wanted(i));
            own.samples = samples.map(|(key, points)| (key.clone(), points.clone())).collect();
            own.counted = figures.counted.clone();
            own.around = figures.around.clone();
        }
        split
    };
    let here = Stretch { pieces: scope.pieces.clone(), seconds: scope.seconds.clone(), gaps: scope.gaps.clone() };
    let repetitions: BTreeSet<u32> = scope.pieces.iter().map(|piece| index.repetition(piece.step)).collect();
    let mut elsewhere: Vec<Vec<Figures>> = labels.iter().map(|_| Vec::new()).collect();
    for figures in scope.elsewhere.iter() {
        let mut steps = steps_of(index, (figures.scenario, figures.part), frame.window);
        steps.retain(|step| repetitions.contains(&index.repetition(step)));
        let there = stretch(index, &steps, frame.window);
        for (all, one) in elsewhere.iter_mut().zip(split(figures, &there)) {
            all.push(one);
        }
    }
    let own = split(&scope.figures, &here);
    let of = |((figures, elsewhere), label): ((Figures, Vec<Figures>), &String)| ScopeOf {
        figures: Rc::new(figures),
        elsewhere: Rc::new(elsewhere),
        stream: Some(OfStream { label: label.clone(), all: all.clone() }),
        ..scope.part(label, None, None)
    };
    own.into_iter().zip(elsewhere).zip(&labels).map(of).collect()
}

/// Labels of all streams of some steps, in the order of their numbers: those that the head names, and those that rows
/// name besides.
fn labels_of(index: &Index<'_>, pieces: &[Piece<'_>]) -> Vec<String> {
    let mut labels: Vec<String> = Vec::new();
    let mut seen: BTreeSet<(u32, u16)> = BTreeSet::new();
    for piece in pieces {
        let step = piece.step.number;
        let named = index.head().steps.get(step as usize).map_or(&[][..], |planned| index.head().streams_of(planned));
        seen.extend((0..named.len().min(STREAMS_MAX)).map(|number| (step, number as u16)));
        seen.extend(index.iterations(step).map(|row| (step, row.stream)));
    }
    let mut numbers: Vec<(u16, u32)> = seen.into_iter().map(|(step, stream)| (stream, step)).collect();
    numbers.sort_unstable();
    for (stream, step) in numbers {
        if let Some(label) = index.stream_label(step, stream).filter(|label| !labels.contains(label)) {
            labels.push(label);
        }
    }
    labels.truncate(STREAMS_MAX);
    labels
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
pub(crate) fn is_instance(instance: &str, name: &str) -> bool {
    name == "*" || instance == name || instance.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'))
}

/// Everything that a rule names.
#[derive(Default)]
struct Names {
    exchanges: Vec<u16>,
    /// Other scenarios and parts than the rule's own.
    places: Vec<PlaceOf>,
    metrics: Vec<(String, String)>,
    /// Those of them whose growth is counted.
    counted: Vec<(String, String)>,
    instances: Vec<String>,
    has_metrics: bool,
}

impl Names {
    fn of(rule: &Rule, own: PlaceOf) -> Self {
        let mut names = Self { exchanges: exchanges_of(rule), ..Self::default() };
        for clause in &rule.clauses {
            match clause {
                Clause::Compare { sums, .. } => sums.iter().for_each(|sum| names.add(sum, own)),
                Clause::State { state: State::Alive, subject, .. } => {
                    if let Subject::Instance(name) = &subject.subject {
                        names.instances.push(name.clone());
                    }
                }
                Clause::State { state: State::Steady | State::Drained | State::Settled, subject, .. } => {
                    names.add_series(subject, own);
                }
                Clause::State { .. } => {}
                Clause::Change(change) => {
                    names.add_series(&change.of.statistic.series, own);
                    names.places.push((change.base, change.base_part));
                }
            }
        }
        names.places.sort_unstable();
        names.places.dedup();
        names.places.retain(|place| *place != own);
        names.has_metrics = !names.metrics.is_empty();
        names
    }

    /// Metrics whose samples the rule may look at: those that it names, and what bounds them.
    fn watched(&self, index: &Index<'_>) -> Vec<(u16, u16)> {
        let named = self.metrics.iter().filter_map(|named| metric_number(index, named)).map(|(number, _)| number);
        named.flat_map(|(monitor, metric)| with_ceiling(index.head(), monitor, metric)).collect()
    }

    fn add(&mut self, expression: &Expression, own: PlaceOf) {
        for statistic in expression.statistics() {
            self.add_series(&statistic.series, own);
            if let (Function::Count | Function::Rate, Subject::Metric { monitor, metric }) =
                (statistic.function, &statistic.series.subject)
            {
                self.counted.push((monitor.clone(), metric.clone()));
            }
        }
    }

    fn add_series(&mut self, series: &Series, own: PlaceOf) {
        // What is watched is of the whole scenario, whatever part the rule looks at besides.
        let is_watched_here = series.scenario.is_none() && matches!(series.subject, Subject::Metric { .. });
        if !is_watched_here {
            self.places.push((series.scenario.unwrap_or(own.0), series.part));
        }
        if let Subject::Metric { monitor, metric } = &series.subject {
            self.metrics.push((monitor.clone(), metric.clone()));
        }
    }
}
