//! What a rule's window holds of exchanges: counts, rates, times, and how they lie over its seconds.

use super::memory::Timed;
use super::rows::Evidence;
use super::times::{nearest_rank, response_of};
use super::window::Window;
use record::{ExchangeHead, LegPer, LegRow};
use std::collections::BTreeMap;
use terms::{Books, Nanos, Outcome, Population, SparseHistogram};

/// What a series names: exchanges, a leg, and a figure of them.
pub(super) struct Series<'a> {
    pub(super) evidence: &'a Evidence,
    pub(super) window: &'a Window,
    pub(super) exchanges: Vec<u16>,
    pub(super) leg: Option<u8>,
    /// `response`, `failed`, `started`; empty for the exchange itself.
    pub(super) figure: String,
}

impl<'a> Series<'a> {
    /// `None` where the names are not those of an exchange.
    pub(super) fn of(evidence: &'a Evidence, window: &'a Window, names: &[String], only: Option<u16>) -> Option<Self> {
        let head = &evidence.head;
        let loads = loads(evidence, window.place);
        let is_run = |number: u16| loads.iter().any(|load| Evidence::each(load, number).1 > 0.0);
        let mut exchanges: Vec<u16> = match names[0].as_str() {
            "*" => (0..head.calls() as u16).filter(|number| is_run(*number)).collect(),
            name => vec![evidence.exchange(name)?],
        };
        let mut rest = &names[1..];
        let mut leg = None;
        if let Some(word) = rest.first()
            && let Some(found) = exchanges.iter().find_map(|number| evidence.leg(*number, word))
        {
            exchanges.retain(|number| evidence.leg(*number, word) == Some(found));
            (leg, rest) = (Some(found), &rest[1..]);
        }
        if let Some(only) = only {
            exchanges.retain(|number| *number == only);
        }
        let figure = match rest {
            [] => String::new(),
            [one] => one.clone(),
            _ => return None,
        };
        Some(Self { evidence, window, exchanges, leg, figure })
    }

    pub(super) fn head(&self, exchange: u16) -> &'a ExchangeHead {
        &self.evidence.head.exchanges[usize::from(exchange)]
    }

    pub(super) fn first_leg(&self) -> u8 {
        self.leg.unwrap_or(0)
    }

    /// Whether it is an exchange of several legs as a whole.
    pub(super) fn is_whole(&self, exchange: u16) -> bool {
        let legs = &self.head(exchange).legs;
        self.leg.is_none() && legs.iter().filter(|leg| leg.per != LegPer::Occasion).count() > 1
    }

    /// Rows of a leg that were intended in the window.
    pub(super) fn rows(&self, exchange: u16, leg: u8) -> impl Iterator<Item = &'a LegRow> + '_ {
        let rows = self.window.steps.iter().flat_map(move |step| self.evidence.legs(*step, exchange, leg));
        rows.filter(|row| self.window.takes(row.intended_s, row.stream))
    }

    pub(super) fn closed(&self, exchange: u16, leg: u8, population: Population) -> u64 {
        self.rows(exchange, leg).filter(|row| row.population == population).map(|row| row.count).sum()
    }

    /// Closes of a class by second.
    pub(super) fn class(&self, exchange: u16, leg: u8, class: Outcome) -> BTreeMap<i64, u64> {
        let mut seconds = BTreeMap::new();
        for row in self.window.steps.iter().flat_map(|step| self.evidence.outcomes(*step, exchange, leg)) {
            if row.outcome == class && self.window.takes(row.intended_s, row.stream) {
                *seconds.entry(self.window.second(row.intended_s)).or_default() += row.count;
            }
        }
        seconds
    }

    /// Starts by second.
    pub(super) fn started(&self, exchange: u16) -> BTreeMap<i64, u64> {
        let mut seconds = BTreeMap::new();
        for row in self.window.steps.iter().flat_map(|step| self.evidence.starts(*step, exchange)) {
            if self.window.takes(row.intended_s, row.stream) {
                *seconds.entry(self.window.second(row.intended_s)).or_default() += row.started;
            }
        }
        seconds
    }

    /// Books of each load of the place, with the number of its part.
    fn books(&self, of: Option<usize>) -> Books {
        let mut books = Books::default();
        for step in self.window.steps.iter().filter(|step| is_of(self.evidence, **step, of)) {
            let rows = self.evidence.iterations(*step).iter();
            rows.filter(|row| self.window.takes(row.intended_s, row.stream)).for_each(|row| books += row.books);
        }
        books
    }

    /// How many of an exchange were planned.
    pub(super) fn planned(&self, exchange: u16) -> u64 {
        let of = |(part, load): (Option<usize>, &&record::ScenarioHead)| {
            let starts = self.window.steps.iter().filter(|step| is_of(self.evidence, **step, part));
            let started: u64 = starts
                .flat_map(|step| self.evidence.starts(*step, exchange))
                .filter(|row| self.window.takes(row.intended_s, row.stream))
                .map(|row| row.started)
                .sum();
            Evidence::planned_calls(load, exchange, &self.books(part), started)
        };
        let loads = loads(self.evidence, self.window.place);
        numbered(self.evidence, self.window.place).into_iter().zip(&loads).map(of).sum::<f64>().round() as u64
    }

    /// Iterations that are an exchange of several legs and nothing else, by second of their start: succeeded,
    /// failed; and how many succeeded within the window. `None` where they do anything else, too.
    pub(super) fn whole(&self, exchange: u16) -> Option<(BTreeMap<i64, [u64; 2]>, u64)> {
        let calls = self.evidence.head.calls() as u16;
        let (mut closed, mut ended) = (BTreeMap::<i64, [u64; 2]>::new(), 0);
        let loads = loads(self.evidence, self.window.place);
        for (part, load) in numbered(self.evidence, self.window.place).into_iter().zip(&loads) {
            if Evidence::each(load, exchange).1 <= 0.0 {
                continue;
            }
            let all: f64 = (0..calls).map(|number| Evidence::each(load, number).1).sum();
            if Evidence::each(load, exchange) != (1.0, 1.0) || all != 1.0 {
                return None;
            }
            for step in self.window.steps.iter().filter(|step| is_of(self.evidence, **step, part)) {
                let rows = self.evidence.iterations(*step).iter();
                for row in rows.filter(|row| self.window.takes(row.intended_s, row.stream)) {
                    let entry = closed.entry(self.window.second(row.intended_s)).or_default();
                    *entry = [entry[0] + row.books.completed, entry[1] + row.books.failed];
                }
            }
            for step in self.window.ends_of.iter().filter(|step| is_of(self.evidence, **step, part)) {
                let rows = self.evidence.iterations(*step).iter();
                let rows = rows.filter(|row| self.window.takes_end(row.end_s, row.stream));
                ended += rows.map(|row| row.books.completed).sum::<u64>();
            }
        }
        Some((closed, ended))
    }

    /// `count(…)` without a condition.
    pub(super) fn count(&self, of: Option<&str>) -> Option<u64> {
        self.exchanges.iter().map(|number| self.count_of(*number, of)).sum()
    }

    fn count_of(&self, exchange: u16, of: Option<&str>) -> Option<u64> {
        let is_book = matches!(self.figure.as_str(), "intended" | "started" | "dropped");
        let [ok, failed] = if self.is_whole(exchange) && !is_book {
            let closed = self.whole(exchange)?.0;
            closed.values().fold([0, 0], |sum, one| [sum[0] + one[0], sum[1] + one[1]])
        } else {
            [Population::Ok, Population::Failed].map(|population| self.closed(exchange, self.first_leg(), population))
        };
        let started = || self.started(exchange).values().sum::<u64>();
        Some(match self.figure.as_str() {
            "" | "ok" => match of {
                Some("failed") => failed,
                Some("all") => ok + failed,
                _ => ok,
            },
            "completed" => ok,
            "failed" => failed,
            "intended" => self.planned(exchange),
            "started" => started(),
            "dropped" => self.planned(exchange).saturating_sub(started()),
            name => {
                let class = Outcome::from_name(name)?;
                let legs = match self.is_whole(exchange) {
                    true => 0..self.head(exchange).legs.len() as u8,
                    false => self.first_leg()..self.first_leg() + 1,
                };
                legs.map(|leg| self.class(exchange, leg, class).values().sum::<u64>()).sum()
            }
        })
    }

    /// `rate(…)`: successes by the second of their end, anything else by that of its start.
    pub(super) fn rate(&self, of: Option<&str>) -> Option<(f64, u64)> {
        let is_throughput = of.is_none_or(|of| of == "ok") && matches!(self.figure.as_str(), "" | "ok" | "completed");
        if !is_throughput {
            let count = self.count(of)?;
            return (self.window.seconds > 0.0).then(|| (count as f64 / self.window.seconds, count));
        }
        let ended = |exchange: &u16| {
            if self.is_whole(*exchange) {
                return self.whole(*exchange).map(|(_, ended)| ended);
            }
            Some(self.ended(*exchange).map(|row| row.count).sum())
        };
        let count = self.exchanges.iter().map(ended).sum::<Option<u64>>()?;
        (self.window.end_seconds > 0.0).then(|| (count as f64 / self.window.end_seconds, count))
    }

    /// Units that the answers of what succeeded tell of, and what stands behind them: of a rate those that ended in the
    /// window and their calls, of a count those that were intended in it.
    pub(super) fn units_said(&self, is_rate: bool) -> Option<(f64, u64)> {
        let all = |exchanges: &[u16], of: &dyn Fn(&LegRow) -> u64| -> u64 {
            exchanges.iter().flat_map(|exchange| self.ended(*exchange)).map(of).sum()
        };
        if is_rate {
            let units = all(&self.exchanges, &|row| row.units) as f64 / self.window.end_seconds;
            return (self.window.end_seconds > 0.0).then(|| (units, all(&self.exchanges, &|row| row.count)));
        }
        let rows = self.exchanges.iter().flat_map(|exchange| self.rows(*exchange, self.first_leg()));
        let units: u64 = rows.filter(|row| row.population == Population::Ok).map(|row| row.units).sum();
        Some((units as f64, units))
    }

    /// Closes of a population, each leg by itself.
    pub(super) fn ended_in(&self, population: Population) -> u64 {
        self.exchanges.iter().map(|exchange| self.closed(*exchange, self.first_leg(), population)).sum()
    }

    /// Successes of the leg a second, whatever the other legs came to.
    pub(super) fn rate_of_leg(&self) -> Option<(f64, u64)> {
        let count: u64 = self.exchanges.iter().flat_map(|exchange| self.ended(*exchange)).map(|row| row.count).sum();
        (self.window.end_seconds > 0.0).then(|| (count as f64 / self.window.end_seconds, count))
    }

    /// Rows of successes that ended in the window.
    fn ended(&self, exchange: u16) -> impl Iterator<Item = &'a LegRow> + '_ {
        let leg = self.first_leg();
        let rows = self.window.ends_of.iter().flat_map(move |step| self.evidence.legs(*step, exchange, leg));
        rows.filter(|row| row.population == Population::Ok && self.window.takes_end(row.end_s, row.stream))
    }

    /// Successes in every whole second of the window, for the interval of a rate; `None` of an exchange as a whole.
    pub(super) fn ended_by_second(&self) -> Option<Vec<f64>> {
        let mut seconds: BTreeMap<i64, f64> = self.window.ends.iter().cloned().flatten().map(|at| (at, 0.0)).collect();
        for exchange in &self.exchanges {
            if self.is_whole(*exchange) {
                return None;
            }
            for row in self.ended(*exchange) {
                *seconds.entry(row.end_s).or_default() += row.count as f64;
            }
        }
        Some(seconds.into_values().collect())
    }

    /// Its times; `None` where it names none.
    pub(super) fn times(&self, of: Option<&str>) -> Option<Timed> {
        let of = match (self.figure.as_str(), of) {
            ("failed", None | Some("failed")) => "failed",
            ("failed", _) => return None,
            (_, of) => of.unwrap_or("ok"),
        };
        let mut timed = Timed::default();
        for exchange in &self.exchanges {
            if self.figure == "lateness" {
                for row in self.window.steps.iter().flat_map(|step| self.evidence.starts(*step, *exchange)) {
                    if self.window.takes(row.intended_s, row.stream) {
                        timed.add(self.window.second(row.intended_s), &row.lateness);
                    }
                }
                continue;
            }
            let part = part_of(&self.figure)?;
            let is_meant = |row: &&LegRow| of == "all" || row.population.name() == of;
            for row in self.rows(*exchange, self.first_leg()).filter(is_meant) {
                timed.add(self.window.second(row.intended_s), part(row));
            }
        }
        Some(timed)
    }

    /// The shortest time-out of its exchanges.
    pub(super) fn time_out(&self) -> Option<Nanos> {
        let all = self.exchanges.iter().map(|number| Nanos(self.head(*number).timeout_ns));
        all.filter(|limit| *limit > Nanos::ZERO).min()
    }

    /// The same exchanges' times from the intended start.
    pub(super) fn response(&self) -> Self {
        Self { exchanges: self.exchanges.clone(), figure: "response".to_owned(), ..*self }
    }

    /// A percentile, on the side of every limit that was counted exactly on which the count says it lies.
    pub(super) fn sharpened(
        &self,
        value: Nanos,
        quantile: f64,
        limit: Option<(Nanos, bool)>,
        of: Option<&str>,
    ) -> Nanos {
        let Some((limit, is_inclusive)) = limit else { return value };
        let Some(below) = self.below(limit, is_inclusive, of).filter(|below| below.hits.sure == below.hits.maybe)
        else {
            return value;
        };
        let last_low = if is_inclusive { limit } else { limit - Nanos(1) };
        let is_low = below.hits.sure >= nearest_rank(quantile, below.total);
        if is_low { value.min(last_low) } else { value.max(last_low + Nanos(1)) }
    }
}

/// Which times of a row a figure means.
pub(super) fn part_of(figure: &str) -> Option<fn(&LegRow) -> &SparseHistogram> {
    match figure {
        "" | "ok" | "response" | "failed" => Some(response_of),
        "service" => Some(|row| &row.service),
        _ => None,
    }
}

/// The loads of a place: that of a scenario or of one part, or those of all its parts.
pub(super) fn loads(evidence: &Evidence, (scenario, part): (usize, Option<usize>)) -> Vec<&record::ScenarioHead> {
    let own = &evidence.head.scenarios[scenario];
    match part {
        Some(part) => own.parts.get(part).into_iter().collect(),
        None if own.parts.is_empty() => vec![own],
        None => own.parts.iter().collect(),
    }
}

/// Numbers of the parts whose loads those are; `None` of a scenario that is not a mix.
pub(super) fn numbered(evidence: &Evidence, (scenario, part): (usize, Option<usize>)) -> Vec<Option<usize>> {
    match (part, evidence.head.scenarios[scenario].parts.len()) {
        (Some(part), _) => vec![Some(part)],
        (None, 0) => vec![None],
        (None, parts) => (0..parts).map(Some).collect(),
    }
}

/// Whether a step is one of a part. What all parts share is the first one's.
pub(super) fn is_of(evidence: &Evidence, step: u32, part: Option<usize>) -> bool {
    part.is_none_or(|part| evidence.planned(step).part.map_or(0, usize::from) == part)
}
