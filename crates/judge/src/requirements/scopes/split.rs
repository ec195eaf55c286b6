//! One scope for each stream or instance, where a rule asks `per stream` or names what has several.

use super::super::counted::Piece;
use super::names::Names;
use super::stretch::{Stretch, selection, stretch};
use super::{Frame, ScopeOf, is_instance, steps_of};
use crate::evaluate::OfStream;
use crate::figures::Figures;
use crate::limits::asked_by;
use crate::rows::{Index, metric_number};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Streams of a load, at most; more in a file are forged.
const STREAMS_MAX: usize = 1024;

/// One scope for each stream of the load, in the order of their labels' first step; the scope itself where there are
/// none. Rows go to their streams in one pass; what is watched is kept once.
pub(super) fn split_streams<'a>(index: &Index<'a>, frame: &Frame<'_>, scope: ScopeOf<'a>) -> Vec<ScopeOf<'a>> {
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

pub(super) fn split_instances<'a>(index: &Index<'a>, names: &Names, scope: ScopeOf<'a>) -> Vec<ScopeOf<'a>> {
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
