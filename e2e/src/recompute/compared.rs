//! What was compared, and what differed.

use serde_json::Value;
use std::collections::BTreeMap;

/// How far two numbers may be apart that are sums of the same parts in another order; `result.json` has nine decimals.
const APART: f64 = 1e-9;
/// The same of what iterations come to, such as the ends of an interval: they end when they are this near.
const APART_ITERATED: f64 = 1e-7;

/// What was compared, and what differed.
#[derive(Debug, Default)]
pub struct Outcome {
    /// How many numbers.
    pub compared: usize,
    /// How many of them of each kind.
    pub kinds: BTreeMap<&'static str, usize>,
    /// Each that differs, with both values.
    pub wrong: Vec<String>,
    /// Numbers that nothing was recomputed for, by what they are.
    pub left_out: BTreeMap<String, usize>,
}

/// A kind of numbers of one outcome.
pub(super) struct Kind<'a> {
    told: &'a mut Outcome,
    kind: &'static str,
    apart: f64,
}

impl Outcome {
    /// For numbers of a kind.
    pub(super) fn of(&mut self, kind: &'static str) -> Kind<'_> {
        Kind { told: self, kind, apart: APART }
    }

    /// Adds what else was compared.
    pub(super) fn join(&mut self, more: Self) {
        self.compared += more.compared;
        self.wrong.extend(more.wrong);
        more.kinds.into_iter().for_each(|(kind, count)| *self.kinds.entry(kind).or_default() += count);
        more.left_out.into_iter().for_each(|(what, count)| *self.left_out.entry(what).or_default() += count);
    }

    /// A number that is not recomputed.
    pub(super) fn leave_out(&mut self, what: &str, told: &Value) {
        let count = match told {
            Value::Number(_) => 1,
            Value::Array(all) => all.iter().filter(|one| one.is_number()).count(),
            _ => 0,
        };
        if count > 0 {
            *self.left_out.entry(what.to_owned()).or_default() += count;
        }
    }
}

impl Kind<'_> {
    /// For what is iterated until it is near enough.
    pub(super) fn iterated(self) -> Self {
        Self { apart: APART_ITERATED, ..self }
    }

    /// Compares a number that is told. What is not told, since it says nothing, is not compared.
    pub(super) fn number(&mut self, place: &str, told: &Value, computed: Option<f64>) {
        let Some(told) = told.as_f64() else { return };
        self.told.compared += 1;
        *self.told.kinds.entry(self.kind).or_default() += 1;
        let apart = self.apart;
        let is_same = computed.is_some_and(|value| (value - told).abs() <= apart * told.abs().max(1.0));
        if !is_same {
            self.told.wrong.push(format!("{place}: {told} is told, {computed:?} computed"));
        }
    }

    /// The same, where nothing may be left untold that can be computed.
    pub(super) fn exactly(&mut self, place: &str, told: &Value, computed: Option<f64>) {
        if let (None, Some(value)) = (told.as_f64(), computed.filter(|value| value.is_finite())) {
            self.told.wrong.push(format!("{place}: nothing is told, {value} computed"));
        }
        self.number(place, told, computed);
    }

    /// Both ends of an interval.
    pub(super) fn pair(&mut self, place: &str, told: &Value, computed: Option<(f64, f64)>) {
        self.exactly(&format!("{place}, low end"), &told[0], computed.map(|(low, _)| low));
        self.exactly(&format!("{place}, high end"), &told[1], computed.map(|(_, high)| high));
    }
}

/// A list of `result.json`; none where there is none.
pub(super) fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// A text of `result.json`; empty where there is none.
pub(super) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
