//! Calls that wait again and again in one rhythm.

use super::{Calls, Hold, Series, Watched, finding, others, text};
use crate::Scope;
use crate::evaluate::{Kind, Worked, rates_of, span, working_of};
use crate::findings::Piece;
use crate::findings::declare::{Count, PerSecond, Seconds, Share, declare};
use crate::rows::seconds_within;
use crate::series::Looked;
use crate::{Arg, Finding, Gravity};
use stats::periodic::{Fold, fold, period};
use std::collections::BTreeSet;
use std::ops::Range;
use terms::Nanos;

declare! {
    /// Calls are slow, or fewer end, repeatedly in one [rhythm](../methods/periods.md); or a watched count that closes
    /// a leg, or that a requirement names, stands still. The period, how long an episode lasts, its depth, and the
    /// share of calls in it, or of the work that it cost; also what else has the same rhythm, among watched series and
    /// events. For watched counts, stalls without a rhythm are reported, too, where there are `STALL_FEWEST` or more.
    /// Where work stood still, two rates are given: the mean over the whole time, and the rate between stalls with its
    /// interval and the part of the time in which it was measured. `spans` in `result.json` has each stall that was
    /// seen, and figures of the rate over time mark it: where work stood still, otherwise the episodes of the rhythm.
    Stalls = "STALL" {
        affected: Share,
        during: Arg,
        duty: Share,
        every: Option<Seconds>,
        exchange: String,
        figure: String,
        lasts: Seconds,
        mean: Option<PerSecond>,
        others: Count,
        repeats: Count,
        usual: Arg,
        with: String,
        working: Option<PerSecond>,
        working_high: Option<PerSecond>,
        working_low: Option<PerSecond>,
        working_part: Option<Share>,
    }
}

impl Stalls {
    /// What they took away, as a part of what would have been done without them; `None` where calls only waited.
    pub fn lost(&self) -> Option<f64> {
        let (mean, working) = (self.mean?.0, self.working?.0);
        (working > 0.0).then(|| (1.0 - mean / working).clamp(0.0, 1.0))
    }
}

/// Shorter holds show no rhythm, seconds.
const STALL_HOLD: f64 = 100.0;
/// Shorter periods are not found, seconds.
const STALL_PERIOD: f64 = 4.0;
/// A stall multiplies the mean time by at least this.
const STALL_SLOWER: f64 = 1.5;
/// Or it costs this part of the throughput.
const STALL_LOST: f64 = 0.3;
/// The rhythm explains at least this part of the variance.
const STALL_EXPLAINED: f64 = 0.3;
/// Throughput has no rhythm of its own with fewer calls a second.
const STALL_CALLS: f64 = 20.0;
/// This many series and events of the same rhythm are named.
const STALL_NAMED: usize = 3;
/// A kind of event coincides with the stalls when it is seen at this share of them.
const STALL_TOGETHER: f64 = 0.8;
/// Chance must reach that share with at most this probability.
const STALL_CHANCE: f64 = 0.2;
/// The same for stalls without a rhythm, where it is known.
const STALL_TRUE: f64 = 0.01;
/// Fewest stalls of a watched count without a rhythm.
const STALL_FEWEST: usize = 3;
/// Two rhythms are one when their periods differ by less.
const SAME_PERIOD: f64 = 0.05;

/// A rhythm that was found.
pub(super) struct StallFound {
    pub(super) scope: Scope,
    pub(super) finding: Finding,
}

/// What the figures of a stall are of.
#[derive(Clone, Copy, PartialEq)]
enum Figure {
    /// Mean times of calls.
    Times,
    /// Calls that end well a second.
    Throughput,
    /// What a watched count grows by a second.
    Watched,
}

impl Figure {
    fn name(self) -> &'static str {
        match self {
            Self::Times => "times",
            Self::Throughput => "throughput",
            Self::Watched => "watched",
        }
    }
}

struct Rhythm {
    name: String,
    figure: Figure,
    /// Seconds from one to the next, where they have a rhythm; and how long each lasts.
    every: Option<f64>,
    lasts: f64,
    /// Part of the time within episodes.
    duty: f64,
    /// When episodes begin, seconds of the hold.
    begins: Vec<f64>,
    /// Each time that was seen: where work stood still, else the episodes that were off the usual level.
    spans: Vec<Range<Nanos>>,
    repeats: f64,
    /// Share of the calls that fall into episodes, or of the work that they took away.
    affected: f64,
    usual: f64,
    during: f64,
    /// Work between stalls.
    work: Option<Worked>,
}

/// STALL: every so many seconds calls are slow, fewer end well, or a watched count stands still.
pub(super) fn stalls(watched: &Watched<'_>) -> Vec<StallFound> {
    let mut found = Vec::new();
    for hold in watched.holds.iter().filter(|hold| hold.seconds() >= STALL_HOLD) {
        let rhythms = crate::parallel::each(watched.calls(hold), rhythm);
        let mut rhythms: Vec<Rhythm> = rhythms.into_iter().flatten().collect();
        if watched.is_window(hold) {
            rhythms.extend(watched.work_counts().filter_map(|series| of_count(series, hold)));
        }
        // Calls first, and what is hit hardest before the rest.
        let depth = |rhythm: &Rhythm| match rhythm.figure {
            Figure::Times => rhythm.usual / rhythm.during,
            _ => rhythm.during / rhythm.usual,
        };
        rhythms.sort_by(|a, b| {
            let is_watched = |rhythm: &Rhythm| rhythm.figure == Figure::Watched;
            is_watched(a).cmp(&is_watched(b)).then(depth(a).total_cmp(&depth(b)))
        });
        while !rhythms.is_empty() {
            let lead = rhythms.remove(0);
            // A count that stands still says how much is lost, which the times of calls do not.
            let is_same = |other: &Rhythm| {
                let is_watched = |rhythm: &Rhythm| rhythm.figure == Figure::Watched;
                is_watched(other) == is_watched(&lead)
                    && match (lead.every, other.every) {
                        (Some(every), Some(other)) => (other / every - 1.0).abs() <= SAME_PERIOD,
                        (every, other) => every == other,
                    }
            };
            let all = rhythms.len() + 1;
            rhythms.retain(|other| !is_same(other));
            let same = all - rhythms.len();
            found.push(stall(watched, hold, &lead, same));
        }
    }
    found
}

fn stall(watched: &Watched<'_>, hold: &Hold<'_>, rhythm: &Rhythm, exchanges: usize) -> StallFound {
    let is_of_times = rhythm.figure == Figure::Times;
    let value = |value: f64| if is_of_times { Arg::Milliseconds(value * 1e3) } else { Arg::PerSecond(value) };
    let work = rhythm.work.as_ref().map(|worked| &worked.work);
    let args = Stalls {
        affected: Share(rhythm.affected),
        during: value(rhythm.during),
        duty: Share(rhythm.duty),
        every: rhythm.every.map(Seconds),
        exchange: text(&rhythm.name),
        figure: text(rhythm.figure.name()),
        lasts: Seconds(rhythm.lasts),
        mean: work.map(|work| PerSecond(work.mean)),
        others: others(exchanges),
        repeats: Count(rhythm.repeats.floor()),
        usual: value(rhythm.usual),
        with: text(company(watched, hold, rhythm)),
        working: work.map(|work| PerSecond(work.rate)),
        working_high: work.map(|work| PerSecond(work.high)),
        working_low: work.map(|work| PerSecond(work.low)),
        working_part: work.map(|work| Share(work.duty)),
    };
    let is_watched = rhythm.figure == Figure::Watched;
    let scope = if is_watched { &hold.shared } else { &hold.scope };
    let finding = finding(Gravity::Warning, &scope.within(&rhythm.name), args);
    let evidence = if is_watched { vec![format!("watch:{}", rhythm.name)] } else { finding.evidence.clone() };
    let spans = rhythm.spans.clone();
    StallFound { scope: scope.clone(), finding: Finding { spans, evidence, ..finding } }
}

/// Values without what shifts between lasting levels, which would correlate at every lag.
fn levelled(values: &[f64]) -> Vec<f64> {
    let Ok(levels) = stats::change::levels(values, 60) else { return values.to_vec() };
    levels.iter().flat_map(|level| values[level.from..level.to].iter().map(|value| value - level.mean)).collect()
}

/// The last so many seconds that the method takes.
fn newest(values: &[f64]) -> &[f64] {
    &values[values.len().saturating_sub(stats::series::LONGEST)..]
}

fn rhythm(calls: &Calls) -> Option<Rhythm> {
    of_times(calls).or_else(|| of_throughput(calls))
}

fn of_times(calls: &Calls) -> Option<Rhythm> {
    let means = calls.means();
    let skipped = means.len() - newest(&means).len();
    let means = newest(&means);
    if means.iter().any(|mean| *mean <= 0.0) {
        return None;
    }
    // Stalls multiply; on a logarithmic scale one very slow second does not outweigh all others.
    let logs: Vec<f64> = means.iter().map(|mean| mean.ln()).collect();
    let found = period(&levelled(&logs)).ok()??;
    let fold = fold(&logs, found.length).ok()?;
    let (usual, during) = (fold.usual.exp(), fold.episode.exp());
    if fold.length < STALL_PERIOD || fold.explained < STALL_EXPLAINED || during < STALL_SLOWER * usual {
        return None;
    }
    let counts = calls.counts();
    let counts = &counts[skipped..];
    // The middle between both levels, as the fold cut them.
    let middle = (0.5 * (fold.usual + fold.episode)).exp();
    let slow: u64 = counts.iter().zip(means).filter(|(_, mean)| **mean > middle).map(|(count, _)| count).sum();
    let affected = slow as f64 / counts.iter().sum::<u64>().max(1) as f64;
    let seconds = by_second(calls);
    let work = stood_still(&seconds);
    let spans = spans(&work, &seconds, skipped, episodes(&fold, &logs));
    Some(Rhythm {
        name: calls.name.clone(),
        figure: Figure::Times,
        every: Some(fold.length),
        lasts: fold.duty * fold.length,
        duty: fold.duty,
        begins: fold.episodes.iter().map(|places| (places.start + skipped) as f64).collect(),
        spans,
        repeats: found.repeats,
        affected,
        usual,
        during,
        work,
    })
}

fn of_throughput(calls: &Calls) -> Option<Rhythm> {
    of_rates(calls.name.clone(), &by_second(calls), Figure::Throughput)
}

/// Of a watched count: in a rhythm, or so often that it is how the system is.
fn of_count(series: &Series<'_>, hold: &Hold<'_>) -> Option<Rhythm> {
    let pieces = rates_of(&series.within(hold.span.from, hold.span.to));
    let length: f64 = pieces.iter().map(|piece| piece.seconds).sum();
    if length < STALL_HOLD {
        return None;
    }
    if let Some(rhythm) = of_rates(series.name(), &pieces, Figure::Watched) {
        // How much of its time a stall lasts is measured better by work and standstill than by whole values.
        let part = rhythm.work.as_ref().map(|worked| 1.0 - worked.work.duty);
        let (lasts, duty) =
            part.zip(rhythm.every).map_or((rhythm.lasts, rhythm.duty), |(part, every)| (part * every, part));
        return Some(Rhythm { lasts, duty, ..rhythm });
    }
    let worked =
        stood_still(&pieces).filter(|worked| worked.stalls.len() >= STALL_FEWEST && worked.work.rate >= STALL_CALLS)?;
    let (work, first) = (&worked.work, pieces.first()?.at);
    Some(Rhythm {
        name: series.name(),
        figure: Figure::Watched,
        every: None,
        lasts: work.lasts * worked.every,
        duty: 1.0 - work.duty,
        begins: worked.stalls.iter().map(|stall| (stall.start - first).as_secs_f64()).collect(),
        spans: worked.stalls.clone(),
        repeats: worked.stalls.len() as f64,
        affected: work.lost(),
        usual: work.rate,
        during: work.stalled?,
        work: Some(worked),
    })
}

/// A rhythm of rates.
fn of_rates(name: String, pieces: &[Piece], figure: Figure) -> Option<Rhythm> {
    let all: Vec<f64> = pieces.iter().map(|piece| piece.amount / piece.seconds).collect();
    let spacing = pieces.iter().map(|piece| piece.seconds).sum::<f64>() / all.len().max(1) as f64;
    let rates = newest(&all);
    let skipped = all.len() - rates.len();
    if rates.iter().sum::<f64>() < STALL_CALLS * rates.len() as f64 {
        return None;
    }
    let found = period(&levelled(rates)).ok()??;
    let fold = fold(rates, found.length).ok()?;
    let every = fold.length * spacing;
    if every < STALL_PERIOD || fold.explained < STALL_EXPLAINED || fold.depth() > -STALL_LOST {
        return None;
    }
    let work = stood_still(pieces);
    let spans = spans(&work, pieces, skipped, episodes(&fold, rates));
    Some(Rhythm {
        name,
        figure,
        every: Some(every),
        lasts: fold.duty * every,
        duty: fold.duty,
        begins: fold.episodes.iter().map(|places| (places.start + skipped) as f64 * spacing).collect(),
        spans,
        repeats: found.repeats,
        affected: fold.lost().max(0.0),
        usual: fold.usual,
        during: fold.episode,
        work,
    })
}

/// Work between stalls, where there were some.
fn stood_still(pieces: &[Piece]) -> Option<Worked> {
    working_of(pieces).ok().filter(|worked| !worked.stalls.is_empty())
}

/// The episodes of a fold that were seen: one whose mean stayed on the usual side of the middle was none.
fn episodes(fold: &Fold, values: &[f64]) -> Vec<Range<usize>> {
    let middle = 0.5 * (fold.usual + fold.episode);
    let is_seen = |places: &&Range<usize>| {
        let mean = values[(*places).clone()].iter().sum::<f64>() / places.len() as f64;
        (mean < middle) == (fold.episode < fold.usual)
    };
    fold.episodes.iter().filter(is_seen).cloned().collect()
}

/// When work stood still; where it did not, the episodes, counted from the first piece that was `skipped` to.
fn spans(work: &Option<Worked>, pieces: &[Piece], skipped: usize, episodes: Vec<Range<usize>>) -> Vec<Range<Nanos>> {
    let seen = || episodes.into_iter().filter_map(|of| span(pieces, of.start + skipped..of.end + skipped)).collect();
    work.as_ref().map_or_else(seen, |worked| worked.stalls.clone())
}

fn by_second(calls: &Calls) -> Vec<Piece> {
    let piece = |(second, amount): (i64, f64)| Piece { at: Nanos::from_secs(second), seconds: 1.0, amount };
    (calls.first..).zip(calls.ended()).map(piece).collect()
}

/// Watched series with the same rhythm, and kinds of events that fall together with it: what to look at first.
fn company(watched: &Watched<'_>, hold: &Hold<'_>, rhythm: &Rhythm) -> String {
    let mut named: Vec<(f64, String)> = Vec::new();
    let others =
        watched.series.iter().filter(|series| rhythm.figure != Figure::Watched || series.name() != rhythm.name);
    for (series, every) in others.filter_map(|series| Some((series, rhythm.every?))) {
        let Some(Looked { values, spacing_s, .. }) = series.looked(hold.span.from, hold.span.to) else { continue };
        if spacing_s <= 0.0 || every / spacing_s < 3.0 {
            continue;
        }
        let Ok(Some(found)) = period(&levelled(newest(&values))) else { continue };
        if (found.length * spacing_s / every - 1.0).abs() <= SAME_PERIOD {
            named.push((found.correlation, series.subject()));
        }
    }
    named.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut names: Vec<String> = named.into_iter().map(|(_, name)| name).collect();
    names.extend(steps_with(watched, hold, rhythm));
    names.extend(events_with(watched, hold, rhythm));
    let mut known = BTreeSet::new();
    names.retain(|name| known.insert(name.clone()));
    names.truncate(STALL_NAMED);
    if names.is_empty() { "none".into() } else { names.join(", ") }
}

/// Counts of the same monitor that take a step at nearly every episode, such as flushes and merges.
fn steps_with(watched: &Watched<'_>, hold: &Hold<'_>, rhythm: &Rhythm) -> Vec<String> {
    let monitor = rhythm.name.split_once('.').filter(|_| rhythm.figure == Figure::Watched).map(|(monitor, _)| monitor);
    let length = (hold.seconds() as usize).min(stats::series::LONGEST);
    let begins: Vec<usize> = rhythm.begins.iter().map(|begin| *begin as usize).collect();
    // Two clocks of one period cannot be told apart; stalls without a rhythm can.
    let chance = if rhythm.every.is_some() { STALL_CHANCE } else { STALL_TRUE };
    let falls_together = |series: &&Series<'_>| {
        let points = series.within(hold.span.from, hold.span.to);
        let steps = points.windows(2).filter(|pair| pair[1].1 > pair[0].1);
        let places = steps.map(|pair| (pair[1].0 - hold.span.from).as_secs_f64() as usize).collect::<Vec<_>>();
        let found = stats::periodic::co_occurrence(&begins, &places, length, 2);
        !places.is_empty() && found.is_ok_and(|found| found.share >= STALL_TOGETHER && found.p <= chance)
    };
    let own = watched.series.iter().filter(|series| {
        Some(series.monitor.name.as_str()) == monitor && series.name() != rhythm.name && series.kind() == Kind::Count
    });
    own.filter(falls_together).map(Series::subject).collect()
}

/// Kinds of events of which one stands at nearly every episode, and at few other moments. Two clocks of one period fall
/// together after every whole turn, so p cannot be small; it only keeps out what happens all the time.
fn events_with(watched: &Watched<'_>, hold: &Hold<'_>, rhythm: &Rhythm) -> Vec<String> {
    let seconds = seconds_within(hold.span.from, hold.span.to);
    let length = usize::try_from(seconds.end - seconds.start).unwrap_or(0);
    let skipped = length.saturating_sub(stats::series::LONGEST);
    let mut kinds: std::collections::BTreeMap<&str, Vec<usize>> = std::collections::BTreeMap::new();
    for event in &watched.seen.index.evidence.events {
        let place =
            usize::try_from(event.at.second() - seconds.start).ok().and_then(|place| place.checked_sub(skipped));
        if let Some(place) = place.filter(|place| *place < length - skipped) {
            kinds.entry(&event.kind).or_default().push(place);
        }
    }
    let begins: Vec<usize> =
        rhythm.begins.iter().filter_map(|begin| (begin.round() as usize).checked_sub(skipped)).collect();
    let falls_together = |places: &Vec<usize>| {
        let found = stats::periodic::co_occurrence(&begins, places, length - skipped, 1);
        found.is_ok_and(|found| found.share >= STALL_TOGETHER && found.p <= STALL_CHANCE)
    };
    kinds.into_iter().filter(|(_, places)| falls_together(places)).map(|(kind, _)| kind.to_owned()).collect()
}
