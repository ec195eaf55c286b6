//! Plan in, rows out: a load is driven without the system's processes, a run folder or a screen.
#![allow(clippy::unwrap_used, reason = "a test")]

mod common;

use clock::Clock;
use common::prepared;
use drive::{Control, Stop};
use plan::ScenarioPlan;
use record::{Entry, StepMark};
use run::{Load, Prepared, Rows};
use std::sync::Mutex;
use study::Places;
use terms::{Books, Nanos};

/// Two scenarios of a second each: 40 iterations of an open load, then two users with 30 iterations in all; every
/// tenth call of the second fails.
const STUDY: &str = "
study: two scenarios
system: { name: simulated }
exchanges:
  quick: { simulated.call: { service: 2ms } }
  failing: { simulated.call: { service: 2ms, fail_every: 10 } }
scenarios:
  open: { load: { arrivals: 40/s, hold: 1s }, run: [quick] }
  closed: { load: { users: 2, count: 30 }, run: [failing] }
";

/// Everything that came, in memory.
#[derive(Default)]
struct Gathered {
    begun: Mutex<Vec<String>>,
    entries: Mutex<Vec<Entry>>,
}

impl Rows for Gathered {
    fn begins(&self, scenario: &ScenarioPlan) {
        self.begun.lock().unwrap().push(scenario.name.clone());
    }

    fn take(&self, entry: Entry) {
        self.entries.lock().unwrap().push(entry);
    }
}

impl Gathered {
    /// Books of one scenario, over all its steps and threads.
    fn books(&self, scenario: &ScenarioPlan) -> Books {
        let mut books = Books::default();
        for entry in &*self.entries.lock().unwrap() {
            if let Entry::Load(batch) = entry {
                let rows = batch.clone().fold().iterations;
                rows.iter().filter(|row| scenario.steps.contains(&row.step)).for_each(|row| books += row.books);
            }
        }
        books
    }

    fn marks(&self) -> Vec<StepMark> {
        let entries = self.entries.lock().unwrap();
        entries
            .iter()
            .filter_map(|entry| if let Entry::Step(mark) = entry { Some(mark.clone()) } else { None })
            .collect()
    }
}

fn drive(prepared: &Prepared, control: &Control) -> Gathered {
    let places = Places::placeholders(&prepared.study);
    let load = Load::here(prepared, &places, 2);
    let rows = Gathered::default();
    load.drive(&Clock::system(), control, &rows).unwrap();
    rows
}

#[test]
fn every_planned_iteration_comes_back_as_a_row() {
    let prepared = prepared(STUDY);
    let rows = drive(&prepared, &Control::new());
    assert_eq!(*rows.begun.lock().unwrap(), ["open", "closed"]);
    let [open, closed] = prepared.plan.scenarios.as_slice() else { panic!("two scenarios") };
    let expected = Books { intended: 40, started: 40, completed: 40, ..Books::default() };
    assert_eq!(rows.books(open), expected);
    let books = rows.books(closed);
    assert_eq!((books.started, books.completed, books.failed, books.aborted), (30, 27, 3, 0), "{books:?}");
    // Every step of the plan begins and ends once, in its order.
    let marks = rows.marks();
    for step in &prepared.plan.steps {
        let number = prepared.plan.steps.iter().position(|other| other == step).unwrap() as u32;
        let own: Vec<bool> = marks.iter().filter(|mark| mark.step == number).map(|mark| mark.is_end).collect();
        assert_eq!(own, [false, true], "{step:?}");
    }
    assert!(marks.is_sorted_by_key(|mark| (mark.step, mark.is_end)) && marks.iter().all(|mark| mark.at > Nanos::ZERO));
}

#[test]
fn a_load_that_was_stopped_before_it_began_has_no_rows() {
    let control = Control::new();
    control.stop(Stop::Drain);
    let rows = drive(&prepared(STUDY), &control);
    assert!(rows.begun.lock().unwrap().is_empty() && rows.entries.lock().unwrap().is_empty());
}

#[test]
fn a_function_takes_rows_too() {
    let prepared = prepared(&STUDY.replace("count: 30", "count: 2"));
    let places = Places::placeholders(&prepared.study);
    let load = Load::here(&prepared, &places, 1);
    let taken = Mutex::new(0);
    load.drive(&Clock::system(), &Control::new(), &|_: Entry| *taken.lock().unwrap() += 1).unwrap();
    assert!(taken.into_inner().unwrap() > 8, "marks alone are eight");
}
