//! ROUNDING, CENSORED, NO-BASE, LEAK: more claimed than the figures carry.

use crate::columns::{Role, has_word};
use crate::finding::{Finding, Weight, number, quote, time};
use crate::model::Row;
use crate::seen::{Input, Seen, Sentence};
use regex::Regex;
use std::sync::LazyLock;

/// How far the inputs may leave a percentage open, in percent, before its last digit is worth a word.
const OPEN: f64 = 4.0;
/// Timeouts that programs come with, in seconds.
const TIMEOUTS: [f64; 7] = [5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0];

static CHANGE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^([\d.,]+)\*{0,2} ?\(([+\-−]\d+(?:[.,]\d+)?) ?%\)$").ok());

/// A printed change: its row and base, the two figures with one in their last place, and the percentage as written.
struct Change<'a> {
    table: &'a Seen<'a>,
    row: &'a Row,
    base: (f64, f64),
    value: (f64, f64),
    stated: f64,
    text: String,
}

impl Change<'_> {
    fn computed(&self) -> f64 {
        100.0 * (self.value.0 / self.base.0 - 1.0)
    }

    /// What the rounding of both figures leaves open.
    fn range(&self) -> (f64, f64) {
        let (a, b) = (self.base, self.value);
        let change = |b: f64, a: f64| 100.0 * (b / a - 1.0);
        (change(b.0 - b.1 / 2.0, a.0 + a.1 / 2.0), change(b.0 + b.1 / 2.0, a.0 - a.1 / 2.0))
    }
}

/// `0.038 (+58%)` beside its base: the nearest cell to the left, of a column of the same heading, that makes the change.
fn changes<'a>(seen: &'a Input<'_>) -> Vec<Change<'a>> {
    let Some(change) = CHANGE.as_ref() else { return Vec::new() };
    let mut all = Vec::new();
    for table in &seen.tables {
        let view = &table.view;
        for row in &view.rows {
            for (at, cell) in row.cells.iter().enumerate() {
                let Some(found) = change.captures(cell.trim()) else { continue };
                let stated: Option<f64> =
                    found[2].replace('−', "-").replace(',', ".").trim_start_matches('+').parse().ok();
                let value = crate::quantity::leading(&found[1], seen.decimals).map(|(readings, _)| readings);
                let (Some(stated), Some([value])) = (stated, value.as_deref()) else { continue };
                let heading = |at: usize| view.columns.get(at).map(|column| column.heading.as_str());
                let bases = (0..at).rev().filter(|left| heading(*left) == heading(at)).filter_map(|left| {
                    let (readings, rest) = crate::quantity::leading(row.cells.get(left)?, seen.decimals)?;
                    let [base] = readings[..] else { return None };
                    (base.0 > 0.0 && rest.trim_start_matches('*').trim().is_empty()).then_some(base)
                });
                let made = bases.into_iter().find(|base| (100.0 * (value.0 / base.0 - 1.0) - stated).abs() < 1.0);
                if let Some(base) = made {
                    all.push(Change { table, row, base, value: *value, stated, text: cell.trim().to_owned() });
                }
            }
        }
    }
    all
}

/// ROUNDING: percentages that are finer than the figures they are made of, and those that are cut where they had to be
/// rounded.
pub(super) fn percentages(seen: &Input<'_>, found: &mut Vec<Finding>) {
    let all = changes(seen);
    let open = |change: &Change<'_>| (change.range().1 - change.range().0) / 2.0;
    let Some(widest) = all.iter().filter(|change| open(change) >= OPEN).max_by(|a, b| open(a).total_cmp(&open(b)))
    else {
        return;
    };
    // Whole percentages only: the nearest to what the printed figures make.
    let cut: Vec<&Change<'_>> = all
        .iter()
        .filter(|change| change.stated.fract() == 0.0 && change.computed().round() != change.stated)
        .collect();
    let shown = |change: &Change<'_>| {
        let (low, high) = change.range();
        format!(
            "{} from {}: {:+.1} % as printed, anything from {:+.0} % to {:+.0} % before rounding",
            change.text,
            number(change.base.0),
            change.computed(),
            low,
            high
        )
    };
    // The first, the worst, and what was cut.
    let first = all.iter().find(|change| open(change) >= OPEN).unwrap_or(widest);
    let mut arithmetic: Vec<String> = [first, widest].into_iter().chain(cut.iter().copied()).map(shown).collect();
    arithmetic.dedup();
    arithmetic.truncate(4);
    let mut quotes = vec![quote(&widest.table.place(widest.row), &widest.table.view.shown(widest.row))];
    quotes.extend(
        cut.first()
            .filter(|change| change.row.line != widest.row.line)
            .map(|change| quote(&change.table.place(change.row), &change.table.view.shown(change.row))),
    );
    let also = cut.first().map_or_else(String::new, |change| {
        format!("; {:+.0} % where {:+.0} % is written", change.computed(), change.stated)
    });
    found.push(Finding {
        code: "ROUNDING",
        weight: Weight::Remark,
        says: format!(
            "{} are finer than their figures",
            if all.len() == 1 { "a percentage".to_owned() } else { format!("{} percentages", all.len()) }
        ),
        arithmetic: arithmetic.join("; "),
        remedy: format!("print percentages as precisely as their figures allow, or compute them before rounding{also}"),
        quotes,
    });
}

/// CENSORED: a percentile right at a timeout, where errors are reported.
pub(super) fn timeouts(seen: &Input<'_>, found: &mut Vec<Finding>) {
    for table in &seen.tables {
        let view = &table.view;
        for at in view.of(|role| matches!(role, Role::Percentile(share) if share >= 0.9)) {
            for row in &view.rows {
                let Some(figure) = view.figure(row, at, seen.decimals).filter(|figure| figure.unit.is_some()) else {
                    continue;
                };
                let value = figure.value();
                let Some(timeout) =
                    TIMEOUTS.iter().copied().find(|timeout| value >= *timeout && value <= 1.01 * timeout)
                else {
                    continue;
                };
                // Exactly a timeout may be a rounded figure like any other.
                let Some(errors) = errors(seen, table, row).filter(|_| value > timeout) else { continue };
                let Role::Percentile(share) = view.columns[at].role else { continue };
                found.push(Finding {
                    code: "CENSORED",
                    weight: Weight::Question,
                    says: format!(
                        "“{}” is {}, right at a timeout of {}",
                        view.columns[at].heading,
                        time(value),
                        time(timeout)
                    ),
                    arithmetic: format!("{} is within 1 % above {}; errors: {}", time(value), time(timeout), errors.0),
                    remedy: format!(
                        "p{} is at least {}: say so, and report the times of successful calls beside those of all",
                        number(100.0 * share),
                        time(timeout)
                    ),
                    quotes: vec![quote(&table.place(row), &view.shown(row)), errors.1],
                });
            }
        }
    }
}

/// Errors that a row has, or the words near its table.
fn errors(seen: &Input<'_>, table: &Seen<'_>, row: &Row) -> Option<(String, crate::finding::Quote)> {
    let view = &table.view;
    let own = view
        .of(|role| role == Role::ErrorShare)
        .into_iter()
        .find_map(|at| view.figure(row, at, seen.decimals).filter(|figure| figure.value() >= 1.0));
    if let Some(own) = own {
        return Some((own.text, quote(&table.place(row), &view.shown(row))));
    }
    let near = |sentence: &&Sentence| sentence.block > table.block && sentence.block <= table.block + 4;
    seen.sentences.iter().filter(near).find_map(|sentence| {
        let is_error = sentence.lower.contains("error rate")
            || has_word(&sentence.lower, &["errors", "timeouts", "foutpercentage", "fejlprocent"]);
        let share =
            sentence.quantities.iter().find(|one| one.unit == crate::quantity::Unit::Percent && one.value() >= 1.0)?;
        is_error.then(|| (format!("{} %", number(share.value())), quote(&sentence.place, &sentence.text)))
    })
}

/// Words of a report that tests or states uncertainty.
fn is_tested(seen: &Input<'_>) -> bool {
    const TESTS: [&str; 16] = [
        "confidence interval",
        "konfidensinterval",
        "betrouwbaarheidsinterval",
        "p-value",
        "p-waarde",
        "equivalen",
        "t-test",
        "significan",
        "signifikan",
        "mann-whitney",
        "mann-kendall",
        "95 % interval",
        "95% interval",
        "95% ci",
        "standard error",
        "cannot tell",
    ];
    seen.sentences.iter().any(|sentence| TESTS.iter().any(|word| sentence.lower.contains(word)))
}

/// Whether a sentence stands in a list of what is wanted, such as `Pass criteria:`, and claims nothing.
fn is_wanted(seen: &Input<'_>, sentence: &Sentence) -> bool {
    const WANTED: [&str; 12] = [
        "criteria",
        "criterion",
        "requirements",
        "targets",
        "goals",
        "expected",
        "expectations",
        "objectives",
        "eisen",
        "kriterier",
        "krav",
        "mål",
    ];
    let near = |other: &&Sentence| other.block <= sentence.block && other.block + 12 > sentence.block;
    let head = seen.sentences.iter().filter(near).rev().find(|other| other.text.ends_with(':'));
    let section = sentence.place.section.to_lowercase();
    has_word(&section, &WANTED) || head.is_some_and(|head| has_word(&head.lower, &WANTED))
}

/// Words of a sentence that asks for something and does not report it.
const ASKED: [&str; 20] = [
    "ensure",
    "ensures",
    "ensuring",
    "verify",
    "check",
    "confirm",
    "must",
    "should",
    "shall",
    "goal",
    "aim",
    "avoid",
    "prevent",
    "if",
    "whether",
    "sørg",
    "sikre",
    "zorg",
    "controleer",
    "moet",
];

/// Whether a text has a phrase whose last word ends there, but for its plural: `leakage` is not `leak`.
fn has_phrase(lower: &str, phrase: &str) -> bool {
    lower.match_indices(phrase).any(|(at, _)| {
        let rest: String = lower[at + phrase.len()..].chars().take_while(|c| c.is_alphabetic()).collect();
        ["", "s", "ken", "ks"].contains(&rest.as_str())
    })
}

/// NO-BASE and LEAK: *no difference* and *no leak*, where nothing says how small a one would have been seen.
pub(super) fn absence(seen: &Input<'_>, found: &mut Vec<Finding>) {
    const SAME: [&str; 6] = [
        "no difference in performance",
        "no performance difference",
        "no differences in results",
        "geen verschil in performance",
        "geen prestatieverschil",
        "ingen forskel i performance",
    ];
    const LEAKS: [&str; 10] = [
        "no memory leak",
        "no leak",
        "not have memory leak",
        "ikke har memory leak",
        "ingen memory leak",
        "geen geheugenlek",
        "geen memory leak",
        "ingen hukommelseslæk",
        "not have any memory leak",
        "no signs of memory leak",
    ];
    if is_tested(seen) {
        return;
    }
    let first = |words: &[&str]| {
        let says = |sentence: &&Sentence| words.iter().any(|word| sentence.lower.contains(word));
        seen.sentences.iter().find(|sentence| says(sentence) && !is_wanted(seen, sentence))
    };
    let longest = seen
        .sentences
        .iter()
        .flat_map(|sentence| &sentence.quantities)
        .filter(|one| one.is_time() && one.value() >= 600.0 && one.value() <= 172_800.0)
        .map(crate::quantity::Quantity::value)
        .fold(0.0, f64::max);
    let length = if longest > 0.0 {
        format!("; the longest time that the report names is {} min", number(longest / 60.0))
    } else {
        String::new()
    };
    if let Some(sentence) = first(&SAME) {
        found.push(Finding {
            code: "NO-BASE",
            weight: Weight::Remark,
            says: "no difference is claimed, and nothing says how small a one would have been seen".to_owned(),
            arithmetic: format!("no interval, no test, and no spread between repetitions is stated{length}"),
            remedy: "test for equivalence within a stated band, or write that none was found".to_owned(),
            quotes: vec![quote(&sentence.place, &sentence.text)],
        });
    }
    let leak = seen.sentences.iter().find(|sentence| {
        LEAKS.iter().any(|words| has_phrase(&sentence.lower, words))
            && !is_wanted(seen, sentence)
            && !has_word(&sentence.lower, &ASKED)
    });
    if let Some(sentence) = leak {
        found.push(Finding {
            code: "LEAK",
            weight: Weight::Remark,
            says: "no leak is claimed, and nothing says how small a one would have been seen".to_owned(),
            arithmetic: format!("no slope with its interval is stated{length}"),
            remedy: "state the slope of the lowest memory after collections with its interval, and the growth that would have been noticed".to_owned(),
            quotes: vec![quote(&sentence.place, &sentence.text)],
        });
    }
}
