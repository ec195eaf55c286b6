//! What a study chooses of a page, and what a page gives of it.

use crate::text::{Line, Sample, line};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Series of one value that are split by a label; more would be as many lines in the report.
pub(crate) const SPLIT_MAX: usize = 100;
/// Series of a page that are looked at.
pub(crate) const SERIES_MAX: usize = 200_000;
/// Characters of a label's value in the name of an instance.
const LABEL_CHARS_MAX: usize = 80;
/// Types that are kept of a page.
const TYPES_MAX: usize = 20_000;

/// What kind of value is made of the series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    /// A level, as it is.
    Gauge,
    /// A count that only grows; of a histogram or summary the number of what it has seen.
    Counter,
    /// Of a histogram or summary: what was seen since the sample before, on average.
    Mean,
}

/// A value that the study names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    pub(crate) name: String,
    pub(crate) metric: String,
    pub(crate) of: Of,
    /// Labels with the values that count; one that ends in `*` is a beginning.
    pub(crate) only: Vec<(String, Vec<String>)>,
    /// The label by which series are instances of their own.
    pub(crate) by: Option<String>,
}

/// What a page gives of one choice: by the value of its label, or under an empty one.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Found {
    pub(crate) values: BTreeMap<String, f64>,
    /// Each series of a counter by itself: under which value of the label it counts, which one it is, and where it stands.
    pub(crate) series: Vec<(String, u64, f64)>,
    /// Sums and counts of a mean.
    pub(crate) seen: BTreeMap<String, (f64, f64)>,
    /// The type that the page states, if it does.
    pub(crate) kind: Option<String>,
    pub(crate) help: Option<String>,
    /// Whether there were more series than [`SPLIT_MAX`] to split.
    pub(crate) is_cut: bool,
}

/// A page, taken apart.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Page {
    pub(crate) found: Vec<Found>,
    pub(crate) series: usize,
    pub(crate) not_understood: usize,
    /// The first line that could not be read, shortened.
    pub(crate) odd: Option<String>,
    pub(crate) is_openmetrics: bool,
    /// Whether there were more series than [`SERIES_MAX`].
    pub(crate) is_cut: bool,
}

impl Page {
    /// Takes what was chosen from a page's text.
    pub(crate) fn read(text: &str, choices: &[Choice]) -> Self {
        let mut page = Self { found: vec![Found::default(); choices.len()], ..Self::default() };
        let mut types: BTreeMap<&str, &str> = BTreeMap::new();
        for row in text.split('\n') {
            match line(row) {
                Some(Line::Sample(_)) if page.series == SERIES_MAX => {
                    page.is_cut = true;
                    break;
                }
                Some(Line::Sample(sample)) => {
                    page.series += 1;
                    for (choice, found) in choices.iter().zip(&mut page.found) {
                        choice.take(&sample, &types, found);
                    }
                }
                Some(Line::Type { name, kind }) => {
                    if types.len() < TYPES_MAX {
                        types.insert(name, kind);
                    }
                }
                Some(Line::Help { name, text }) => {
                    for (choice, found) in choices.iter().zip(&mut page.found) {
                        if choice.is_family(name) {
                            found.help = Some(text.chars().take(200).collect());
                        }
                    }
                }
                Some(Line::End) => {
                    page.is_openmetrics = true;
                    break;
                }
                Some(Line::Nothing) => {}
                None => {
                    page.not_understood += 1;
                    page.odd.get_or_insert_with(|| row.chars().take(160).collect());
                }
            }
        }
        for (choice, found) in choices.iter().zip(&mut page.found) {
            found.kind = choice.type_in(&types).map(str::to_owned);
        }
        page
    }
}

impl Choice {
    /// Whether a name in `# TYPE` is that of this metric: OpenMetrics leaves out `_total` there, and histograms have the
    /// name without `_count`.
    fn is_family(&self, name: &str) -> bool {
        let endings = ["", "_total", "_count", "_sum"];
        endings.iter().any(|ending| self.metric.strip_suffix(ending) == Some(name))
    }

    fn type_in<'a>(&self, types: &BTreeMap<&str, &'a str>) -> Option<&'a str> {
        let endings = ["", "_total", "_count", "_sum"];
        endings.iter().find_map(|ending| types.get(self.metric.strip_suffix(ending)?).copied())
    }

    /// Which part of the value a sample is, if any.
    fn part(&self, name: &str, types: &BTreeMap<&str, &str>) -> Option<Part> {
        let ending = name.strip_prefix(self.metric.as_str())?;
        let is_counted = || matches!(types.get(self.metric.as_str()).copied(), Some("histogram" | "summary"));
        match (self.of, ending) {
            (Of::Gauge, "") => Some(Part::Value),
            // A summary's own name bears its quantiles.
            (Of::Counter, "") if !is_counted() => Some(Part::Value),
            (Of::Counter, "_total") => Some(Part::Value),
            (Of::Counter, "_count") if is_counted() => Some(Part::Value),
            (Of::Mean, "_sum") => Some(Part::Sum),
            (Of::Mean, "_count") => Some(Part::Count),
            _ => None,
        }
    }

    fn is_chosen(&self, sample: &Sample<'_>) -> bool {
        self.only.iter().all(|(label, wanted)| {
            let found = sample.label(label);
            wanted.iter().any(|wanted| match wanted.strip_suffix('*') {
                Some(begin) => found.starts_with(begin),
                None => found == wanted,
            })
        })
    }

    fn take(&self, sample: &Sample<'_>, types: &BTreeMap<&str, &str>, found: &mut Found) {
        let Some(part) = self.part(&sample.name, types).filter(|_| self.is_chosen(sample)) else { return };
        let label = self.by.as_deref().map_or_else(String::new, |by| shown(sample.label(by)));
        let is_known = found.values.contains_key(&label) || found.seen.contains_key(&label);
        if !is_known && found.values.len() + found.seen.len() == SPLIT_MAX {
            found.is_cut = true;
            return;
        }
        match part {
            Part::Value => {
                *found.values.entry(label.clone()).or_default() += sample.value;
                if self.of == Of::Counter {
                    found.series.push((label, identity(sample), sample.value));
                }
            }
            Part::Sum => found.seen.entry(label).or_default().0 += sample.value,
            Part::Count => found.seen.entry(label).or_default().1 += sample.value,
        }
    }
}

enum Part {
    Value,
    Sum,
    Count,
}

/// Which series a sample is of: the same on every page, whatever the order of its labels.
fn identity(sample: &Sample<'_>) -> u64 {
    let mut labels: Vec<_> = sample.labels.iter().collect();
    labels.sort();
    let mut hasher = DefaultHasher::new();
    (&sample.name, labels).hash(&mut hasher);
    hasher.finish()
}

/// A label's value as part of an instance's name.
fn shown(value: &str) -> String {
    let clean: String = value.chars().filter(|c| !c.is_control()).take(LABEL_CHARS_MAX).collect();
    if clean.trim().is_empty() { "(empty)".to_owned() } else { clean }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    pub(crate) const PAGE: &str = "# HELP http_requests_total Requests so far.\n# TYPE http_requests_total counter\n\
        http_requests_total{method=\"get\",code=\"200\"} 90\nhttp_requests_total{method=\"post\",code=\"200\"} 9\n\
        http_requests_total{method=\"get\",code=\"503\"} 1\n# TYPE took_seconds histogram\n\
        took_seconds_bucket{le=\"0.1\"} 80\ntook_seconds_bucket{le=\"+Inf\"} 100\ntook_seconds_sum 25\ntook_seconds_count 100\n\
        # TYPE heap_bytes gauge\nheap_bytes{pool=\"eden\"} 100\nheap_bytes{pool=\"old\"} 200\nwhat is this?\n";

    fn choice(metric: &str, of: Of, only: &[(&str, &[&str])], by: Option<&str>) -> Choice {
        let only =
            only.iter().map(|(label, values)| ((*label).to_owned(), values.iter().map(|v| (*v).to_owned()).collect()));
        Choice { name: "x".into(), metric: metric.into(), of, only: only.collect(), by: by.map(str::to_owned) }
    }

    fn values(text: &str, choice: Choice) -> Vec<(String, f64)> {
        Page::read(text, &[choice]).found.remove(0).values.into_iter().collect()
    }

    #[test]
    fn series_are_chosen_by_name_and_labels_and_add_up_or_are_split() {
        let none = String::new;
        assert_eq!(values(PAGE, choice("http_requests_total", Of::Counter, &[], None)), [(none(), 100.0)]);
        assert_eq!(
            values(PAGE, choice("http_requests_total", Of::Counter, &[("code", &["5*"])], None)),
            [(none(), 1.0)]
        );
        assert_eq!(
            values(
                PAGE,
                choice("http_requests_total", Of::Counter, &[("method", &["get"]), ("code", &["200", "204"])], None)
            ),
            [(none(), 90.0)]
        );
        assert_eq!(
            values(PAGE, choice("http_requests_total", Of::Counter, &[("no", &["x"])], None)),
            [],
            "a series that is missing is not zero"
        );
        assert_eq!(
            values(PAGE, choice("http_requests_total", Of::Counter, &[("no", &[""])], None)),
            [(none(), 100.0)],
            "a label that is missing is empty"
        );
        assert_eq!(
            values(PAGE, choice("heap_bytes", Of::Gauge, &[], Some("pool"))),
            [("eden".to_owned(), 100.0), ("old".to_owned(), 200.0)]
        );
        assert_eq!(
            values(PAGE, choice("took_seconds", Of::Counter, &[], None)),
            [(none(), 100.0)],
            "a histogram counts"
        );
        let mean = Page::read(PAGE, &[choice("took_seconds", Of::Mean, &[], None)]);
        assert_eq!(mean.found[0].seen.get(""), Some(&(25.0, 100.0)));
        assert_eq!(mean.found[0].kind.as_deref(), Some("histogram"));
        assert_eq!((mean.series, mean.not_understood, mean.odd.as_deref()), (9, 1, Some("what is this?")));
        assert!(!mean.is_openmetrics);
    }

    #[test]
    fn openmetrics_has_its_families_without_total_and_ends() {
        let text = "# TYPE http_requests counter\nhttp_requests_total 5 1.5 # {id=\"x\"} 1\nhttp_requests_created 1e9\n# EOF\nafter 1\n";
        for metric in ["http_requests", "http_requests_total"] {
            let page = Page::read(text, &[choice(metric, Of::Counter, &[], None)]);
            assert_eq!(page.found[0].values.get(""), Some(&5.0), "{metric}");
            assert_eq!((page.found[0].kind.as_deref(), page.is_openmetrics, page.series), (Some("counter"), true, 2));
        }
    }

    #[test]
    fn what_is_split_is_bounded() {
        let many: String = (0..SPLIT_MAX + 5).map(|number| format!("a{{l=\"{number}\"}} 1\n")).collect();
        let page = Page::read(&many, &[choice("a", Of::Gauge, &[], Some("l"))]);
        assert_eq!((page.found[0].values.len(), page.found[0].is_cut), (SPLIT_MAX, true));
        let whole = Page::read(&many, &[choice("a", Of::Gauge, &[], None)]);
        assert_eq!(whole.found[0].values.get(""), Some(&((SPLIT_MAX + 5) as f64)), "a sum has all of them");
    }

    proptest! {
        #[test]
        fn no_page_makes_it_panic_and_bounds_hold(text in "(([a-c](_total|_sum|_count)?)(\\{l=\"[a-z\"]{0,3}\"\\})? [0-9.eN]{1,4}\n|# (TYPE|HELP|EOF) [a-c] (counter|summary)\n|\\PC{0,8}\n){0,30}") {
            for of in [Of::Gauge, Of::Counter, Of::Mean] {
                let page = Page::read(&text, &[choice("a", of, &[("l", &["a*"])], Some("l"))]);
                prop_assert!(page.found[0].values.len() + page.found[0].seen.len() <= SPLIT_MAX);
                prop_assert!(page.series + page.not_understood <= text.lines().count() + 1);
            }
        }
    }
}
