//! Writes a run of made-up seconds and prints what the reader says of it, so that other tools can be held against it:
//!
//! ```text
//! cargo run -p record --example sample_run -- DIR [SECONDS] > reader.json
//! python crates/record/examples/check_with_duckdb.py DIR reader.json
//! ```
#![allow(clippy::unwrap_used, reason = "an example that cannot go on may end in a panic")]

use record::{Ending, EngineRow, Entry, EventRow, ExchangeHead, Head, LegHead, MetricHead, MonitorHead, Run};
use record::{Observed, RecordError, SampleRow, ScenarioHead, StepHead, StepMark};
use recorder::{Folded, IterationRow, LegRow, NoteRow, OutcomeRow, StartRow};
use std::path::Path;
use terms::seed::uniform;
use terms::{Books, Histogram, Nanos, Outcome, Population};

/// Iterations in a second.
const RATE: u64 = 200;

fn main() -> Result<(), RecordError> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().expect("the first argument is the folder to make");
    let seconds = arguments.next().map_or(60, |seconds| seconds.parse().expect("the second is a number of seconds"));
    write(Path::new(&path), seconds)?;
    println!("{}", summary(&Run::open(&path)?)?);
    Ok(())
}

fn head() -> Head {
    let step = |id: &str| StepHead { id: id.into(), phase: id.into(), repetition: 1, ..StepHead::default() };
    let leg = |name: &str| LegHead::of_exchange(name);
    let metric = |name: &str, of: Option<&str>| MetricHead {
        name: name.into(),
        unit: "cores".into(),
        of: of.map(str::to_owned),
        kind: "gauge".into(),
        ..MetricHead::default()
    };
    let exchange =
        ExchangeHead { name: "order".into(), legs: vec![leg("accepted"), leg("reply")], ..ExchangeHead::default() };
    let metrics = vec![metric("cpu", Some("of the machine")), metric("load", None)];
    Head {
        id: "sample".into(),
        wall_origin_ns: 1_795_255_200_000_000_000,
        scenarios: vec![ScenarioHead { name: "busy".into(), ..ScenarioHead::default() }],
        steps: vec![step("warm_up"), step("hold")],
        exchanges: vec![exchange],
        monitors: vec![MonitorHead { name: "host".into(), metrics, ..MonitorHead::default() }],
        ..Head::default()
    }
}

fn write(path: &Path, seconds: u64) -> Result<(), RecordError> {
    let mut writer = record::create(path, &head(), "study: Sample\n")?;
    for second in 0..seconds {
        let step = u32::from(second >= seconds / 4);
        writer.add(&Observed::Load(load(second, step)))?;
        let row = EngineRow { second: second as i64, step, cpu_s: 0.25, ..EngineRow::default() };
        writer.write(Entry::Engine(row))?;
        writer.write(Entry::Samples(samples(second)))?;
        if second % 60 == 0 {
            writer.sync()?;
        }
    }
    for (step, at) in [(0, 0), (1, seconds / 4)] {
        let at = Nanos::from_secs(at as i64);
        writer.write(Entry::Step(StepMark { step, at, is_end: false }))?;
    }
    let event =
        EventRow { at: Nanos::SECOND, kind: "gone".into(), subject: "shop.2".into(), text: "a \"quoted\" é".into() };
    writer.write(Entry::Event(event))?;
    let ending = Ending { reason: "completed".into(), at_ns: seconds as i64 * 1_000_000_000, ..Ending::default() };
    writer.finish(&Head { ending: Some(ending), ..head() })?;
    Ok(())
}

/// Exponential times, of which some are failures.
fn load(second: u64, step: u32) -> Folded {
    let mut folded = Folded::default();
    let intended_s = second as i64;
    for leg in 0..2u8 {
        for population in [Population::Ok, Population::Failed] {
            let (mut response, mut service, mut below) = (Histogram::new(), Histogram::new(), 0);
            let is_ok = population == Population::Ok;
            for number in 0..if is_ok { RATE * 95 / 100 } else { RATE * 5 / 100 } {
                let draw = uniform(u64::from(leg) * 2 + u64::from(is_ok), second * RATE + number);
                let time = Nanos::from_secs_f64(-0.05 * f64::from(leg + 1) * (1.0 - draw).ln());
                below += u64::from(time < Nanos::from_millis(100));
                response.record(time + Nanos::MICROSECOND);
                service.record(time);
            }
            let outcome = if is_ok { Outcome::Ok } else { Outcome::Timeout };
            let count = service.total();
            // The second leg is of a closed load: it has no response times.
            let response = if leg == 0 { response.to_sparse() } else { terms::SparseHistogram::default() };
            folded.legs.push(LegRow {
                step,
                exchange: 0,
                leg,
                stream: recorder::NO_STREAM,
                population,
                intended_s,
                end_s: intended_s,
                count,
                units: count * 3,
                bytes: count * 512,
                below: if leg == 0 { vec![below] } else { Vec::new() },
                response,
                service: service.to_sparse(),
            });
            folded.outcomes.push(OutcomeRow {
                step,
                exchange: 0,
                leg,
                stream: recorder::NO_STREAM,
                outcome,
                intended_s,
                end_s: intended_s,
                count,
            });
        }
    }
    let mut lateness = Histogram::new();
    lateness.record_n(Nanos(80_000), RATE);
    let lateness = lateness.to_sparse();
    folded.starts.push(StartRow {
        step,
        exchange: 0,
        stream: recorder::NO_STREAM,
        intended_s,
        started: RATE,
        lateness,
    });
    let (completed, failed) = (RATE * 95 / 100, RATE * 5 / 100);
    let books = Books { intended: RATE, started: RATE, dropped: 0, completed, failed, aborted: 0 };
    folded.iterations.push(IterationRow { step, stream: recorder::NO_STREAM, intended_s, end_s: intended_s, books });
    if second < 5 {
        let text = format!("no answer in second {second}");
        folded.notes.push(NoteRow {
            at: Nanos::from_secs(intended_s),
            step,
            exchange: 0,
            outcome: Outcome::Timeout,
            text,
            trace: None,
        });
    }
    folded
}

/// Two metrics of two instances; every tenth sample did not come.
fn samples(second: u64) -> Vec<SampleRow> {
    let row = |number: u64| SampleRow {
        at: Nanos::from_secs(second as i64),
        monitor: 0,
        instance: format!("shop.{}", number / 2 + 1),
        metric: (number % 2) as u16,
        value: (second % 10 < 9).then(|| uniform(9, second * 4 + number)),
    };
    (0..4).map(row).collect()
}

/// What the reader says, as JSON.
fn summary(run: &Run) -> Result<String, RecordError> {
    let (mut legs, mut count, mut below, mut bucket_count, mut index_count) = (0u64, 0, 0, 0, 0);
    let (mut response_sum_ns, mut held) = (0.0, Histogram::new());
    for row in run.legs()? {
        let row = row?;
        legs += 1;
        count += row.count;
        below += row.below.iter().sum::<u64>();
        bucket_count += row.service.total();
        index_count += row.service.buckets.iter().map(|&(index, count)| u64::from(index) * count).sum::<u64>();
        response_sum_ns += row.response.sum_ns;
        if row.step == 1 && row.leg == 0 && row.population == Population::Ok {
            held.merge_sparse(&row.response);
        }
    }
    let quantile = |quantile| held.quantile(quantile).unwrap_or_default().0;
    let (mut samples, mut missing, mut value_sum) = (0u64, 0u64, 0.0);
    for sample in run.samples()? {
        let value = sample?.value;
        samples += 1;
        missing += u64::from(value.is_none());
        value_sum += value.unwrap_or_default();
    }
    Ok(serde_json::json!({
        "legs": legs, "count": count, "below": below, "bucket_count": bucket_count, "index_count": index_count,
        "response_sum_ns": response_sum_ns,
        "p50_ns": quantile(0.5), "p95_ns": quantile(0.95), "p99_9_ns": quantile(0.999),
        "samples": samples, "missing": missing, "value_sum": value_sum,
        "started": run.starts()?.map(|row| row.map(|row| row.started)).sum::<Result<u64, _>>()?,
        "completed": run.iterations()?.map(|row| row.map(|row| row.books.completed)).sum::<Result<u64, _>>()?,
        "timeouts": run.outcomes()?.map(|row| row.map(|row| if row.outcome == Outcome::Timeout { row.count } else { 0 }))
            .sum::<Result<u64, _>>()?,
        "notes": run.notes()?.count(), "engine": run.engine()?.count(),
        "events": run.events()?.len(), "steps": run.steps()?.len(), "clocks": run.clocks()?.len(),
    })
    .to_string())
}
