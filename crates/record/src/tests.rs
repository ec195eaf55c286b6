//! Runs written and read as a whole.

mod bombs;
mod damage;
mod folders;
mod full_disk;
mod killed;
mod names;
mod rows;
mod seal;
mod tail;
mod threads;
mod unfinished;

use crate::{ClockPair, Observed, ScenarioHead, StepHead, StepMark, Writer, create};
use crate::{EngineRow, Entry, EventRow, ExchangeHead, Head, LegHead, MetricHead, MonitorHead, Run, SampleRow};
use recorder::{Folded, IterationRow, LegRow, NoteRow, OutcomeRow, SlowRow, StartRow};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder that goes away with the test, and the path of a run in it.
fn scratch() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    (folder, path)
}

/// One scenario, one step, one exchange of two legs, one monitor of one metric; other numbers have no names.
fn head() -> Head {
    let leg = |name: &str| LegHead::of_exchange(name);
    let metric = MetricHead { name: "cpu".into(), unit: "cores".into(), kind: "gauge".into(), ..MetricHead::default() };
    Head {
        id: "trial".into(),
        wall_origin_ns: 1_795_255_200_000_000_000,
        scenarios: vec![ScenarioHead { name: "busy".into(), ..ScenarioHead::default() }],
        steps: vec![StepHead { id: "hold".into(), phase: "hold".into(), ..StepHead::default() }],
        exchanges: vec![ExchangeHead {
            name: "search".into(),
            legs: vec![leg("accepted"), leg("reply")],
            ..ExchangeHead::default()
        }],
        monitors: vec![MonitorHead { name: "host".into(), metrics: vec![metric], ..MonitorHead::default() }],
        ..Head::default()
    }
}

/// Everything that a run holds.
#[derive(Clone, Debug, Default, PartialEq)]
struct All {
    load: Folded,
    engine: Vec<EngineRow>,
    samples: Vec<SampleRow>,
    events: Vec<EventRow>,
    steps: Vec<StepMark>,
    clocks: Vec<ClockPair>,
}

impl All {
    fn write(&self, writer: &mut Writer) {
        writer.add(&Observed::Load(self.load.clone())).unwrap();
        for row in &self.engine {
            writer.write(Entry::Engine(*row)).unwrap();
        }
        writer.write(Entry::Samples(self.samples.clone())).unwrap();
        for row in &self.events {
            writer.write(Entry::Event(row.clone())).unwrap();
        }
        for row in &self.steps {
            writer.write(Entry::Step(row.clone())).unwrap();
        }
        for row in &self.clocks {
            writer.write(Entry::Clock(*row)).unwrap();
        }
    }

    fn read(run: &Run) -> Self {
        Self {
            load: Folded {
                legs: run.legs().unwrap().collect::<Result<Vec<LegRow>, _>>().unwrap(),
                starts: run.starts().unwrap().collect::<Result<Vec<StartRow>, _>>().unwrap(),
                outcomes: run.outcomes().unwrap().collect::<Result<Vec<OutcomeRow>, _>>().unwrap(),
                iterations: run.iterations().unwrap().collect::<Result<Vec<IterationRow>, _>>().unwrap(),
                notes: run.notes().unwrap().collect::<Result<Vec<NoteRow>, _>>().unwrap(),
                slowest: run.slowest().unwrap().collect::<Result<Vec<SlowRow>, _>>().unwrap(),
            },
            engine: run.engine().unwrap().collect::<Result<_, _>>().unwrap(),
            samples: run.samples().unwrap().collect::<Result<_, _>>().unwrap(),
            events: run.events().unwrap(),
            steps: run.steps().unwrap(),
            clocks: run.clocks().unwrap(),
        }
    }
}

/// A run that was killed after its last sync.
fn killed_run(path: &Path, all: &All) {
    let mut writer = create(path, &head(), "study: Trial\n").unwrap();
    all.write(&mut writer);
    writer.sync().unwrap();
}
