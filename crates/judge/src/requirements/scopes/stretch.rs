//! The stretches of time that a window takes of some steps, and the figures of what happened in them.

use super::super::counted::{self, Piece};
use super::{Frame, PlaceOf, grouped};
use crate::evidence::StepSpan;
use crate::figures::{Around, Ends, Figures, LeftOut, Sampled, Selection, Unfinished, width};
use crate::limits::{asked_by, looks_around};
use crate::rows::{Index, joined, metric_number, seconds_of, seconds_touched, seconds_within};
use std::ops::Range;
use study::rule::{Window, WindowEnd};
use terms::{Nanos, Phase};

/// What a window takes of some steps.
pub(super) struct Stretch<'a> {
    pub(super) pieces: Vec<Piece<'a>>,
    /// Seconds of intended starts when it is a part of a phase: such parts are cut at whole seconds, as rows are.
    pub(super) seconds: Option<Vec<Range<i64>>>,
    /// Seconds between holds and between repetitions, as a selection has them.
    pub(super) gaps: Vec<(i64, i64)>,
}

/// Stretches of the steps that a window takes: a first or last part is that of each repetition.
pub(super) fn stretch<'a>(index: &Index<'_>, steps: &[&'a StepSpan], window: Window) -> Stretch<'a> {
    // Of a step that nobody knows the begin or end of, only whole seconds are looked at, too.
    let is_by_seconds = window.part.is_some() || steps.iter().any(|step| step.is_inner);
    let mut stretch = Stretch { pieces: Vec::new(), seconds: is_by_seconds.then(Vec::new), gaps: Vec::new() };
    for steps in grouped(steps, |step| index.repetition(step)) {
        let (pieces, seconds) = pieces(&steps, window);
        if let Some(all) = stretch.seconds.as_mut() {
            match seconds {
                Some(seconds) => all.push(seconds),
                None => all.extend(pieces.iter().map(own_seconds)),
            }
        }
        stretch.pieces.extend(pieces);
    }
    let of_piece = |piece: &Piece<'_>| piece.from.second()..seconds_of(piece.from, piece.to).end;
    let gap = |pair: &[Range<i64>]| (pair[1].start, pair[1].start - pair[0].end);
    stretch.gaps = joined(stretch.pieces.iter().map(of_piece)).windows(2).map(gap).collect();
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
pub(super) fn selection(
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

pub(super) fn figures(
    index: &Index<'_>,
    frame: &Frame<'_>,
    (scenario, part): PlaceOf,
    stretch: &Stretch<'_>,
) -> Figures {
    let (selection, real, whole) = selection(index, frame, (scenario, part), stretch);
    let mut figures = Figures::new(index.head(), scenario, &asked_by(frame.rule));
    (figures.part, figures.seconds, figures.end_seconds) = (part, real, whole);
    figures.is_cut_by_seconds = stretch.seconds.is_some();
    figures.stretches.clone_from(&selection.moments);
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
        around_load(index, (scenario, repetition), own.map(|piece| piece.to).max()?, watched)
    };
    repetitions.into_iter().filter_map(of).collect()
}

/// What was watched in the idle phase of one repetition, and from the end of its load, `last` at the latest, until the
/// next load.
pub(crate) fn around_load(
    index: &Index<'_>,
    (scenario, repetition): (usize, u32),
    last: Nanos,
    watched: &[(u16, u16)],
) -> Option<Around> {
    let evidence = index.evidence;
    let samples = |moments| watched_in(index, moments, watched);
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

/// Samples of these metrics in some stretches of time.
pub(crate) fn watched_in(index: &Index<'_>, moments: Vec<Range<Nanos>>, watched: &[(u16, u16)]) -> Sampled {
    let mut figures = Figures::default();
    let selection = Selection { moments, ..Selection::default() };
    figures.add_watched(index, &selection, watched);
    figures.samples
}
