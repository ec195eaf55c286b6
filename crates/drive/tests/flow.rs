//! Ways that chance decides: by the seed and the iteration alone, whoever carries it out.
#![allow(clippy::unwrap_used, reason = "a test")]

mod planned;

use contract::{Mistake, Name, Names, Piece, Place, Script, ScriptCall, Trouble};
use drive::{Blueprint, DriverUse, simulate_scenario};
use plan::{LoadPlan, ScenarioPlan, Schedule, Segment};
use record::Entry;
use recorder::{ExchangeLayout, Layout, Shared};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;
use study::{Choice, Condition, Item, Think};
use terms::{Books, Nanos};
use testkit::{SIMULATED, TableNames, settings};

fn scenario(rate: f64, bound: Option<u32>, run: Vec<Item>) -> ScenarioPlan {
    let schedule = Schedule::even(vec![Segment::constant(rate, Nanos::from_secs(20))]);
    let load = LoadPlan::Open { schedule, max_in_flight: bound };
    let plan = planned::scenario(load, Some(Nanos::from_secs(20)), run);
    ScenarioPlan { drain_at_most: Nanos::from_secs(600), ..plan }
}

/// How often each of three exchanges was started.
fn started(plan: &ScenarioPlan, workers: u16) -> BTreeMap<u16, u64> {
    driven(plan, workers, &TableNames::default()).0
}

/// The same, with the books of the iterations.
fn booked(plan: &ScenarioPlan, workers: u16) -> (BTreeMap<u16, u64>, Books) {
    let (started, _, books) = driven(plan, workers, &TableNames::default());
    (started, books)
}

/// The same, with the texts of the events.
fn driven(plan: &ScenarioPlan, workers: u16, names: &(dyn Names + Sync)) -> (BTreeMap<u16, u64>, Vec<String>, Books) {
    let call = |number: u16| settings(["a", "b", "c"][usize::from(number)], number, "call", &[("service", "7ms")]);
    let legs = SIMULATED.exchanges[0].legs;
    let setup = Blueprint {
        drivers: vec![DriverUse { kind: SIMULATED, settings: (0..3).map(call).collect() }],
        names,
        base: ".".into(),
        shared: Shared { seed: 1, ..Shared::default() },
        layout: Arc::new(Layout::new((0..3).map(|_| ExchangeLayout { legs, thresholds: Vec::new() }).collect())),
        workers,
        mailbox: None,
        nonce: 0,
        sessions_max: 100_000,
    };
    let (seen, events) = (RefCell::new(BTreeMap::new()), RefCell::new(Vec::new()));
    let books = RefCell::new(Books::default());
    simulate_scenario(plan, std::slice::from_ref(&setup), &|entry| match entry {
        Entry::Load(batch) => {
            let folded = batch.fold();
            for row in folded.starts {
                *seen.borrow_mut().entry(row.exchange).or_default() += row.started;
            }
            folded.iterations.into_iter().for_each(|row| *books.borrow_mut() += row.books);
        }
        Entry::Event(event) => events.borrow_mut().push(event.text),
        _ => {}
    })
    .unwrap();
    (seen.into_inner(), events.into_inner(), books.into_inner())
}

/// Every name is a script that fails.
struct Failing;

impl Script for Failing {
    fn name(&self) -> &str {
        "s.f"
    }

    fn call(&self, _: &[Vec<u8>], _: &mut Vec<u8>) -> Result<(), Trouble> {
        Err(Trouble { text: "script `s.f`: it broke".into(), is_refused: false })
    }
}

impl Names for Failing {
    fn resolve(&self, _: &str, _: Place) -> Result<Name, Mistake> {
        Ok(Name::Slot(Piece::Script(Arc::new(ScriptCall { script: Arc::new(Self), arguments: Vec::new() }))))
    }
}

#[test]
fn a_script_that_fails_in_a_condition_is_empty_and_told_a_few_times() {
    let run = vec![Item::If(condition("$(s.f())", None), vec![Item::Exchange(0)], vec![Item::Exchange(1)])];
    let (started, events, _) = driven(&scenario(50.0, None, run), 2, &Failing);
    assert_eq!(started, BTreeMap::from([(1, 1000)]));
    assert_eq!(events, vec!["script `s.f`: it broke; its value is taken as empty"; 2 * 5]);
}

fn condition(left: &str, compare: Option<(contract::Compare, String)>) -> Condition {
    Condition { text: left.into(), place: contract::Place::default(), left: left.into(), compare, is_not: false }
}

fn way(share: f64, run: Vec<Item>) -> Choice {
    Choice { name: "way".into(), share, run }
}

#[test]
fn which_way_an_iteration_goes_is_its_own_whoever_carries_it_out() {
    let some = || condition("$(serial)", Some((contract::Compare::Contains, "1".into())));
    let choose = || Item::Choose(vec![way(0.5, vec![Item::Exchange(1)]), way(0.5, vec![Item::Exchange(2)])]);
    let wait = Item::Think(Think::Between(Nanos::ZERO, Nanos::from_millis(200)));
    // A choice before the loop, in it, in a loop within it, and behind it.
    let inner = Item::While(condition("1", None), 2, vec![choose(), wait.clone()]);
    let run = vec![choose(), Item::While(some(), 3, vec![Item::Exchange(0), choose(), inner]), choose()];
    let alone = started(&scenario(50.0, None, run.clone()), 1);
    assert_eq!(alone.values().sum::<u64>(), alone[&0] + 2 * 1000 + alone[&0] * 3, "{alone:?}");
    for (workers, bound) in [(2, None), (3, Some(30)), (1, Some(4)), (5, Some(200))] {
        assert_eq!(started(&scenario(50.0, bound, run.clone()), workers), alone, "{workers} threads, {bound:?}");
    }
}

#[test]
fn a_loop_ends_at_its_bound_and_begins_anew_in_every_iteration() {
    let twice = |inner| Item::While(condition("1", None), 2, inner);
    let run = vec![Item::Exchange(0), twice(vec![Item::Exchange(1), twice(vec![Item::Exchange(2)])])];
    let started = started(&scenario(100.0, Some(3), run), 1);
    assert_eq!(started, BTreeMap::from([(0, 2000), (1, 4000), (2, 8000)]));
}

#[test]
fn an_iteration_that_has_no_call_to_make_went_as_planned() {
    let has_seven = || condition("$(serial)", Some((contract::Compare::Contains, "7".into())));
    let wait = Item::Think(Think::Between(Nanos::ZERO, Nanos::from_millis(200)));
    for (bound, workers) in [(None, 1), (Some(50), 3)] {
        let run = vec![Item::If(has_seven(), vec![Item::Exchange(0)], vec![wait.clone()])];
        let (started, books) = booked(&scenario(50.0, bound, run), workers);
        let with_seven = (0..1000).filter(|serial: &u32| serial.to_string().contains('7')).count() as u64;
        assert_eq!(started, BTreeMap::from([(0, with_seven)]));
        assert_eq!(books, Books { intended: 1000, started: 1000, completed: 1000, ..Books::default() });
    }
}
