//! What is watched and exercised, in the words of the plug-in that knows it.
//!
//! A plug-in brings its words with it, by the registry; this crate has words only for what the engine itself tells. What
//! nobody has a word for is printed under its own name.

use crate::input::Context;
use crate::messages::{Catalogue, say};
use crate::number::clean;
use contract::{FactKind, MonitorKind, message_id};
use record::{FeatureHead, MonitorHead};

/// Units of captured sizes.
const SIZES: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "MB", "GB"];

impl Context<'_> {
    /// What a metric is called; its own name, made readable, where nobody has a word for it.
    pub(crate) fn metric_word(&self, monitor: &str, metric: &str) -> String {
        let head = self.input.head.monitors.iter().find(|head| head.name == monitor);
        let known = head.and_then(|head| self.words.monitor(&head.kind));
        if let Some(word) = known.and_then(|words| words.say(&message_id("metric", metric))) {
            return word;
        }
        // What drivers count is recorded with the driver as the instance.
        let counting = head.into_iter().flat_map(|head| &head.instances);
        let mut words = counting.filter_map(|driver| self.words.driver(driver));
        if let Some(word) = words.find_map(|words| words.say(&message_id("counter", metric))) {
            return word;
        }
        let word = say!(self.m, "metric-word", metric = metric);
        if word == metric { metric.replace('_', " ") } else { word }
    }

    /// What a feature is called that a driver tells of an exchange.
    pub(crate) fn feature_word(&self, feature: &FeatureHead) -> String {
        let exchange = self.input.head.exchanges.iter().find(|exchange| exchange.name == feature.exchange);
        let driver = exchange.and_then(|exchange| exchange.kind.split('.').next());
        let words = driver.and_then(|driver| self.words.driver(driver));
        let word = words.and_then(|words| words.say(&message_id("feature", &feature.name)));
        word.unwrap_or_else(|| clean(&feature.name.replace('_', " ")))
    }

    /// What a fact is called.
    pub(crate) fn fact_word(&self, subject: &str, name: &str) -> String {
        if let Some(word) = self.fact(subject, name).and_then(|(words, _)| words.say(&message_id("fact", name))) {
            return word;
        }
        let key = name.trim().replace(", ", "_").replace(' ', "_");
        let word = say!(self.m, "property-word", property = &key);
        if word == key { clean(&name.replace('_', " ")) } else { word }
    }

    /// A captured value: words in the report's language, a number before a unit with its decimal sign, anything else as it
    /// was captured.
    pub(crate) fn fact_value(&self, subject: &str, name: &str, value: &str) -> String {
        let said = self.fact(subject, name).and_then(|(words, fact)| {
            let (attribute, _) = fact.values.iter().find(|(_, text)| *text == value)?;
            words.say(&format!("{}.{attribute}", message_id("fact", name)))
        });
        if let Some(said) = said {
            return said;
        }
        let value = clean(value);
        // The engine's own sentence, by its letters and digits.
        let phrase: String = value.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
        let said = say!(self.m, "captured-word", value = &phrase);
        if said != phrase {
            return said;
        }
        let is_number = |text: &str| text.parse::<f64>().is_ok() && text.contains('.');
        match value.split_once(' ') {
            Some((number, unit)) if is_number(number) && SIZES.contains(&unit) => {
                format!("{} {unit}", self.m.numbers.digits(number))
            }
            _ => value,
        }
    }

    /// A fact as its monitor declares it, with that monitor's words. The record does not say who told a fact: the monitor
    /// of that name, else one that watches that instance, else any of the run that knows such a fact.
    fn fact(&self, subject: &str, name: &str) -> Option<(&Catalogue, &FactKind)> {
        let distance = |head: &&MonitorHead| match () {
            () if head.name == subject => 0,
            () if head.instances.iter().any(|instance| instance == subject) => 1,
            () => 2,
        };
        let mut near: Vec<&MonitorHead> = self.input.head.monitors.iter().collect();
        near.sort_by_key(distance);
        let of = |kind: &MonitorKind| {
            let fact = kind.facts.iter().find(|fact| fact.name == name)?;
            Some((self.words.monitor(kind.name)?, fact))
        };
        near.into_iter().filter_map(|head| self.input.plugins.monitor(&head.kind)).find_map(of)
    }
}
