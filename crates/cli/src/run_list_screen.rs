//! The list of runs in a terminal: one line each.

use crate::output::{self, put};
use crate::words::{grouped, short};
use report::{JudgedRun, ListedRun, ListedState, Listing};
use std::io::IsTerminal;
use terms::{EndReason, Nanos, Validity, Verdict};

/// Narrowest that a study's title and a folder's name may become; a title without that room is left out.
const STUDY_MIN: usize = 8;
const FOLDER_MIN: usize = 10;
/// Widest that remarks may become.
const REMARKS_MAX: usize = 24;
const GAP: &str = "  ";

/// A run in columns; one that was not judged has a message in place of the figures.
struct Line {
    started: String,
    study: String,
    cells: Result<Cells, Message>,
    folder: String,
}

/// Verdicts, remarks, rate, p95, failures.
type Cells = [Cell; 5];

#[derive(Default)]
struct Cell {
    text: String,
    code: &'static str,
}

struct Message {
    text: String,
    code: &'static str,
    /// Whether it names the folder already, in a command to type.
    has_folder: bool,
}

const HEADS: [&str; 5] = ["verdicts", "remarks", "rate", "p95", "failed"];
/// Which of them are numbers, set flush right.
const IS_NUMBER: [bool; 5] = [false, false, true, true, true];

/// Shows the list on standard output.
pub(crate) fn show(listing: &Listing) {
    let is_terminal = std::io::stdout().is_terminal();
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok().map(|size| usize::from(size.ws_col));
    // What is piped into another program keeps its names whole.
    let width = if is_terminal { size.filter(|&width| width > 0) } else { None };
    let has_colours = is_terminal && std::env::var_os("NO_COLOR").is_none();
    for line in lines(&listing.runs, width, has_colours) {
        output::output(&line, true);
    }
    if listing.left_out > 0 {
        put!("{} more folders were not read", grouped(listing.left_out as u64));
    }
}

/// Heads and runs as lines of at most this width where there is one.
fn lines(runs: &[ListedRun], width: Option<usize>, has_colours: bool) -> Vec<String> {
    let table: Vec<Line> = runs.iter().map(line).collect();
    let cell_widths: [usize; 5] = std::array::from_fn(|column| {
        let cells = table.iter().filter_map(|line| line.cells.as_ref().ok());
        let widest = cells.map(|cells| length(&cells[column].text)).max().unwrap_or(0);
        // A column in which nothing stands is left out.
        if widest == 0 { 0 } else { widest.max(length(HEADS[column])) }
    });
    let started = "started (UTC)".len().max(table.iter().map(|line| length(&line.started)).max().unwrap_or(0));
    let cells: usize = cell_widths.iter().filter(|width| **width > 0).map(|width| width + GAP.len()).sum();
    let (study, folder) = names(&table, width.map(|width| width.saturating_sub(started + cells)));
    let paint = |code: &str, text: &str| {
        let text = output::plain(text);
        if has_colours && !code.is_empty() { format!("\x1b[{code}m{text}\x1b[0m") } else { text }
    };
    let start = |when: &str, title: &str| {
        let title = if study > 0 { format!("{GAP}{:<study$}", shortened(title, study)) } else { String::new() };
        format!("{when:<started$}{title}")
    };
    let in_columns = |cells: [(&str, &str); 5]| {
        let mut text = String::new();
        for ((cell, code), (width, is_number)) in cells.into_iter().zip(cell_widths.into_iter().zip(IS_NUMBER)) {
            if width > 0 {
                let padded = if is_number { format!("{cell:>width$}") } else { format!("{cell:<width$}") };
                text = format!("{text}{GAP}{}", paint(code, &padded));
            }
        }
        text
    };
    let head = format!("{}{}{GAP}folder", start("started (UTC)", "study"), in_columns(HEADS.map(|head| (head, ""))));
    let mut lines = vec![paint("2", &head)];
    for line in &table {
        let begin = paint("", &start(&line.started, &line.study));
        lines.push(match &line.cells {
            Ok(cells) => {
                let cells = in_columns(cells.each_ref().map(|cell| (cell.text.as_str(), cell.code)));
                format!("{begin}{cells}{GAP}{}", paint("", &shortened(&line.folder, folder)))
            }
            Err(message) if message.has_folder => format!("{begin}{GAP}{}", paint(message.code, &message.text)),
            Err(message) => {
                let used = length(&start("", "")) + 2 * GAP.len() + folder.min(length(&line.folder));
                let room = width.map_or(usize::MAX, |width| width.saturating_sub(used).max(FOLDER_MIN));
                let text = paint(message.code, &ended(&message.text, room));
                format!("{begin}{GAP}{text}{GAP}{}", paint("", &shortened(&line.folder, folder)))
            }
        });
    }
    lines
}

/// Room for titles of studies and for names of folders, in what the other columns leave. Titles get a third at most,
/// since a folder's name is what other commands take.
fn names(table: &[Line], room: Option<usize>) -> (usize, usize) {
    let widest = |of: fn(&Line) -> &String| table.iter().map(|line| length(of(line))).max().unwrap_or(0);
    let study = widest(|line| &line.study).max("study".len());
    let folder = widest(|line| &line.folder).max("folder".len());
    let Some(room) = room.filter(|room| study + folder + 2 * GAP.len() > *room) else { return (study, folder) };
    let both = room.saturating_sub(2 * GAP.len());
    let title = study.min((both / 3).max(both.saturating_sub(folder)));
    if title < STUDY_MIN.min(study) {
        return (0, room.saturating_sub(GAP.len()).max(FOLDER_MIN).min(folder));
    }
    (title, (both - title).max(FOLDER_MIN))
}

fn line(run: &ListedRun) -> Line {
    let message = |text: String, code, has_folder| Err(Message { text, code, has_folder });
    Line {
        started: run.started.as_deref().map_or_else(|| "–".to_owned(), minute),
        study: run.study.clone().unwrap_or_else(|| "–".to_owned()),
        cells: match &run.state {
            ListedState::Judged(judged) => Ok(cells(judged, run.is_trial)),
            ListedState::NotJudged { command } => message(format!("not judged: {command}"), "33", true),
            ListedState::Running => message("still running".to_owned(), "36", false),
            ListedState::Damaged { reason } => message(format!("damaged: {reason}"), "31", false),
        },
        folder: run.folder.clone(),
    }
}

fn cells(judged: &JudgedRun, is_trial: bool) -> Cells {
    let word = |verdict| match verdict {
        Verdict::Met => "met",
        Verdict::NotMet => "not met",
        Verdict::CannotTell => "undecided",
    };
    let some: Vec<_> = judged.verdicts.iter().filter(|(_, count)| *count > 0).collect();
    let verdicts = some.iter().map(|(verdict, count)| format!("{count} {}", word(*verdict))).collect::<Vec<_>>();
    let has = |verdict| some.iter().any(|(found, _)| *found == verdict);
    let code = match () {
        () if has(Verdict::NotMet) => "31",
        () if has(Verdict::CannotTell) => "33",
        () if some.is_empty() => "",
        () => "32",
    };
    let number = |text: String| Cell { text, code: "" };
    let [rate, p95, failed] = figures(judged).map(number);
    let verdicts = if verdicts.is_empty() { "–".to_owned() } else { verdicts.join(", ") };
    [Cell { text: verdicts, code }, remarks(judged, is_trial), rate, p95, failed]
}

/// What must not be overlooked beside the verdicts.
fn remarks(judged: &JudgedRun, is_trial: bool) -> Cell {
    let validity = Some(judged.validity.name()).filter(|_| judged.validity != Validity::Valid);
    let end = match judged.end {
        EndReason::Completed => None,
        EndReason::Aborted => Some("aborted"),
        EndReason::Interrupted => Some("interrupted"),
        EndReason::Generator => Some("generator failed"),
        EndReason::Target => Some("target unusable"),
    };
    let all: Vec<&str> = [validity, is_trial.then_some("trial"), end].into_iter().flatten().collect();
    let code = if judged.validity == Validity::Invalid { "31" } else { "33" };
    Cell { text: ended(&all.join(", "), REMARKS_MAX), code }
}

/// Rate, p95 of the slowest exchange, failures.
fn figures(judged: &JudgedRun) -> [String; 3] {
    let missing = || "–".to_owned();
    let Some(hold) = &judged.hold else { return std::array::from_fn(|_| missing()) };
    let p95 = hold.slowest.as_ref().map(|slowest| {
        let bound = if slowest.is_lower_bound { "≥" } else { "" };
        format!("{bound}{}", short(Nanos((slowest.p95_ms * 1e6) as i64)))
    });
    [hold.achieved_per_s.map_or_else(missing, rate), p95.unwrap_or_else(missing), grouped(hold.failed)]
}

/// Three digits: `0.50/s`, `99.9/s`, `12,346/s`.
fn rate(per_s: f64) -> String {
    match per_s {
        99.95.. => format!("{}/s", grouped(per_s.round() as u64)),
        9.995.. => format!("{per_s:.1}/s"),
        _ => format!("{per_s:.2}/s"),
    }
}

/// A start to the minute.
fn minute(started: &str) -> String {
    started.chars().take("2026-11-21T10:00".len()).collect::<String>().replace('T', " ")
}

fn length(text: &str) -> usize {
    text.chars().count()
}

/// A name cut in the middle, where names of runs differ least.
fn shortened(name: &str, width: usize) -> String {
    if length(name) <= width {
        return name.to_owned();
    }
    let kept = width.saturating_sub(1);
    let (begin, end) = (kept / 2, kept - kept / 2);
    let begin: String = name.chars().take(begin).collect();
    let end: String = name.chars().skip(length(name) - end).collect();
    format!("{begin}…{end}")
}

/// A sentence cut at its end.
fn ended(text: &str, width: usize) -> String {
    if length(text) <= width {
        return text.to_owned();
    }
    let begin: String = text.chars().take(width.saturating_sub(1)).collect();
    format!("{begin}…")
}

#[cfg(test)]
mod tests {
    use super::*;
    use report::{HoldFigures, Slowest};

    fn judged(counts: [usize; 3], validity: Validity) -> ListedState {
        let verdicts = [Verdict::Met, Verdict::NotMet, Verdict::CannotTell];
        let slowest = Slowest { exchange: "records".into(), p95_ms: 30_000.0, is_lower_bound: true };
        let hold = HoldFigures {
            scenario: "steady".into(),
            step: "hold".into(),
            achieved_per_s: Some(12_345.6),
            slowest: Some(slowest),
            failed: 12_345,
        };
        ListedState::Judged(JudgedRun {
            validity,
            end: EndReason::Completed,
            verdicts: std::array::from_fn(|at| (verdicts[at], counts[at])),
            hold: Some(hold),
        })
    }

    fn run(study: &str, state: ListedState) -> ListedRun {
        ListedRun {
            folder: "2026-11-21T10-00-05Z-collection-service".into(),
            link: None,
            started: Some("2026-11-21T10:00:05.123Z".into()),
            study: Some(study.into()),
            is_trial: false,
            state,
        }
    }

    #[test]
    fn a_run_is_one_line_in_columns() {
        let command = "loadproof report runs/x".to_owned();
        let damaged = ListedState::Damaged { reason: "`result.json` is a pipe".into() };
        let runs = [
            run("Shop", judged([4, 1, 2], Validity::Valid)),
            run("Till", judged([0, 0, 0], Validity::Invalid)),
            run("Shop", ListedState::NotJudged { command }),
            run("Shop", damaged),
        ];
        let lines = lines(&runs, None, false);
        assert_eq!(
            lines[0],
            "started (UTC)     study  verdicts                       remarks      rate     p95  failed  folder"
        );
        assert_eq!(
            lines[1],
            "2026-11-21 10:00  Shop   4 met, 1 not met, 2 undecided           12,346/s  ≥30.0s  12,345  \
             2026-11-21T10-00-05Z-collection-service"
        );
        assert!(lines[2].contains("  Till   –  ") && lines[2].contains("  invalid  "), "{}", lines[2]);
        assert_eq!(lines[3], "2026-11-21 10:00  Shop   not judged: loadproof report runs/x");
        assert!(lines[4].contains("damaged: `result.json` is a pipe  2026-"), "{}", lines[4]);
    }

    #[test]
    fn columns_fit_a_hundred_characters_and_names_give_way() {
        let damaged = ListedState::Damaged { reason: format!("`result.json` {}", "x".repeat(200)) };
        let long = "Collection service of the national library";
        let few = [run(long, judged([9, 0, 0], Validity::Valid)), run(long, ListedState::Running), run(long, damaged)];
        let text = lines(&few, Some(100), false);
        assert!(text.iter().all(|line| length(line) <= 100), "{text:#?}");
        assert!(
            text[1].contains("Collec…library") && text[1].ends_with("-service") && text[1].contains("2026-"),
            "{text:#?}"
        );
        let mut many = [run(long, judged([4, 1, 2], Validity::Questionable))];
        many[0].is_trial = true;
        let text = lines(&many, Some(100), false);
        assert!(!text[0].contains("study"), "without room for a title, the folder's name tells the study: {text:#?}");
        assert!(text[1].contains("questionable, trial"), "{text:#?}");
    }

    #[test]
    fn colours_are_added_to_what_is_aligned_already() {
        let lines = |colours| lines(&[run("Shop", judged([4, 1, 0], Validity::Valid))], None, colours);
        assert!(lines(true)[1].contains("\x1b[31m4 met, 1 not met\x1b[0m"));
        let plain: String = lines(true)[1].replace("\x1b[31m", "").replace("\x1b[0m", "");
        assert_eq!(plain, lines(false)[1]);
    }

    #[test]
    fn figures_have_three_digits_and_names_keep_both_ends() {
        assert_eq!([0.5, 9.996, 99.96, 12_345.6].map(rate), ["0.50/s", "10.0/s", "100/s", "12,346/s"]);
        assert_eq!(shortened("2026-11-21T10-00-05Z-shop", 13), "2026-1…Z-shop");
        assert_eq!(shortened("shop", 4), "shop");
    }
}
