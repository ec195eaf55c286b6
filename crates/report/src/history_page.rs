//! The history of a study's requirements as a page: what changed since which run, one figure a requirement, and what was
//! kept apart.

use crate::charts::{changed, requirement_history};
use crate::document::{Block, Cell, Column, Document, NoteKind, Row, Section, Table, TitleBlock, number_sections};
use crate::frame::Frame;
use crate::html_page;
use crate::messages::{Messages, say};
use crate::number::clean;
use judge::archive::{Apart, Gate, Outcome, RequirementHistory, RunEntry, Search, Series};
use judge::comparison::RUNS_FEWEST;
use terms::Verdict;

/// Figures on a page; the table and the JSON have all.
const FIGURES_MAX: usize = 40;
/// Rows of what was kept apart or left out.
const ROWS_MAX: usize = 100;
/// Differences printed for each setting.
const DIFFERENCES_MAX: usize = 6;

/// A history with where it comes from.
#[derive(Clone, Copy, Debug)]
pub struct HistoryInput<'a> {
    /// Title of the study.
    pub study: &'a str,
    /// The folder in which the runs lie, as its user named it.
    pub folder: &'a str,
    pub history: &'a RequirementHistory,
    /// Folders that could not be read, each with its reason.
    pub left_out: &'a [(String, String)],
    /// Folders beyond the limit that were not read.
    pub not_read: usize,
}

/// The history as one HTML page in a language.
pub fn history_html(input: &HistoryInput<'_>, language: &str) -> String {
    let m = Messages::of(language);
    let document = document(input, &m);
    html_page::page_of_runs(&document, &m, (env!("CARGO_PKG_VERSION"), input.study))
}

/// Every table of the page as CSV, by its file's name under `tables`. English, as all that programs read.
pub fn history_tables(input: &HistoryInput<'_>) -> Vec<(String, Vec<u8>)> {
    let document = document(input, &Messages::of("en"));
    document.tables().into_iter().map(|table| (format!("{}.csv", table.name), crate::csv_table::csv(table))).collect()
}

/// The page as a document, the answer first.
pub(crate) fn document(input: &HistoryInput<'_>, m: &Messages) -> Document {
    let history = input.history;
    let mut sections = vec![in_short(m, history)];
    sections.extend(figures(m, history));
    sections.extend(verdicts(m, history));
    sections.extend(kept_apart(m, input));
    number_sections(&mut sections, &say!(m, "page-table"));
    let dates = history.runs.first().zip(history.runs.last());
    let mut facts = vec![
        (say!(m, "runs-folder"), clean(input.folder)),
        (say!(m, "archive-runs"), m.numbers.count(history.runs.len() as f64)),
    ];
    facts.extend(dates.map(|(first, last)| {
        (say!(m, "archive-from-to"), format!("{} – {}", day(&first.started), day(&last.started)))
    }));
    facts.extend(history.gate.as_ref().map(|gate| (say!(m, "archive-since"), clean(&gate.since.name))));
    let title =
        TitleBlock { title: say!(m, "archive-title", study = &clean(input.study)), facts, ..TitleBlock::default() };
    Document { language: m.language, title, sections, frame: Frame::default() }
}

/// The answer, and a row for each requirement.
fn in_short(m: &Messages, history: &RequirementHistory) -> Section {
    let mut section = Section::new("archive-summary", say!(m, "archive-summary"));
    let text = lead(m, history);
    section.add(Block::Paragraph { text, findings: Vec::new(), is_lead: true });
    if !history.series.is_empty() {
        section.add(Block::Table(table(m, history)));
        section.add(Block::Note { kind: NoteKind::Reading, text: say!(m, "archive-method") });
    }
    section
}

/// What a build server asks, where it does, else how many changed; why there is no history where no run counts.
pub(crate) fn lead(m: &Messages, history: &RequirementHistory) -> String {
    if let Some(why) = none_counts(m, history) {
        return why;
    }
    let Some(gate) = &history.gate else {
        if let Some(few) = few_runs(m, history) {
            return few;
        }
        let changed = history.series.iter().filter(|series| !series.shifts.is_empty()).count();
        return say!(m, "archive-changed", changed = changed, all = history.series.len());
    };
    let since = clean(&gate.since.name);
    match gate.outcome {
        Outcome::Worse => {
            say!(m, "archive-worse", count = gate.worse.len(), since = &since, which = &names(m, history, &gate.worse))
        }
        Outcome::NotWorse => {
            let said = say!(m, "archive-not-worse", since = &since, runs = gate.runs_after);
            [said, untold(m, history, gate)].join(" ").trim().to_owned()
        }
        Outcome::TooFew { more } => {
            say!(m, "archive-too-few", since = &since, more = more, which = &names(m, history, &gate.untold))
        }
        Outcome::NoDirection => say!(m, "archive-no-direction"),
    }
}

/// That no series is long enough; `None` where any is, or nothing is known of its length.
fn few_runs(m: &Messages, history: &RequirementHistory) -> Option<String> {
    let lengths: Option<Vec<(usize, usize)>> = history
        .series
        .iter()
        .map(|series| match series.search {
            Search::TooFew { have, needed } => Some((have, needed)),
            _ => None,
        })
        .collect();
    let (have, needed) = lengths?.into_iter().max()?;
    Some(say!(m, "archive-few-runs", have = have, needed = needed))
}

/// Why there is no history where no run counts, and what to type; `None` where any counts.
fn none_counts(m: &Messages, history: &RequirementHistory) -> Option<String> {
    let count = |why: Option<Apart>| history.runs.iter().filter(|run| run.apart == why).count();
    let (trials, invalid) = (count(Some(Apart::Trial)), count(Some(Apart::Invalid)));
    let kind = match (trials, invalid) {
        _ if count(None) > 0 => return None,
        (0, 0) => return None,
        (_, 0) => "trials",
        (0, _) => "invalid",
        _ => "both",
    };
    let all = trials + invalid;
    let (key, fewest) = ("archive-none-counts", RUNS_FEWEST);
    Some(say!(m, key, kind = kind, all = all, trials = trials, invalid = invalid, fewest = fewest))
}

/// Requirements that are no *must* and could not be searched.
fn untold(m: &Messages, history: &RequirementHistory, gate: &Gate) -> String {
    if gate.untold.is_empty() {
        return String::new();
    }
    say!(m, "archive-untold", which = &names(m, history, &gate.untold))
}

/// Requirements by name and scope; those of another setting than the newest run's with its number.
fn names(m: &Messages, history: &RequirementHistory, places: &[usize]) -> String {
    let named = |place: &usize| {
        let series = &history.series[*place];
        let setting = match series.setting {
            0 => String::new(),
            place => format!(", {} {}", say!(m, "archive-setting-in-text"), setting(place)),
        };
        clean(&format!("{} ({}{setting})", series.requirement, series.scope))
    };
    places.iter().map(named).collect::<Vec<_>>().join(", ")
}

fn table(m: &Messages, history: &RequirementHistory) -> Table {
    let is_mixed = history.settings.len() > 1;
    let mut columns = vec![Column::text(say!(m, "col-requirement"))];
    columns.extend(is_mixed.then(|| Column::number(say!(m, "archive-setting"), "")));
    columns.extend([
        Column::number(say!(m, "archive-runs"), ""),
        Column::number(say!(m, "archive-last"), ""),
        Column::text(say!(m, "archive-col-since")),
        Column::number(say!(m, "col-change"), ""),
        Column::number("p", ""),
        Column::text(say!(m, "archive-state")),
    ]);
    let row = |series: &Series| {
        let mut cells =
            vec![Cell::code(&series.requirement).with_detail(clean(&format!("{} · {}", series.scope, series.rule)))];
        cells.extend(is_mixed.then(|| Cell::number(setting(series.setting), series.setting as f64 + 1.0)));
        let count = |count: usize| Cell::number(m.numbers.count(count as f64), count as f64);
        let value = |value: f64| m.numbers.in_unit(value, &series.unit);
        cells.push(count(series.runs.len()));
        cells.push(
            series.last().map_or_else(Cell::missing, |last| Cell::number(value(last), last).in_unit(&series.unit)),
        );
        match series.last_shift() {
            Some(shift) => cells.extend([
                Cell::code(&history.runs[series.runs[shift.at]].id),
                Cell::number(changed(m, shift), shift.change()).with_detail(format!(
                    "{} → {}",
                    value(shift.before),
                    value(shift.after)
                )),
                Cell::number(m.numbers.value(shift.p), shift.p),
            ]),
            None => cells.extend([Cell::missing(), Cell::missing(), Cell::missing()]),
        }
        cells.push(Cell::text(state(m, series)));
        Row { is_strong: series.is_current && !series.shifts.is_empty(), ..Row::new(cells) }
    };
    Table {
        name: "archive-requirements".into(),
        caption: say!(m, "archive-table"),
        columns,
        rows: history.series.iter().map(row).collect(),
        notes: vec![say!(m, "archive-note")],
    }
}

/// A setting as readers see it: that of the newest run is 1.
fn setting(place: usize) -> String {
    (place + 1).to_string()
}

/// Whether it got worse or better, or why nobody can tell.
pub(crate) fn state(m: &Messages, series: &Series) -> String {
    let tendency = series.last_shift().map(|shift| shift.tendency.name());
    match series.search {
        Search::TooFew { have, needed } => say!(m, "archive-few", have = have, needed = needed),
        Search::TooFewAfterBase { have, needed } => say!(m, "archive-few-after", have = have, needed = needed),
        Search::ByVerdict => say!(m, "archive-by-verdict"),
        Search::Done => say!(m, "archive-tendency", tendency = tendency.unwrap_or("none")),
    }
}

/// Those of the newest runs' setting first; of each, those that changed.
fn figures(m: &Messages, history: &RequirementHistory) -> Option<Section> {
    let mut section = Section::new("archive-figures", say!(m, "archive-figures"));
    let mut order: Vec<(usize, &Series)> = history.series.iter().enumerate().collect();
    order.sort_by_key(|(_, series)| (series.setting, series.shifts.is_empty()));
    let drawn = order
        .into_iter()
        .filter_map(|(place, series)| requirement_history(m, history, series, &format!("fig-archive-{place}")));
    section.blocks.extend(drawn.take(FIGURES_MAX).map(Block::Figure));
    (!section.blocks.is_empty()).then_some(section)
}

/// Requirements without a direction: how often they were met, and since when they are what they are.
fn verdicts(m: &Messages, history: &RequirementHistory) -> Option<Section> {
    let all: Vec<&Series> = history.series.iter().filter(|series| series.search == Search::ByVerdict).collect();
    if all.is_empty() {
        return None;
    }
    let row = |series: &&Series| {
        let count = |wanted: Verdict| {
            let count = series.verdicts.iter().filter(|verdict| **verdict == wanted).count();
            Cell::number(m.numbers.count(count as f64), count as f64)
        };
        let last = series.verdicts.last().copied().unwrap_or(Verdict::CannotTell);
        let since = series.verdicts.iter().rposition(|verdict| *verdict != last).map_or(0, |place| place + 1);
        Row::new(vec![
            Cell::code(&series.requirement).with_detail(clean(&format!("{} · {}", series.scope, series.rule))),
            Cell {
                kind: crate::document::CellKind::Verdict(last),
                ..Cell::text(say!(m, "verdict-word", verdict = last.name()))
            },
            series.runs.get(since).map_or_else(Cell::missing, |run| Cell::code(&history.runs[*run].id)),
            count(Verdict::Met),
            count(Verdict::NotMet),
            count(Verdict::CannotTell),
        ])
    };
    let word = |verdict: Verdict| Column::count_of(&say!(m, "verdict-word", verdict = verdict.name()));
    let mut section = Section::new("archive-verdicts", say!(m, "archive-verdicts"));
    section.add(Block::Table(Table {
        name: "archive-by-verdict".into(),
        caption: say!(m, "archive-verdicts-table"),
        columns: vec![
            Column::text(say!(m, "col-requirement")),
            Column::text(say!(m, "col-verdict")),
            Column::text(say!(m, "archive-verdict-since")),
            word(Verdict::Met),
            word(Verdict::NotMet),
            word(Verdict::CannotTell),
        ],
        rows: all.iter().map(row).collect(),
        notes: Vec::new(),
    }));
    Some(section)
}

/// Runs that are in no series, runs of other settings, and folders that could not be read.
fn kept_apart(m: &Messages, input: &HistoryInput<'_>) -> Option<Section> {
    let history = input.history;
    let mut section = Section::new("archive-apart", say!(m, "archive-apart"));
    if history.settings.len() > 1 {
        section.add(Block::Table(settings(m, history)));
    }
    let apart: Vec<(&RunEntry, Apart)> = history.runs.iter().filter_map(|run| Some((run, run.apart?))).collect();
    let apart = apart.iter().map(|(run, why)| [run.folder.clone(), say!(m, "archive-why", why = why.name())]);
    let left = input.left_out.iter().map(|(folder, why)| [folder.clone(), why.clone()]);
    let rows: Vec<[String; 2]> = apart.chain(left).collect();
    if !rows.is_empty() {
        let row = |[folder, why]: &[String; 2]| Row::new(vec![Cell::code(folder), Cell::text(clean(why))]);
        let more = rows.len().saturating_sub(ROWS_MAX);
        section.add(Block::Table(Table {
            name: "archive-left-out".into(),
            caption: say!(m, "archive-left-out"),
            columns: vec![Column::text(say!(m, "runs-folder")), Column::text(say!(m, "archive-why-column"))],
            rows: rows.iter().take(ROWS_MAX).map(row).collect(),
            notes: (more > 0).then(|| say!(m, "archive-more", more = more)).into_iter().collect(),
        }));
    }
    if input.not_read > 0 {
        section.say(say!(m, "archive-not-read", folders = input.not_read));
    }
    (!section.blocks.is_empty()).then_some(section)
}

fn settings(m: &Messages, history: &RequirementHistory) -> Table {
    let row = |(place, found): (usize, &judge::archive::Setting)| {
        let shown = found.differs.iter().take(DIFFERENCES_MAX).map(|difference| crate::compared::said(m, difference));
        let mut shown: Vec<String> = shown.collect();
        let more = found.differs.len().saturating_sub(DIFFERENCES_MAX);
        shown.extend((more > 0).then(|| say!(m, "archive-more", more = more)));
        let text = if place == 0 { say!(m, "archive-newest") } else { shown.join("; ") };
        Row::new(vec![
            Cell::number(setting(place), place as f64 + 1.0),
            Cell::number(m.numbers.count(found.runs as f64), found.runs as f64),
            Cell::text(text),
        ])
    };
    Table {
        name: "archive-settings".into(),
        caption: say!(m, "archive-settings"),
        columns: vec![
            Column::number(say!(m, "archive-setting"), ""),
            Column::number(say!(m, "archive-runs"), ""),
            Column::text(say!(m, "archive-differs")),
        ],
        rows: history.settings.iter().enumerate().take(ROWS_MAX).map(row).collect(),
        notes: Vec::new(),
    }
}

/// The day of a start.
fn day(started: &str) -> String {
    clean(&started.chars().take("2026-11-21".len()).collect::<String>())
}

#[cfg(test)]
mod tests;
