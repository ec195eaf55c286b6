//! What a person sees of a history of requirements: the answer, a line for each requirement, what was kept apart.

use crate::output::{self, show};
use crate::summary_screen::Screen;
use judge::archive::{Apart, RequirementHistory};
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
        self.paragraph(&history_lead(input.history), 2, "1");
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
        // Where no run counts, the answer has said so.
        if !apart.is_empty() && input.history.runs.iter().any(|run| run.apart.is_none()) {
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
    fn what_is_kept_apart_is_counted() {
        let entry = |apart| RunEntry { id: String::new(), folder: String::new(), started: String::new(), apart };
        let (trial, invalid) = (Some(Apart::Trial), Some(Apart::Invalid));
        let runs = [trial, None, trial, invalid].map(entry).to_vec();
        let history = RequirementHistory { runs, ..RequirementHistory::default() };
        assert_eq!(kept_apart(&history), "2 trials (`--for`), 1 invalid run");
    }
}
