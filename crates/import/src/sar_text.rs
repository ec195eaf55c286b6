//! `sar` as it prints itself: a line with the machine and the day, and below it, block by block, headers and rows that
//! begin with the time of the day.
//!
//! Clocks have twelve hours or twenty-four. A time that goes back by more than half a day is of the next one, in each
//! block by itself, since a report of a file has one block after the other. `Average:` lines are passed over, restarts
//! counted.
//!
//! Source: sysstat 12, `sar(1)`, `pr_stats.c`, `common.c`.

use crate::numbers::day;
use crate::reading::shown;
use crate::sar_fields::{Fields, Of, number};
use crate::zone::Zone;
use std::collections::HashMap;
use terms::Nanos;

const DAY_S: i64 = 86_400;
/// What averages begin with, whatever stands behind it; in other languages they are told by their columns.
const AVERAGES: [&str; 5] = ["Average", "Durchschn.", "Gemiddeld", "Gennemsnit", "Moyenne"];
/// Kinds of blocks that are kept apart; `sar -A` has some forty.
const BLOCKS_MAX: usize = 1000;

/// What a first line tells: `Linux 6.1.0 (db1)  11/26/2026  _x86_64_  (4 CPU)`, with tabs between.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Head {
    machine: Option<String>,
    /// Midnight with which its day begins, seconds since 1970, on the machine's own clock.
    day: i64,
    /// The date as it stands there, where day and month could be the other way round.
    ambiguous: Option<String>,
}

/// A report while its lines are read.
pub(crate) struct Report {
    head: Head,
    /// Columns of the block in hand, and their names in one, by which its clock is found.
    names: Option<(Vec<String>, String)>,
    /// Of each block the last time of the day, seconds, and how many days after the first it was.
    clocks: HashMap<String, (i64, i64)>,
    /// Whether times say which half of the day they are of.
    has_halves: bool,
    pub(crate) restarts: u64,
    /// How many columns the header has that stands above averages: `sar 1 20` ends with all its blocks once more.
    averaged: Option<usize>,
    /// Whether any block has begun.
    pub(crate) has_block: bool,
}

/// What a line is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Told {
    /// Moment, machine, and what the row is of.
    Row(Nanos, Option<String>, Of),
    /// A header, an average, a restart, a comment.
    Beside,
}

impl Report {
    /// A report, where a line is its first.
    ///
    /// # Errors
    /// A first line with a date that cannot be read.
    pub(crate) fn begins(line: &str) -> Option<Result<Self, String>> {
        let rest = line.strip_prefix("Linux ").filter(|rest| rest.contains('(') && rest.contains("CPU)"))?;
        let head = head(rest).ok_or_else(|| {
            format!(
                "has a date that cannot be read in its line `{}`; print it with `S_TIME_FORMAT=ISO LC_ALL=C sar …`",
                shown(line.as_bytes())
            )
        });
        Some(head.map(|head| Self {
            head,
            names: None,
            clocks: HashMap::new(),
            has_halves: false,
            restarts: 0,
            averaged: None,
            has_block: false,
        }))
    }

    /// Goes on with another first line, of a report behind this one.
    pub(crate) fn goes_on_as(&mut self, next: Self) {
        (self.head, self.names, self.clocks) = (next.head, None, HashMap::new());
    }

    /// Reads a line.
    ///
    /// # Errors
    /// A sentence on why it cannot be read.
    pub(crate) fn line(&mut self, line: &str, zone: &Zone) -> Result<Told, String> {
        let mut words: Vec<&str> = line.split_whitespace().collect();
        let first = words.first().copied().unwrap_or_default();
        let Some(mut of_day) = time(first) else {
            return if self.is_average(&words) {
                Ok(Told::Beside)
            } else {
                Err(format!("it begins with `{}`, which is not a time of the day", shown(first.as_bytes())))
            };
        };
        words.remove(0);
        if let Some(half) = words.first().and_then(|word| half(word)) {
            if !(3600..13 * 3600).contains(&of_day) {
                return Err(format!("its time `{}` is not of a clock of twelve hours", shown(first.as_bytes())));
            }
            (of_day, self.has_halves) = (of_day % (DAY_S / 2) + half, true);
            words.remove(0);
        }
        if let ["LINUX", rest, ..] = words.as_slice()
            && (*rest == "RESTART" || rest.starts_with("RESTART"))
        {
            self.restarts += 1;
            self.clock(of_day);
            return Ok(Told::Beside);
        }
        if words.first() == Some(&"COM") {
            return Ok(Told::Beside);
        }
        if is_header(&words) {
            if words.contains(&"PID") {
                return Err("it is a header of `pidstat`, whose rows are of programs and not of the machine".into());
            }
            let names: Vec<String> = words.iter().map(|name| (*name).to_owned()).collect();
            self.names = Some((names, words.join(" ")));
            self.has_block = true;
            self.clock(of_day);
            return Ok(Told::Beside);
        }
        let Some((names, _)) = &self.names else { return Err("it stands before any header".into()) };
        let of = Fields::of(names, &words)?.told()?;
        let at = Nanos::from_secs(self.clock(of_day) - zone.offset());
        Ok(Told::Row(at, self.head.machine.clone(), of))
    }

    /// Whether a line sums up a block: `Average:` in the language of the machine, with the names of columns or with values.
    fn is_average(&mut self, words: &[&str]) -> bool {
        let first = words.first().copied().unwrap_or_default();
        // Some languages put a space before the colon.
        let has_space = words.get(1) == Some(&":");
        if !first.ends_with(':') && !has_space {
            return false;
        }
        let rest = &words[if has_space { 2 } else { 1 }..];
        if is_header(rest) {
            self.averaged = Some(rest.len());
            return true;
        }
        let of_block = self.names.as_ref().map(|(names, _)| names.len());
        let has_columns = !rest.is_empty() && (of_block == Some(rest.len()) || self.averaged == Some(rest.len()));
        has_columns || AVERAGES.contains(&first.trim_end_matches(':'))
    }

    /// Seconds since 1970 on the machine's own clock of a time of the day in the block in hand.
    fn clock(&mut self, of_day: i64) -> i64 {
        let Some((_, block)) = &self.names else { return self.head.day + of_day };
        if !self.clocks.contains_key(block) && self.clocks.len() >= BLOCKS_MAX {
            return self.head.day + of_day;
        }
        let (last, days) = self.clocks.entry(block.clone()).or_insert((of_day, 0));
        let step = of_day - *last;
        // A clock that was set goes back by less.
        if step < -DAY_S / 2 {
            *days += 1;
        } else if step > DAY_S / 2 && *days > 0 {
            *days -= 1;
        }
        *last = of_day;
        self.head.day + *days * DAY_S + of_day
    }

    /// What is to be known of it.
    pub(crate) fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        if self.restarts > 0 {
            let times = if self.restarts == 1 { "once" } else { &format!("{} times", self.restarts) };
            remarks.push(format!("the machine was started again {times} while it was watched"));
        }
        // Clocks of twelve hours come from where the month is written first.
        if let Some(date) = self.head.ambiguous.as_ref().filter(|_| !self.has_halves) {
            remarks.push(format!(
                "its date `{date}` is taken for month/day; where it is day/month, print the file with \
                 `S_TIME_FORMAT=ISO sar …`"
            ));
        }
        remarks
    }
}

fn head(rest: &str) -> Option<Head> {
    let (_, rest) = rest.split_once('(')?;
    let (machine, rest) = rest.split_once(')')?;
    let date = rest.split_whitespace().next()?;
    let (day, is_ambiguous) = date_of(date)?;
    let machine: String = machine.chars().take(100).collect();
    let ambiguous = is_ambiguous.then(|| date.to_owned());
    Some(Head { machine: Some(machine).filter(|name| !name.is_empty()), day, ambiguous })
}

/// `2026-11-26`, `11/26/2026`, `11/26/26`, `26.11.2026`, `26-11-26`: seconds since 1970, and whether day and month could
/// be the other way round.
fn date_of(text: &str) -> Option<(i64, bool)> {
    let separator = text.chars().find(|c| !c.is_ascii_digit()).filter(|c| matches!(c, '/' | '-' | '.'))?;
    let parts: Vec<&str> = text.trim_end_matches('.').split(separator).collect();
    let [first, second, third] = parts.as_slice() else { return None };
    let number = |text: &str| {
        let is_number = (1..=4).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| text.parse::<i64>().ok()).flatten()
    };
    let (one, two, three) = (number(first)?, number(second)?, number(third)?);
    if first.len() == 4 {
        return Some((day(one, two, three)?, false));
    }
    let year = if third.len() == 2 { 2000 + three } else { three };
    // With slashes the month comes first in the languages of most servers, and the day where it cannot.
    if separator == '/' && one <= 12 {
        return Some((day(year, one, two)?, two <= 12 && one != two));
    }
    Some((day(year, two, one)?, false))
}

/// `22:58:01` as seconds of the day.
fn time(text: &str) -> Option<i64> {
    let mut parts = text.split([':', '.']);
    let mut part = |limit: i64| {
        let text = parts.next()?;
        let is_number = matches!(text.len(), 1 | 2) && text.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| text.parse::<i64>().ok()).flatten().filter(|value| *value <= limit)
    };
    let (hours, minutes, seconds) = (part(23)?, part(59)?, part(60)?);
    parts.next().is_none().then_some(hours * 3600 + minutes * 60 + seconds)
}

/// Seconds that the second half of the day adds.
fn half(word: &str) -> Option<i64> {
    match word.to_ascii_uppercase().as_str() {
        "AM" | "A.M." => Some(0),
        "PM" | "P.M." => Some(DAY_S / 2),
        _ => None,
    }
}

/// Whether these are names of columns: a row has at least one number, and a header none.
fn is_header(words: &[&str]) -> bool {
    let is_name = |word: &&str| {
        word.starts_with('%')
            || word.ends_with("/s")
            || word.starts_with("kb")
            || matches!(*word, "runq-sz" | "ldavg-1" | "tps" | "totsck" | "dentunusd" | "MHz")
    };
    words.iter().any(is_name) && words.iter().all(|word| number(word).is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-26T00:00:00Z
    const MIDNIGHT: i64 = 1_795_651_200;

    fn rows(text: &str, zone: Option<i64>) -> (Vec<(i64, Of)>, Vec<String>, Vec<String>) {
        let (mut report, mut rows, mut wrong) = (None::<Report>, Vec::new(), Vec::new());
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            if let Some(begun) = Report::begins(line) {
                let begun = begun.unwrap();
                match &mut report {
                    Some(report) => report.goes_on_as(begun),
                    None => report = Some(begun),
                }
                continue;
            }
            match report.as_mut().unwrap().line(line, &Zone::of(zone)) {
                Ok(Told::Row(at, machine, of)) => {
                    assert_eq!(machine.as_deref(), Some("db1"));
                    rows.push((at.second() - MIDNIGHT, of));
                }
                Ok(Told::Beside) => {}
                Err(why) => wrong.push(why),
            }
        }
        (rows, wrong, report.unwrap().remarks())
    }

    /// As sar of sysstat 12.6 prints a file in American English: its day ends within the report.
    const TWELVE: &str = "\
Linux 6.1.0-18-amd64 (db1) \t11/26/2026 \t_x86_64_\t(4 CPU)

11:40:01 PM     CPU     %user     %nice   %system   %iowait    %steal     %idle
11:50:01 PM     all     20.00      1.00      4.50      0.50      0.00     74.00
11:50:01 PM       0     90.00      0.00      5.00      0.00      0.00      5.00
12:00:01 AM     all      1.00      0.00      1.00      0.00      0.00     98.00
12:05:00 AM  LINUX RESTART\t(4 CPU)

12:10:01 AM     CPU     %user     %nice   %system   %iowait    %steal     %idle
12:20:01 AM     all      2.00      0.00      x         0.00      0.00     98.00
12:30:01 AM     all      2.00      0.00      1.00      0.00      0.00     97.00
Average:        all      6.00      0.20      1.90      0.12      0.00     91.75

11:40:01 PM   runq-sz  plist-sz   ldavg-1   ldavg-5  ldavg-15   blocked
11:50:01 PM         3       200      0.50      0.40      0.30         1
12:00:01 AM         1       200      0.10      0.20      0.30         0
Average:            2       200      0.30      0.30      0.30         0
";

    #[test]
    fn blocks_with_a_clock_of_twelve_hours_go_past_midnight() {
        let (rows, wrong, remarks) = rows(TWELVE, None);
        let hour = |hours: i64, minutes: i64| hours * 3600 + minutes * 60 + 1;
        let at: Vec<i64> = rows.iter().map(|(at, _)| *at).collect();
        let expected = [hour(23, 50), hour(23, 50), hour(24, 0), hour(24, 30), hour(23, 50), hour(24, 0)];
        assert_eq!(at, expected);
        let Of::Machine(values) = &rows[0].1 else { panic!("{rows:?}") };
        assert_eq!(values[..3], [("cpu", 0.255), ("user", 0.21), ("system", 0.045)]);
        assert_eq!(rows[1].1, Of::Other, "one processor");
        assert_eq!(rows[4].1, Of::Machine(vec![("run_queue", 3.0), ("blocked", 1.0), ("load1", 0.5)]));
        assert_eq!(wrong, ["its `%system` is `x`, which is not a number"]);
        assert_eq!(remarks, ["the machine was started again once while it was watched"]);
    }

    #[test]
    fn decimals_and_dates_are_of_the_language_and_stamps_of_the_zone_that_is_given() {
        let text = "Linux 5.15.0 (db1) \t26.11.2026 \t_x86_64_\t(2 CPU)\n\n\
            12:58:00        CPU     %user     %nice   %system   %iowait    %steal     %idle\n\
            12:58:01        all     20,25      0,00      4,50      0,25      0,00     75,00\n\
            Durchschn.:     all     20,25      0,00      4,50      0,25      0,00     75,00\n";
        let (seen, wrong, remarks) = rows(text, Some(7200));
        assert_eq!((seen.len(), wrong.len(), remarks.len()), (1, 0, 0), "{wrong:?} {remarks:?}");
        assert_eq!(seen[0].0, 10 * 3600 + 58 * 60 + 1);
        let Of::Machine(values) = &seen[0].1 else { panic!("{seen:?}") };
        assert_eq!(values[1], ("user", 0.2025));
        // A French one has a space before the colon.
        let french = text.replace("Durchschn.:", "Moyenne : ");
        assert_eq!(rows(&french, Some(7200)).1.len(), 0);
    }

    /// `sar -u -q 1 1`: with an interval all averages stand at the end, each below a header of its own.
    #[test]
    fn averages_at_the_end_of_a_report_are_passed_over_in_any_language() {
        let text = "Linux 6.18.44 (db1) \t11/26/26 \t_x86_64_\t(2 CPU)\n\n\
            05:58:15        CPU     %user     %nice   %system   %iowait    %steal     %idle\n\
            05:58:16        all     67.82     14.85     15.84      0.00      1.49      0.00\n\n\
            05:58:15      runq-sz  plist-sz   ldavg-1   ldavg-5  ldavg-15   blocked\n\
            05:58:16            4       144      4.17      3.10      2.52         0\n\n\
            Average:        CPU     %user     %nice   %system   %iowait    %steal     %idle\n\
            Average:        all     51.69     38.25      9.07      0.00      0.95      0.05\n\n\
            Average:      runq-sz  plist-sz   ldavg-1   ldavg-5  ldavg-15   blocked\n\
            Average:            4       140      4.05      3.11      2.53         0\n";
        for word in ["Average:", "Durchschn.:", "Gemiddeld:", "Gennemsnit:", "Moyenne :", "Média:", "平均時間:"] {
            let (seen, wrong, _) = rows(&text.replace("Average:", word), None);
            assert_eq!((seen.len(), wrong), (2, Vec::new()), "{word}");
        }
        let (_, wrong, _) = rows(&format!("{text}Error: no such file\n"), None);
        assert_eq!(wrong.len(), 1, "{wrong:?}");
    }

    #[test]
    fn dates_are_read_as_languages_write_them() {
        let of = |text| date_of(text).map(|(at, is_ambiguous)| (at - MIDNIGHT, is_ambiguous));
        for text in ["2026-11-26", "11/26/2026", "11/26/26", "26/11/26", "26.11.2026", "26-11-26", "26-11-2026"] {
            assert_eq!(of(text), Some((0, false)), "{text}");
        }
        assert_eq!(date_of("05/06/2026"), Some((day(2026, 5, 6).unwrap(), true)));
        assert_eq!(date_of("05/05/2026").map(|date| date.1), Some(false));
        for text in ["", "26", "2026年11月26日", "11/26", "13/13/2026", "Nov-26-2026"] {
            assert_eq!(date_of(text), None, "{text}");
        }
    }

    #[test]
    fn lines_that_are_none_are_told_and_a_second_report_has_a_day_of_its_own() {
        let text = format!("{}garbage here\n12:61:00 PM all 1\n", TWELVE.replace("11/26/2026", "11/27/2026"));
        let (seen, wrong, _) = rows(&format!("{TWELVE}{text}"), None);
        assert_eq!((seen.len(), wrong.len()), (12, 4), "{wrong:?}");
        assert_eq!(seen[6].0, 86_400 + 23 * 3600 + 50 * 60 + 1);
        assert!(Report::begins("Linux 5 (a) 2026年11月26日 _x86_64_ (2 CPU)").unwrap().is_err());
        assert!(Report::begins("Linux is a kernel").is_none());
    }
}
