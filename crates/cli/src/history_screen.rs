//! What a person sees of a history of requirements: the answer, a line for each requirement, what was kept apart.

use crate::output::{self, show};
use crate::summary_screen::Screen;
use judge::archive::{Apart, RequirementHistory};
use judge::comparison::RUNS_FEWEST;
use report::{HistoryInput, HistoryLine, history_lead, history_lines};

/// Folders that are named with their reason; the page has all.
const LEFT_OUT_SHOWN: usize = 8;
/// Differences that are named of each setting.
const DIFFERENCES_SHOWN: usize = 3;
/// Widest that a name may become.
const NAME_MAX: usize = 40;

/// Title, what a line has in it, and whether that is a number, which is set to the right.
type TableColumn<'a> = (&'a str, &'a dyn Fn(&HistoryLine) -> String, bool);

/// Shows a history on standard error.
pub(crate) fn show(input: &HistoryInput<'_>) {
    let screen = Screen::of_standard_error();
    screen.head(input);
    let lines = history_lines(input.history);
    let settings = lines.iter().map(|line| line.setting).max().unwrap_or(1);
    for setting in 1..=settings {
        let of: Vec<&HistoryLine> = lines.iter().filter(|line| line.setting == setting).collect();
        if settings > 1 && !of.is_empty() {
            screen.setting(input, setting);
        }
        screen.series(&of);
    }
    screen.apart(input);
}

impl Screen {
    fn head(&self, input: &HistoryInput<'_>) {
        let runs = &input.history.runs;
        show!("");
        show!("  study  {}", self.painted("1", input.study));
        if let Some((first, last)) = runs.first().zip(runs.last()) {
            let word = if runs.len() == 1 { "run" } else { "runs" };
            let text = format!("{} {word}, {} to {}", runs.len(), first.started, last.started);
            show!("  runs   {}", output::plain(&text));
        }
        let lead = none_counts(input.history).unwrap_or_else(|| history_lead(input.history));
        self.paragraph(&lead, 2, "1");
    }

    fn setting(&self, input: &HistoryInput<'_>, setting: usize) {
        let found = &input.history.settings[setting - 1];
        let differs: Vec<String> = found.differs.iter().take(DIFFERENCES_SHOWN).map(report::difference_text).collect();
        let more = if found.differs.len() > DIFFERENCES_SHOWN { " and more" } else { "" };
        let what = if differs.is_empty() { "as the newest run".to_owned() } else { differs.join("; ") + more };
        show!("");
        self.paragraph(&format!("setting {setting}, {} runs: {what}", found.runs), 2, "1");
    }

    fn series(&self, lines: &[&HistoryLine]) {
        if lines.is_empty() {
            return;
        }
        let columns: [TableColumn<'_>; 7] = [
            ("requirement", &|line| cut(&format!("{} {}", line.requirement, line.scope)), false),
            ("unit", &|line| line.unit.clone(), false),
            ("runs", &|line| line.runs.to_string(), true),
            ("newest", &|line| line.last.clone(), true),
            ("changed with", &|line| cut(&line.since), false),
            ("change", &|line| line.change.clone(), false),
            ("p", &|line| line.p.clone(), true),
        ];
        let widths = columns
            .map(|(head, of, _)| lines.iter().map(|line| length(&of(line))).chain([length(head)]).max().unwrap_or(0));
        let row = |cell: &dyn Fn(usize) -> String| {
            let cells = widths.iter().zip(&columns).enumerate().map(|(place, (width, (.., is_number)))| {
                if *is_number { format!("{:>width$}", cell(place)) } else { format!("{:<width$}", cell(place)) }
            });
            cells.collect::<Vec<_>>().join("  ")
        };
        show!("");
        show!("    {}", self.painted("2", &format!("{}  state", row(&|place| columns[place].0.to_owned()))));
        for line in lines {
            let code = match () {
                () if line.is_worse => "31",
                () if line.since != "–" => "32",
                () if line.is_searched => "",
                () => "33",
            };
            let cells = output::plain(&row(&|place| columns[place].1(line)));
            show!("    {cells}  {}", self.painted(code, &line.state));
        }
    }

    fn apart(&self, input: &HistoryInput<'_>) {
        let apart = kept_apart(input.history);
        // Where none counts, the first line says so.
        if !apart.is_empty() && none_counts(input.history).is_none() {
            show!("\n  {}", self.painted("2", &format!("kept apart: {apart}")));
        }
        if input.left_out.is_empty() && input.not_read == 0 {
            return;
        }
        show!("\n  {}", self.painted("1", "left out"));
        for (folder, reason) in input.left_out.iter().take(LEFT_OUT_SHOWN) {
            self.paragraph(&format!("{folder}: {reason}"), 4, "33");
        }
        let more = input.left_out.len().saturating_sub(LEFT_OUT_SHOWN);
        if more > 0 {
            show!("    and {more} more, which `--out DIR` lists");
        }
        if input.not_read > 0 {
            show!("    {} more folders were not read", input.not_read);
        }
    }
}

/// Why there is no history where no run counts, and what to type; `None` where any counts.
fn none_counts(history: &RequirementHistory) -> Option<String> {
    let count = |why: Option<Apart>| history.runs.iter().filter(|run| run.apart == why).count();
    let (trials, invalid) = (count(Some(Apart::Trial)), count(Some(Apart::Invalid)));
    if trials + invalid == 0 || count(None) > 0 {
        return None;
    }
    let what = match (trials, invalid) {
        (1, 0) => "The only run is a trial (made with `--for`)".to_owned(),
        (_, 0) => format!("All {trials} runs are trials (made with `--for`)"),
        (0, 1) => "The only run is invalid".to_owned(),
        (0, _) => format!("All {invalid} runs are invalid"),
        _ => format!("Of {} runs {trials} are trials (made with `--for`), and {invalid} invalid", trials + invalid),
    };
    let whole =
        "a shortened run proves nothing about a whole one. Make whole runs: `loadproof run STUDY`, without `--for`.";
    let sound = "an invalid run has no verdicts. Its report says what spoiled it; fix that and run it again: \
         `loadproof run STUDY`.";
    let why = match (trials, invalid) {
        (_, 0) => whole.to_owned(),
        (0, _) => sound.to_owned(),
        _ => format!("{whole} And {sound}"),
    };
    Some(format!(
        "{what}, and a history leaves those out: {why} It needs at least {RUNS_FEWEST} runs to look for changes."
    ))
}

/// `12 trials (`--for`), 1 invalid run`; empty where all runs count.
fn kept_apart(history: &RequirementHistory) -> String {
    let count = |why: Apart| history.runs.iter().filter(|run| run.apart == Some(why)).count();
    let apart =
        [(Apart::Trial, "trial (`--for`)", "trials (`--for`)"), (Apart::Invalid, "invalid run", "invalid runs")];
    let apart: Vec<String> = apart
        .into_iter()
        .map(|(why, one, many)| (count(why), one, many))
        .filter(|(count, ..)| *count > 0)
        .map(|(count, one, many)| format!("{count} {}", if count == 1 { one } else { many }))
        .collect();
    apart.join(", ")
}

fn length(text: &str) -> usize {
    text.chars().count()
}

/// A name cut in the middle, where names differ least.
fn cut(name: &str) -> String {
    let chars: Vec<char> = name.chars().collect();
    if chars.len() <= NAME_MAX {
        return name.to_owned();
    }
    let (begin, end) = (NAME_MAX / 2, NAME_MAX / 2 - 1);
    let text = |part: &[char]| part.iter().collect::<String>();
    format!("{}…{}", text(&chars[..begin]), text(&chars[chars.len() - end..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge::archive::RunEntry;

    #[test]
    fn a_history_in_which_no_run_counts_says_why_and_what_to_type() {
        let history = |apart: &[Option<Apart>]| RequirementHistory {
            runs: apart
                .iter()
                .map(|&apart| RunEntry { id: String::new(), folder: String::new(), started: String::new(), apart })
                .collect(),
            ..RequirementHistory::default()
        };
        let (trial, invalid) = (Some(Apart::Trial), Some(Apart::Invalid));
        let told = none_counts(&history(&[trial, trial, trial])).unwrap();
        assert!(
            told.starts_with("All 3 runs are trials (made with `--for`), and a history leaves those out: "),
            "{told}"
        );
        assert!(told.contains("`loadproof run STUDY`, without `--for`") && told.contains("at least 8 runs"), "{told}");
        for (apart, expected) in [
            (&[trial][..], "The only run is a trial (made with `--for`), and"),
            (&[invalid], "The only run is invalid, and"),
            (&[invalid, invalid], "All 2 runs are invalid, and"),
            (&[trial, invalid, trial], "Of 3 runs 2 are trials (made with `--for`), and 1 invalid, and"),
        ] {
            let told = none_counts(&history(apart)).unwrap();
            assert!(told.starts_with(expected) && told.contains("loadproof run STUDY"), "{told}");
        }
        for apart in [&[trial, None][..], &[]] {
            assert_eq!(none_counts(&history(apart)), None);
        }
        assert_eq!(kept_apart(&history(&[trial, None, trial, invalid])), "2 trials (`--for`), 1 invalid run");
    }
}
