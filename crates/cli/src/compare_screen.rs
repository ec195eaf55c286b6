//! What a person sees of a comparison.

use crate::output::show;
use crate::summary_screen::Screen;
use judge::comparison::{Comparison, History, Pair, RowVerdict};
use report::ComparedLine;

/// Differences shown; `compare.csv` and the report have the rest.
const DIFFERENCES_SHOWN: usize = 24;

/// Shows a comparison on standard error.
pub(crate) fn show(comparison: &Comparison, history: &[History]) {
    let screen = Screen::of_standard_error();
    for pair in &comparison.pairs {
        screen.pair(comparison, pair);
    }
    screen.history(history);
}

impl Screen {
    fn pair(&self, comparison: &Comparison, pair: &Pair) {
        show!("");
        show!("  base   {}", self.painted("1", &comparison.base.label));
        show!("  other  {}", self.painted("1", &pair.other.label));
        self.paragraph(&report::compare_headline(pair), 2, "1");
        self.differences(pair);
        let lines = report::compared_lines(pair);
        self.table(&lines);
        self.reasons(&lines);
        let count = |verdict| lines.iter().filter(|line| line.verdict == verdict).count();
        let text = format!(
            "{} different, {} equivalent within ±{}%, {} undecided, {} not comparable",
            count(RowVerdict::Different),
            count(RowVerdict::Equivalent),
            shown(100.0 * comparison.band),
            count(RowVerdict::CannotTell),
            count(RowVerdict::NotComparable),
        );
        show!("\n  {}", self.painted("1", &text));
        if pair.is_blocked() {
            self.paragraph(
                "All runs of one side were made before all of the other, so anything that drifts over the day looks like \
                 a difference. Alternate them (A B A B).",
                2,
                "33",
            );
        }
        if comparison.base.replicates < 2 && pair.other.replicates < 2 {
            self.paragraph(
                "One run per side: these intervals do not include run-to-run variation. Repeat both, or give the runs of one \
                 side together with `--base A1 --base A2` and `--together`.",
                2,
                "2",
            );
        }
    }

    fn differences(&self, pair: &Pair) {
        if pair.differences.is_empty() {
            show!("  {}", self.painted("2", "no difference in load, data, system, host or versions was recorded"));
            return;
        }
        show!("\n  {}", self.painted("1", "they differ in"));
        for difference in pair.differences.iter().take(DIFFERENCES_SHOWN) {
            let (code, mark) = if difference.forbids { ("31", "×") } else { ("", "·") };
            let text = format!("{mark} {:<9} {}", difference.aspect, report::difference_text(difference));
            self.paragraph(&text, 4, code);
        }
        if pair.differences.len() > DIFFERENCES_SHOWN {
            show!("    and {} more", pair.differences.len() - DIFFERENCES_SHOWN);
        }
    }

    fn table(&self, lines: &[ComparedLine]) {
        let widest = |of: &dyn Fn(&ComparedLine) -> usize| lines.iter().map(of).max().unwrap_or(0);
        let subject = widest(&|line| line.subject.chars().count()).min(32);
        let statistic = widest(&|line| line.statistic.chars().count());
        let base = widest(&|line| line.base.chars().count());
        let other = widest(&|line| line.other.chars().count());
        let change = widest(&|line| line.change.chars().count());
        let interval = widest(&|line| line.interval.chars().count());
        let mut scope = "";
        for line in lines {
            if line.scope != scope {
                scope = &line.scope;
                show!("\n  {}", self.painted("1", scope));
            }
            let code = match line.verdict {
                RowVerdict::Different => "31",
                RowVerdict::Equivalent => "32",
                RowVerdict::CannotTell => "33",
                RowVerdict::NotComparable => "2",
            };
            let figures = format!(
                "{:<subject$}  {:<statistic$}  {:>base$} → {:<other$}  {:>change$}  {:<interval$}",
                line.subject, line.statistic, line.base, line.other, line.change, line.interval
            );
            show!("    {figures}  {}", self.painted(code, &format!("{} {}", line.mark, line.word)));
        }
    }

    /// Each reason once, with the rows it applies to.
    fn reasons(&self, lines: &[ComparedLine]) {
        let mut reasons: Vec<(&str, Vec<String>)> = Vec::new();
        let is_open = |line: &&ComparedLine| !matches!(line.verdict, RowVerdict::Different | RowVerdict::Equivalent);
        for line in lines.iter().filter(is_open) {
            let name = format!("{} {}", line.subject, line.statistic);
            match reasons.iter_mut().find(|(reason, _)| *reason == line.reason) {
                Some((_, names)) if names.contains(&name) => {}
                Some((_, names)) => names.push(name),
                None => reasons.push((&line.reason, vec![name])),
            }
        }
        if reasons.is_empty() {
            return;
        }
        show!("\n  {}", self.painted("1", "why undecided or not comparable"));
        for (reason, names) in reasons {
            self.paragraph(&format!("{}: {reason}", names.join(", ")), 4, "2");
        }
    }

    fn history(&self, history: &[History]) {
        if history.is_empty() {
            return;
        }
        show!("\n  {}", self.painted("1", "level shifts across the runs, oldest first"));
        let mut is_any = false;
        for series in history {
            for shift in &series.shifts {
                is_any = true;
                let text = format!(
                    "{} from run {} on: {:+.1}% ({} → {} {})",
                    series.id,
                    series.runs.get(shift.at).map_or("?", String::as_str),
                    100.0 * (shift.after / shift.before - 1.0),
                    shown(shift.before),
                    shown(shift.after),
                    series.unit
                );
                self.paragraph(&text, 4, "33");
            }
        }
        if !is_any {
            show!("    none of 5% or more");
        }
        let left_out = history.iter().map(|series| series.left_out).max().unwrap_or(0);
        if left_out > 0 {
            let text = format!("{left_out} left out: load or data differ from those of the newest run");
            self.paragraph(&text, 4, "2");
        }
    }
}

/// Three digits, without zeros at the end.
fn shown(value: f64) -> String {
    let digits = if value.abs() >= 100.0 {
        0
    } else if value.abs() >= 10.0 {
        1
    } else {
        2
    };
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}
