//! The runs of a folder as one page, with a link to each one's report.

use crate::html_page::{self, SCRIPT};
use crate::marks::glyph;
use crate::messages::{Messages, say};
use crate::number::{MISSING, Numbers, clean};
use askama::Template;
use judge::Arg;
use terms::{EndReason, Validity, Verdict};

/// Runs of one folder, newest first.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// The folder, as its user named it.
    pub folder: String,
    pub runs: Vec<ListedRun>,
    /// Folders beyond the limit that were not read.
    pub left_out: usize,
}

/// One run folder, as far as its files tell.
#[derive(Clone, Debug)]
pub struct ListedRun {
    /// Name of its folder.
    pub folder: String,
    /// Address of its report relative to the page, percent-encoded; `None` where there is no report.
    pub link: Option<String>,
    /// Start as ISO 8601 UTC.
    pub started: Option<String>,
    /// Title of the study.
    pub study: Option<String>,
    pub is_trial: bool,
    pub state: ListedState,
}

/// What became of a run.
#[derive(Clone, Debug)]
pub enum ListedState {
    Judged(JudgedRun),
    /// There is no `result.json`: it was killed, or never judged.
    NotJudged {
        /// What judges it, ready to be typed.
        command: String,
    },
    Running,
    /// Its files cannot be read.
    Damaged {
        reason: String,
    },
}

/// A judged run in one line.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedRun {
    pub validity: Validity,
    /// How it ended.
    pub end: EndReason,
    /// Requirements that are met, not met and undecided.
    pub verdicts: [(Verdict, usize); 3],
    /// `None` where nothing was sent.
    pub hold: Option<HoldFigures>,
}

/// Figures of the first hold of the first scenario with load, of all parts of a mix together.
#[derive(Clone, Debug, PartialEq)]
pub struct HoldFigures {
    pub scenario: String,
    pub step: String,
    /// `None` for a step that is too short to have rates.
    pub achieved_per_s: Option<f64>,
    /// The exchange with the greatest p95 of successful calls.
    pub slowest: Option<Slowest>,
    /// Iterations that failed.
    pub failed: u64,
}

/// An exchange and its p95.
#[derive(Clone, Debug, PartialEq)]
pub struct Slowest {
    pub exchange: String,
    pub p95_ms: f64,
    /// Whether timeouts cap it.
    pub is_lower_bound: bool,
}

/// Narrow windows show a run as a card, since eight columns have no room there.
const STYLE: &str = "\
.page.runs{display:block}.runs th.n{white-space:normal}.runs td.name{font-weight:600;min-width:6.5rem;overflow-wrap:break-word}\
.runs td small{font-weight:400}.runs td .pill{margin-right:.15rem}.runs tr td.code{padding-left:.7rem;min-width:10rem;overflow-wrap:anywhere}\
@media screen and (max-width:64rem){.runs thead{display:none}.runs table,.runs tbody{display:block}\
.runs .scroll{overflow:visible;background:none}\
.runs tr{display:grid;grid-template-columns:1fr 1fr auto;gap:.3rem 1rem;padding:.9rem 0;border-bottom:1px solid var(--rule)}\
.runs td{display:block;grid-column:1/-1;border:0;padding:0;min-width:0;text-align:left}.runs td.name{order:-1}\
.runs tr td.code{padding:0;min-width:0;max-width:none}.runs td.verdicts{grid-column:span 2}.runs td.validity{grid-column:auto}\
.runs td[data-label]{grid-column:auto}\
.runs td[data-label]::before{content:attr(data-label);display:block;color:var(--ink-3);font-size:.82em;white-space:normal}}\
@media print{.runs table{font-size:6.8pt}.runs th,.runs td{padding-right:.35rem}.runs tr td.code{min-width:8rem}}";

#[derive(Template)]
#[template(path = "runs.html")]
struct Page {
    language: &'static str,
    version: &'static str,
    policy: String,
    style: String,
    script: &'static str,
    words: Words,
    facts: Vec<(String, String)>,
    rows: Vec<RowView>,
}

struct Words {
    title: String,
    theme: String,
    none: String,
    started: String,
    study: String,
    verdicts: String,
    validity: String,
    rate: String,
    slowest: String,
    failed: String,
    folder: String,
    notes: Vec<String>,
    footer: String,
}

/// A run as the page sets it.
#[derive(Default)]
struct RowView {
    started: String,
    study: String,
    link: Option<String>,
    /// What must be seen beside the study: trial, aborted.
    marks: String,
    /// Class and text of each verdict that there is.
    verdicts: Vec<(&'static str, String)>,
    /// Class and word.
    validity: (&'static str, String),
    rate: String,
    place: String,
    p95: String,
    exchange: String,
    failed: String,
    folder: String,
    /// What stands in place of the figures, and the command that helps.
    problem: Option<(String, String)>,
}

/// The runs of a folder as one HTML page in a language.
pub fn runs_html(listing: &Listing, language: &str) -> String {
    let m = Messages::of(language);
    let style = format!("{}{STYLE}", html_page::style(&listing.folder));
    let mut facts = vec![
        (say!(m, "runs-folder"), clean(&listing.folder)),
        (say!(m, "runs-count"), m.numbers.count(listing.runs.len() as f64)),
    ];
    if listing.left_out > 0 {
        facts.push((say!(m, "runs-left-out"), m.numbers.count(listing.left_out as f64)));
    }
    let page = Page {
        language: m.language,
        version: env!("CARGO_PKG_VERSION"),
        policy: html_page::policy(&style),
        style,
        script: SCRIPT,
        words: words(&m),
        facts,
        rows: listing.runs.iter().map(|run| row(&m, run)).collect(),
    };
    let html = page.render().expect("invariant: rendering to memory cannot fail");
    crate::number::bounded(&html, usize::MAX)
}

fn words(m: &Messages) -> Words {
    Words {
        title: say!(m, "runs-title"),
        theme: say!(m, "page-theme"),
        none: say!(m, "runs-none"),
        started: say!(m, "runs-started"),
        study: say!(m, "title-study"),
        verdicts: say!(m, "runs-verdicts"),
        validity: say!(m, "col-validity"),
        rate: say!(m, "runs-rate"),
        slowest: say!(m, "runs-slowest"),
        failed: say!(m, "col-failed"),
        folder: say!(m, "runs-folder"),
        notes: vec![say!(m, "runs-note-hold"), say!(m, "runs-note-times")],
        footer: say!(m, "runs-footer"),
    }
}

fn row(m: &Messages, run: &ListedRun) -> RowView {
    let mut marks: Vec<String> = run.is_trial.then(|| say!(m, "mark-trial")).into_iter().collect();
    let mut view = RowView {
        started: run.started.as_deref().map_or_else(|| MISSING.to_owned(), minute),
        study: clean(run.study.as_deref().unwrap_or(&run.folder)),
        link: run.link.clone(),
        folder: clean(&run.folder),
        ..RowView::default()
    };
    match &run.state {
        ListedState::Judged(judged) => {
            marks.extend(ending(m, judged.end));
            fill(&mut view, m, judged);
        }
        ListedState::NotJudged { command } => view.problem = Some((say!(m, "runs-not-judged"), clean(command))),
        ListedState::Running => view.problem = Some((say!(m, "runs-running"), String::new())),
        ListedState::Damaged { reason } => {
            view.problem = Some((say!(m, "runs-damaged", reason = reason), String::new()));
        }
    }
    view.marks = marks.join(" · ");
    view
}

fn fill(view: &mut RowView, m: &Messages, judged: &JudgedRun) {
    view.validity = (judged.validity.name(), say!(m, "validity-word", validity = judged.validity.name()));
    let some = judged.verdicts.iter().filter(|(_, count)| *count > 0);
    let pill = |&(verdict, count): &(Verdict, usize)| {
        let word = say!(m, "verdict-word", verdict = verdict.name());
        (verdict.name(), format!("{} {} {word}", glyph(verdict), m.numbers.count(count as f64)))
    };
    view.verdicts = some.map(pill).collect();
    let Some(hold) = &judged.hold else {
        [&mut view.rate, &mut view.p95, &mut view.failed].into_iter().for_each(|cell| *cell = MISSING.to_owned());
        return;
    };
    view.rate = hold.achieved_per_s.map_or_else(|| MISSING.to_owned(), |rate| m.numbers.per_second(rate));
    view.place = clean(&format!("{}/{}", hold.scenario, hold.step));
    view.p95 = hold.slowest.as_ref().map_or_else(|| MISSING.to_owned(), |slowest| p95(m.numbers, slowest));
    view.exchange = hold.slowest.as_ref().map(|slowest| clean(&slowest.exchange)).unwrap_or_default();
    view.failed = m.numbers.count(hold.failed as f64);
}

fn p95(numbers: Numbers, slowest: &Slowest) -> String {
    let time = numbers.arg(&Arg::Milliseconds(slowest.p95_ms));
    if slowest.is_lower_bound { format!("≥\u{a0}{time}") } else { time }
}

/// The mark of a run that did not end as planned.
fn ending(m: &Messages, end: EndReason) -> Option<String> {
    match end {
        EndReason::Completed => None,
        EndReason::Aborted => Some(say!(m, "mark-aborted")),
        EndReason::Interrupted => Some(say!(m, "mark-interrupted")),
        EndReason::Generator => Some(say!(m, "mark-generator")),
        EndReason::Target => Some(say!(m, "mark-target")),
    }
}

/// `2026-11-21T10:00:05.123Z` to the minute, without the letters.
fn minute(started: &str) -> String {
    clean(&started.chars().take("2026-11-21T10:00".len()).collect::<String>().replace('T', " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged() -> ListedRun {
        let slowest = Slowest { exchange: "records".into(), p95_ms: 1234.5, is_lower_bound: true };
        let hold = HoldFigures {
            scenario: "steady".into(),
            step: "hold".into(),
            achieved_per_s: Some(99.96),
            slowest: Some(slowest),
            failed: 1200,
        };
        let judged = JudgedRun {
            validity: Validity::Questionable,
            end: EndReason::Aborted,
            verdicts: [(Verdict::Met, 4), (Verdict::NotMet, 1), (Verdict::CannotTell, 0)],
            hold: Some(hold),
        };
        ListedRun {
            folder: "2026-11-21T10-00-05Z-shop".into(),
            link: Some("2026-11-21T10-00-05Z-shop/report.html".into()),
            started: Some("2026-11-21T10:00:05.123Z".into()),
            study: Some("Shop".into()),
            is_trial: true,
            state: ListedState::Judged(judged),
        }
    }

    fn page(runs: Vec<ListedRun>, language: &str) -> String {
        runs_html(&Listing { folder: "runs".into(), runs, left_out: 0 }, language)
    }

    #[test]
    fn a_run_is_a_row_with_its_figures_and_a_link_in_every_language() {
        for (language, parts) in [
            (
                "en",
                ["✓ 4 met", "✗ 1 not met", ">questionable<", "≥\u{a0}1.23\u{a0}s", "100/s", "1,200", "Trial · Aborted"],
            ),
            (
                "nl",
                ["✓ 4 voldaan", "✗ 1 niet voldaan", ">twijfelachtig<", "≥\u{a0}1,23\u{a0}s", "100/s", "1.200", "Proef"],
            ),
            (
                "da",
                ["✓ 4 overholdt", "✗ 1 ikke overholdt", ">tvivlsom<", "≥\u{a0}1,23\u{a0}s", "100/s", "1.200", "Prøve"],
            ),
        ] {
            let html = page(vec![judged()], language);
            assert!(html.contains("<a href=\"2026-11-21T10-00-05Z-shop/report.html\">Shop</a>"), "{language}");
            assert!(html.contains(">2026-11-21 10:00<") && !html.contains("[runs-"), "{language}");
            for part in parts {
                assert!(html.contains(part), "{language}: {part}");
            }
            assert!(!html.contains("cannot_tell\">"), "{language}: a verdict that no requirement has takes no room");
        }
    }

    #[test]
    fn what_was_not_judged_says_what_to_type_and_what_is_damaged_why() {
        let other = |state| ListedRun { link: None, study: None, is_trial: false, state, ..judged() };
        let command = "loadproof report runs/x".to_owned();
        let damaged = ListedState::Damaged { reason: "`result.json` ends too early".into() };
        let html =
            page(vec![other(ListedState::NotJudged { command }), other(ListedState::Running), other(damaged)], "en");
        assert!(html.contains("not judged <code>loadproof report runs/x</code>"));
        assert!(html.contains("still running") && html.contains("damaged: `result.json` ends too early"));
        assert!(!html.contains("<a href"), "there is no report to open");
        assert!(page(vec![], "en").contains("No runs"));
    }

    #[test]
    fn texts_of_runs_stay_text_and_the_page_asks_nobody() {
        let hostile = ListedRun {
            study: Some("<script>alert(1)</script>\u{202e}".into()),
            folder: "\"><img src=x>".into(),
            ..judged()
        };
        let html = page(vec![hostile], "en");
        assert_eq!(html.matches("<script").count(), 1);
        assert!(!html.contains("<img") && !html.contains('\u{202e}'));
        assert!(html.contains("default-src &#39;none&#39;"));
    }
}
