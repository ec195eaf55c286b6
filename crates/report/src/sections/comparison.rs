//! Comparisons: circumstances that differ, the matrix of changes, forests, and what of it may be claimed.

use crate::charts::{self, change_bar};
use crate::compared::{change, interval, sentence, sides};
use crate::document::{Block, Cell, Column, NoteKind, Row as Line, Section, Table, slug};
use crate::in_unit::InUnit;
use crate::marks::{row_hue, row_mark};
use crate::messages::{Messages, say};
use crate::number::clean;
use judge::Arg;
use judge::comparison::{Comparison, Difference, History, Pair, Row, RowVerdict};
use std::collections::HashMap;

/// How the name of the table of circumstances ends.
pub(super) const DIFFERENCES: &str = "differences";
/// Differences of circumstances printed for each pair.
const DIFFERENCES_MAX: usize = 60;
/// Reasons under a table of changes; what comes beyond stands in the row itself.
const REASONS_MAX: usize = 12;
/// Histories drawn; more would make a page that nobody reads.
const HISTORIES_MAX: usize = 12;

/// The chapter; `None` without a comparison and without a history.
pub(crate) fn comparison(m: &Messages, all: &[Comparison], histories: &[History]) -> Option<Section> {
    if all.is_empty() && histories.is_empty() {
        return None;
    }
    let mut section = Section::new("comparison", say!(m, "comparison-title"));
    section.say(say!(m, "comparison-intro"));
    // Here and not in the parts, which paper may leave to the web page.
    let sentences: Vec<String> = all.iter().flat_map(|comparison| verdicts(m, comparison)).collect();
    if !sentences.is_empty() {
        section.add(Block::Points(sentences));
    }
    let rows = || all.iter().flat_map(|comparison| &comparison.pairs).flat_map(|pair| &pair.rows);
    if rows().any(|row| row.base_replicates <= 1 && row.other_replicates <= 1) {
        section.say(say!(m, "comparison-single"));
    }
    section.parts.extend(all.iter().enumerate().map(|(number, comparison)| part(m, number, comparison)));
    let drawn = histories.iter().take(HISTORIES_MAX).enumerate();
    let figures =
        drawn.filter_map(|(number, history)| charts::run_history(m, history, &format!("fig-history-{number}")));
    let figures: Vec<Block> = figures.map(Block::Figure).collect();
    if !figures.is_empty() {
        let mut part = Section::new("comparison-history", say!(m, "history-title"));
        part.blocks.extend(figures);
        section.parts.push(part);
    }
    Some(section)
}

fn part(m: &Messages, number: usize, comparison: &Comparison) -> Section {
    let anchor = format!("comparison-{number}-{}", slug(&comparison.name));
    let title = if comparison.name == "runs" { say!(m, "comparison-runs") } else { clean(&comparison.name) };
    let mut part = Section::new(anchor.clone(), title);
    if comparison.pairs.iter().any(Pair::is_blocked) {
        part.say(say!(m, "comparison-blocked"));
    }
    if let Some(table) = differences(m, comparison, &format!("{anchor}-{DIFFERENCES}")) {
        part.add(Block::Table(table));
    }
    for pair in comparison.pairs.iter().filter(|pair| !pair.is_comparable()) {
        let aspects: Vec<String> = forbidding(pair).map(|difference| aspect(m, difference)).collect();
        let text = say!(
            m,
            "comparison-not-comparable",
            base = &clean(&comparison.base.label),
            other = &clean(&pair.other.label),
            aspects = &aspects.join(", ")
        );
        part.add(Block::Note { kind: NoteKind::Warning, text });
    }
    let changes = matrix(m, comparison, &part.title, &format!("{anchor}-matrix"));
    part.add(Block::Table(changes));
    let forests = comparison.pairs.iter().enumerate();
    let forests = forests
        .filter_map(|(pair, of)| charts::forest(m, comparison, of, &format!("fig-forest-{number}-{pair}")))
        .map(Block::Figure);
    part.blocks.extend(forests);
    part
}

fn forbidding(pair: &Pair) -> impl Iterator<Item = &Difference> {
    pair.differences.iter().filter(|difference| difference.forbids && difference.scope.is_none())
}

fn aspect(m: &Messages, difference: &Difference) -> String {
    say!(m, "aspect-word", aspect = &difference.aspect)
}

/// What may be said of all rows of each pair together; and why, where all are undecided for one reason.
pub(crate) fn verdicts(m: &Messages, comparison: &Comparison) -> Vec<String> {
    let of = |pair: &Pair| {
        let counted = |verdict: RowVerdict| {
            let number = pair.rows.iter().filter(|row| row.verdict == verdict).count();
            let band = Arg::Share(comparison.band).given();
            (number > 0).then(|| say!(m, "comparison-count", verdict = verdict.name(), number = number, band = band))
        };
        let all = [RowVerdict::Different, RowVerdict::Equivalent, RowVerdict::CannotTell, RowVerdict::NotComparable];
        let list: Vec<String> = all.into_iter().filter_map(counted).collect();
        let said = say!(
            m,
            "comparison-verdict",
            base = &clean(&comparison.base.label),
            other = &clean(&pair.other.label),
            all = pair.rows.len(),
            list = &list.join(", ")
        );
        let why = pair.rows.first().map(|row| sentence(m, row)).filter(|why| {
            pair.rows.iter().all(|row| row.verdict == RowVerdict::CannotTell && sentence(m, row) == *why)
        });
        why.map_or(said.clone(), |why| format!("{said} {why}"))
    };
    comparison.pairs.iter().filter(|pair| !pair.rows.is_empty()).map(of).collect()
}

/// Circumstances that differ, those that forbid first; `None` when none does.
fn differences(m: &Messages, comparison: &Comparison, name: &str) -> Option<Table> {
    // What holds of several sides is one row.
    let mut found: Vec<(&Difference, Vec<&str>)> = Vec::new();
    for pair in &comparison.pairs {
        for difference in pair.differences.iter().take(DIFFERENCES_MAX) {
            match found.iter_mut().find(|(known, _)| *known == difference) {
                Some((_, labels)) => labels.push(&pair.other.label),
                None => found.push((difference, vec![&pair.other.label])),
            }
        }
    }
    found.sort_by_key(|(difference, _)| !difference.forbids);
    let row = |(difference, labels): &(&Difference, Vec<&str>)| {
        let none = |text: &str| if text.is_empty() { Cell::missing() } else { Cell::code(text) };
        let of_all = labels.len() == comparison.pairs.len() && labels.len() > 1;
        let [base, other] = sides(m, difference);
        let name = Cell::code(&difference.name);
        Line::new(vec![
            if of_all { Cell::text(say!(m, "side-all")) } else { Cell::code(labels.join(", ")) },
            Cell::text(aspect(m, difference)),
            match &difference.scope {
                Some(scope) if difference.aspect == "validity" => Cell::code(scope.as_str()),
                Some(scope) => name.with_detail(clean(scope)),
                None => name,
            },
            none(&base),
            none(&other),
            Cell::text(if difference.forbids { say!(m, "forbids-yes") } else { say!(m, "forbids-no") }),
        ])
    };
    let rows: Vec<Line> = found.iter().map(row).collect();
    (!rows.is_empty()).then(|| Table {
        name: name.to_owned(),
        caption: say!(m, "table-differences"),
        columns: vec![
            Column::text(say!(m, "col-side")),
            Column::text(say!(m, "col-aspect")),
            Column::text(say!(m, "col-name")),
            Column::text(clean(&comparison.base.label)),
            Column::text(say!(m, "col-other")),
            Column::text(say!(m, "col-forbids")),
        ],
        rows,
        notes: vec![say!(m, "note-differences")],
    })
}

/// Request by workload: the base's value, then each other's with its change, the interval of rounding, and the verdict.
fn matrix(m: &Messages, comparison: &Comparison, title: &str, name: &str) -> Table {
    let mut columns = vec![
        Column::text(say!(m, "col-compared")),
        Column::text(say!(m, "col-statistic")),
        Column::number(clean(&comparison.base.label), ""),
    ];
    columns.extend(comparison.pairs.iter().flat_map(|pair| {
        [
            Column::number(clean(&pair.other.label), ""),
            Column::text(say!(m, "col-change")),
            Column::text(say!(m, "col-verdict")),
        ]
    }));
    let changes = comparison.pairs.iter().flat_map(|pair| &pair.rows).filter_map(|row| row.change);
    let most = changes.map(|change| change.value.abs()).filter(|c| c.is_finite()).fold(0.1, f64::max).min(4.0);
    let mut reasons = Reasons::default();
    let row = |rows: Vec<Option<&Row>>| {
        let known = || rows.iter().flatten();
        // Where one pair lacks the base's value, none has it.
        let base = known().find(|row| row.base.is_some()).or_else(|| known().next())?;
        let mut cells = vec![
            Cell::code(&base.subject).with_detail(clean(&base.scope)),
            Cell::code(&base.statistic),
            value(m, base.base, base, base.is_base_censored),
        ];
        for row in &rows {
            match row {
                Some(other) => cells.extend(change_cells(m, other, most, &mut reasons)),
                None => cells.extend([Cell::missing(), Cell::missing(), Cell::text("")]),
            }
        }
        Some(Line::new(cells))
    };
    let rows = side_by_side(&comparison.pairs).into_iter().filter_map(row).collect();
    let mut notes = vec![say!(m, "note-matrix")];
    notes.extend(reasons.notes());
    Table { name: name.to_owned(), caption: say!(m, "table-matrix", name = title), columns, rows, notes }
}

/// Rows of all pairs by what they compare, in the order in which it first comes up; `None` for a pair that lacks it, since
/// neither of its runs has such an exchange, leg or metric.
fn side_by_side(pairs: &[Pair]) -> Vec<Vec<Option<&Row>>> {
    let mut places: HashMap<(&str, usize), usize> = HashMap::new();
    let mut rows: Vec<Vec<Option<&Row>>> = Vec::new();
    for (number, pair) in pairs.iter().enumerate() {
        let mut met: HashMap<&str, usize> = HashMap::new();
        for row in &pair.rows {
            // Ids differ; where they did not, no row would be lost.
            let again = met.entry(&row.id).or_default();
            *again += 1;
            let place = *places.entry((&row.id, *again)).or_insert_with(|| {
                rows.push(vec![None; pairs.len()]);
                rows.len() - 1
            });
            rows[place][number] = Some(row);
        }
    }
    rows
}

/// Why rows say what they say. Many say it for the same reason, so each sentence stands once, under the table.
#[derive(Default)]
struct Reasons(Vec<String>);

impl Reasons {
    /// What stands under the verdict of a row: the letter of its reason, and what only this row has: how many runs or how
    /// much time would settle it, and the p of the test by ranks. A sentence that finds no letter stands there itself.
    fn of(&mut self, m: &Messages, row: &Row) -> String {
        let mut said = sentence(m, row);
        let mut own = Vec::new();
        // The number of runs differs from row to row, the sentence around it does not.
        if let (true, Some(needed)) = (row.reason.code == "compared_straddles_runs", row.runs_needed) {
            let common = m.judged("reason-compared_straddles", &row.reason.args, &[]);
            if let Some(common) = common {
                said = common;
                own.push(say!(m, "row-runs-needed", runs = needed));
            }
        }
        // How long a side would have to be differs in the same way.
        if let ("compared_too_short", Some(needed)) = (row.reason.code.as_str(), row.reason.args.get("needed"))
            && let Some(common) = m.judged("row-reason-too-short", &row.reason.args, &[])
        {
            said = common;
            own.push(say!(m, "row-time-needed", needed = needed.clone()));
        }
        if let Some(p) = row.p {
            own.push(format!("p\u{a0}=\u{a0}{}", m.numbers.value(p)));
        }
        let place = self.0.iter().position(|known| *known == said);
        let place = place.or_else(|| {
            (self.0.len() < REASONS_MAX).then(|| {
                self.0.push(said.clone());
                self.0.len() - 1
            })
        });
        own.insert(0, place.map_or(said, |place| format!("({})", letter(place))));
        own.join(" · ")
    }

    fn notes(&self) -> impl Iterator<Item = String> + '_ {
        self.0.iter().enumerate().map(|(place, said)| format!("({}) {said}", letter(place)))
    }
}

/// `a`, `b`, …; there are no more than [`REASONS_MAX`].
fn letter(place: usize) -> char {
    char::from(b'a' + (place % 26) as u8)
}

/// A side's value, in the unit of both.
fn value(m: &Messages, value: Option<f64>, row: &Row, is_bound: bool) -> Cell {
    value.map_or_else(Cell::missing, |value| {
        let (less, greater) = match (row.base, row.other) {
            (Some(base), Some(other)) => (base.min(other), Some(base.max(other))),
            _ => (value, None),
        };
        let shown = InUnit::of(m.numbers, &row.unit, less, greater).shown(value);
        let cell = Cell::number(shown, value).in_unit(&row.unit);
        if is_bound { cell.at_least() } else { cell }
    })
}

/// The other's value; the change with a bar and its interval; the mark of the verdict and why it is so.
fn change_cells(m: &Messages, row: &Row, most: f64, reasons: &mut Reasons) -> [Cell; 3] {
    let hue = row_hue(row.verdict);
    let is_comparable = row.verdict != RowVerdict::NotComparable;
    let bar = row.change.filter(|_| is_comparable).map(|change| change_bar(change, most, hue)).unwrap_or_default();
    let shown = if is_comparable {
        Cell { text: change(&m.numbers, row), detail: interval(&m.numbers, row), spark: bar, ..Cell::default() }
    } else {
        Cell::missing()
    };
    let word = say!(m, "row-verdict-word", verdict = row.verdict.name());
    [
        value(m, row.other, row, row.is_other_censored),
        shown,
        Cell::text(format!("{} {word}", row_mark(row.verdict))).with_detail(reasons.of(m, row)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::forest_tests::comparison as fixture;

    fn text(section: &Section) -> String {
        format!("{section:?}")
    }

    #[test]
    fn the_matrix_has_a_line_for_each_row_and_a_bar_for_each_change() {
        let m = Messages::of("en");
        let section = comparison(&m, &[fixture()], &[]).unwrap();
        let tables: Vec<&Table> = section.parts[0]
            .blocks
            .iter()
            .filter_map(|block| if let Block::Table(table) = block { Some(table) } else { None })
            .collect();
        assert_eq!(tables.len(), 1, "no circumstance differs, so there is no table of them");
        assert_eq!(tables[0].rows.len(), 4);
        assert!(tables[0].rows.iter().all(|row| row.cells.len() == tables[0].columns.len()));
        assert!(tables[0].rows.iter().all(|row| row.cells[4].spark.contains("<rect")));
        assert_eq!(tables[0].rows[1].cells[4].text, "+58%");
    }

    #[test]
    fn rows_of_several_runs_stand_side_by_side_by_what_they_compare() {
        let mut compared = fixture();
        let pair = compared.pairs[0].clone();
        let row = |id: &str, base, other| Row {
            id: id.into(),
            subject: id.into(),
            base,
            other: Some(other),
            ..pair.rows[0].clone()
        };
        // The first run lacks `b`, which the base has; the second has `c` in place of `a`, which the base lacks.
        let rows = [
            vec![row("a", Some(1.0), 10.0), row("d", Some(4.0), 40.0)],
            vec![row("b", Some(2.0), 21.0), row("c", None, 31.0), row("d", Some(4.0), 41.0)],
        ];
        compared.pairs = rows.into_iter().map(|rows| Pair { rows, ..pair.clone() }).collect();
        let table = matrix(&Messages::of("en"), &compared, "", "");
        let shown: Vec<Vec<Option<f64>>> =
            table.rows.iter().map(|row| [2, 3, 6].map(|place: usize| row.cells[place].raw).to_vec()).collect();
        assert_eq!(table.rows.iter().map(|row| row.cells[0].text.as_str()).collect::<Vec<_>>(), ["a", "d", "b", "c"]);
        assert_eq!(
            shown,
            [
                [Some(1.0), Some(10.0), None],
                [Some(4.0), Some(40.0), Some(41.0)],
                [Some(2.0), None, Some(21.0)],
                [None, None, Some(31.0)],
            ]
        );
    }

    #[test]
    fn both_sides_of_a_row_have_one_unit() {
        let m = Messages::of("en");
        let row = Row { base: Some(0.846), other: Some(1.01), ..fixture().pairs[0].rows[0].clone() };
        let shown = [row.base, row.other].map(|side| value(&m, side, &row, false).text.replace('\u{a0}', " "));
        assert_eq!(shown, ["0.846 ms", "1.01 ms"]);
        let alone = Row { other: None, ..row };
        assert_eq!(value(&m, alone.base, &alone, false).text.replace('\u{a0}', " "), "846 µs");
    }

    #[test]
    fn what_must_not_be_compared_is_said_and_shows_no_change() {
        let m = Messages::of("en");
        let mut compared = fixture();
        compared.pairs[0].differences.push(Difference {
            aspect: "load".into(),
            name: "nominal arrivals".into(),
            scope: None,
            base: "3/s".into(),
            other: "20/s".into(),
            forbids: true,
        });
        compared.pairs[0].rows.iter_mut().for_each(|row| row.verdict = RowVerdict::NotComparable);
        let section = comparison(&m, &[compared], &[]).unwrap();
        let said = text(&section);
        assert!(said.contains("nominal arrivals") && said.contains("Warning"));
        assert!(!said.contains("58%") && !said.contains("fig-forest"), "no change, neither in the matrix nor drawn");
    }

    #[test]
    fn each_verdict_has_its_reason_and_equal_reasons_stand_once() {
        let limit = [("limit".to_owned(), Arg::Share(0.05).given()), ("needed".to_owned(), Arg::Count(7.0))];
        let mut compared = fixture();
        let rows = &mut compared.pairs[0].rows;
        for row in rows.iter_mut() {
            row.reason = judge::Reason { code: "compared_outside".into(), args: limit.clone().into() };
        }
        for (row, needed) in rows[2..].iter_mut().zip([7, 19]) {
            row.reason.code = "compared_straddles_runs".into();
            row.runs_needed = Some(needed);
        }
        rows[0].p = Some(0.0286);
        for (language, runs) in
            [("en", "about 19 runs per side"), ("nl", "ongeveer 19 runs"), ("da", "cirka 19 kørsler")]
        {
            let table = matrix(&Messages::of(language), &compared, "x", "x");
            let details: Vec<&str> = table.rows.iter().map(|row| row.cells[5].detail.as_str()).collect();
            assert!(details[0].starts_with("(a) · p\u{a0}=\u{a0}0") && details[0].ends_with("0286"), "{}", details[0]);
            assert_eq!(details[1], "(a)");
            assert!(details[2].starts_with("(b)") && details[3].contains(runs), "{details:?}");
            assert_eq!(table.notes.len(), 3, "{:?}", table.notes);
            assert!(table.notes[2].starts_with("(b) ") && table.notes[2].ends_with('.'));
        }
        // Two parts of a chapter have their letters each: none is left without its sentence.
        let m = Messages::of("en");
        let mut section = comparison(&m, &[compared.clone(), compared.clone()], &[]).unwrap();
        crate::sections::left_out::explain_once(&mut section, &mut std::collections::BTreeSet::new());
        for part in &section.parts {
            let said = format!("{:?}", part.blocks);
            assert!(said.contains("\"(a) ") && said.contains("\"(b) "), "{said}");
        }
        // Rows that are too short have one sentence, each with the time that it would need.
        let first = compared.pairs[0].rows[0].clone();
        compared.pairs[0].rows = (1..=REASONS_MAX + 2)
            .map(|number| {
                let args = [("needed", Arg::Seconds(20.0 + number as f64)), ("seconds", Arg::Seconds(20.0))];
                let args = args.into_iter().map(|(name, arg)| (name.to_owned(), arg)).collect();
                let reason = judge::Reason { code: "compared_too_short".into(), args };
                Row { reason, verdict: RowVerdict::CannotTell, p: None, ..first.clone() }
            })
            .collect();
        let table = matrix(&Messages::of("en"), &compared, "x", "x");
        assert_eq!(table.notes.len(), 2, "{:?}", table.notes);
        assert_eq!(table.rows[2].cells[5].detail, "(a) · at least 23.0\u{a0}s needed");
        // More reasons than letters: the sentence stands in the row.
        compared.pairs[0].rows = (1..=REASONS_MAX + 2)
            .map(|count| {
                let mut row = first.clone();
                row.reason.args.insert("limit".to_owned(), Arg::Share(count as f64 / 100.0).given());
                row
            })
            .collect();
        let table = matrix(&Messages::of("en"), &compared, "x", "x");
        assert_eq!(table.notes.len(), REASONS_MAX + 1);
        assert!(table.rows.last().unwrap().cells[5].detail.contains("beyond ±14%"));
    }

    #[test]
    fn nothing_compared_is_no_chapter() {
        assert!(comparison(&Messages::of("en"), &[], &[]).is_none());
    }
}
