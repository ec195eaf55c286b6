//! The monitor: each page, then what was chosen of it.

use crate::choice::{Choice, Found, Of, Page as Read, SERIES_MAX, SPLIT_MAX};
use crate::config::Config;
use crate::facts::{FORMAT, NO_PAGE, OPENMETRICS, PAGE, TEXT};
use crate::metrics::{FIRST_NAMED, Metric};
use crate::page::Page;
use crate::totals::Totals;
use clock::Clock;
use contract::{Event, FactName, Facts, Failure, Monitor, MonitorSettings, Samples};
use std::collections::{BTreeMap, BTreeSet};
use terms::Nanos;

/// Part of its period, in tenths, that all pages together may take.
const PATIENCE_TENTHS: i64 = 8;

/// Watches the pages of some instances.
pub(crate) struct Pages {
    pages: Vec<Watched>,
    choices: Vec<Choice>,
    clock: Clock,
    every: Nanos,
}

/// A page over time.
struct Watched {
    page: Page,
    /// Sums and counts of means at the sample before, by choice and label.
    before: BTreeMap<(usize, String), (f64, f64)>,
    totals: Totals,
    not_understood: u64,
    /// What was told already.
    told: BTreeSet<String>,
}

impl Pages {
    pub(crate) fn new(settings: &MonitorSettings, config: Config) -> Self {
        let Config { addresses, tls, bearer, choices } = config;
        let watched = |address| Watched {
            page: Page::new(address, &tls, bearer.as_deref()),
            before: BTreeMap::new(),
            totals: Totals::default(),
            not_understood: 0,
            told: BTreeSet::new(),
        };
        let pages = addresses.into_iter().map(watched).collect();
        Self { pages, choices, clock: Clock::system(), every: settings.every }
    }

    /// How long one page may take.
    fn patience(&self) -> Nanos {
        Nanos(self.every.0 / 10 * PATIENCE_TENTHS / self.pages.len().max(1) as i64).max(Nanos::from_millis(10))
    }
}

impl Monitor for Pages {
    fn facts(&mut self, out: &mut Facts) {
        let patience = self.patience();
        for watched in &mut self.pages {
            let name = watched.page.address.instance.clone();
            out.fact(&name, &PAGE, watched.page.shown());
            let text = match watched.page.fetch(self.clock.now() + patience, &self.clock) {
                Ok(text) => text,
                Err(why) => {
                    out.fact(&name, &NO_PAGE, why);
                    continue;
                }
            };
            let read = Read::read(&text, &self.choices);
            out.fact(&name, &FORMAT, if read.is_openmetrics { OPENMETRICS } else { TEXT });
            for (choice, found) in self.choices.iter().zip(read.found) {
                let kind = found.kind.unwrap_or_else(|| "unknown".to_owned());
                let help = found.help.map(|help| format!(": {help}")).unwrap_or_default();
                out.fact(&name, FactName::verbatim(&choice.name), format!("{} ({kind}){help}", choice.metric));
            }
        }
    }

    fn sample(&mut self, at: Nanos, out: &mut Samples) -> Result<(), Failure> {
        let patience = self.patience();
        let mut why = Vec::new();
        for watched in &mut self.pages {
            let began = self.clock.now();
            match watched.page.fetch(began + patience, &self.clock) {
                Ok(text) => watched.take(&text, &self.choices, (at, self.clock.now() - began), out),
                Err(failed) => {
                    watched.before.clear();
                    let instance = &watched.page.address.instance;
                    let failed = format!("the page {} of `{instance}` {failed}", watched.page.shown());
                    let number = out.instance(instance);
                    out.missing(number, failed.clone());
                    why.push(failed);
                }
            }
        }
        if self.pages.is_empty() {
            return Err(Failure::new("no instance is watched"));
        }
        if why.len() < self.pages.len() { Ok(()) } else { Err(Failure::new(why.join("; "))) }
    }
}

impl Watched {
    fn take(&mut self, text: &str, choices: &[Choice], (at, took): (Nanos, Nanos), out: &mut Samples) {
        let read = Read::read(text, choices);
        let name = self.page.address.instance.clone();
        let number = out.instance(&name);
        self.not_understood += read.not_understood as u64;
        let mut value = |metric: Metric, value: f64| out.value(at, number, metric as u16, value);
        value(Metric::PageTime, took.as_secs_f64());
        value(Metric::Series, read.series as f64);
        value(Metric::NotUnderstood, self.not_understood as f64);
        if let Some(odd) = &read.odd {
            let text = format!("a line of the page of `{name}` is not understood: `{}`", odd.escape_debug());
            self.tell("not_understood", text, "odd", (at, number), out);
        }
        if read.is_cut {
            let text = format!("the page of `{name}` has more than {SERIES_MAX} series, of which the first were read");
            self.tell("series", text, "cut", (at, number), out);
        }
        let mut before = BTreeMap::new();
        for (place, (choice, found)) in choices.iter().zip(&read.found).enumerate() {
            let metric = FIRST_NAMED + place as u16;
            self.totals.add(place, &found.series);
            for (label, level) in &found.values {
                let number = out.instance(&instance_of(&name, label));
                let value = if choice.of == Of::Counter { self.totals.of(place, label, *level) } else { *level };
                out.value(at, number, metric, value);
            }
            for (label, seen) in &found.seen {
                let key = (place, label.clone());
                let number = out.instance(&instance_of(&name, label));
                match self.before.get(&key).and_then(|earlier| mean_since(*earlier, *seen)) {
                    Some(mean) => out.value(at, number, metric, mean),
                    // Nothing came of which there could be a mean.
                    None => out.quiet(number, metric),
                }
                before.insert(key, *seen);
            }
            self.remark(choice, found, (at, number), out);
        }
        self.before = before;
    }

    /// What is odd about a choice, told once.
    fn remark(&mut self, choice: &Choice, found: &Found, place: (Nanos, u32), out: &mut Samples) {
        let name = self.page.address.instance.clone();
        let Choice { name: value, metric, .. } = choice;
        if found.values.is_empty() && found.seen.is_empty() {
            let text = format!("the page of `{name}` has no series `{metric}` as `{value}` chooses it");
            self.tell("no_series", text, &format!("none {value}"), place, out);
            return;
        }
        if found.is_cut {
            let text = format!("`{value}` of `{name}` has more than {SPLIT_MAX} parts, of which the first were taken");
            self.tell("series", text, &format!("cut {value}"), place, out);
        }
        let should = match (choice.of, found.kind.as_deref()) {
            (Of::Gauge, Some("counter")) => "kind: counter",
            (Of::Counter, Some("gauge")) => "kind: gauge",
            _ => return,
        };
        let kind = found.kind.as_deref().unwrap_or_default();
        let text = format!("the page of `{name}` calls `{metric}` a {kind}: write `{should}` for `{value}`");
        self.tell("kind", text, &format!("kind {value}"), place, out);
    }

    fn tell(&mut self, kind: &'static str, text: String, key: &str, (at, number): (Nanos, u32), out: &mut Samples) {
        if self.told.insert(key.to_owned()) {
            out.event(at, number, Event { kind, text });
        }
    }
}

/// Mean of what was seen between two readings; `None` where nothing was, or where it was counted anew.
fn mean_since(before: (f64, f64), now: (f64, f64)) -> Option<f64> {
    let (sum, count) = (now.0 - before.0, now.1 - before.1);
    (count > 0.0 && sum.is_finite()).then(|| sum / count)
}

/// `shop.1`, or `shop.1 / eden` for a part of it.
fn instance_of(name: &str, label: &str) -> String {
    if label.is_empty() { name.to_owned() } else { format!("{name} / {label}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_is_of_what_came_since() {
        assert_eq!(mean_since((10.0, 100.0), (13.0, 106.0)), Some(0.5));
        assert_eq!(mean_since((10.0, 100.0), (10.0, 100.0)), None, "nothing came");
        assert_eq!(mean_since((10.0, 100.0), (1.0, 2.0)), None, "counted anew");
        assert_eq!(mean_since((0.0, 0.0), (f64::NAN, 2.0)), None);
    }
}
