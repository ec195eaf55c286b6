//! The memory of series whose memory is known, and what must hold of any series.

use super::close;
use crate::StatsError;
use crate::memory::{Beside, Effects, Memory, TIMES_FEWEST, is_far_within};
use proptest::prelude::*;

/// So many seconds of ten calls, with the hits that `hits` gives.
fn series(seconds: u64, hits: impl Fn(u64) -> u64) -> Vec<(u64, u64)> {
    (0..seconds).map(|second| (hits(second), 10)).collect()
}

/// A number from 0 to 9, as good as independent of the next second's. Source: the constants of Numerical Recipes' LCG.
fn scattered(second: u64) -> u64 {
    let mixed = (second + 1).wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 33 & 0xF
}

#[test]
fn equal_seconds_say_nothing_of_memory() {
    for hits in [0, 3, 10] {
        let memory = Memory::of_share(&series(60, |_| hits)).unwrap().checked().unwrap();
        assert_eq!((memory.time, memory.design_effect()), (1.0, 1.0));
        assert_eq!(memory.effects(0.9), Effects::from(1.0), "{hits}");
        // Sixty seconds that forget at once are thirty twos, less one.
        assert_eq!(memory.freedom(), 29.0);
    }
    let sums: Vec<(u64, f64)> = (0..60).map(|_| (7, 7.0 * 0.1)).collect();
    assert_eq!(Memory::of_sums(&sums, 0.01).unwrap().effects(0.9), Effects::from(1.0), "sums differ by rounding only");
}

#[test]
fn seconds_that_are_all_or_nothing_count_as_one_call_each() {
    // Ten calls share their fate: the variance of the share is ten times that of independent calls. 3600 seconds are
    // joined by fifteens, thirty batches hold 120 each, and Student's t widens by little.
    let memory = Memory::of_share(&series(3600, |second| 10 * u64::from(scattered(second) < 5))).unwrap();
    let effect = memory.design_effect();
    assert!((6.0..20.0).contains(&effect), "{effect}");
    let Effects { low, high } = memory.checked().unwrap().effects(0.9);
    assert!(low >= effect && high >= effect && high < 2.5 * effect, "{low} {high}");
}

#[test]
fn what_lasts_as_long_as_the_run_has_no_answer() {
    // The second half is slow.
    let half = Memory::of_share(&series(60, |second| 10 * u64::from(second >= 30))).unwrap();
    assert!(half.time > 60.0 / TIMES_FEWEST, "{}", half.time);
    let Err(StatsError::TooFew { have, need }) = half.checked() else {
        panic!("one change is not a sample of changes")
    };
    assert!(have == 60 && need > 60, "{have} {need}");
}

#[test]
fn few_seconds_have_no_memory_to_measure() {
    assert_eq!(Memory::of_share(&series(9, |_| 1)), Err(StatsError::TooFew { have: 9, need: 10 }));
    assert!(matches!(Memory::of_share(&[(2, 1); 20]), Err(StatsError::OutOfRange(_))));
    assert!(matches!(Memory::of_sums(&[(1, 1.0); 20], -1.0), Err(StatsError::OutOfRange(_))));
    assert_eq!(Memory::of_sums(&[(1, f64::NAN); 20], 1.0), Err(StatsError::NotFinite));
    let memory = Memory::of_share(&series(60, |_| 1)).unwrap();
    assert!(memory.effects(1.5).high.is_nan(), "a confidence of 150 % proves nothing");
}

#[test]
fn rare_hits_take_the_memory_of_the_mean() {
    // Every tenth second on average is slow as a whole; beyond the limit lies nothing.
    let is_slow = |second: u64| scattered(second) == 3;
    let sums: Vec<(u64, f64)> = (0..600).map(|second| (10, if is_slow(second) { 90.0 } else { 10.0 })).collect();
    let mean = Memory::of_sums(&sums, 64.0 * 0.06).unwrap();
    let none = Memory::of_share(&series(600, |_| 0)).unwrap();
    assert_eq!(none.effects(0.9), Effects::from(1.0));
    assert_eq!(none.beside(Some(&mean)).effects(0.9), mean.effects(0.9));
    assert!(mean.effects(0.9).high > mean.effects(0.9).low, "bursts are missed more often than seen too often");
    // Plenty of evenly spread hits speak for themselves.
    let plenty = Memory::of_share(&series(600, |second| 3 + scattered(second) % 5)).unwrap();
    assert_eq!(plenty.clone().beside(Some(&mean)).effects(0.9), plenty.effects(0.9));
}

#[test]
fn a_tenth_that_is_slow_is_nine_tenths_that_are_fast() {
    let is_bad = |second: u64| scattered(second) == 3;
    let sums: Vec<(u64, f64)> = (0..600).map(|second| (10, if is_bad(second) { 90.0 } else { 10.0 })).collect();
    let mean = Memory::of_sums(&sums, 64.0 * 0.06).unwrap();
    let slow = Memory::of_share(&series(600, |_| 1)).unwrap().beside(Some(&mean));
    let fast = Memory::of_share(&series(600, |_| 9)).unwrap().beside(Some(&mean.turned()));
    assert_eq!(slow, fast.turned());
    assert_eq!(slow.design_effect(), 1.0, "a tenth of all, evenly spread, speaks for itself");
}

#[test]
fn a_limit_is_far_within_from_twice_the_maximum_on() {
    for (maximum, limit, expected) in [(8.4, 50.0, true), (25.0, 50.0, true), (25.1, 50.0, false), (60.0, 50.0, false)]
    {
        assert_eq!(is_far_within(maximum, limit), expected, "{maximum} of {limit}");
    }
}

/// `(3/m)^r` with `m` calls and the limit at `r` times the maximum; half at the most.
#[test]
fn what_lies_beyond_a_far_limit_falls_as_a_queue_does() {
    let forgetful = Memory::of_share(&series(60, |_| 3)).unwrap();
    let missed = -(0.05f64.ln());
    let of = |maximum: f64, limit: f64| Beside::new(forgetful.clone(), maximum, limit);
    for (ratio, allowed) in [(2.0, 0.001), (3.0, 0.05), (600.0, 0.001)] {
        let expected = missed / 6000.0 / f64::powf(allowed, 1.0 / ratio);
        close(of(10.0, 10.0 * ratio).times_needed(6000, allowed, 0.9), expected, 1e-9);
    }
    // Four calls say that at most three quarters lie beyond their maximum, which is taken for half.
    for (ratio, is_kept) in [(10.0, true), (9.9, false)] {
        let needed = of(10.0, 10.0 * ratio).times_needed(4, 0.001, 0.9);
        assert_eq!(needed <= 1.0, is_kept, "{ratio}: {needed}");
    }
    // Nothing took any time at all.
    assert!(of(0.0, 1.0).times_needed(4, 0.001, 0.9) <= 1.0);
    // Near the maximum, the hits say it themselves, with the memory of the times beside them.
    assert_eq!(of(10.0, 19.9).times_needed(4, 0.001, 0.9), 0.0);
    assert_eq!((of(10.0, 19.9).shared(), of(10.0, 20.0).shared()), (Some(forgetful.clone()), None));
    // A limit that times should exceed is another question: with what they share, however far away it is.
    let (slow, fast) = (of(10.0, 20.0), of(10.0, 20.0).turned());
    assert_eq!((slow.is_kept(false), slow.is_kept(true), fast.is_kept(true)), (true, false, true));
    assert_eq!(slow.memory(), forgetful);
}

#[test]
fn a_quiet_spell_is_worth_few_calls() {
    // Four levels in a minute, against levels that change each second.
    let sums = |level: fn(u64) -> f64| (0..60).map(|second| (10, 10.0 * level(second))).collect::<Vec<_>>();
    let [long, short] = [
        sums(|second| [1.0, 4.0, 2.0, 3.0][second as usize / 15]),
        sums(|second| 1.0 + (scattered(second) % 4) as f64),
    ]
    .map(|sums| Beside::new(Memory::of_sums(&sums, 1.25).unwrap(), 4.0, 10.0));
    let [of_long, of_short] = [&long, &short].map(|times| times.times_needed(600, 0.01, 0.9));
    assert!(of_long > 10.0 && of_short < 1.0, "{of_long} {of_short}");
    // Which side hits are on changes what is shared, and not what may have been missed.
    assert_eq!(long.clone().turned().times_needed(600, 0.01, 0.9), of_long);
}

proptest! {
    /// Hits and misses are two sides of one thing; nothing counts for more than one call.
    #[test]
    fn effects_of_misses_are_those_of_hits_turned(
        steps in prop::collection::vec((0u64..50, 0u64..50), 10..400), confidence in 0.5f64..0.999,
    ) {
        let hits: Vec<(u64, u64)> = steps.iter().map(|(hits, misses)| (*hits, hits + misses)).collect();
        let misses: Vec<(u64, u64)> = steps.iter().map(|(hits, misses)| (*misses, hits + misses)).collect();
        let (Ok(hits), Ok(misses)) = (Memory::of_share(&hits), Memory::of_share(&misses)) else {
            return Ok(());
        };
        let one = hits.effects(confidence);
        // To the last digit: a verdict may hang on it.
        prop_assert_eq!(&hits.clone().turned(), &misses);
        prop_assert!(one.low >= 1.0 && one.high >= 1.0 && one.greater().is_finite(), "{one:?}");
        prop_assert!(hits.time >= 1.0 && hits.time.is_finite());
        // More confidence takes more.
        let surer = hits.effects(confidence + (1.0 - confidence) / 2.0);
        prop_assert!(surer.low >= 0.999 * one.low.min(surer.low) && surer.greater().is_finite());
    }
}
