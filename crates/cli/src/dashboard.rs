//! The lines that show the progress of a run, as text.

use crate::output;
use crate::words::{clock_face, grouped, short};
use record::Head;
use run::{Connections, Figures};
use std::collections::BTreeSet;
use terms::Nanos;

/// Levels of a sparkline.
const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Seconds of a sparkline.
const SPARK_SECONDS: usize = 40;
/// Classes of failures shown during the run.
const FAILING_SHOWN: usize = 2;
/// Lateness above which a verdict may be questioned, as judging has it: 1 ms, or 1 % of the median where that is more.
const LATE: Nanos = Nanos::MILLISECOND;
/// Share of a core above which a load thread has little left.
const BUSY: f64 = 0.8;

/// What colours a piece of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    Plain,
    Faint,
    Strong,
    Good,
    Bad,
    Care,
}

impl Tone {
    fn code(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Faint => "2",
            Self::Strong => "1",
            Self::Good => "32",
            Self::Bad => "31",
            Self::Care => "33",
        }
    }
}

/// One line, piece by piece, never wider than the terminal.
struct Line {
    text: String,
    used: usize,
    width: usize,
    colours: bool,
}

impl Line {
    fn new(width: usize, colours: bool) -> Self {
        Self { text: String::new(), used: 0, width, colours }
    }

    /// Adds a piece; what does not fit is cut, with a sign that it was.
    fn add(&mut self, tone: Tone, piece: &str) {
        // Names come from outside: in a line there is neither a control character nor an end.
        let piece = &output::plain(piece).replace('\n', " ");
        let room = self.width.saturating_sub(self.used);
        let length = piece.chars().count();
        let cut: String = match length <= room {
            true => piece.to_owned(),
            false if room == 0 => return,
            false => piece.chars().take(room - 1).chain(['…']).collect(),
        };
        self.used += length.min(room);
        if self.colours && tone != Tone::Plain {
            self.text += &format!("\x1b[{}m{cut}\x1b[0m", tone.code());
        } else {
            self.text += &cut;
        }
    }

    /// A name in the margin.
    fn name(&mut self, name: &str) {
        self.add(Tone::Faint, &format!("  {name:<11}"));
    }

    /// A label and its value.
    fn pair(&mut self, label: &str, value: &str, tone: Tone) {
        self.add(Tone::Faint, label);
        self.add(Tone::Plain, " ");
        self.add(tone, value);
        self.add(Tone::Plain, "   ");
    }
}

/// The lines: progress, load, times, system, generator.
pub(crate) fn lines(figures: &Figures, head: &Head, now: Nanos, width: usize, colours: bool) -> Vec<String> {
    let new = || Line::new(width.max(20), colours);
    let mut lines = Vec::new();
    let Some((number, began)) = figures.step else {
        let mut line = new();
        line.name("preparing");
        line.add(Tone::Plain, "set-up exchanges, connections");
        return vec![line.text];
    };
    lines.extend(place(number, began, head, now, new()));
    if figures.books.intended > 0 {
        lines.push(load(figures, new()));
        lines.extend(figures.connections.map(|held| connections(&held, new())));
        lines.push(times(figures, new()));
        lines.extend(failing(figures, head, &new));
    }
    lines.extend(system(figures, new()));
    if figures.books.intended > 0 {
        lines.push(generator(figures, new()));
    }
    lines
}

/// Scenario, phase, how far it is, how long the whole still takes.
fn place(number: u32, began: Nanos, head: &Head, now: Nanos, mut line: Line) -> Option<String> {
    let step = head.steps.get(number as usize)?;
    line.add(Tone::Strong, &format!("  {}", scenario(head, number)));
    line.add(Tone::Faint, " ▸ ");
    line.add(Tone::Strong, &step.id);
    line.add(Tone::Plain, "  ");
    let whole = remaining_after(head, number);
    if let Some(seconds) = step.seconds.filter(|&seconds| seconds > 0.0) {
        let gone = (now - began).as_secs_f64().clamp(0.0, seconds);
        line.add(Tone::Good, &bar(gone / seconds, 30));
        line.add(Tone::Plain, &format!("  {} left", clock_face(Nanos::from_secs_f64(seconds - gone))));
        if whole > 0.0 {
            let all = clock_face(Nanos::from_secs_f64(seconds - gone + whole));
            line.add(Tone::Faint, &format!("   {all} in total"));
        }
    } else {
        line.add(Tone::Plain, &format!("{} so far, until it ends", clock_face((now - began).or_zero())));
    }
    Some(line.text)
}

/// Scenario's name, with its repetition where there are several.
fn scenario(head: &Head, number: u32) -> String {
    let Some(step) = head.steps.get(number as usize) else { return String::new() };
    let name = head.scenarios.get(usize::from(step.scenario)).map_or("", |scenario| scenario.name.as_str());
    let most = head.repetitions(step.scenario);
    if most > 1 { format!("{name} {} of {most}", step.repetition) } else { name.to_owned() }
}

/// Planned seconds of all phases after this one; phases that several parts share count once.
fn remaining_after(head: &Head, number: u32) -> f64 {
    let key = |step: &record::StepHead| (step.scenario, step.repetition, step.id.clone());
    let Some(current) = head.steps.get(number as usize).map(key) else { return 0.0 };
    let mut seen = BTreeSet::from([current]);
    let later = head.steps.iter().skip(number as usize + 1).filter(|step| seen.insert(key(step)));
    later.filter_map(|step| step.seconds).sum()
}

fn load(figures: &Figures, mut line: Line) -> String {
    let books = &figures.books;
    line.name("load");
    line.pair("offered", &format!("{}/s", grouped(figures.offered)), Tone::Plain);
    let is_short = figures.achieved < figures.offered;
    line.pair("achieved", &format!("{}/s", grouped(figures.achieved)), if is_short { Tone::Care } else { Tone::Plain });
    let failed = match books.failed {
        0 => "0".to_owned(),
        failed => {
            let share = failed as f64 / (books.failed + books.completed).max(1) as f64;
            format!("{} ({:.2} %)", grouped(failed), share * 100.0)
        }
    };
    line.pair("failed", &failed, if books.failed > 0 { Tone::Bad } else { Tone::Good });
    line.pair("ok", &grouped(books.completed), Tone::Plain);
    if books.dropped > 0 {
        line.pair("dropped", &grouped(books.dropped), Tone::Bad);
    }
    line.pair("in flight", &format!("{:.1}", figures.in_flight), Tone::Plain);
    line.text.trim_end().to_owned()
}

/// How many of the connections that should be open are.
fn connections(held: &Connections, mut line: Line) -> String {
    let Connections { planned, opened, failed, lost } = *held;
    line.name("held");
    let open = opened.saturating_sub(lost);
    let is_whole = open >= planned;
    let of = format!("{} of {}", grouped(open), grouped(planned));
    line.pair("open", &of, if is_whole { Tone::Good } else { Tone::Plain });
    if failed > 0 {
        line.pair("not opened", &grouped(failed), Tone::Bad);
    }
    if lost > 0 {
        line.pair("lost", &grouped(lost), Tone::Bad);
    }
    line.text.trim_end().to_owned()
}

fn times(figures: &Figures, mut line: Line) -> String {
    let time = |time: Option<Nanos>| time.map_or_else(|| "–".into(), short);
    line.name("times");
    line.pair("p50", &time(figures.p50), Tone::Plain);
    line.pair("p99", &time(figures.p99), Tone::Strong);
    line.add(Tone::Faint, "over 10 s   ");
    let medians: Vec<f64> = figures.medians.iter().map(|time| time.0 as f64).collect();
    if medians.len() > 2 {
        line.add(Tone::Good, &sparkline(&medians));
        line.add(Tone::Faint, " median by second");
    }
    line.text.trim_end().to_owned()
}

/// Why calls fail, the most frequent first.
fn failing(figures: &Figures, head: &Head, new: &dyn Fn() -> Line) -> Vec<String> {
    let told = |(number, text): (usize, String)| {
        let mut line = new();
        line.name(if number == 0 { "failing" } else { "" });
        line.add(Tone::Bad, &text);
        line.text
    };
    figures.failing.lines(head, FAILING_SHOWN).into_iter().enumerate().map(told).collect()
}

fn system(figures: &Figures, mut line: Line) -> Option<String> {
    if figures.host_cpu.is_none() && figures.instance_cpu.is_empty() {
        return None;
    }
    line.name("system");
    if let Some(cpu) = figures.host_cpu {
        line.pair("machine", &format!("{:.0} %", cpu * 100.0), if cpu > 0.9 { Tone::Care } else { Tone::Plain });
    }
    for (instance, cores) in &figures.instance_cpu {
        line.pair(instance, &format!("{cores:.2} cores"), Tone::Plain);
    }
    Some(line.text.trim_end().to_owned())
}

fn generator(figures: &Figures, mut line: Line) -> String {
    line.name("generator");
    let limit = LATE.max(Nanos(figures.p50.map_or(0, |p50| p50.0 / 100)));
    let is_late = figures.lateness > limit;
    let is_busy = figures.cpu > BUSY;
    let late_tone = if is_late { Tone::Care } else { Tone::Plain };
    line.pair("late at most", &short(figures.lateness), late_tone);
    line.pair(
        "busiest thread",
        &format!("{:.0} %", figures.cpu * 100.0),
        if is_busy { Tone::Care } else { Tone::Plain },
    );
    let (word, tone) = match (is_late, is_busy) {
        (false, false) => ("✓ keeps up", Tone::Good),
        (true, _) => ("! late in this second", Tone::Care),
        (false, true) => ("! its core is nearly full", Tone::Care),
    };
    line.add(tone, word);
    line.text
}

/// `██████░░░░`
fn bar(share: f64, width: usize) -> String {
    let full = (share.clamp(0.0, 1.0) * width as f64).round() as usize;
    format!("{}{}", "█".repeat(full), "░".repeat(width - full))
}

/// The last values as small columns between zero and the maximum.
fn sparkline(values: &[f64]) -> String {
    let values = &values[values.len().saturating_sub(SPARK_SECONDS)..];
    let most = values.iter().copied().fold(0.0, f64::max);
    let level = |value: &f64| match most > 0.0 {
        true => LEVELS[((value / most * 7.0).round() as usize).min(7)],
        false => LEVELS[0],
    };
    values.iter().map(level).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::{ScenarioHead, StepHead};
    use terms::Books;

    fn head() -> Head {
        let step = |id: &str, repetition, seconds| StepHead {
            id: id.into(),
            phase: "hold".into(),
            repetition,
            seconds: Some(seconds),
            ..StepHead::default()
        };
        Head {
            scenarios: vec![ScenarioHead { name: "normal".into(), ..ScenarioHead::default() }],
            // Two parts share the ramp and the hold; the whole twice.
            steps: vec![
                step("ramp", 1, 10.0),
                step("ramp", 1, 10.0),
                step("hold", 1, 60.0),
                step("hold", 1, 60.0),
                step("hold", 2, 60.0),
            ],
            ..Head::default()
        }
    }

    fn shown() -> Figures {
        Figures {
            step: Some((2, Nanos::from_secs(10))),
            books: Books { intended: 2000, started: 2000, completed: 1990, failed: 10, ..Books::default() },
            offered: 1200,
            achieved: 1200,
            p50: Some(Nanos::from_millis(2)),
            p99: Some(Nanos::from_millis(9)),
            lateness: Nanos(120_000),
            cpu: 0.12,
            host_cpu: Some(0.4),
            instance_cpu: vec![("records".into(), 0.21)],
            medians: [1, 2, 3, 2].map(Nanos::from_millis).to_vec(),
            ..Figures::default()
        }
    }

    #[test]
    fn the_lines_say_where_the_run_stands() {
        let lines = lines(&shown(), &head(), Nanos::from_secs(40), 200, false);
        assert_eq!(
            lines,
            [
                "  normal 1 of 2 ▸ hold  ███████████████░░░░░░░░░░░░░░░  30s left   1:30 in total",
                "  load       offered 1,200/s   achieved 1,200/s   failed 10 (0.50 %)   ok 1,990   in flight 0.0",
                "  times      p50 2.00ms   p99 9.00ms   over 10 s   ▃▆█▆ median by second",
                "  system     machine 40 %   records 0.21 cores",
                "  generator  late at most 120us   busiest thread 12 %   ✓ keeps up",
            ]
        );
    }

    #[test]
    fn held_connections_have_a_line_of_their_own() {
        let held = |failed, lost| Figures {
            connections: Some(Connections { planned: 1000, opened: 990, failed, lost }),
            ..shown()
        };
        let line = |figures: &Figures| lines(figures, &head(), Nanos::from_secs(40), 200, false)[2].clone();
        assert_eq!(line(&held(0, 0)), "  held       open 990 of 1,000");
        assert_eq!(line(&held(10, 3)), "  held       open 987 of 1,000   not opened 10   lost 3");
    }

    #[test]
    fn why_calls_fail_is_told_with_an_example() {
        let mut shown = shown();
        shown.failing.count(0, 0, terms::Outcome::Refused, 10);
        shown.failing.note(0, terms::Outcome::Refused, "no server\x1b[2J at 127.0.0.1:1");
        let exchanges = vec![record::ExchangeHead { name: "home".into(), ..record::ExchangeHead::default() }];
        let head = Head { exchanges, ..head() };
        let lines = lines(&shown, &head, Nanos::from_secs(40), 200, true);
        assert!(lines[3].contains("home: refused 10 times, such as: no server�[2J at 127.0.0.1:1"), "{lines:#?}");
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        for width in 20..120 {
            for line in lines(&shown(), &head(), Nanos::from_secs(40), width, false) {
                assert!(line.chars().count() <= width, "{width}: {line}");
            }
        }
        let coloured = lines(&shown(), &head(), Nanos::from_secs(40), 80, true);
        assert!(coloured[1].contains("\x1b[31m10"), "failures are red: {}", coloured[1]);
    }

    #[test]
    fn a_generator_that_cannot_keep_up_says_so() {
        let late = Figures { lateness: Nanos::from_millis(3), ..shown() };
        assert!(lines(&late, &head(), Nanos::from_secs(40), 100, false)[4].ends_with("! late in this second"));
        let busy = Figures { cpu: 0.95, ..shown() };
        assert!(lines(&busy, &head(), Nanos::from_secs(40), 100, false)[4].ends_with("! its core is nearly full"));
    }
}
