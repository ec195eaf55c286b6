//! Values that the author asks for: rows of a query as series.

use crate::config::Named;
use crate::cost::{Budget, SHARE, SHARE_QUIET};
use crate::metrics::FIRST_NAMED;
use contract::{Event, LoadOn, Samples};
use std::collections::BTreeSet;
use terms::Nanos;

/// Rows of one query; more would be as many series in the report. One more is asked for, to know that there are more.
pub(crate) const ROWS_MAX: usize = 100;
/// Longest name of a series, characters.
const LABEL_CHARS_MAX: usize = 80;
/// A query that failed is left alone for so many samples: what takes too long must not load the system again and again.
const PAUSE_SAMPLES: u32 = 10;
/// What the queries of a sample may take together while there is no load: counts before and after it are worth waiting
/// for.
const QUIET_ALLOWANCE: Nanos = Nanos::from_secs(10);

/// One row: its value, and its labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) value: Option<String>,
    pub(crate) labels: Vec<Option<String>>,
}

/// The queries of the author with what has been told of each.
///
/// Under load a query is asked only so often that all together take a twentieth of the time, so that counting a table
/// that grows does not become the load. Before and after it they may take a quarter, and more at once; the first of them
/// after the load is never put off.
pub(crate) struct Queries {
    all: Vec<Query>,
    load_on: LoadOn,
    was_on: bool,
}

struct Query {
    named: Named,
    /// The trouble told last: one that goes on is one event.
    trouble: Option<String>,
    pause: u32,
    budget: Budget,
    /// Labels that rows of it have had, at most [`ROWS_MAX`].
    known: BTreeSet<String>,
}

impl Queries {
    pub(crate) fn new(named: Vec<Named>, load_on: LoadOn) -> Self {
        let query = |named| Query { named, trouble: None, pause: 0, budget: Budget::default(), known: BTreeSet::new() };
        Self { all: named.into_iter().map(query).collect(), load_on, was_on: false }
    }

    /// Whether load has begun or ended since this was asked last, so that queries may take another time.
    pub(crate) fn turned(&mut self) -> bool {
        let is_on = self.load_on.get();
        let has_turned = std::mem::replace(&mut self.was_on, is_on) != is_on;
        if has_turned && !is_on {
            for query in &mut self.all {
                (query.pause, query.budget) = (0, Budget::default());
            }
        }
        has_turned
    }

    /// Until when the queries of a sample may take, whose other values may take until then.
    pub(crate) fn until(&self, began: Nanos, until: Nanos) -> Nanos {
        if self.was_on { until } else { until.max(began + QUIET_ALLOWANCE) }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Numbers and texts of the queries that are due at this sample. Of those that are put off no row is missing; one that
    /// failed and is left alone is.
    pub(crate) fn due(&mut self, at: Nanos, out: &mut Samples) -> Vec<(usize, String)> {
        let mut due = Vec::new();
        for (number, query) in self.all.iter_mut().enumerate() {
            if query.pause > 0 {
                query.pause -= 1;
            } else if query.budget.allows(at) {
                due.push((number, query.named.query.clone()));
            } else {
                for label in &query.known {
                    let instance = out.instance(label);
                    out.quiet(instance, FIRST_NAMED + number as u16);
                }
            }
        }
        due
    }

    /// Takes what a query brought in that time: values as series of their labels, or why there are none, told once.
    pub(crate) fn take(
        &mut self,
        number: usize,
        (found, took): (Result<Vec<Row>, String>, Nanos),
        (at, name): (Nanos, &str),
        out: &mut Samples,
    ) {
        let share = if self.was_on { SHARE } else { SHARE_QUIET } * self.all.len() as i64;
        let query = &mut self.all[number];
        query.budget.spent_of(at, took, share);
        let trouble = match found {
            Ok(rows) => {
                let metric = FIRST_NAMED + number as u16;
                let trouble = values(&rows, metric, (at, name), out);
                query.fill_up(&rows, metric, at, out);
                trouble
            }
            Err(why) => {
                query.pause = PAUSE_SAMPLES;
                Some(format!("{why}; it is tried again after {PAUSE_SAMPLES} samples"))
            }
        };
        if let Some(why) = &trouble
            && query.trouble != trouble
        {
            let instance = out.instance(name);
            let text = format!("the query `{}` of `{name}`: {why}", query.named.name);
            out.event(at, instance, Event { kind: "query", text });
        }
        query.trouble = trouble;
    }
}

impl Query {
    /// A group that has no row any more has become nothing. Of a count that only grows, and of rows of which only a part was
    /// taken, nobody knows that.
    fn fill_up(&mut self, rows: &[Row], metric: u16, at: Nanos, out: &mut Samples) {
        let labels: BTreeSet<String> = rows.iter().filter_map(|row| label(&row.labels)).collect();
        if !self.named.is_counter && rows.len() <= ROWS_MAX {
            for gone in self.known.difference(&labels) {
                let instance = out.instance(gone);
                out.value(at, instance, metric, 0.0);
            }
        }
        let room = ROWS_MAX.saturating_sub(self.known.len());
        let new: Vec<String> = labels.into_iter().filter(|label| !self.known.contains(label)).take(room).collect();
        self.known.extend(new);
    }
}

/// Adds the values; says what is wrong with the rows, if anything is.
fn values(rows: &[Row], metric: u16, (at, name): (Nanos, &str), out: &mut Samples) -> Option<String> {
    let mut trouble = (rows.len() > ROWS_MAX)
        .then(|| format!("it has more than {ROWS_MAX} rows, of which the first {ROWS_MAX} were taken"));
    let mut seen = BTreeSet::new();
    for row in rows.iter().take(ROWS_MAX) {
        let label = label(&row.labels).unwrap_or_else(|| name.to_owned());
        if !seen.insert(label.clone()) {
            trouble = Some(format!("two of its rows are named `{label}`, of which the first was taken"));
            continue;
        }
        let value = row.value.as_deref().and_then(|text| text.trim().parse::<f64>().ok()).filter(|v| v.is_finite());
        if value.is_none() {
            let found: String = row.value.as_deref().unwrap_or("null").chars().take(LABEL_CHARS_MAX).collect();
            trouble = Some(format!("its first column is `{}`, no number", found.escape_debug()));
        }
        // What is not a number is a gap.
        let instance = out.instance(&label);
        out.value(at, instance, metric, value.unwrap_or(f64::NAN));
    }
    trouble
}

/// The name of a series by its labels; `None` without labels.
fn label(labels: &[Option<String>]) -> Option<String> {
    if labels.is_empty() {
        return None;
    }
    let joined = labels.iter().map(|label| label.as_deref().unwrap_or("null")).collect::<Vec<_>>().join(" / ");
    let clean: String = joined.chars().filter(|c| !c.is_control()).take(LABEL_CHARS_MAX).collect();
    Some(if clean.trim().is_empty() { "(empty)".to_owned() } else { clean })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(value: &str, labels: &[&str]) -> Row {
        let labels = labels.iter().map(|label| Some((*label).to_owned())).collect();
        Row { value: Some(value.to_owned()), labels }
    }

    fn queries() -> Queries {
        Queries::new(
            vec![Named { name: "loans".into(), query: "select 1".into(), is_counter: false }],
            LoadOn::default(),
        )
    }

    fn taken(queries: &mut Queries, found: Result<Vec<Row>, String>) -> (Vec<(String, f64)>, Vec<String>) {
        let mut out = Samples::default();
        queries.take(0, (found, Nanos::ZERO), (Nanos::ZERO, "store"), &mut out);
        let (values, events) = out.take();
        let values = values.iter().map(|one| (out.instance_name(one.instance).to_owned(), one.value)).collect();
        (values, events.into_iter().map(|(_, _, event)| event.text).collect())
    }

    #[test]
    fn labels_are_instances_and_without_them_it_is_the_monitors() {
        let mut all = queries();
        assert_eq!(taken(&mut all, Ok(vec![row("3", &[])])).0, [("store".to_owned(), 3.0)]);
        let (values, events) = taken(&mut all, Ok(vec![row("3.5", &["open", "a\u{7}b"]), row("-1e3", &["shut", ""])]));
        assert_eq!(values, [("open / ab".to_owned(), 3.5), ("shut / ".to_owned(), -1000.0)]);
        assert!(events.is_empty());
    }

    #[test]
    fn what_is_no_number_is_a_gap_and_one_event() {
        let mut all = queries();
        let (values, events) = taken(&mut all, Ok(vec![row("many", &[])]));
        assert!(values[0].1.is_nan());
        assert_eq!(events, ["the query `loans` of `store`: its first column is `many`, no number"]);
        assert_eq!(taken(&mut all, Ok(vec![row("many", &[])])).1, Vec::<String>::new());
        assert_eq!(taken(&mut all, Ok(vec![row("1", &[])])).1, Vec::<String>::new());
        assert_eq!(taken(&mut all, Ok(vec![Row { value: None, labels: Vec::new() }])).1.len(), 1);
    }

    #[test]
    fn rows_are_bounded_and_equal_labels_are_told() {
        let many: Vec<Row> = (0..ROWS_MAX + 1).map(|n| row("1", &[&n.to_string()])).collect();
        let (values, events) = taken(&mut queries(), Ok(many));
        assert_eq!((values.len(), events.len()), (ROWS_MAX, 1));
        let (values, events) = taken(&mut queries(), Ok(vec![row("1", &["a"]), row("2", &["a"])]));
        assert_eq!((values, events.len()), (vec![("a".to_owned(), 1.0)], 1));
    }

    #[test]
    fn a_query_that_fails_is_left_alone_for_a_while() {
        let mut all = queries();
        assert_eq!(all.due(Nanos::ZERO, &mut Samples::default()).len(), 1);
        assert_eq!(taken(&mut all, Err("it took too long".into())).1.len(), 1);
        let due: Vec<usize> =
            (0..=PAUSE_SAMPLES).map(|_| all.due(Nanos::ZERO, &mut Samples::default()).len()).collect();
        assert_eq!((due[0], due[PAUSE_SAMPLES as usize - 1], due[PAUSE_SAMPLES as usize]), (0, 0, 1));
    }

    /// Two queries of 100 ms each: 200 ms are a twentieth of 4 s, and a quarter of 0.8 s.
    #[test]
    fn what_is_expensive_is_asked_seldom_under_load_and_at_once_after_it() {
        let load_on = LoadOn::default();
        let named = |name: &str| Named { name: name.into(), query: "select 1".into(), is_counter: false };
        let mut all = Queries::new(vec![named("pings"), named("pongs")], load_on.clone());
        let at = Nanos::from_millis;
        let ask = |all: &mut Queries, moment: i64| {
            all.turned();
            let due = all.due(at(moment), &mut Samples::default());
            for (number, _) in &due {
                let found = (Ok(vec![row("1", &[])]), at(100));
                all.take(*number, found, (at(moment), "store"), &mut Samples::default());
            }
            due.len()
        };
        assert_eq!([0, 799, 800].map(|moment| ask(&mut all, moment)), [2, 0, 2]);
        load_on.set(true);
        assert_eq!([1600, 5599, 5600, 9599].map(|moment| ask(&mut all, moment)), [2, 0, 2, 0]);
        assert_eq!(all.until(at(0), at(800)), at(800));
        load_on.set(false);
        assert_eq!([9600, 9601].map(|moment| ask(&mut all, moment)), [2, 0]);
        assert_eq!(all.until(at(0), at(800)), at(10_000));
    }

    /// Orders by state: the last open one is done, and then the query is put off.
    #[test]
    fn a_group_without_rows_is_nothing_and_one_that_was_not_asked_for_is_no_gap() {
        let mut all = queries();
        taken(&mut all, Ok(vec![row("3", &["open"]), row("1", &["done"])]));
        let expected = [("done".to_owned(), 4.0), ("open".to_owned(), 0.0)];
        assert_eq!(taken(&mut all, Ok(vec![row("4", &["done"])])).0, expected);
        let mut out = Samples::default();
        // It took a second, so it is not asked again at once.
        all.take(0, (Ok(vec![row("4", &["done"])]), Nanos::SECOND), (Nanos::ZERO, "store"), &mut out);
        out.take();
        assert!(all.due(Nanos::from_millis(500), &mut out).is_empty());
        let quiet: Vec<(String, u16)> =
            out.take_absent().quiet.iter().map(|(one, metric)| (out.instance_name(*one).to_owned(), *metric)).collect();
        assert_eq!(quiet, [("done".to_owned(), FIRST_NAMED), ("open".to_owned(), FIRST_NAMED)]);
        // One that failed is left alone for a while: what it counts is not known then.
        taken(&mut all, Err("no such table".into()));
        assert!(all.due(Nanos::from_secs(500), &mut out).is_empty());
        assert!(out.take_absent().quiet.is_empty());
        // A count that only grows does not become nothing.
        let named = Named { name: "sold".into(), query: "select 1".into(), is_counter: true };
        let mut counter = Queries::new(vec![named], LoadOn::default());
        taken(&mut counter, Ok(vec![row("3", &["open"])]));
        assert_eq!(taken(&mut counter, Ok(Vec::new())).0, []);
    }

    /// A table that became too large to count under load is counted when there is none.
    #[test]
    fn a_pause_ends_with_the_load() {
        let load_on = LoadOn::default();
        let mut all = Queries::new(
            vec![Named { name: "pings".into(), query: "select 1".into(), is_counter: false }],
            load_on.clone(),
        );
        load_on.set(true);
        assert!(all.turned() && !all.turned());
        taken(&mut all, Err("it took too long".into()));
        assert_eq!(all.due(Nanos::ZERO, &mut Samples::default()).len(), 0);
        load_on.set(false);
        assert!(all.turned());
        assert_eq!(all.due(Nanos::ZERO, &mut Samples::default()).len(), 1);
    }
}
