//! What engines found in their ranges, put together. Whatever they say is held against how many rows they were given.

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;
use serde_json::Value as Json;

use super::queries::Query;

/// Groups of one answer, and of the result that is shown.
const GROUPS_MAX: usize = 2_000_000;
const SHOWN_MAX: usize = 1000;

/// A row of what a statement gives; the names are its columns.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
pub(crate) struct PartRow {
    #[serde(default)]
    pub(crate) k: Option<String>,
    pub(crate) n: u64,
    #[serde(default)]
    pub(crate) total: Option<String>,
    #[serde(default)]
    pub(crate) low: Option<String>,
    #[serde(default)]
    pub(crate) high: Option<String>,
    #[serde(default)]
    pub(crate) whole_n: Option<u64>,
    #[serde(default)]
    pub(crate) whole_total: Option<String>,
}

/// Rows that belong together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Group {
    pub(crate) rows: u64,
    pub(crate) total: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// What was found so far.
#[derive(Debug)]
pub(crate) struct Merged {
    query: &'static Query,
    groups: HashMap<Option<String>, Group>,
    whole: (u64, f64),
    rows: u64,
}

/// The result of a query.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Outcome {
    /// Rows that were read.
    pub(crate) rows: u64,
    pub(crate) groups: usize,
    /// The first of them in the order of their keys.
    pub(crate) result: Vec<Json>,
}

fn real(text: &Option<String>, column: &str) -> Result<f64, String> {
    let text = text.as_deref().ok_or_else(|| format!("a group has no `{column}`"))?;
    text.parse().map_err(|_| format!("`{column}` holds `{}`", text.chars().take(40).collect::<String>().escape_debug()))
}

/// The larger of two, as engines have it: NaN is above everything.
fn above(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}

/// The smaller of two, likewise.
fn below(a: f64, b: f64) -> f64 {
    if b.is_nan() || a < b { a } else { b }
}

impl Merged {
    pub(crate) fn of(query: &'static Query) -> Self {
        Self { query, groups: HashMap::new(), whole: (0, 0.0), rows: 0 }
    }

    /// Adds what was found in a range of so many rows, at least one.
    ///
    /// # Errors
    /// It cannot have come from that range: rows are missing or were counted twice, or a figure is not one.
    pub(crate) fn add(&mut self, rows: &[PartRow], expected: u64) -> Result<(), String> {
        let gives = self.query.gives;
        let counted = rows.iter().try_fold(0u64, |sum, row| sum.checked_add(row.n));
        if counted != Some(expected) {
            let counted = counted.map_or_else(|| "more".to_owned(), |counted| counted.to_string());
            return Err(format!("{counted} rows were read instead of {expected}"));
        }
        let mut keys = std::collections::HashSet::new();
        for row in rows {
            if row.k.is_none() && self.query.key.is_some() && !gives.others {
                return Err(format!("a group has no {}", self.query.key.unwrap_or_default()));
            }
            if !keys.insert(&row.k) {
                return Err(format!("the group {:?} was found twice", row.k));
            }
            let total = if gives.total { real(&row.total, "total")? } else { 0.0 };
            let (low, high) =
                if gives.bounds { (real(&row.low, "low")?, real(&row.high, "high")?) } else { (0.0, 0.0) };
            if row.n == 0 {
                continue;
            }
            if gives.whole && row.whole_n != Some(expected) {
                return Err(format!("the whole has {:?} rows instead of {expected}", row.whole_n));
            }
            let new = Group { rows: row.n, total, low, high };
            let is_full = self.groups.len() >= GROUPS_MAX;
            match self.groups.get_mut(&row.k) {
                Some(group) => {
                    group.rows += new.rows;
                    group.total += new.total;
                    (group.low, group.high) = (below(group.low, new.low), above(group.high, new.high));
                }
                None if is_full => {
                    return Err(format!("there are more than {GROUPS_MAX} groups"));
                }
                None => {
                    self.groups.insert(row.k.clone(), new);
                }
            }
        }
        if gives.whole {
            let whole = rows.first().ok_or_else(|| "no group was found".to_owned())?;
            self.whole.1 += real(&whole.whole_total, "whole_total")?;
        }
        self.whole.0 += expected;
        self.rows += expected;
        Ok(())
    }

    /// What it comes to.
    pub(crate) fn outcome(mut self) -> Outcome {
        if self.query.gives.others {
            self.groups.remove(&None);
        }
        // Numbers in their order, and not as texts.
        let by_key = |(key, group): (Option<String>, Group)| {
            let number = key.as_deref().and_then(|key| key.parse::<i64>().ok());
            ((number, key), group)
        };
        let groups: BTreeMap<_, _> = self.groups.into_iter().map(by_key).collect();
        let answer = |((_, key), group): (&(Option<i64>, Option<String>), &Group)| {
            self.query.answer(key.as_deref(), group, self.whole)
        };
        let result = groups.iter().take(SHOWN_MAX).map(answer).collect();
        Outcome { rows: self.rows, groups: groups.len(), result }
    }
}

#[cfg(test)]
mod tests {
    use super::super::queries::{QUERIES, find};
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn row(key: &str, n: u64, total: f64, low: f64, high: f64) -> PartRow {
        let text = |value: f64| Some(value.to_string());
        let (total, low, high) = (text(total), text(low), text(high));
        PartRow { k: Some(key.to_owned()), n, total, low, high, ..PartRow::default() }
    }

    #[test]
    fn parts_add_up_and_numbers_are_in_their_order() {
        let mut merged = Merged::of(find("metro_power").unwrap());
        merged.add(&[row("10", 2, 3.0, 1.0, 2.0), row("9", 1, 7.0, 7.0, 7.0)], 3).unwrap();
        merged.add(&[row("10", 2, 5.0, 0.5, 4.5)], 2).unwrap();
        let outcome = merged.outcome();
        assert_eq!((outcome.rows, outcome.groups), (5, 2));
        assert_eq!(
            outcome.result,
            [
                json!({ "metro": "9", "rows": 1, "average": 7.0, "min": 7.0, "max": 7.0 }),
                json!({ "metro": "10", "rows": 4, "average": 2.0, "min": 0.5, "max": 4.5 }),
            ]
        );
    }

    #[test]
    fn what_cannot_be_of_the_range_is_refused() {
        let fails =
            |query: &str, rows: &[PartRow], expected| Merged::of(find(query).unwrap()).add(rows, expected).unwrap_err();
        let good = row("a", 2, 1.0, 0.0, 1.0);
        assert_eq!(fails("metro_power", std::slice::from_ref(&good), 3), "2 rows were read instead of 3");
        assert_eq!(fails("metro_power", &[], 1), "0 rows were read instead of 1");
        assert!(fails("metro_power", &[good.clone(), good.clone()], 4).contains("twice"));
        let more = PartRow { n: u64::MAX, ..good.clone() };
        assert!(fails("metro_power", &[good.clone(), PartRow { k: None, ..more }], 1).contains("more rows"));
        assert!(fails("metro_power", &[PartRow { k: None, ..good.clone() }], 2).contains("no metro"));
        assert!(fails("metro_power", &[PartRow { total: None, ..good.clone() }], 2).contains("no `total`"));
        assert!(fails("metro_power", &[PartRow { high: Some("many".into()), ..good.clone() }], 2).contains("`many`"));
        assert!(fails("house_difference", &[good], 2).contains("the whole has None rows"));
    }

    #[test]
    fn what_is_no_number_is_above_all_numbers() {
        assert!(above(f64::NAN, 1.0).is_nan() && above(1.0, f64::NAN).is_nan());
        assert_eq!((below(f64::NAN, 1.0), below(1.0, f64::NAN)), (1.0, 1.0));
        assert_eq!("Infinity".parse::<f64>(), Ok(f64::INFINITY), "as Spark writes it");
        assert_eq!("-inf".parse::<f64>(), Ok(f64::NEG_INFINITY), "as DuckDB writes it");
    }

    proptest! {
        /// However rows are split, counts and bounds are the same, and totals but for rounding.
        #[test]
        fn a_split_changes_nothing(
            values in prop::collection::vec((0u8..4, -1e6..1e6f64), 1..200),
            cuts in prop::collection::vec(0usize..200, 0..3),
        ) {
            let part = |values: &[(u8, f64)]| -> Vec<PartRow> {
                let whole: f64 = values.iter().map(|(_, value)| value).sum();
                let mut groups: BTreeMap<u8, Vec<f64>> = BTreeMap::new();
                values.iter().for_each(|(key, value)| groups.entry(*key).or_default().push(*value));
                let found = groups.iter().map(|(key, own)| PartRow {
                    whole_n: Some(values.len() as u64),
                    whole_total: Some(whole.to_string()),
                    ..row(&key.to_string(), own.len() as u64, own.iter().sum(), own.iter().copied().fold(f64::MAX, f64::min),
                        own.iter().copied().fold(f64::MIN, f64::max))
                });
                found.collect()
            };
            for query in QUERIES.iter().filter(|query| query.key.is_some()) {
                let mut all = Merged::of(query);
                all.add(&part(&values), values.len() as u64).unwrap();
                let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % values.len()).chain([0, values.len()]).collect();
                cuts.sort_unstable();
                let mut split = Merged::of(query);
                for piece in cuts.windows(2).map(|cut| &values[cut[0]..cut[1]]).filter(|piece| !piece.is_empty()) {
                    split.add(&part(piece), piece.len() as u64).unwrap();
                }
                prop_assert_eq!(split.groups.len(), all.groups.len());
                for (key, group) in &all.groups {
                    let own = split.groups[key];
                    prop_assert_eq!((own.rows, own.low, own.high), (group.rows, group.low, group.high));
                    prop_assert!((own.total - group.total).abs() <= 1e-6 * values.len() as f64);
                }
                prop_assert_eq!((split.rows, split.whole.0), (all.rows, all.whole.0));
                prop_assert!((split.whole.1 - all.whole.1).abs() <= 1e-6 * values.len() as f64);
            }
        }
    }
}
