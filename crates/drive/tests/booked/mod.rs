//! What a simulated load booked, exchange by exchange and as a whole.
#![allow(dead_code, unreachable_pub, reason = "each test uses some of it")]

#[path = "../planned/mod.rs"]
mod planned;

use drive::{Blueprint, DriverUse, simulate_scenario};
use plan::{LoadPlan, ScenarioPlan, Schedule, Segment};
use record::Entry;
use recorder::{ExchangeLayout, Layout, Shared};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;
use study::{Item, TRANSACTION_LEGS};
use terms::{Books, Nanos, Outcome};
use testkit::{SIMULATED, TableNames, settings};

/// How long a load lasts.
pub const SECONDS: i64 = 20;

pub fn ms(ms: i64) -> Nanos {
    Nanos::from_millis(ms)
}

/// Evenly spaced arrivals.
pub fn open(rate: f64, max_in_flight: Option<u32>) -> LoadPlan {
    let schedule = Schedule::even(vec![Segment::constant(rate, Nanos::from_secs(SECONDS))]);
    LoadPlan::Open { schedule, max_in_flight }
}

/// A part without a name: one hold, and its drain.
pub fn plan(load: LoadPlan, drain: Nanos, run: Vec<Item>) -> ScenarioPlan {
    let plan = planned::scenario(load, Some(Nanos::from_secs(SECONDS)), run);
    ScenarioPlan { drain_at_most: drain, is_drain_automatic: false, ..plan }
}

/// What was booked under one number.
#[derive(Debug, Default, PartialEq)]
pub struct Booked {
    pub started: u64,
    pub outcomes: BTreeMap<Outcome, u64>,
    /// Shortest and longest response time, and service time.
    pub response: Option<(Nanos, Nanos)>,
    pub service: Option<(Nanos, Nanos)>,
}

impl Booked {
    pub fn count(&self, outcome: Outcome) -> u64 {
        self.outcomes.get(&outcome).copied().unwrap_or(0)
    }
}

fn wider(known: Option<(Nanos, Nanos)>, times: &terms::SparseHistogram) -> Option<(Nanos, Nanos)> {
    if times.buckets.is_empty() {
        return known;
    }
    let (least, most) = known.unwrap_or((times.min, times.max));
    Some((least.min(times.min), most.max(times.max)))
}

/// Carries out a plan whose exchanges take these settings; behind them `transactions` have numbers.
pub fn simulate(
    plan: &ScenarioPlan,
    workers: u16,
    calls: &[&[(&str, &str)]],
    transactions: usize,
) -> (Vec<Booked>, Books) {
    let call = |(number, keys): (usize, &&[(&str, &str)])| settings("call", number as u16, "call", keys);
    let legs = calls.iter().map(|_| SIMULATED.exchanges[0].legs).chain((0..transactions).map(|_| TRANSACTION_LEGS));
    let layout: Vec<_> = legs.map(|legs| ExchangeLayout { legs, thresholds: Vec::new() }).collect();
    let numbered = layout.len();
    let names = TableNames::default();
    let setup = Blueprint {
        drivers: vec![DriverUse { kind: SIMULATED, settings: calls.iter().enumerate().map(call).collect() }],
        names: &names,
        base: ".".into(),
        shared: Shared { seed: 1, ..Shared::default() },
        layout: Arc::new(Layout::new(layout)),
        workers,
        mailbox: None,
        nonce: 0,
        sessions_max: 100_000,
    };
    let seen = RefCell::new(((0..numbered).map(|_| Booked::default()).collect::<Vec<_>>(), Books::default()));
    simulate_scenario(plan, std::slice::from_ref(&setup), &|entry| {
        let Entry::Load(batch) = entry else { return };
        let (folded, mut seen) = (batch.fold(), seen.borrow_mut());
        let (all, books) = &mut *seen;
        for row in folded.starts {
            all[usize::from(row.exchange)].started += row.started;
        }
        for row in folded.outcomes {
            *all[usize::from(row.exchange)].outcomes.entry(row.outcome).or_default() += row.count;
        }
        for row in folded.legs {
            let booked = &mut all[usize::from(row.exchange)];
            booked.response = wider(booked.response, &row.response);
            booked.service = wider(booked.service, &row.service);
        }
        folded.iterations.iter().for_each(|row| *books += row.books);
    })
    .unwrap();
    seen.into_inner()
}
