//! What a series of figures is of: exchanges, their legs and figures, metrics.

use super::super::draft::DraftSeries;
use super::Resolver;
use crate::model::rule::{Book, Subject, What};
use crate::syntax::{not_yet, read};
use contract::{Mistake, Place, suggestion};
use terms::Outcome;

/// Words that name a figure of an exchange or of its leg.
pub(crate) const FIGURES: [&str; 23] = [
    "response",
    "service",
    "lateness",
    "size",
    "total",
    "ok",
    "failed",
    "refused",
    "reset",
    "timeout",
    "partial",
    "status",
    "wrong",
    "fault",
    "missing",
    "late",
    "duplicate",
    "unordered",
    "intended",
    "started",
    "completed",
    "dropped",
    "aborted",
];

impl Resolver<'_> {
    pub(super) fn figures(
        &self,
        draft: &DraftSeries,
        scenario: usize,
        part: Option<usize>,
    ) -> Result<Subject, Mistake> {
        let (name, place) = &draft.segments[0];
        let world = self.world;
        let view = &world.scenarios[scenario];
        let of_part = part.and_then(|part| view.parts.get(part));
        let (owner, runs) = of_part.map_or((&view.name, &view.runs), |(name, runs)| (name, runs));
        if let Some(found) = self.counted_figure(draft) {
            return found;
        }
        if name == "*" {
            // What is booked as one, too, is not counted twice.
            let sent: Vec<u16> = runs.iter().copied().filter(|number| !world.is_transaction(*number)).collect();
            return self.exchange_figures(draft, &sent);
        }
        if let Some(number) = world.exchange(name) {
            if !runs.contains(&number) {
                return Err(Mistake::at(
                    *place,
                    "study::not-in-scenario",
                    format!("scenario `{owner}` does not run `{name}`"),
                )
                .label("there would be nothing to judge")
                .hint(format!("it carries out: {}", self.names(runs))));
            }
            return self.exchange_figures(draft, &[number]);
        }
        if let Some(watch) = world.watch.iter().find(|watch| watch.name == *name) {
            return metric_figure(draft, &watch.name, &world.metrics(watch));
        }
        if name == contract::GENERATOR {
            let own: Vec<String> = contract::GENERATOR_METRICS.iter().map(|metric| metric.name.to_owned()).collect();
            return metric_figure(draft, name, &own);
        }
        let mut known: Vec<String> = world.names().map(str::to_owned).collect();
        known.extend(world.watch.iter().map(|watch| watch.name.clone()));
        known.push(contract::GENERATOR.to_owned());
        Err(read::unknown(name, "exchange or monitor", &known, *place))
    }

    /// `x.stored` is the count that closes the leg, `x.stored.backlog` what is derived of it; `None` where the series names no
    /// such leg.
    fn counted_figure(&self, draft: &DraftSeries) -> Option<Result<Subject, Mistake>> {
        let [(exchange, _), (leg, _), rest @ ..] = draft.segments.as_slice() else { return None };
        let derived = format!("{exchange}.{leg}");
        let counted = self.world.counted(&derived)?;
        let known = || crate::model::COUNTED_METRICS.iter().map(|metric| metric.name.to_owned()).collect::<Vec<_>>();
        Some(match rest {
            [] => Ok(Subject::Metric { monitor: counted.monitor.clone(), metric: counted.metric.clone() }),
            [(metric, _)] if self.world.metric(&derived, metric).is_some() => {
                Ok(Subject::Metric { monitor: derived, metric: metric.clone() })
            }
            [(word, place), ..] => {
                Err(read::unknown(word, "figure of a leg that is counted", &known(), *place).hint(format!(
                    "how many are through is `count({derived})` and `rate({derived})`; also derived: {}",
                    known().join(" and ")
                )))
            }
        })
    }

    /// What drains of a leg that is counted is its backlog.
    pub(super) fn of_backlog(&self, draft: &DraftSeries, is_meant: bool) -> DraftSeries {
        let mut draft = draft.clone();
        if let [(exchange, _), (leg, place)] = draft.segments.as_slice()
            && is_meant
            && self.world.counted(&format!("{exchange}.{leg}")).is_some()
        {
            let place = *place;
            draft.segments.push((crate::model::BACKLOG.to_owned(), place));
        }
        draft
    }

    fn names(&self, numbers: &[u16]) -> String {
        let names = numbers.iter().filter_map(|number| self.world.names().nth(usize::from(*number)));
        names.collect::<Vec<_>>().join(", ")
    }

    /// `exchange [.leg] [.figure]` for one exchange or all of a scenario.
    fn exchange_figures(&self, draft: &DraftSeries, numbers: &[u16]) -> Result<Subject, Mistake> {
        let mut rest = &draft.segments[1..];
        let mut exchanges = numbers.to_vec();
        let mut leg = None;
        if let Some((word, place)) = rest.first() {
            let index_in = |number: &u16| self.world.legs(*number).iter().position(|leg| leg.name == word);
            if let Some(found) = numbers.iter().find_map(index_in) {
                leg = u8::try_from(found).ok();
                exchanges.retain(|number| index_in(number) == Some(found));
                rest = &rest[1..];
            } else if may_be_leg(word) && numbers.iter().any(|number| self.world.is_of_no_driver(*number)) {
                rest = &rest[1..];
            } else if what(word).is_none() {
                return Err(self.unknown_figure(draft, numbers, word, *place));
            }
        }
        let figure = match rest {
            [] => What::Itself,
            [(word, place)] => match what(word) {
                Some(figure) => figure,
                None => return Err(self.unknown_figure(draft, numbers, word, *place)),
            },
            [_, (word, place), ..] => {
                return Err(Mistake::at(*place, "study::wrong-series", format!("nothing is called `{word}` there"))
                    .label("remove this"));
            }
        };
        if let ([number], What::Lateness | What::Size) = (numbers, figure)
            && self.world.is_transaction(*number)
        {
            let (word, place) = &rest[0];
            let text = format!("`{}` is a transaction, and has no `{word}` of its own", draft.segments[0].0);
            return Err(Mistake::at(*place, "study::wrong-series", text)
                .label("name an exchange that it makes")
                .hint("a transaction has its times and outcomes: `response`, `service`, `ok`, `failed`, …"));
        }
        Ok(Subject::Exchanges { exchanges, leg, what: figure })
    }

    /// The exchanges of the study that have gaps, else the operations that have.
    fn with_gaps(&self) -> String {
        let world = self.world;
        let has_gap = |legs: &[contract::LegKind]| legs.iter().any(|leg| leg.name == "gap");
        let own = world.exchanges.iter().filter(|exchange| has_gap(exchange.legs));
        let own: Vec<String> = own.map(|exchange| format!("`{}`", exchange.name)).collect();
        if !own.is_empty() {
            return own.join(", ");
        }
        let operations =
            world.drivers.iter().flat_map(|driver| driver.exchanges.iter().map(move |kind| (driver, kind)));
        let all = operations.filter(|(_, kind)| has_gap(kind.legs));
        all.map(|(driver, kind)| format!("`{}.{}`", driver.name, kind.name)).collect::<Vec<_>>().join(", ")
    }

    fn unknown_figure(&self, draft: &DraftSeries, numbers: &[u16], word: &str, place: Place) -> Mistake {
        let is_counter = numbers.iter().any(|number| {
            let driver = self.world.exchanges.get(usize::from(*number)).map(|exchange| exchange.driver.as_str());
            self.world.drivers.iter().any(|kind| Some(kind.name) == driver && kind.counters.contains(&word))
        });
        // A counter may be called as a leg is whose time and count a rule can name.
        let is_leg = |number: &u16| self.world.legs(*number).iter().any(|leg| word.strip_suffix('s') == Some(leg.name));
        let is_not_yet = is_counter && !numbers.iter().any(is_leg);
        if let Some(mistake) = not_yet::mistake("counter", place).filter(|_| is_not_yet) {
            return mistake;
        }
        let mut known: Vec<&str> = Vec::new();
        for number in numbers {
            known.extend(self.world.legs(*number).iter().map(|leg| leg.name));
        }
        known.extend(FIGURES);
        let units = numbers.iter().filter_map(|number| self.world.exchanges.get(usize::from(*number)));
        for exchange in units {
            known.extend(exchange.carries.iter().map(|carries| carries.unit.as_str()));
            known.extend(exchange.counted.iter().map(|leg| leg.name.as_str()));
        }
        let mut seen = std::collections::HashSet::new();
        known.retain(|word| seen.insert(*word));
        let head = &draft.segments[0].0;
        let mistake = Mistake::at(place, "study::unknown-name", format!("`{head}` has no leg or figure `{word}`"));
        if word == "gap" {
            return mistake.label("name an exchange that holds a connection").hint(format!(
                "gaps lie between the messages that come on a connection: the leg `gap` of {}",
                self.with_gaps()
            ));
        }
        let mistake = match suggestion(word, known.iter().copied()) {
            Some(near) => mistake.label(format!("did you mean `{near}`?")),
            None => mistake,
        };
        mistake.hint(format!("possible: {}", known.join(", ")))
    }
}

/// `monitor.metric`; `known` are the metrics of the monitor.
fn metric_figure(draft: &DraftSeries, monitor: &str, known: &[String]) -> Result<Subject, Mistake> {
    let Some((metric, place)) = draft.segments.get(1) else {
        let mistake =
            Mistake::at(draft.place, "study::wrong-series", format!("`{monitor}` is a monitor, not a metric"))
                .label(format!("write `{monitor}.METRIC`"));
        return Err(match known {
            [] => mistake,
            _ => mistake.hint(format!("its metrics are: {}", known.join(", "))),
        });
    };
    if !known.contains(metric) {
        return Err(read::unknown(metric, &format!("metric of `{monitor}`"), known, *place));
    }
    if let Some((extra, place)) = draft.segments.get(2) {
        return Err(Mistake::at(*place, "study::wrong-series", format!("the metric `{metric}` has no `{extra}`"))
            .label("remove this"));
    }
    Ok(Subject::Metric { monitor: monitor.to_owned(), metric: metric.clone() })
}

/// Whether a word may name a leg of an exchange of which nobody knows the legs.
pub(super) fn may_be_leg(word: &str) -> bool {
    what(word).is_none()
}

fn what(word: &str) -> Option<What> {
    Some(match word {
        "response" => What::Response,
        "service" => What::Service,
        "lateness" => What::Lateness,
        "size" => What::Size,
        "total" => What::Total,
        "failed" => What::Failed,
        "intended" => What::Book(Book::Intended),
        "started" => What::Book(Book::Started),
        "completed" => What::Book(Book::Completed),
        "dropped" => What::Book(Book::Dropped),
        "aborted" => What::Book(Book::Aborted),
        _ => What::Outcome(Outcome::from_name(word)?),
    })
}
