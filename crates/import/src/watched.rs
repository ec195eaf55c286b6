//! What was watched beside the calls: samples at their moments in the run, and what is only known of the whole run.

use crate::place::{Known, Unplaced, interval, moments, place, why_not};
use crate::printed::Beside;
use crate::request::{Request, label_text};
use crate::samples::{Row, Samples};
use crate::survey::Survey;
use record::{Outside, Placed};
use std::collections::BTreeMap;
use terms::Nanos;

/// Values of one metric.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Value {
    pub(crate) at: Nanos,
    pub(crate) monitor: &'static str,
    pub(crate) instance: String,
    pub(crate) metric: &'static str,
    pub(crate) value: f64,
}

/// All of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watched {
    /// In order of time.
    pub(crate) values: Vec<Value>,
    /// Subject, name and value of what no moment is known of.
    pub(crate) facts: Vec<(String, String, String)>,
    /// Monitors with their instances, those that nothing places among them: what is asked of them cannot be told.
    pub(crate) monitors: BTreeMap<&'static str, Vec<String>>,
    /// How the rows of each file of samples were placed, by the file's number.
    pub(crate) placed: Vec<(usize, Placed)>,
    /// Of files of which no row lies within the run, where their rows are; by the file's number.
    pub(crate) outside: Vec<(usize, Outside)>,
    /// What is to be known of a file of samples, by the file's number.
    pub(crate) remarks: Vec<(usize, String)>,
    /// Time between two rows, seconds, by monitor.
    pub(crate) every_s: BTreeMap<&'static str, f64>,
    /// What files tell besides.
    pub(crate) beside: Beside,
}

impl Watched {
    /// Places the rows of each file: its number, whose they are, and what it holds.
    pub(crate) fn of(files: Vec<(usize, Option<String>, Samples)>, survey: &Survey, request: &Request<'_>) -> Self {
        let mut watched = Self::default();
        let ended = by_second(survey);
        for (number, named, samples) in files {
            let (origin, skipped) = (survey.span.first_start, samples.skipped);
            let known = Known { ended: &ended, origin, start: request.start, every: request.every, skipped };
            let (moments, placed) = place(&samples.rows, &known);
            watched.placed.push((number, placed));
            let outside = match placed {
                Placed::WholeRun => Some(unplaced(&samples.rows, &known)),
                _ => outside(&moments, survey),
            };
            if let Some(outside) = outside {
                watched.remarks.push((number, remark(&outside, survey, beginning(&samples.rows))));
                watched.outside.push((number, outside));
            }
            let usual = named.clone().unwrap_or_else(|| samples.usual_instance.to_owned());
            let instances = watched.monitors.entry(samples.monitor).or_default();
            for row in &samples.rows {
                let name = row.instance.as_deref().map_or_else(|| usual.clone(), |own| label_text(own.as_bytes()));
                if !instances.contains(&name) && instances.len() < INSTANCES_MAX {
                    instances.push(name);
                }
            }
            if placed == Placed::WholeRun {
                watched.summarise(&samples, &usual);
                continue;
            }
            watched.see_interval(samples.monitor, &moments);
            for (row, at) in samples.rows.iter().zip(moments) {
                let Some(at) = at else { continue };
                let instance = row.instance.as_deref().map_or_else(|| usual.clone(), |own| label_text(own.as_bytes()));
                watched.values.extend(row.values.iter().map(|(metric, value)| Value {
                    at,
                    monitor: samples.monitor,
                    instance: instance.clone(),
                    metric,
                    value: *value,
                }));
            }
        }
        // What was watched before the load and after it belongs to no step; it is kept where it is near.
        let (from, to) =
            (Nanos::from_secs(-NEAR_S), survey.span.last_end - survey.span.first_start + Nanos::from_secs(NEAR_S));
        watched.values.retain(|value| (from..=to).contains(&value.at));
        watched.values.sort_by_key(|value| value.at);
        watched
    }

    fn see_interval(&mut self, monitor: &'static str, moments: &[Option<Nanos>]) {
        let mut known: Vec<Nanos> = moments.iter().copied().flatten().collect();
        // A report of `sar` has one block after the other.
        known.sort_unstable();
        known.dedup();
        if let [first, .., last] = known.as_slice() {
            let each = (*last - *first).as_secs_f64() / (known.len() - 1) as f64;
            self.every_s.insert(monitor, each.max(0.001));
        }
    }

    /// Mean and greatest of each metric over all rows, for want of moments.
    fn summarise(&mut self, samples: &Samples, usual: &str) {
        let mut sums = BTreeMap::<(String, &'static str), (f64, f64, u64)>::new();
        for row in &samples.rows {
            let instance = row.instance.as_deref().map_or_else(|| usual.to_owned(), |own| label_text(own.as_bytes()));
            for (metric, value) in &row.values {
                let (sum, most, count) = sums.entry((instance.clone(), metric)).or_insert((0.0, f64::MIN, 0));
                (*sum, *most, *count) = (*sum + value, most.max(*value), *count + 1);
            }
        }
        for ((instance, metric), (sum, most, count)) in sums {
            let text = format!("mean {}, greatest {} of {count}", short(sum / count as f64), short(most));
            self.facts.push((instance, format!("{} {metric}", samples.monitor), text));
        }
    }
}

/// What is known of rows that have no clock and that nothing places.
fn unplaced(rows: &[Row], known: &Known<'_>) -> Outside {
    let why = why_not(rows, known);
    let (word, needed, correlation) = match why {
        Unplaced::NoInterval => ("no_interval", 0, 0.0),
        Unplaced::TooFew { needed } => ("too_few", needed, 0.0),
        Unplaced::ShortLoad { needed } => ("short_load", needed, 0.0),
        Unplaced::Flat => ("flat", 0, 0.0),
        Unplaced::Apart { correlation } => ("apart", 0, correlation),
        Unplaced::Repeats { correlation } => ("repeats", 0, correlation),
    };
    let every_s = interval(rows, known).map_or(0.0, Nanos::as_secs_f64);
    Outside { rows: moments(rows) as u64, why: word.into(), every_s, needed, correlation, ..Outside::default() }
}

/// Where rows are of which none lies within the run; none where one does.
fn outside(moments: &[Option<Nanos>], survey: &Survey) -> Option<Outside> {
    let (first, last) = (survey.span.first_start, survey.span.last_end);
    let known: Vec<Nanos> = moments.iter().copied().flatten().collect();
    if known.iter().any(|at| (Nanos::ZERO..=last - first).contains(at)) {
        return None;
    }
    let (from, to) = (known.iter().min()?, known.iter().max()?);
    let iso = terms::iso::seconds;
    Some(Outside {
        rows: moments.len() as u64,
        from: iso(first + *from),
        to: iso(first + *to),
        run_from: iso(first),
        run_to: iso(last),
        ..Outside::default()
    })
}

/// What `--start` is the moment of.
fn beginning(rows: &[Row]) -> &'static str {
    match rows.first().and_then(|row| row.since) {
        Some(since) if since > Nanos::ZERO => "the program was started",
        _ => "the first was taken",
    }
}

/// The same as a sentence, with what helps.
fn remark(outside: &Outside, survey: &Survey, beginning: &str) -> String {
    let Outside { rows, from, to, run_from, run_to, why, every_s, needed, correlation } = outside;
    if why.is_empty() {
        return format!(
            "0 of {rows} rows lie within the run: they are of {from} to {to}, and the run is of {run_from} to {run_to}; a zone \
             that is not that of the stamps may be why (`--zone`)"
        );
    }
    let (first, length) =
        (terms::iso::seconds(survey.span.first_start), (survey.span.last_end - survey.span.first_start).as_secs_f64());
    let tried = match why.as_str() {
        "no_interval" => {
            return format!(
                "its rows have no clock, so that nothing of it can be judged; `--start {first} --every 1s` says when \
                 {beginning} and how far apart they are; `--every` alone places them where they follow the load"
            );
        }
        "too_few" => format!("to cover the load of {length:.0} s takes {needed} rows"),
        "short_load" => format!("the load of {length:.0} s covers fewer than the {needed} intervals that this takes"),
        "flat" => "they do not vary, or the load does not".to_owned(),
        "apart" => {
            format!("they follow the load nowhere: the highest correlation is {correlation:.2}, and 0.8 is needed")
        }
        _ => format!("they follow the load at several places equally well (correlation {correlation:.2})"),
    };
    let every_s = (every_s * 1e3).round() / 1e3;
    format!(
        "its rows have no clock, and {rows} rows {every_s} s apart cannot be placed by the load: {tried}; nothing of it can \
         be judged, unless `--start {first}` says when {beginning}"
    )
}

/// Instances that are listed of one monitor.
const INSTANCES_MAX: usize = 1000;
/// Seconds before and after the load whose samples are kept.
const NEAR_S: i64 = 600;

/// A number with four digits that count.
fn short(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return "0".into();
    }
    let digits = (3 - value.abs().log10().floor() as i32).clamp(0, 9) as usize;
    format!("{value:.digits$}")
}

/// Calls that ended in each second from the run's first.
fn by_second(survey: &Survey) -> Vec<f64> {
    let last = (survey.span.last_end - survey.span.first_start).second();
    (0..=last).map(|second| survey.ended.get(&second).map_or(0.0, |count| *count as f64)).collect()
}
