//! Many run folders made of one: real folders by the only writer that there is, a day apart, whose calls take so many times
//! as long. For what reads archives; nothing is measured by it.

use record::{EngineRow, Entry, Folded, Head, Observed, Run, SampleRow, StepMark};
use std::path::{Path, PathBuf};
use terms::{Buckets, Histogram, Nanos, SparseHistogram};

/// Nanoseconds of a day.
const DAY_NS: i64 = 86_400_000_000_000;

/// Writes `count` runs into a folder, named by their days; the calls of run `number` take `factor(number)` times as long
/// as those of `run`, and were never late. Times below a threshold are counted anew, to a bucket. `change` may alter what the run says it was.
pub fn copies(
    run: &Path,
    into: &Path,
    count: usize,
    factor: impl Fn(usize) -> f64,
    change: impl Fn(usize, &mut Head),
) -> Vec<PathBuf> {
    let run = Run::open(run).unwrap();
    let rows = Rows::of(&run);
    std::fs::create_dir_all(into).unwrap();
    let one = |number: usize| {
        let mut head = run.head.clone();
        let day = format!("2026-{:02}-{:02}", number / 28 % 12 + 1, number % 28 + 1);
        let year = 2026 + number / 336;
        let day = day.replacen("2026", &year.to_string(), 1);
        head.id = format!("{day}T10-00-00Z-archive");
        head.started = format!("{day}T10:00:00Z");
        // A real distance from run to run; what hour it was is in `started`.
        head.wall_origin_ns += DAY_NS * number as i64;
        if let Some(ending) = &mut head.ending {
            ending.ended = format!("{day}T10:01:00Z");
            ending.blocks = None;
        }
        change(number, &mut head);
        let path = into.join(&head.id);
        rows.write(&path, &head, &run.study().unwrap(), factor(number));
        path
    };
    (0..count).map(one).collect()
}

/// The rows of a run.
struct Rows {
    folded: Folded,
    engine: Vec<EngineRow>,
    samples: Vec<SampleRow>,
    steps: Vec<StepMark>,
}

impl Rows {
    fn of(run: &Run) -> Self {
        Self {
            folded: Folded {
                legs: run.legs().unwrap().map(Result::unwrap).collect(),
                starts: run.starts().unwrap().map(Result::unwrap).collect(),
                outcomes: run.outcomes().unwrap().map(Result::unwrap).collect(),
                iterations: run.iterations().unwrap().map(Result::unwrap).collect(),
                notes: run.notes().unwrap().map(Result::unwrap).collect(),
                slowest: run.slowest().unwrap().map(Result::unwrap).collect(),
            },
            engine: run.engine().unwrap().map(Result::unwrap).collect(),
            samples: run.samples().unwrap().map(Result::unwrap).collect(),
            steps: run.steps().unwrap(),
        }
    }

    fn write(&self, path: &Path, head: &Head, study: &str, factor: f64) {
        let mut writer = record::create(path, head, study).unwrap();
        let mut folded = self.folded.clone();
        for row in &mut folded.legs {
            row.response = scaled(&row.response, factor);
            row.service = scaled(&row.service, factor);
            let thresholds = head.exchanges[usize::from(row.exchange)].thresholds.iter();
            let below = thresholds.filter(|threshold| threshold.leg == row.leg).map(|threshold| {
                let times = if threshold.measure == "service" { &row.service } else { &row.response };
                let mut all = Histogram::new();
                all.merge_sparse(times);
                all.count_below(Nanos(threshold.limit_ns)).0
            });
            row.below = below.collect();
        }
        folded.slowest.iter_mut().for_each(|row| row.time = Nanos((row.time.0 as f64 * factor) as i64));
        // As a machine that had nothing else to do: a busy one spoils the run that the copies are made of, and with it all.
        folded.starts.iter_mut().for_each(|row| row.lateness = scaled(&row.lateness, 1e-4));
        writer.add(&Observed::Load(folded)).unwrap();
        for row in &self.engine {
            writer.write(Entry::Engine(EngineRow { run_queue_s: 0.0, ..*row })).unwrap();
        }
        writer.write(Entry::Samples(self.samples.clone())).unwrap();
        self.steps.iter().for_each(|mark| writer.write(Entry::Step(mark.clone())).unwrap());
        writer.finish(head).unwrap();
    }
}

/// A distribution of which every time is so many times as long.
fn scaled(times: &SparseHistogram, factor: f64) -> SparseHistogram {
    let mut longer = Histogram::new();
    for (index, count) in &times.buckets {
        let time = Buckets::high(*index).min(times.max);
        longer.record_n(Nanos((time.0 as f64 * factor) as i64), *count);
    }
    longer.to_sparse()
}
