//! Makes a long run of a short one: `replay RUN NEW SECONDS` repeats the rows of the longest step of RUN until it lasts
//! as long. For benches of what reads run folders; nothing is measured by it.

use record::{EngineRow, Entry, EventRow, Head, Observed, RecordError, Run, SampleRow, StepMark};
use recorder::Folded;
use std::path::Path;
use std::process::ExitCode;
use terms::Nanos;

/// The seconds that are repeated, and how often.
struct Piece {
    from: i64,
    to: i64,
    times: i64,
}

impl Piece {
    fn length(&self) -> i64 {
        self.to - self.from
    }

    /// Seconds that the repetitions take beyond the first.
    fn added(&self) -> i64 {
        (self.times - 1) * self.length()
    }

    /// Whose rows stand at a second of the long run.
    fn source(&self, second: i64) -> i64 {
        if second < self.to {
            second
        } else if second < self.to + self.added() {
            self.from + (second - self.from) % self.length()
        } else {
            second - self.added()
        }
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let told = match arguments.as_slice() {
        [from, to, seconds] => match seconds.parse() {
            Ok(seconds) => replay(Path::new(from), Path::new(to), seconds).map_err(|error| error.to_string()),
            Err(_) => Err(format!("`{seconds}` is not a number of seconds")),
        },
        _ => Err("usage: replay RUN NEW SECONDS".to_owned()),
    };
    told.map_or_else(
        |error| {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        },
        |()| ExitCode::SUCCESS,
    )
}

fn replay(from: &Path, to: &Path, seconds: i64) -> Result<(), RecordError> {
    let run = Run::open(from)?;
    let marks = run.steps()?;
    let (step, piece) = longest(&marks, seconds);
    let mut head = run.head.clone();
    let added = piece.added();
    stretch(&mut head, step, added);
    let mut writer = record::create(to, &head, &run.study()?)?;
    let rows = Rows::of(&run)?;
    let last = rows.last();
    for second in 0..=last + added {
        let source = piece.source(second);
        rows.write(&mut writer, source, second - source)?;
        if second % 60 == 0 {
            writer.sync()?;
        }
    }
    for mark in marks {
        let at = if mark.at.second() >= piece.to { mark.at + Nanos::from_secs(added) } else { mark.at };
        writer.write(Entry::Step(StepMark { at, ..mark }))?;
    }
    writer.finish(&head).map(|_| ())
}

/// The step that lasts longest, and its whole seconds.
fn longest(marks: &[StepMark], seconds: i64) -> (u32, Piece) {
    let end =
        |mark: &StepMark| marks.iter().find(|end| end.is_end && end.step == mark.step).map_or(mark.at, |end| end.at);
    let begins = marks.iter().filter(|mark| !mark.is_end);
    let longest = begins.max_by_key(|mark| end(mark) - mark.at);
    let (step, from, to) = longest.map_or((0, 0, 1), |mark| (mark.step, mark.at.second() + 1, end(mark).second()));
    let to = to.max(from + 1);
    (step, Piece { from, to, times: (seconds / (to - from)).max(1) })
}

/// The plan as it would have been.
fn stretch(head: &mut Head, step: u32, by: i64) {
    if let Some(seconds) = head.steps.get_mut(step as usize).and_then(|step| step.seconds.as_mut()) {
        *seconds += by as f64;
    }
    if let Some(ending) = &mut head.ending {
        ending.at_ns += Nanos::from_secs(by).0;
        ending.blocks = None;
    }
}

/// The rows of a short run.
struct Rows {
    folded: Folded,
    engine: Vec<EngineRow>,
    samples: Vec<SampleRow>,
    events: Vec<EventRow>,
}

impl Rows {
    fn of(run: &Run) -> Result<Self, RecordError> {
        Ok(Self {
            folded: Folded {
                legs: run.legs()?.collect::<Result<_, _>>()?,
                starts: run.starts()?.collect::<Result<_, _>>()?,
                outcomes: run.outcomes()?.collect::<Result<_, _>>()?,
                iterations: run.iterations()?.collect::<Result<_, _>>()?,
                notes: Vec::new(),
                slowest: Vec::new(),
            },
            engine: run.engine()?.collect::<Result<_, _>>()?,
            samples: run.samples()?.collect::<Result<_, _>>()?,
            events: run.events()?,
        })
    }

    fn last(&self) -> i64 {
        self.engine.iter().map(|row| row.second).max().unwrap_or_default() + 1
    }

    /// Writes what was intended or seen in a second, moved: a call that ends in a later one goes with its start, so that
    /// the books balance where repetitions join.
    fn write(&self, writer: &mut record::Writer, second: i64, by: i64) -> Result<(), RecordError> {
        let folded = &self.folded;
        let mut moved = Folded {
            legs: folded.legs.iter().filter(|row| row.intended_s == second).cloned().collect(),
            starts: folded.starts.iter().filter(|row| row.intended_s == second).cloned().collect(),
            outcomes: folded.outcomes.iter().filter(|row| row.intended_s == second).copied().collect(),
            iterations: folded.iterations.iter().filter(|row| row.intended_s == second).copied().collect(),
            notes: Vec::new(),
            slowest: Vec::new(),
        };
        moved.legs.iter_mut().for_each(|row| (row.intended_s, row.end_s) = (row.intended_s + by, row.end_s + by));
        moved.starts.iter_mut().for_each(|row| row.intended_s += by);
        moved.outcomes.iter_mut().for_each(|row| (row.intended_s, row.end_s) = (row.intended_s + by, row.end_s + by));
        moved.iterations.iter_mut().for_each(|row| (row.intended_s, row.end_s) = (row.intended_s + by, row.end_s + by));
        writer.add(&Observed::Load(moved))?;
        for row in self.engine.iter().filter(|row| row.second == second) {
            writer.write(Entry::Engine(EngineRow { second: second + by, ..*row }))?;
        }
        let samples = self.samples.iter().filter(|row| row.at.second() == second);
        let by = Nanos::from_secs(by);
        writer.write(Entry::Samples(samples.map(|row| SampleRow { at: row.at + by, ..row.clone() }).collect()))?;
        for row in self.events.iter().filter(|row| row.at.second() == second) {
            writer.write(Entry::Event(EventRow { at: row.at + by, ..row.clone() }))?;
        }
        Ok(())
    }
}
