//! Where rows without a clock belong: by a start and an interval, or where they follow the load best.
//!
//! Method and its weaknesses: `docs/methods/clock-alignment.md`.

use crate::samples::{COUNTERS, Row};
use record::Placed;
use stats::StatsError;
use stats::align::{LEAST_CORRELATION, LoadStep, align, profile};
use std::collections::HashMap;
use terms::Nanos;

/// What is known of the load, and what was given.
pub(crate) struct Known<'a> {
    /// Calls that ended in each second of the run, from its first.
    pub(crate) ended: &'a [f64],
    /// The run's first second, since 1970.
    pub(crate) origin: Nanos,
    /// When the first row was taken.
    pub(crate) start: Option<Nanos>,
    /// Time between rows.
    pub(crate) every: Option<Nanos>,
    /// Rows that were printed before the first and left out.
    pub(crate) skipped: usize,
}

/// Rows with their moments in the run's clock, and how these were found. Rows that nothing places come back without.
pub(crate) fn place(rows: &[Row], known: &Known<'_>) -> (Vec<Option<Nanos>>, Placed) {
    let from_origin = |at: Nanos| at - known.origin;
    if rows.iter().all(|row| row.at.is_some()) {
        return (rows.iter().map(|row| row.at.map(from_origin)).collect(), Placed::Clock);
    }
    let turns = turns(rows);
    if let Some(start) = known.start
        && (known.every.is_some() || rows.iter().all(|row| row.since.is_some()))
    {
        let at = |(row, turn): (&Row, &usize)| {
            let after = row.since.or_else(|| Some(Nanos(known.every?.0.saturating_mul((turn + known.skipped) as i64))));
            after.map(|after| from_origin(start + after))
        };
        return (rows.iter().zip(&turns).map(at).collect(), Placed::StartAndInterval);
    }
    let lag = interval(rows, known).and_then(|every| Some((every, fitted(rows, known, every).ok()?)));
    match lag {
        Some((every, lag)) => {
            let first = rows.first().and_then(|row| row.since);
            let at = |(row, turn): (&Row, &usize)| match (row.since, first) {
                // Rows that say how far apart they are stay as far apart.
                (Some(since), Some(first)) => Some(since - first - Nanos(every.0.saturating_mul(lag as i64))),
                _ => Some(Nanos(every.0.saturating_mul(*turn as i64 - lag as i64))),
            };
            (rows.iter().zip(&turns).map(at).collect(), Placed::Fitted)
        }
        None => (vec![None; rows.len()], Placed::WholeRun),
    }
}

/// The screen of a row, where its file has screens.
fn screen(row: &Row) -> Option<usize> {
    row.instance.as_ref()?.screen
}

/// Of each row, its screen, or else how many rows of the same instance come before it.
fn turns(rows: &[Row]) -> Vec<usize> {
    let mut seen = HashMap::<Option<&str>, usize>::new();
    let mut turns = Vec::with_capacity(rows.len());
    for row in rows {
        let count = seen.entry(row.instance.as_deref()).or_default();
        turns.push(screen(row).unwrap_or(*count));
        *count += 1;
    }
    turns
}

/// Time between rows: as they count by themselves, or else as given, which in an archive is meant for other files, too.
pub(crate) fn interval(rows: &[Row], known: &Known<'_>) -> Option<Nanos> {
    let counted = || {
        let (first, last) = (rows.first()?.since?, rows.last()?.since?);
        Some(Nanos((last - first).0 / (rows.len() as i64 - 1).max(1)))
    };
    counted().or(known.every).filter(|every| *every > Nanos::ZERO)
}

/// How many moments the rows are of: as many as the first instance has, or as there are screens.
pub(crate) fn moments(rows: &[Row]) -> usize {
    if let [Some(first), Some(last)] = [rows.first().and_then(screen), rows.last().and_then(screen)] {
        return last - first + 1;
    }
    let first = rows.first().and_then(|row| row.instance.as_deref());
    rows.iter().filter(|row| row.instance.as_deref() == first).count()
}

/// The instance that the most rows are of, the first of several.
fn most_seen(rows: &[Row]) -> Option<&str> {
    let mut counts = HashMap::<Option<&str>, usize>::new();
    for row in rows {
        *counts.entry(row.instance.as_deref()).or_default() += 1;
    }
    let most = counts.values().copied().max()?;
    rows.iter().map(|row| row.instance.as_deref()).find(|name| counts.get(name) == Some(&most))?
}

/// Why rows without a clock are placed nowhere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Unplaced {
    /// Nobody knows how far apart they are.
    NoInterval,
    /// There are fewer than the load and a row at either end of it need, so many.
    TooFew { needed: u64 },
    /// The load covers fewer of their intervals than a comparison needs, so many.
    ShortLoad { needed: u64 },
    /// The rows do not vary, or the load does not.
    Flat,
    /// They follow the load nowhere; the highest correlation.
    Apart { correlation: f64 },
    /// They follow it at several places equally well.
    Repeats { correlation: f64 },
}

/// Why these rows, which [`place`] has left without a moment, are placed nowhere.
pub(crate) fn why_not(rows: &[Row], known: &Known<'_>) -> Unplaced {
    match interval(rows, known) {
        None => Unplaced::NoInterval,
        Some(every) => fitted(rows, known, every).err().unwrap_or(Unplaced::NoInterval),
    }
}

/// How many rows come before the load's first second, where that is beyond doubt.
fn fitted(rows: &[Row], known: &Known<'_>, every: Nanos) -> Result<usize, Unplaced> {
    // One instance stands for all: they share a screen.
    let name = most_seen(rows);
    let own: Vec<&Row> = rows.iter().filter(|row| row.instance.as_deref() == name).collect();
    let begin = own.first().and_then(|row| screen(row)).unwrap_or(0);
    let series = series(&own, every).ok_or(Unplaced::Flat)?;
    let seconds = every.as_secs_f64();
    let points = (known.ended.len() as f64 / seconds).ceil() as usize;
    // Before and after its load a machine is quieter: one more point at either end shows where it begins and ends.
    let edge = 1;
    let needed = points + 2 * edge;
    let most = series.len().checked_sub(needed).ok_or(Unplaced::TooFew { needed: needed as u64 })?;
    let load =
        |(second, ended): (usize, &f64)| LoadStep { start_s: second as f64, end_s: second as f64 + 1.0, load: *ended };
    let each: Vec<LoadStep> = known.ended.iter().enumerate().map(load).collect();
    let steps = grouped(&each, seconds);
    let profile = profile(&steps, seconds, points).map_err(|_| Unplaced::Flat)?;
    let profile = [vec![0.0], profile, vec![0.0]].concat();
    let found = align(&profile, &series, most, 1).map_err(|error| match error {
        // Of the points that a comparison needs, the two at the ends are not of the load.
        StatsError::TooFew { need, .. } => Unplaced::ShortLoad { needed: need - 2 * edge as u64 },
        _ => Unplaced::Flat,
    })?;
    let correlation = found.correlation;
    match () {
        () if found.is_accepted => Ok(begin + found.lag + edge),
        () if correlation > LEAST_CORRELATION => Err(Unplaced::Repeats { correlation }),
        () => Err(Unplaced::Apart { correlation }),
    }
}

/// The values of the first metric, so far apart; none where a row has no value.
fn series(rows: &[&Row], every: Nanos) -> Option<Vec<f64>> {
    let value = |row: &&Row| row.values.first().map(|(_, value)| *value);
    let values: Vec<f64> = rows.iter().map(value).collect::<Option<_>>()?;
    let since: Option<Vec<Nanos>> = rows.iter().map(|row| row.since).collect();
    let screens: Option<Vec<usize>> = rows.iter().map(|row| screen(row)).collect();
    let mut series = match (since, screens) {
        (Some(since), _) => evened(&values, &since, every),
        (None, Some(screens)) => held(&values, &screens),
        (None, None) => values,
    };
    if let Some((metric, _)) = rows.first()?.values.first()
        && COUNTERS.contains(metric)
    {
        // What follows the load is how fast it counts. Of the first interval nothing shows that.
        let grown: Vec<f64> = series.windows(2).map(|pair| pair[1] - pair[0]).collect();
        series = grown.first().into_iter().chain(&grown).copied().collect();
    }
    Some(series)
}

/// Values that come at these moments, in order, as they are at equal distances from the first: each that of the nearest row.
fn evened(values: &[f64], since: &[Nanos], every: Nanos) -> Vec<f64> {
    let [Some(first), Some(last)] = [since.first(), since.last()] else { return Vec::new() };
    // As many as there are rows, since this is their mean distance: one that breaks off for a day takes no memory for it.
    let points = ((*last - *first).as_secs_f64() / every.as_secs_f64()).round() as usize + 1;
    let mut nearest = 0;
    let mut at = |point: usize| {
        let wanted = *first + Nanos(every.0.saturating_mul(point as i64));
        let off = |place: usize| (since[place] - wanted).0.saturating_abs();
        while nearest + 1 < since.len() && off(nearest + 1) <= off(nearest) {
            nearest += 1;
        }
        values[nearest]
    };
    (0..points.min(values.len())).map(&mut at).collect()
}

/// Values of these screens, in order, and on those between them what was there before.
fn held(values: &[f64], screens: &[usize]) -> Vec<f64> {
    let ends = screens.iter().skip(1).copied().chain(screens.last().map(|last| last + 1));
    let each = values.iter().zip(screens.iter().zip(ends));
    each.flat_map(|(value, (from, to))| std::iter::repeat_n(*value, to.saturating_sub(*from))).collect()
}

/// The mean load of each interval.
fn grouped(each: &[LoadStep], seconds: f64) -> Vec<LoadStep> {
    let length = (seconds.round() as usize).max(1);
    let of = |(place, steps): (usize, &[LoadStep])| LoadStep {
        start_s: place as f64 * seconds,
        end_s: (place + 1) as f64 * seconds,
        load: steps.iter().map(|step| step.load).sum::<f64>() / steps.len() as f64,
    };
    each.chunks(length).enumerate().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::Whose;

    fn rows(values: &[f64]) -> Vec<Row> {
        let row = |value: &f64| Row { at: None, since: None, instance: None, values: vec![("cpu", *value)] };
        values.iter().map(row).collect()
    }

    /// Steps of load, and a processor that follows them from row 13 on.
    fn stepped() -> (Vec<f64>, Vec<f64>) {
        let level = |second: usize| [20.0, 60.0, 35.0, 90.0][second / 100 % 4];
        let ended: Vec<f64> = (0..400).map(level).collect();
        let noise = |place: usize| ((place * 7919) % 13) as f64 / 10.0;
        let busy = |place: usize| if (13..53).contains(&place) { 3.0 + 0.6 * level((place - 13) * 10) } else { 3.0 };
        (ended, (0..70).map(|place| busy(place) + noise(place)).collect())
    }

    fn known(ended: &[f64]) -> Known<'_> {
        Known { ended, origin: Nanos::from_secs(1000), start: None, every: Some(Nanos::from_secs(10)), skipped: 0 }
    }

    #[test]
    fn rows_that_follow_the_load_are_placed_by_it() {
        let (ended, series) = stepped();
        let (at, placed) = place(&rows(&series), &known(&ended));
        assert_eq!(placed, Placed::Fitted);
        assert_eq!((at[13], at[0]), (Some(Nanos::ZERO), Some(Nanos::from_secs(-130))));
    }

    #[test]
    fn rows_that_fit_nowhere_stay_without_a_moment() {
        let (ended, _) = stepped();
        let flat: Vec<f64> = (0..70).map(|place| ((place * 7919) % 13) as f64).collect();
        let (at, placed) = place(&rows(&flat), &known(&ended));
        assert_eq!((at[0], placed), (None, Placed::WholeRun));
        let unknown = Known { every: None, ..known(&ended) };
        assert_eq!(place(&rows(&flat), &unknown).1, Placed::WholeRun, "nobody knows how far apart they are");
    }

    #[test]
    fn why_rows_are_placed_nowhere_is_known() {
        let (ended, series) = stepped();
        let with = |ended, every: Option<i64>| Known { every: every.map(Nanos::from_secs), ..known(ended) };
        let why = |values: &[f64], known: Known<'_>| why_not(&rows(values), &known);
        assert_eq!(why(&series, with(&ended, None)), Unplaced::NoInterval);
        // 400 s at 10 s are 40 rows, and one before and behind.
        assert_eq!(why(&series[..41], with(&ended, Some(10))), Unplaced::TooFew { needed: 42 });
        // 60 s are six intervals.
        assert_eq!(why(&series, with(&ended[..60], Some(10))), Unplaced::ShortLoad { needed: 28 });
        assert_eq!(why(&[3.0; 70], with(&ended, Some(10))), Unplaced::Flat);
        let noise: Vec<f64> = (0..70).map(|place| ((place * 7919) % 13) as f64).collect();
        let Unplaced::Apart { correlation } = why(&noise, with(&ended, Some(10))) else { panic!("it is noise") };
        assert!((-1.0..0.8).contains(&correlation), "{correlation}");
    }

    #[test]
    fn a_start_and_an_interval_place_rows_and_a_clock_of_their_own_more_so() {
        let (ended, series) = stepped();
        let given = Known { start: Some(Nanos::from_secs(990)), ..known(&ended) };
        let (at, placed) = place(&rows(&series), &given);
        assert_eq!((at[2], placed), (Some(Nanos::from_secs(10)), Placed::StartAndInterval));
        let late = Known { skipped: 1, ..given };
        assert_eq!(place(&rows(&series), &late).0[0], Some(Nanos::ZERO), "the one before it was left out");
        let given = Known { skipped: 0, ..late };
        let mut stamped = rows(&series);
        stamped.iter_mut().enumerate().for_each(|(place, row)| row.at = Some(Nanos::from_secs(1005 + place as i64)));
        let (at, placed) = place(&stamped, &given);
        assert_eq!((at[0], placed), (Some(Nanos::from_secs(5)), Placed::Clock));
    }

    #[test]
    fn rows_of_one_screen_belong_to_one_moment() {
        let (ended, series) = stepped();
        let both = |row: Row| ["a", "b"].map(|name| Row { instance: Some(name.to_owned().into()), ..row.clone() });
        let rows: Vec<Row> = rows(&series).into_iter().flat_map(both).collect();
        let given = Known { start: Some(Nanos::from_secs(1000)), ..known(&ended) };
        let at = place(&rows, &given).0;
        assert_eq!([at[0], at[1], at[2]], [Some(Nanos::ZERO), Some(Nanos::ZERO), Some(Nanos::from_secs(10))]);
        let (at, placed) = place(&rows, &known(&ended));
        assert_eq!((at[26], at[27], placed), (Some(Nanos::ZERO), Some(Nanos::ZERO), Placed::Fitted));
    }

    /// A container comes on the sixth screen, is gone on some, and the first that is listed is gone for good after two.
    #[test]
    fn rows_are_placed_by_the_screen_that_they_stand_on() {
        let (ended, series) = stepped();
        let of = |name: &str, screen: usize, row: &Row| Row {
            instance: Some(Whose { name: name.into(), screen: Some(screen) }),
            ..row.clone()
        };
        let mut shown = Vec::new();
        for (screen, row) in rows(&series).iter().enumerate() {
            shown.extend((screen < 2).then(|| of("brief", screen, row)));
            shown.extend((screen >= 5 && !matches!(screen, 8 | 20)).then(|| of("late", screen, row)));
        }
        let given = Known { start: Some(Nanos::from_secs(1000)), ..known(&ended) };
        let at = place(&shown, &given).0;
        // Rows: two of the one, those of screens 5 to 7 of the other, and of 9.
        assert_eq!([1, 2, 4, 5].map(|row| at[row]), [10, 50, 70, 90].map(|at| Some(Nanos::from_secs(at))));
        assert_eq!(moments(&shown), 70);
        let (at, placed) = place(&shown, &known(&ended));
        // The load begins with screen 13.
        assert_eq!([0, 2, 5].map(|row| at[row]), [-130, -80, -40].map(|at| Some(Nanos::from_secs(at))));
        assert_eq!(placed, Placed::Fitted);
    }

    #[test]
    fn a_program_that_counts_from_its_beginning_needs_no_interval() {
        let (ended, series) = stepped();
        let mut counted = rows(&series);
        counted
            .iter_mut()
            .enumerate()
            .for_each(|(place, row)| row.since = Some(Nanos::from_secs(50 + 10 * place as i64)));
        let without = Known { every: None, ..known(&ended) };
        assert_eq!(place(&counted, &without).0[13], Some(Nanos::ZERO));
        let of_others = Known { every: Some(Nanos::SECOND), ..known(&ended) };
        assert_eq!(place(&counted, &of_others).0[13], Some(Nanos::ZERO), "an interval that other files need");
        let started = Known { start: Some(Nanos::from_secs(900)), ..without };
        assert_eq!(place(&counted, &started).0[0], Some(Nanos::from_secs(-50)), "900 s and 50 more");
    }

    /// Every other row comes 4 s late, and one never came: each is where it was taken, not where it would be by counting.
    #[test]
    fn rows_that_say_how_far_apart_they_are_are_placed_so_far_apart() {
        let (ended, series) = stepped();
        let mut counted = rows(&series);
        let taken = |place: usize| Nanos::from_secs(10 * place as i64 + if place % 2 == 1 { 4 } else { 0 });
        counted.iter_mut().enumerate().for_each(|(place, row)| row.since = Some(taken(place)));
        counted.remove(40);
        let without = Known { every: None, ..known(&ended) };
        let (at, placed) = place(&counted, &without);
        assert_eq!(placed, Placed::Fitted);
        // The load begins 130 s behind the first row, and is found to a row.
        let first = at[0].unwrap();
        assert!((first.as_secs_f64() + 130.0).abs() < 10.3, "{first:?}");
        assert_eq!([1, 2, 39, 40].map(|row| at[row].unwrap() - first), [14, 20, 394, 414].map(Nanos::from_secs));
        let started = Known { start: Some(Nanos::from_secs(990)), ..without };
        let (at, placed) = place(&counted, &started);
        assert_eq!(
            (at[1], at[40], placed),
            (Some(Nanos::from_secs(4)), Some(Nanos::from_secs(404)), Placed::StartAndInterval)
        );
    }

    #[test]
    fn a_counter_follows_the_load_by_how_fast_it_counts() {
        let (ended, series) = stepped();
        let mut sum = 0.0;
        let collected = series.iter().map(|busy| {
            sum += busy;
            Row { at: None, since: None, instance: None, values: vec![("gc_young", sum)] }
        });
        let (at, placed) = place(&collected.collect::<Vec<_>>(), &known(&ended));
        assert_eq!((at[13], placed), (Some(Nanos::ZERO), Placed::Fitted));
    }
}
