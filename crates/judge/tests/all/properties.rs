//! What holds for every run, and for no run at all: percentile and share rules agree, and no evidence makes a panic.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::common::{Call, Run, append, call, check_catalogue, fold, study_of, study_with};
use proptest::prelude::*;
use record::{EngineRow, EventRow, SampleRow, ThresholdHead};
use record::{IterationRow, LegRow, OutcomeRow, StartRow};
use terms::{Books, Nanos, OUTCOMES, Outcome, Phase, Population, SparseHistogram, Verdict};

const PAIRS: &str = "
    below: p95(x.response) < 100ms
    below_share: share(x.response < 100ms of ok) >= 95%
    at_most: p95(x.response) <= 100ms
    at_most_share: share(x.response <= 100ms of ok) >= 95%
    above: p50(x.response) > 100ms
    above_share: share(x.response <= 100ms of ok) <= 50%
    slow_share: share(x.response >= 100ms of ok) <= 5%
";

/// How a percentile rule and the share rules that say the same are named in [`PAIRS`].
const SAME: [(&str, &str); 4] =
    [("below", "below_share"), ("at_most", "at_most_share"), ("above", "above_share"), ("below", "slow_share")];

/// Verdicts of percentile rules are those of the share rules beside them.
fn agree(judgement: &judge::Judgement) -> Result<(), String> {
    let of = |id: &str| judgement.requirements.iter().find(|result| result.id == id).unwrap();
    let differ = |(one, other): &(&str, &str)| of(one).verdict != of(other).verdict;
    SAME.into_iter().find(differ).map_or(Ok(()), |(one, other)| Err(format!("{:?} {:?}", of(one), of(other))))
}

/// At an exact tenth, where hits begin to speak for themselves, and with every time far below the limit.
#[test]
fn a_percentile_rule_and_its_share_rule_agree_where_rules_change() {
    let tenths = (20..=400).step_by(10).map(|calls| (calls, calls / 10, 60_000_000));
    let far = (10..=60).map(|calls| (calls, 0, 3_000_000));
    let all: Vec<_> = tenths.chain(far).flat_map(|one| (0..6u64).map(move |seed| (one, seed))).collect();
    for ((calls, slow, fast_ns), seed) in all {
        let mut run = Run::of(&study_of("{ arrivals: 10/s, hold: 60s }", PAIRS));
        let hold = run.step("hold");
        let made: Vec<Call> = (0..calls)
            .map(|k| {
                let mixed = terms::seed::hash(seed, k);
                // Bursts in which all times are like each other, so that their mean remembers.
                let at = 60.0 * k as f64 / calls as f64;
                let level = terms::seed::hash(seed, at as u64 / 4) % 8 + 1;
                let took = if k % (calls / slow.max(1)) == 3 && slow > 0 { 200_000_000 } else { fast_ns };
                Call { took: Nanos(took * level as i64 / 8 - (mixed % 1000) as i64), ..call(hold, at, 0.0) }
            })
            .collect();
        run.add(&made);
        assert_eq!(agree(&run.judge()), Ok(()), "{calls} calls, {slow} slow, seed {seed}");
    }
}

/// Twelve calls in ten seconds: as few as have a memory at all.
#[test]
fn a_percentile_rule_and_its_share_rule_agree_about_twelve_calls() {
    let calls = [
        (48.984, 100_000_001),
        (48.382, 1_000_000),
        (0.0, 1_000_000),
        (20.652, 1_000_000),
        (50.983, 1_000_000),
        (30.142, 100_000_001),
        (42.783, 1_690_296_742),
        (33.165, 26_306_567),
        (38.023, 33_805_581),
        (48.524, 75_590_398),
        (57.330, 100_000_000),
        (29.302, 100_118_292),
    ];
    let mut run = Run::of(&study_of("{ arrivals: 10/s, hold: 60s }", PAIRS));
    let hold = run.step("hold");
    let made: Vec<Call> = calls.map(|(at, took)| Call { took: Nanos(took), ..call(hold, at, 0.0) }).to_vec();
    run.add(&made);
    assert_eq!(agree(&run.judge()), Ok(()));
}

/// Times around the limit, exactly at it among them.
fn took() -> impl Strategy<Value = i64> {
    prop_oneof![
        6 => 1_000_000i64..99_999_999,
        1 => Just(100_000_000i64),
        1 => 99_900_000i64..100_200_000,
        2 => 100_000_001i64..3_000_000_000,
    ]
}

/// When, how long, and whether right: many calls, or few, where one rule after another begins to refuse.
fn handed_in() -> impl Strategy<Value = Vec<(f64, i64, prop::sample::Index)>> {
    let one = || (0.0..60.0f64, took(), any::<prop::sample::Index>());
    prop_oneof![prop::collection::vec(one(), 1..400), prop::collection::vec(one(), 1..40)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn a_percentile_rule_and_its_share_rule_never_contradict_each_other(
        calls in handed_in(),
        fails in 0usize..4,
    ) {
        let mut run = Run::of(&study_of("{ arrivals: 10/s, hold: 60s }", PAIRS));
        let hold = run.step("hold");
        let made: Vec<Call> = calls.iter().map(|(at, took, place)| {
            let call = Call { took: Nanos(*took), ..call(hold, *at, 0.0) };
            if place.index(10) < fails { call.ended(Outcome::Wrong) } else { call }
        }).collect();
        run.add(&made);
        let judgement = run.judge();
        let of = |id: &str| judgement.requirements.iter().find(|result| result.id == id).unwrap();
        prop_assert_eq!(agree(&judgement), Ok(()));
        for id in ["below", "at_most", "above"] {
            let result = of(id);
            // What is shown lies on the side on which it was judged.
            let (Some(value), Some(limit)) = (result.value, result.limit) else { continue };
            match (id, result.verdict) {
                ("below", Verdict::Met) => prop_assert!(value < limit),
                ("below", Verdict::NotMet) => prop_assert!(value >= limit),
                ("at_most", Verdict::Met) => prop_assert!(value <= limit),
                ("above", Verdict::Met) => prop_assert!(value > limit),
                _ => {}
            }
            prop_assert!(result.low.is_none_or(|low| low <= value) && result.high.is_none_or(|high| high >= value));
        }
        // Everything that was handed in is found again, once.
        let step = judgement.steps.iter().find(|step| step.id == "hold").unwrap();
        let leg = |outcome: &str| step.exchanges[0].legs.iter().find(|leg| leg.outcome == outcome).unwrap().count;
        prop_assert_eq!(leg("ok") + leg("failed"), made.len() as u64);
        prop_assert_eq!(leg("all"), made.len() as u64);
        prop_assert_eq!(step.books.intended, made.len() as u64);
    }

    #[test]
    fn a_verdict_does_not_depend_on_how_rows_were_cut_and_ordered(
        calls in prop::collection::vec((0.0..60.0f64, took()), 50..300), parts in 1usize..5, seed: u64,
    ) {
        let mut whole = Run::of(&study_of("{ arrivals: 10/s, hold: 60s }", PAIRS));
        let hold = whole.step("hold");
        let made: Vec<Call> =
            calls.iter().map(|(at, took)| Call { took: Nanos(*took), ..call(hold, *at, 0.0) }).collect();
        whole.add(&made);
        let mut cut = Run::of(&study_of("{ arrivals: 10/s, hold: 60s }", PAIRS));
        for part in 0..parts {
            let own: Vec<Call> = made.iter().enumerate().filter(|(k, _)| k % parts == part).map(|(_, call)| *call).collect();
            let rows = fold(&cut.evidence.head, &own);
            append(&mut cut.rows, rows);
        }
        let rows = &mut cut.rows;
        rows.legs.sort_by_key(|row| terms::seed::hash(seed, row.intended_s as u64));
        rows.iterations.sort_by_key(|row| terms::seed::hash(seed, row.end_s as u64));
        let (a, b) = (whole.judge(), cut.judge());
        let words = |judgement: &judge::Judgement| -> Vec<(Verdict, Option<f64>, u64)> {
            judgement.requirements.iter().map(|r| (r.verdict, r.value, r.sample_count)).collect()
        };
        prop_assert_eq!(words(&a), words(&b));
    }
}

/// Numbers as a damaged or forged file could hold them.
fn wild() -> impl Strategy<Value = i64> {
    prop_oneof![4 => -5i64..70, 1 => any::<i64>(), 1 => Just(i64::MAX), 1 => Just(i64::MIN), 1 => -1_000_000_000i64..1_000_000_000]
}

fn wild_count() -> impl Strategy<Value = u64> {
    prop_oneof![4 => 0u64..50, 1 => any::<u64>(), 1 => Just(u64::MAX)]
}

fn wild_number() -> impl Strategy<Value = f64> {
    prop_oneof![3 => -1.0..2.0f64, 1 => any::<f64>(), 1 => Just(f64::NAN), 1 => Just(f64::INFINITY)]
}

fn histogram() -> impl Strategy<Value = SparseHistogram> {
    let bucket = (prop_oneof![4 => 0u32..28_000, 1 => any::<u32>()], wild_count());
    (prop::collection::vec(bucket, 0..4), any::<i64>(), any::<i64>(), wild_number())
        .prop_map(|(buckets, min, max, sum_ns)| SparseHistogram { buckets, min: Nanos(min), max: Nanos(max), sum_ns })
}

fn leg_row() -> impl Strategy<Value = LegRow> {
    let key = (0u32..12, 0u16..4, 0u8..3, any::<bool>(), wild(), wild());
    let body = (wild_count(), wild_count(), prop::collection::vec(wild_count(), 0..4), histogram(), histogram());
    (key, body).prop_map(
        |((step, exchange, leg, is_ok, intended_s, end_s), (count, bytes, below, response, service))| LegRow {
            stream: contract::NO_STREAM,
            step,
            exchange,
            leg,
            population: if is_ok { Population::Ok } else { Population::Failed },
            intended_s,
            end_s,
            count,
            units: count,
            bytes,
            below,
            response,
            service,
        },
    )
}

fn outcome_row() -> impl Strategy<Value = OutcomeRow> {
    (0u32..12, 0u16..4, 0u8..3, 0usize..16, wild(), wild(), wild_count()).prop_map(
        |(step, exchange, leg, outcome, intended_s, end_s, count)| OutcomeRow {
            stream: contract::NO_STREAM,
            step,
            exchange,
            leg,
            outcome: OUTCOMES[outcome],
            intended_s,
            end_s,
            count,
        },
    )
}

fn iteration_row() -> impl Strategy<Value = IterationRow> {
    (0u32..12, wild(), wild(), [(); 6].map(|()| wild_count())).prop_map(|(step, intended_s, end_s, counts)| {
        let [intended, started, dropped, completed, failed, aborted] = counts;
        let books = Books { intended, started, dropped, completed, failed, aborted };
        IterationRow { step, stream: contract::NO_STREAM, intended_s, end_s, books }
    })
}

fn start_row() -> impl Strategy<Value = StartRow> {
    (0u32..12, 0u16..4, wild(), wild_count(), histogram()).prop_map(
        |(step, exchange, intended_s, started, lateness)| StartRow {
            step,
            exchange,
            stream: contract::NO_STREAM,
            intended_s,
            started,
            lateness,
        },
    )
}

const HOSTILE: &str = "
    a: share(x.response < 100ms) >= 95% per exchange, step
    b: p95(y.service) < 1s in first 5s of hold
    c: mean(*.lateness) < 1s in last 3s of hold
    d: count(x.intended) = count(x.completed) + count(x.failed)
    e: max(host.memory) < 1GB per instance
    f: rate(x.ok) >= 1/s and share(x.timeout) <= 1% in all
    g: alive(*) in drain
    h: count(host.events) / count(x) > 50%
    i: share(host.wait < 1s) > 10% in ramp
    j: sd(x.response of all) < 1s in warm_up
    k: p99.9(x.response of failed) > 1ms
";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_evidence_makes_a_panic_or_an_unlisted_word(
        legs in prop::collection::vec(leg_row(), 0..12),
        outcomes in prop::collection::vec(outcome_row(), 0..12),
        iterations in prop::collection::vec(iteration_row(), 0..12),
        starts in prop::collection::vec(start_row(), 0..12),
        engine in prop::collection::vec((wild(), 0u16..3, 0u32..12, wild_number(), any::<u32>()), 0..12),
        samples in prop::collection::vec((any::<i64>(), 0u16..3, 0u16..8, prop::option::of(wild_number())), 0..30),
        events in prop::collection::vec((any::<i64>(), 0usize..6), 0..4),
        spans in prop::collection::vec((0u32..12, 0usize..3, 0usize..6, any::<i64>(), any::<i64>(), any::<bool>()), 0..6),
        head in (wild_number(), wild_number(), any::<i64>(), any::<bool>(), any::<bool>()),
    ) {
        let exchanges = "x: { simulated.call: { service: 10ms } }\ny: { simulated.call: { service: 10ms } }";
        let load = "{ arrivals: 10/s, ramp: { over: 5s }, warm_up: 5s, hold: 20s }";
        let mut run = Run::of(&study_with("x, y", load, exchanges, HOSTILE));
        run.rows = record::Folded { legs, outcomes, iterations, starts, ..record::Folded::default() };
        run.evidence.engine = engine.into_iter().map(|(second, worker, step, number, waiting_max)| EngineRow {
            second, worker, step, in_flight_mean: number, waiting_max, cpu_s: number, run_queue_s: number, ..EngineRow::default()
        }).collect();
        run.samples = samples.into_iter().map(|(at, monitor, metric, value)| {
            SampleRow { at: Nanos(at), monitor, instance: "shop".into(), metric, value }
        }).collect();
        run.evidence.events = events.into_iter().map(|(at, kind)| EventRow {
            at: Nanos(at),
            kind: ["gone", "restart", "identity", "clock_step", "lost", "?"][kind].into(),
            subject: "shop".into(),
            text: String::new(),
        }).collect();
        if !spans.is_empty() {
            run.evidence.steps = spans.into_iter().map(|(number, scenario, phase, from, to, is_ended)| judge::evidence::StepSpan {
                number, scenario, id: "hold".into(), phase: Phase::ALL[phase], from: Nanos(from), to: Nanos(to), is_ended, is_inner: !is_ended && from % 2 == 0,
            }).collect();
        }
        let (each, seconds, time, was_killed, has_ending) = head;
        run.evidence.head.scenarios[0].per_iteration = vec![each];
        run.evidence.head.scenarios[0].think_s = seconds;
        run.evidence.head.steps[1].seconds = Some(seconds);
        run.evidence.head.exchanges[0].timeout_ns = time;
        run.evidence.head.exchanges[1].thresholds.push(ThresholdHead { leg: 9, ..ThresholdHead::default() });
        run.evidence.head.monitors[0].every_s = each;
        run.evidence.was_killed = was_killed;
        run.evidence.cut = was_killed.then_some(run.evidence.end);
        if !has_ending {
            run.evidence.head.ending = None;
        }
        let (_, judgement) = judge::judge(&run.evidence(), &run.study);
        check_catalogue(&judgement);
        prop_assert!(judgement.requirements.iter().all(|r| r.value.is_none_or(f64::is_finite) && r.low.is_none_or(f64::is_finite)));
        let ids: Vec<_> = "abcdefghijk".chars().filter(|id| !judgement.requirements.iter().any(|r| r.id == id.to_string())).collect();
        prop_assert_eq!(ids, Vec::<char>::new(), "no requirement is left without a verdict");
    }
}
