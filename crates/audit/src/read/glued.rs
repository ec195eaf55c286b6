//! Tables whose cells have run together, as they come out of a wiki's page saved as text.
//!
//! Cells are taken apart only where the text itself says how: numbers with one common count of decimals, instants that
//! have a form of their own, changes that must fit the figures before them. Where two ways remain, the cell stays empty.

use crate::model::{Row, Table};
use regex::Regex;
use std::sync::LazyLock;

/// Lines that are looked at for the first row below the headings.
const AHEAD_MAX: usize = 40;
/// Longest heading of a column.
const HEADING_MAX: usize = 40;
/// Longest line that is taken apart.
const LINE_MAX: usize = 2000;

/// Expressions that are written here cannot be wrong, which a test shows by using them.
fn expression(text: &str) -> Option<Regex> {
    Regex::new(text).ok()
}

static INSTANTS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression(
        r"^(\d{1,9}?)(20\d\d-\d\d-\d\d[_T ]\d\d[-:]\d\d[-:]\d\d)(20\d\d-\d\d-\d\d[_T ]\d\d[-:]\d\d[-:]\d\d)(.*)$",
    )
});
static PAIR: LazyLock<Option<Regex>> =
    LazyLock::new(|| expression(r"^(\p{Lu}[\p{L} ]*(?:\([\p{L}%/]+\))?)(\d[\d.,]*)$"));
static FIGURES: LazyLock<Option<Regex>> =
    LazyLock::new(|| expression(r"^(.*?[^\d.,])((?:\d{1,4}\.\d{3}(?:\*{1,2})?(?: ?\([^()]{1,12}\))?){4,})$"));
static FIGURE: LazyLock<Option<Regex>> =
    LazyLock::new(|| expression(r"\d{1,4}\.\d{3}(?:\*{1,2})?(?: ?\([^()]{1,12}\))?"));
static UNIT_HEADS: LazyLock<Option<Regex>> = LazyLock::new(|| expression(r"[^()]{2,30}\((?:ms|s|sec|seconds|MB|%)\)"));
static SHARES: LazyLock<Option<Regex>> = LazyLock::new(|| expression(r"(-?\d+(?:[.,]\d+)?) ?%"));

/// A table that begins at a line, and the line behind it.
pub(super) fn table(lines: &[&str], at: usize) -> Option<(Table, usize)> {
    if lines[at].len() > LINE_MAX {
        return None;
    }
    pairs(lines, at).or_else(|| decimals(lines, at)).or_else(|| instants(lines, at))
}

/// `Events16753779` over `Time (s)1862.901`: words and one figure each, two lines at least.
fn pairs(lines: &[&str], at: usize) -> Option<(Table, usize)> {
    let pair = PAIR.as_ref()?;
    let mut rows = Vec::new();
    let mut end = at;
    while let Some(found) = lines.get(end).filter(|line| line.len() < 80).and_then(|line| pair.captures(line.trim())) {
        rows.push(Row { line: end + 1, cells: vec![found[1].trim().to_owned(), found[2].to_owned()] });
        end += 1;
    }
    (rows.len() >= 2).then(|| (Table { header: vec![String::new(); 2], rows, is_rebuilt: true }, end))
}

/// `AVG (sec)95 PCTL (sec)…` over rows of figures with three decimals each.
fn decimals(lines: &[&str], at: usize) -> Option<(Table, usize)> {
    let (heads, figures, figure) = (UNIT_HEADS.as_ref()?, FIGURES.as_ref()?, FIGURE.as_ref()?);
    let heads: Vec<String> = heads.find_iter(lines[at]).map(|head| head.as_str().trim().to_owned()).collect();
    if heads.len() < 4 || heads.iter().map(String::len).sum::<usize>() + heads.len() < lines[at].trim().len() {
        return None;
    }
    let mut header = vec![String::new()];
    header.extend(heads);
    let mut rows = Vec::new();
    let mut end = at + 1;
    while let Some(found) =
        lines.get(end).filter(|line| line.len() <= LINE_MAX).and_then(|line| figures.captures(line.trim()))
    {
        let mut cells = vec![found[1].trim().to_owned()];
        cells.extend(figure.find_iter(&found[2]).map(|cell| cell.as_str().to_owned()));
        if cells.len() != header.len() {
            break;
        }
        rows.push(Row { line: end + 1, cells });
        end += 1;
    }
    (!rows.is_empty()).then_some((Table { header, rows, is_rebuilt: true }, end))
}

/// Headings in lines of their own, then rows with two instants in their middle.
fn instants(lines: &[&str], at: usize) -> Option<(Table, usize)> {
    let instants = INSTANTS.as_ref()?;
    let mut header: Vec<String> = Vec::new();
    let mut place = at;
    loop {
        let line = lines.get(place)?.trim();
        if instants.is_match(line) {
            break;
        }
        if line.chars().count() > HEADING_MAX || place > at + AHEAD_MAX || line.ends_with(['.', ':']) {
            return None;
        }
        let goes_on = line.starts_with('(') || line.chars().next().is_some_and(char::is_lowercase);
        match header.last_mut() {
            Some(last) if goes_on => *last = format!("{last} {line}"),
            _ if !line.is_empty() => header.push(line.to_owned()),
            _ => {}
        }
        place += 1;
    }
    let mut rows: Vec<Row> = Vec::new();
    let mut before: Vec<f64> = Vec::new();
    let mut rates: Vec<f64> = Vec::new();
    let mut skipped = 0;
    let mut end = place;
    let mut look = place;
    while let Some(line) = lines.get(look).filter(|line| line.len() <= LINE_MAX) {
        look += 1;
        let Some(found) = instants.captures(line.trim()) else {
            // Empty cells at a row's end leave blank lines and dashes behind.
            skipped += 1;
            if skipped > 3 || !(line.trim().is_empty() || line.trim() == "-") {
                break;
            }
            continue;
        };
        skipped = 0;
        end = look;
        let in_front = header.len().saturating_sub(3).min(3);
        let front = split_front(&found[1], rows.len() + 1, in_front, &before)?;
        before = front.iter().filter_map(|cell| cell.parse().ok()).collect();
        let mut cells = front;
        cells.extend([found[2].to_owned(), found[3].to_owned()]);
        cells.extend(split_tail(&found[4], &mut rates));
        cells.truncate(header.len());
        rows.push(Row { line: look, cells });
    }
    (header.len() >= 5 && rows.len() >= 2).then_some((Table { header, rows, is_rebuilt: true }, end))
}

/// `3112` as iteration 3, then the cells behind it: of all ways, the one nearest to the row before.
fn split_front(digits: &str, number: usize, columns: usize, before: &[f64]) -> Option<Vec<String>> {
    let first = number.to_string();
    let rest = digits.strip_prefix(&first)?;
    let ways: Vec<Vec<String>> = match columns {
        1 if rest.is_empty() => vec![Vec::new()],
        2 => vec![vec![rest.to_owned()]],
        3 => (1..rest.len()).map(|at| vec![rest[..at].to_owned(), rest[at..].to_owned()]).collect(),
        _ => Vec::new(),
    };
    let distance = |way: &Vec<String>| -> f64 {
        let apart = |(cell, before): (&String, &f64)| {
            let value: f64 = cell.parse().unwrap_or(f64::MAX);
            (value.max(1e-9) / before.max(1e-9)).ln().abs()
        };
        way.iter().zip(before.iter().skip(1)).map(apart).sum()
    };
    let fitting = ways.into_iter().filter(|way| way.iter().all(|cell| !cell.is_empty() && !cell.starts_with('0')));
    let best = fitting.min_by(|one, other| distance(one).total_cmp(&distance(other)))?;
    Some([vec![first], best].concat())
}

/// `23,1828%36%0,02%`: a rate, its change against an earlier rate, and further shares.
fn split_tail(text: &str, rates: &mut Vec<f64>) -> Vec<String> {
    let Some(shares) = SHARES.as_ref() else { return Vec::new() };
    let value = |text: &str| text.replace(',', ".").parse::<f64>().ok();
    let text = text.trim().trim_end_matches('-').trim();
    let Some(first) = shares.find(text) else {
        rates.extend(value(text));
        return vec![text.to_owned()];
    };
    let end = first.end();
    let glued = text[..end].trim_end_matches('%').trim();
    let rest: Vec<String> = shares.find_iter(&text[end..]).map(|share| share.as_str().to_owned()).collect();
    let fits = |at: &usize| {
        let (rate, change) = (value(&glued[..*at])?, value(&glued[*at..])?);
        let is_plain = !glued[..*at].ends_with(['.', ',', '-']) && !glued[*at..].starts_with(['.', ',']);
        // Against the rate before, or the best so far: rounded or cut.
        let best = rates.iter().copied().reduce(f64::max);
        let bases = [rates.last().copied(), best];
        let is_fitting = bases.into_iter().flatten().any(|base| (100.0 * (rate / base - 1.0) - change).abs() < 1.0);
        (is_plain && is_fitting).then_some(rate)
    };
    let ways: Vec<usize> = (1..glued.len()).filter(|at| glued.is_char_boundary(*at) && fits(at).is_some()).collect();
    let [at] = ways[..] else {
        return [vec![String::new(), String::new()], rest].concat();
    };
    rates.extend(value(&glued[..at]));
    [vec![glued[..at].to_owned(), format!("{}%", &glued[at..])], rest].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Table, usize) {
        let lines: Vec<&str> = text.lines().collect();
        table(&lines, 0).unwrap()
    }

    /// Rates, changes and aims of a published test, as its wiki prints them into a text.
    #[test]
    fn rows_around_instants_are_taken_apart_by_their_own_arithmetic() {
        let text = "Iteration\n\nThreads\n\nNodes\n\nBegin\n\nEnd\n\nThroughput\n\n(calls per second)\n\nChange\n\nAim\n\nErrors\n\
                    1522020-12-10_13-15-382020-12-10_13-20-492,76\n\n-\n\
                    2822020-12-10_13-21-552020-12-10_13-27-034,1951 %36 %0,08 %\n\
                    31122020-12-10_13-27-572020-12-10_13-33-074,241 %22 %0,47 %\n\
                    41132020-12-10_13-34-142020-12-10_13-39-217,269 %30 %0,05 %\n\
                    51142020-12-10_13-40-202020-12-10_13-45-306,25-13 %19 %-\n\nThen words.\n";
        let (table, end) = read(text);
        assert_eq!(table.header[5], "Throughput (calls per second)");
        let cell = |row: usize, column: usize| table.rows[row].cells[column].as_str();
        assert_eq!((cell(2, 1), cell(2, 2)), ("11", "2"));
        assert_eq!((cell(3, 1), cell(3, 2), cell(3, 5), cell(3, 6)), ("11", "3", "7,2", "69%"));
        assert_eq!((cell(4, 5), cell(4, 6), cell(1, 8)), ("6,25", "-13%", "0,08 %"));
        assert_eq!(table.rows.len(), 5);
        assert_eq!(text.lines().nth(end + 1), Some("Then words."));
    }

    #[test]
    fn figures_with_three_decimals_and_pairs() {
        let (table, _) =
            read("AVG (sec)95 PCTL (sec)AVG (sec)95 PCTL (sec)\nR_1GET a/b0.0190.0240.0200.038 (+58%)\nend");
        assert_eq!(table.rows[0].cells, ["R_1GET a/b", "0.019", "0.024", "0.020", "0.038 (+58%)"]);
        assert_eq!(table.header[2], "95 PCTL (sec)");
        let (table, end) = read("Events16753779\nTime (s)1862.901\nMean TPS8993.381291\n");
        assert_eq!(table.rows[1].cells, ["Time (s)", "1862.901"]);
        assert_eq!(end, 3);
    }

    #[test]
    fn words_are_no_tables() {
        for text in ["Version 2\nVersion2 is here", "A\n\nB\n\nwords that are a sentence.\n", "Java8\n\nmore"] {
            let lines: Vec<&str> = text.lines().collect();
            assert!(table(&lines, 0).is_none(), "{text}");
        }
    }
}
