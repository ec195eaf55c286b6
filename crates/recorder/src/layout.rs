//! Where each exchange's legs stand in the arrays, and which thresholds are counted exactly.

use crate::exchange::{Closes, Leg, LegKind};
use terms::Nanos;

/// Which time a threshold looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Measure {
    /// From the intended start; in a closed load from the start.
    Response,
    /// From the start.
    Service,
}

/// A limit that the study names. How many times lie on its good side is counted exactly as the load runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Threshold {
    pub leg: Leg,
    /// Which time.
    pub measure: Measure,
    pub limit: Nanos,
    /// Whether the limit itself counts: `<=` against `<`.
    pub inclusive: bool,
}

impl Threshold {
    /// Whether a time is on the side that is counted: below the limit.
    pub fn holds(&self, value: Nanos) -> bool {
        value < self.limit || (self.inclusive && value == self.limit)
    }
}

/// One exchange's legs and thresholds.
#[derive(Clone, Debug, Default)]
pub struct ExchangeLayout {
    /// Its legs, as the driver names them.
    pub legs: &'static [LegKind],
    /// Its thresholds, sorted by leg; a leg's counters follow their order here.
    pub thresholds: Vec<Threshold>,
}

/// All exchanges of a study.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// In the study's order: `Task::exchange` is the index.
    pub exchanges: Vec<ExchangeLayout>,
    first: Vec<usize>,
    /// Of each exchange the legs that its session opens, and those of the opening of its connection, as bits.
    opened: Vec<[u8; 2]>,
}

impl Layout {
    /// Lays the exchanges out one after another.
    pub fn new(mut exchanges: Vec<ExchangeLayout>) -> Self {
        let mut first = Vec::with_capacity(exchanges.len());
        let mut opened = Vec::with_capacity(exchanges.len());
        let mut next = 0;
        for exchange in &mut exchanges {
            exchange.thresholds.sort();
            exchange.thresholds.dedup();
            first.push(next);
            next += exchange.legs.len();
            opened.push([Closes::Here, Closes::Opening].map(|closes| {
                let own = exchange.legs.iter().take(8).enumerate().filter(|(_, kind)| kind.closes == closes);
                own.fold(0, |bits, (leg, _)| bits | 1 << leg)
            }));
        }
        Self { exchanges, first, opened }
    }

    /// Legs of an exchange that are open once it is in hand, as bits; with `is_opening` those of its connection.
    pub(crate) fn opened(&self, exchange: u16, is_opening: bool) -> u8 {
        self.opened[usize::from(exchange)][usize::from(is_opening)]
    }

    /// Number of legs of all exchanges.
    pub fn leg_count(&self) -> usize {
        self.exchanges.iter().map(|exchange| exchange.legs.len()).sum()
    }

    /// Place of a leg in the arrays.
    pub fn leg_index(&self, exchange: u16, leg: Leg) -> usize {
        self.first[usize::from(exchange)] + usize::from(leg)
    }

    /// A leg's thresholds, in the order of its counters.
    pub fn thresholds(&self, exchange: u16, leg: Leg) -> &[Threshold] {
        let all = &self.exchanges[usize::from(exchange)].thresholds;
        let from = all.partition_point(|threshold| threshold.leg < leg);
        let to = all.partition_point(|threshold| threshold.leg <= leg);
        &all[from..to]
    }

    /// Every (exchange, leg).
    pub fn all_legs(&self) -> impl Iterator<Item = (u16, Leg)> + '_ {
        let legs = |(number, exchange): (usize, &ExchangeLayout)| {
            (0..exchange.legs.len()).map(move |leg| (number as u16, leg as Leg)).collect::<Vec<_>>()
        };
        self.exchanges.iter().enumerate().flat_map(legs)
    }
}
