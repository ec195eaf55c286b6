//! The last screen of a run: validity, verdicts, what to know.

use crate::output::show;
use crate::summary_screen::Screen;
use crate::words::{grouped, wrapped};
use judge::Gravity;
use report::{FindingLine, VerdictLine};
use run::Failing;
use terms::{EndReason, OUTCOMES, Severity, Validity, Verdict};

/// Findings that are shown; the report has them all.
const FINDINGS_SHOWN: usize = 6;
/// Reasons against the run's validity that are shown.
const REASONS_SHOWN: usize = 3;
/// Kinds of failures that are shown.
const FAILING_SHOWN: usize = 5;

/// Shows on standard error how a run ended, and its verdicts.
pub(crate) fn show(input: &report::Input<'_>) {
    let screen = Screen::of_standard_error();
    show!("");
    screen.state(input);
    for text in report::search_lines(input) {
        screen.paragraph(&text, 2, "1");
        show!("");
    }
    let lines = report::verdict_lines(input);
    if lines.is_empty() {
        figures(input);
    } else {
        screen.verdicts(&lines, report::mandatory(input));
    }
    screen.findings(&report::finding_lines(input));
}

impl Screen {
    /// Title, validity, how it ended, and the books of all holds.
    fn state(&self, input: &report::Input<'_>) {
        let judgement = input.judgement;
        let trial = input.head.trial.as_ref().map_or("", |_| " (trial)");
        show!("  {}", self.painted("1", &format!("{}{trial}", wrapped(&input.head.study, usize::MAX).concat())));
        let books = judgement.steps.iter().fold(terms::Books::default(), |mut sum, step| {
            sum += step.books;
            sum
        });
        let (code, mark, more) = match judgement.validity {
            // What never began has no flaw, and no worth either.
            Validity::Valid if books.started == 0 => {
                ("33", "!", ", but nothing was sent: it says nothing about the target")
            }
            Validity::Valid => ("32", "✓", ""),
            Validity::Questionable => ("33", "!", ": see the threats to validity in the report"),
            Validity::Invalid => {
                ("31", "✗", ": only verdicts that this cannot have turned are given; the report says why")
            }
        };
        show!("  {}", self.painted(code, &format!("{mark} the run is {}{more}", judgement.validity)));
        // Under a valid run they would be about steps that do not count.
        let is_valid = judgement.validity == Validity::Valid;
        for reason in report::reason_lines(input).iter().take(if is_valid { 0 } else { REASONS_SHOWN }) {
            self.paragraph(reason, 4, code);
        }
        if judgement.end_reason != EndReason::Completed {
            let why = input.head.ending.as_ref().map_or("it was killed", |ending| ending.text.as_str());
            let text = format!("! the run did not end as planned ({}): {why}", judgement.end_reason);
            show!("  {}", self.painted("33", &text));
        }
        let part = |count: u64, word: &str| match count {
            0 => String::new(),
            count => format!(", {} {word}", grouped(count)),
        };
        show!(
            "  {} {} succeeded, {} failed{}{}\n",
            grouped(books.completed),
            if books.completed == 1 { "iteration" } else { "iterations" },
            grouped(books.failed),
            part(books.dropped, "dropped"),
            part(books.aborted, "aborted"),
        );
        if books.completed == 0 && books.failed > 0 {
            let exchanges = input.judgement.steps.iter().flat_map(|step| &step.exchanges);
            let is_occasional = |id: &str, leg: &str| {
                input.head.exchanges.iter().any(|known| known.name == id && known.is_occasional(leg))
            };
            let mut well = exchanges.flat_map(|it| {
                it.legs.iter().filter(|leg| leg.outcome == "ok" && leg.count > 0 && !is_occasional(&it.id, &leg.id))
            });
            let is_any_well = well.next().is_some();
            let told = if is_any_well {
                "✗ no iteration succeeded: some exchanges did, but in every iteration at least one failed"
            } else {
                "✗ nothing succeeded: these figures describe a system that does not work"
            };
            show!("  {}\n", self.painted("31", told));
        }
        self.failing(input);
    }

    /// Why calls failed, with what the first of each kind saw.
    fn failing(&self, input: &report::Input<'_>) {
        let lines = failing(input).lines(input.head, FAILING_SHOWN);
        if lines.is_empty() {
            return;
        }
        show!("  {}", self.painted("1", "Why calls failed"));
        lines.iter().for_each(|line| self.paragraph(line, 4, "31"));
        show!("");
    }

    fn verdicts(&self, lines: &[VerdictLine], must: report::Mandatory) {
        let widest =
            |of: &dyn Fn(&VerdictLine) -> usize, most: usize| lines.iter().map(of).max().unwrap_or(0).min(most);
        let id = widest(&|line| line.id.chars().count(), 28);
        let scope = widest(&|line| line.scope.chars().count(), 40);
        let word = widest(&|line| line.word.chars().count(), 14);
        let width = widest(&|line| measured(line).chars().count(), 44);
        let groups = by_reason(lines);
        for (line, is_last, alike) in groups {
            let code = match line.verdict {
                Verdict::Met => "32",
                Verdict::NotMet => "31",
                Verdict::CannotTell => "33",
            };
            let verdict = self.painted(code, &format!("{} {:<word$}", line.mark, line.word));
            let limit = if line.limit == "–" { String::new() } else { format!("limit {}", line.limit) };
            let weight = if line.severity == Severity::Must { String::new() } else { format!("  ({})", line.severity) };
            let row = format!("{:<id$}  {:<scope$}  {:<width$}  {limit}", line.id, line.scope, measured(line));
            show!("  {verdict}  {}{}", row.trim_end(), self.painted("2", &weight));
            if line.verdict != Verdict::Met && is_last {
                self.paragraph(&reason(line, alike), 6, "2");
            }
        }
        let all = must.met + must.not_met + must.cannot_tell;
        let code = match (must.not_met, must.cannot_tell) {
            (0, 0) => "32",
            (0, _) => "33",
            _ => "31",
        };
        show!("\n  {}", self.painted(code, &format!("{} of {all} mandatory verdicts are met", must.met)));
    }

    fn findings(&self, findings: &[FindingLine]) {
        let told: Vec<&FindingLine> = findings.iter().filter(|finding| finding.gravity > Gravity::Info).collect();
        if told.is_empty() {
            return;
        }
        show!("\n  {}", self.painted("1", "Findings"));
        let rules = by_rule(&told);
        for (finding, places) in rules.iter().take(FINDINGS_SHOWN) {
            let code = if finding.gravity >= Gravity::Warning { "33" } else { "36" };
            let more = match places - 1 {
                0 => String::new(),
                1 => ", and one more place".to_owned(),
                more => format!(", and {more} more places"),
            };
            show!("  {}  {}{more}", self.painted(code, &format!("{} {}", finding.id, finding.rule)), finding.scope);
            self.paragraph(&format!("{} {}", finding.seen, finding.means), 6, "");
        }
        if rules.len() > FINDINGS_SHOWN {
            show!("  and what {} more rules found, in the report", rules.len() - FINDINGS_SHOWN);
        }
    }
}

/// Lines in their order, those that are not met or undecided for the same reason behind the first of them; each with
/// whether it is the last of its group, and how many that has.
fn by_reason(lines: &[VerdictLine]) -> Vec<(&VerdictLine, bool, usize)> {
    let is_alike = |one: &VerdictLine, other: &VerdictLine| {
        one.verdict != Verdict::Met && (one.verdict, &one.code) == (other.verdict, &other.code)
    };
    let mut groups: Vec<Vec<&VerdictLine>> = Vec::new();
    for line in lines {
        match groups.iter_mut().find(|group| is_alike(group[0], line)) {
            Some(group) => group.push(line),
            None => groups.push(vec![line]),
        }
    }
    let mut placed = Vec::with_capacity(lines.len());
    for group in groups {
        let last = group.len() - 1;
        placed.extend(group.iter().enumerate().map(|(place, line)| (*line, place == last, group.len())));
    }
    placed
}

/// Findings in their order, of each rule the first, and how many places it found something in.
fn by_rule<'a>(findings: &[&'a FindingLine]) -> Vec<(&'a FindingLine, usize)> {
    let mut rules: Vec<(&FindingLine, usize)> = Vec::new();
    for &finding in findings {
        match rules.iter_mut().find(|(first, _)| first.rule == finding.rule) {
            Some((_, places)) => *places += 1,
            None => rules.push((finding, 1)),
        }
    }
    rules
}

/// Why a line is not met or undecided; of several for the same reason, the numbers of the last.
fn reason(line: &VerdictLine, alike: usize) -> String {
    match alike {
        1 => line.reason.clone(),
        _ => format!("These {alike} for the same reason; {} in {}: {}", line.id, line.scope, line.reason),
    }
}

/// Failures of the whole run.
fn failing(input: &report::Input<'_>) -> Failing {
    let mut failing = Failing::default();
    let exchanges = input.judgement.steps.iter().flat_map(|step| &step.exchanges);
    for exchange in exchanges {
        let number = input.head.exchanges.iter().position(|known| known.name == exchange.id).unwrap_or_default();
        let known = input.head.exchanges.get(number);
        let leg_of = |id: &str| known.and_then(|known| known.legs.iter().position(|leg| leg.name == id)).unwrap_or(0);
        for leg in exchange.legs.iter().filter(|leg| leg.outcome == "all") {
            for (class, count) in &leg.classes {
                if let Some(outcome) = OUTCOMES.into_iter().find(|outcome| outcome.name() == class) {
                    failing.count(number as u16, leg_of(&leg.id) as u8, outcome, *count);
                }
            }
        }
    }
    input.views.notes.iter().for_each(|note| failing.note(note.exchange, note.outcome, &note.text));
    failing
}

/// Measured value with its interval.
fn measured(line: &VerdictLine) -> String {
    match line.interval.is_empty() {
        true if line.measured == "–" => String::new(),
        true => line.measured.clone(),
        false => format!("{} ({})", line.measured, line.interval),
    }
}

/// A percentile is shown when at least so many calls lie beyond it: below, its interval has no upper end.
const CALLS_BEYOND_MIN: f64 = 3.7;

/// Without requirements, the figures themselves.
fn figures(input: &report::Input<'_>) {
    for step in input.judgement.steps.iter().filter(|step| step.phase == "hold") {
        let rates = if step.has_rates() {
            format!(
                "offered {:.1}/s, achieved {:.1}/s, throughput {:.1}/s",
                step.offered_per_s, step.achieved_per_s, step.throughput_per_s
            )
        } else {
            "shorter than a second, so no rates".to_owned()
        };
        show!(
            "{}/{}: {rates}; ok {}, failed {}, dropped {}, aborted {}",
            step.scenario,
            step.id,
            step.books.completed,
            step.books.failed,
            step.books.dropped,
            step.books.aborted
        );
        for exchange in &step.exchanges {
            for leg in exchange.legs.iter().filter(|leg| leg.count > 0 && leg.outcome != "all") {
                let (name, times) = match (&leg.response, &leg.service) {
                    (Some(times), _) => ("response", times),
                    (None, Some(times)) => ("service", times),
                    (None, None) => continue,
                };
                // A percentile that so few calls carry is not a statement; the report gives the numbers needed.
                let carried = |quantile: f64| leg.count as f64 * (1.0 - quantile) >= CALLS_BEYOND_MIN;
                let all = times.percentiles.iter().filter(|found| carried(found.quantile));
                let all: Vec<_> = all.map(|found| format!("p{} {:.2}", found.quantile * 100.0, found.value)).collect();
                let is_first = exchange.legs.first().is_some_and(|first| first.id == leg.id);
                let of = if is_first { String::new() } else { format!(".{}", leg.id) };
                show!(
                    "  {}{of} {} {name} ms: mean {:.2}{}, max {:.2}",
                    exchange.id,
                    leg.outcome,
                    times.mean,
                    all.iter().map(|text| format!(", {text}")).collect::<String>(),
                    times.max
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(id: &str, verdict: Verdict, code: &str) -> VerdictLine {
        VerdictLine {
            verdict,
            mark: "?",
            word: "cannot tell".into(),
            severity: Severity::Must,
            id: id.into(),
            scope: "peak/hold".into(),
            places: 1,
            measured: "–".into(),
            interval: String::new(),
            limit: "–".into(),
            reason: format!("Why {id} is undecided."),
            code: code.into(),
        }
    }

    #[test]
    fn a_rule_is_told_once_with_its_places_counted() {
        let found = |id: &str, rule: &str| FindingLine {
            gravity: Gravity::Warning,
            id: id.into(),
            rule: rule.into(),
            scope: "peak/hold".into(),
            seen: String::new(),
            means: String::new(),
        };
        let all = [found("F1", "SHAPE"), found("F2", "DOWN"), found("F3", "SHAPE"), found("F4", "SHAPE")];
        let told = by_rule(&all.iter().collect::<Vec<_>>());
        let told: Vec<_> = told.iter().map(|(finding, places)| (finding.id.as_str(), *places)).collect();
        assert_eq!(told, [("F1", 3), ("F2", 1)]);
        assert!(by_rule(&[]).is_empty());
    }

    #[test]
    fn a_reason_that_many_share_is_told_once() {
        let (open, met) = (Verdict::CannotTell, Verdict::Met);
        let lines = [
            line("a", open, "short"),
            line("b", met, "exact"),
            line("c", open, "short"),
            line("d", open, "few"),
            line("e", met, "exact"),
            line("f", Verdict::NotMet, "short"),
        ];
        let grouped = by_reason(&lines);
        let shown: Vec<_> = grouped.iter().map(|(line, is_last, alike)| (line.id.as_str(), *is_last, *alike)).collect();
        let one = |id| (id, true, 1);
        assert_eq!(shown, [("a", false, 2), ("c", true, 2), one("b"), one("d"), one("e"), one("f")]);
        assert_eq!(reason(&lines[2], 2), "These 2 for the same reason; c in peak/hold: Why c is undecided.");
        assert_eq!(reason(&lines[3], 1), "Why d is undecided.");
    }
}
