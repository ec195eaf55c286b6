//! `vmstat`, with `-t` or without, with headers that are printed again or once.
//!
//! The first row is the average since the machine was started, and left out. Memory is in KiB, blocks are of a KiB.
//!
//! Source: procps, `vmstat(8)`.

use crate::error::ImportError;
use crate::input::Input;
use crate::numbers::{moment, whole};
use crate::reading::{Reading, shown};
use crate::samples::{Row, Samples, by_line};
use crate::zone::Zone;
use std::path::Path;
use terms::Nanos;

const KIB: f64 = 1024.0;
/// Zones that name one offset; others are several, or a matter of the season.
const ZONES: [(&str, i64); 7] =
    [("UTC", 0), ("GMT", 0), ("WET", 0), ("CET", 3600), ("CEST", 7200), ("EET", 7200), ("EEST", 10_800)];

/// Zones of the summer whose clock goes back by an hour at its end.
const SUMMERS: [&str; 2] = ["CEST", "EEST"];
const HOUR_S: i64 = 3600;

/// Names of the columns, and the zone of its stamps.
struct Header {
    names: Vec<String>,
    /// Offset of the stamps behind the columns, seconds; none where there are none.
    zone: Option<i64>,
    /// Whether that is of a summer, which may end before the name of the zone is printed again.
    is_summer: bool,
}

/// Moments of rows while they are read: a clock may be set back, or go from summer to winter.
#[derive(Default)]
struct Clock {
    /// Of the two rows before.
    last: [Option<Nanos>; 2],
    latest: Option<Nanos>,
    /// The stamps between which a summer ended first.
    winter: Option<String>,
    /// The stamps between which it first went back otherwise, how often it did, and how many rows have moments that rows
    /// before them had.
    back: Option<(String, u64, u64)>,
    last_stamp: String,
}

impl Clock {
    /// The moment of a row with this stamp. A summer in `header` becomes the winter behind it where the clock goes back by
    /// exactly an hour.
    fn see(&mut self, at: Nanos, stamp: String, header: &mut Header) -> Nanos {
        let between = format!("{} to {stamp}", self.last_stamp);
        let (mut at, hour) = (at, Nanos::from_secs(HOUR_S));
        let step = self.last[1].map(|last| at - last);
        if header.is_summer && step.is_some_and(|step| step < Nanos::ZERO) && !breaks_off(self.last, Some(at + hour)) {
            (header.is_summer, header.zone) = (false, header.zone.map(|offset| offset - HOUR_S));
            self.winter.get_or_insert(between);
            at += hour;
        } else if step.is_some_and(|step| step < Nanos::ZERO) {
            self.back.get_or_insert((between, 0, 0)).1 += 1;
        }
        if let Some((_, _, rows)) = &mut self.back {
            *rows += u64::from(self.latest > Some(at));
        }
        (self.last, self.latest, self.last_stamp) = ([self.last[1], Some(at)], self.latest.max(Some(at)), stamp);
        at
    }

    fn remarks(&self) -> impl Iterator<Item = String> {
        let winter = self.winter.as_ref().map(|between| {
            format!("its summer ends where its stamps go from {between}: the hour is taken back in the rows behind it")
        });
        let back = self.back.as_ref().map(|(between, times, rows)| {
            let times = if *times == 1 { "once" } else { &format!("{times} times") };
            let rows = if *rows == 1 { "1 row has a moment" } else { &format!("{rows} rows have moments") };
            format!(
                "its clock goes back {times}, first from {between}: {rows} that rows before had passed, each where its \
                 stamp says"
            )
        });
        winter.into_iter().chain(back)
    }
}

/// Reads a file. `zone` is that of its stamps, where the file's own name of it is not known.
///
/// # Errors
/// For a file without a header of `vmstat`.
pub(crate) fn read(path: &Path, input: Input, zone: &Zone) -> Result<(Samples, Reading), ImportError> {
    let (mut header, mut is_first, mut refused): (Option<Header>, bool, Option<String>) = (None, true, None);
    let (mut is_behind_header, mut clock, mut since_boot) = (false, Clock::default(), 0u64);
    let (rows, mut reading) = by_line(path, input, |line| {
        if line.trim_start().starts_with("procs") {
            return Ok(None);
        }
        let fields: Vec<&str> = line.split_whitespace().collect();
        if fields.first() == Some(&"r") && fields.contains(&"us") {
            match read_header(&fields, zone) {
                Ok(read) => (header, is_behind_header) = (Some(read), true),
                Err(why) => refused = Some(why),
            }
            return Ok(None);
        }
        let Some(header) = &mut header else { return Err("it stands before any header".into()) };
        let mut row = read_row(&fields, header)?;
        let before = clock.last;
        if let Some(at) = row.at {
            row.at = Some(clock.see(at, fields[header.names.len()..].join(" "), header));
        }
        let is_of_another = std::mem::take(&mut is_behind_header) && breaks_off(before, row.at);
        if std::mem::take(&mut is_first) || is_of_another {
            since_boot += 1;
            return Ok(None);
        }
        Ok(Some(row))
    })?;
    if let Some(why) = refused {
        return Err(ImportError::file(path, why));
    }
    if header.is_none() {
        let what =
            "is not output of vmstat: no line of it begins with `r b swpd free`\nmake one with `vmstat -n -t 1 > FILE`";
        return Err(ImportError::file(path, what));
    }
    let rows_of = if since_boot == 1 { "1 row is" } else { &format!("{since_boot} rows are") };
    if since_boot > 0 {
        reading.remarks.push(format!("{rows_of} the average since the machine was started, and left out"));
    }
    reading.remarks.extend(clock.remarks());
    Ok((Samples { monitor: "host", usual_instance: "host", skipped: 1, rows }, reading))
}

/// Whether a row behind a header is the first of another `vmstat`, which began at its own moment: headers that one prints
/// again do not change its pace.
fn breaks_off(before: [Option<Nanos>; 2], at: Option<Nanos>) -> bool {
    let ([Some(first), Some(last)], Some(at)) = (before, at) else { return false };
    let (pace, step) = ((last - first).as_secs_f64(), (at - last).as_secs_f64());
    (step - pace).abs() > (0.5 * pace).max(1.5)
}

fn read_header(fields: &[&str], given: &Zone) -> Result<Header, String> {
    const KNOWN: [&str; 18] = [
        "r", "b", "swpd", "free", "buff", "cache", "inact", "active", "si", "so", "bi", "bo", "in", "cs", "us", "sy",
        "id", "wa",
    ];
    let names: Vec<String> = fields.iter().map(|name| (*name).to_owned()).collect();
    let is_column = |name: &str| KNOWN.contains(&name) || matches!(name, "st" | "gu");
    match names.iter().position(|name| !is_column(name)) {
        None => Ok(Header { names, zone: None, is_summer: false }),
        Some(place) => {
            let zone = names[place].as_str();
            let known = ZONES.iter().find(|(name, _)| *name == zone).map(|(_, offset)| *offset);
            let offset = known.or_else(|| numeric(zone)).or_else(|| given.offset_if_given()).ok_or_else(|| {
                format!(
                    "has stamps in the zone `{}`, which names no one offset; write it: `--zone +01:00`",
                    shown(zone.as_bytes())
                )
            })?;
            Ok(Header { names: names[..place].to_vec(), zone: Some(offset), is_summer: SUMMERS.contains(&zone) })
        }
    }
}

/// The offset in seconds of a zone without a name of its own: `+03`, `-03`, `+0530`, as most of the world's are called.
fn numeric(zone: &str) -> Option<i64> {
    let (sign, digits) = match zone.as_bytes() {
        [b'+', digits @ ..] => (1, digits),
        [b'-', digits @ ..] => (-1, digits),
        _ => return None,
    };
    if !matches!(digits.len(), 2 | 4) {
        return None;
    }
    let (hours, minutes) = (whole(&digits[..2])?, if digits.len() == 4 { whole(&digits[2..])? } else { 0 });
    let is_offset = digits.iter().all(u8::is_ascii_digit) && hours <= 14 && minutes < 60;
    is_offset.then_some(sign * (hours * HOUR_S + minutes * 60))
}

fn read_row(fields: &[&str], header: &Header) -> Result<Row, String> {
    let columns = header.names.len();
    let expected = columns + if header.zone.is_some() { 2 } else { 0 };
    if fields.len() != expected {
        return Err(format!("it has {} fields, and {expected} were expected", fields.len()));
    }
    let value = |name: &str| -> Result<Option<f64>, String> {
        let Some(place) = header.names.iter().position(|known| known == name) else { return Ok(None) };
        let text = fields[place];
        let value = text.parse::<f64>().ok().filter(|value| value.is_finite() && *value >= 0.0);
        value.map(Some).ok_or_else(|| format!("its `{name}` is `{}`, which is not a number", shown(text.as_bytes())))
    };
    let at = match header.zone {
        None => None,
        Some(offset) => {
            let stamp = format!("{} {}", fields[columns], fields[columns + 1]);
            let read = moment(stamp.as_bytes())
                .ok_or_else(|| format!("its stamp `{}` is not a time stamp", shown(stamp.as_bytes())))?;
            Some(read - Nanos::from_secs(offset))
        }
    };
    let mut values = Vec::with_capacity(14);
    let mut add = |metric, value: Option<f64>, factor: f64| values.extend(value.map(|value| (metric, value * factor)));
    let share = 0.01;
    // Guests run as programs, and a share above the whole is rounding.
    let user = value("us")?.map(|user| value("gu").map(|guests| user + guests.unwrap_or(0.0))).transpose()?;
    let system = value("sy")?;
    add("cpu", user.zip(system).map(|(user, system)| (user + system).min(100.0)), share);
    add("user", user, share);
    add("system", system, share);
    add("iowait", value("wa")?, share);
    add("idle", value("id")?, share);
    add("steal", value("st")?, share);
    add("run_queue", value("r")?, 1.0);
    add("blocked", value("b")?, 1.0);
    // What the kernel can free: close to what `MemAvailable` says.
    let free = value("free")?
        .map(|free| Ok::<_, String>(free + value("buff")?.unwrap_or(0.0) + value("cache")?.unwrap_or(0.0)));
    add("memory_available", free.transpose()?, KIB);
    add("swap_used", value("swpd")?, KIB);
    add("disk_read", value("bi")?, KIB);
    add("disk_write", value("bo")?, KIB);
    add("interrupts", value("in")?, 1.0);
    add("context_switches", value("cs")?, 1.0);
    Ok(Row { at, since: None, instance: None, values })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn read_text(text: &str, zone: Option<i64>) -> Result<(Samples, Reading), ImportError> {
        read(Path::new("vmstat.log"), Input::of(Cursor::new(text.as_bytes().to_vec())).unwrap(), &Zone::of(zone))
    }

    /// As vmstat of procps 4.0.4 prints it, its first row since boot.
    const STAMPED: &str = "\
procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st                 UTC
24  0      0 8787948 127008 11299552    0    0  1784  4265  979 2228 65  9 26  0  0 2026-11-26 11:28:12
24  1      0 8787948 127008 11299552    0    0   908    36  816  850 90  3  5  1  1 2026-11-26 11:28:13
procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st                 UTC
25  1      0 8787948 127008
25  1      0 8787948 127008 11299552    0    0  2616    20 1692 1842 96  x  0  0  0 2026-11-26 11:28:15
25  1      0 8787948 127008 11299552    0    0  2616    20 1692 1842 96  4  0  0  0 2026-11-26 11:28:15
";

    #[test]
    fn rows_have_the_units_of_our_own_monitor() {
        let (samples, reading) = read_text(STAMPED, None).unwrap();
        assert_eq!((samples.rows.len(), reading.unreadable), (2, 2), "the first row is since boot");
        assert_eq!(reading.remarks, ["1 row is the average since the machine was started, and left out"]);
        // The same machine, watched once more half a minute later.
        let twice = format!("{STAMPED}{}", STAMPED.replace("11:28:", "11:29:"));
        let (later, reading) = read_text(&twice, None).unwrap();
        assert_eq!(later.rows.len(), 4, "{reading:?}");
        assert!(reading.remarks[0].starts_with("2 rows are"), "{reading:?}");
        let row = &samples.rows[0];
        assert_eq!(row.at, Some(Nanos::from_secs(1_795_692_493)));
        let of = |metric: &str| row.values.iter().find(|(name, _)| *name == metric).unwrap().1;
        assert!(
            (of("cpu") - 0.93).abs() < 1e-9 && (of("iowait") - 0.01).abs() < 1e-9 && (of("steal") - 0.01).abs() < 1e-9
        );
        assert_eq!((of("disk_read"), of("run_queue"), of("blocked")), (908.0 * 1024.0, 24.0, 1.0));
        assert_eq!(of("memory_available"), (8_787_948.0 + 127_008.0 + 11_299_552.0) * 1024.0);
    }

    /// A row each minute from these moments on, below the name of a zone that is two hours ahead.
    fn minutes(zone: &str, from: &[(&str, usize)]) -> String {
        let row = |stamp: String| {
            format!("24  1      0 8787948 127008 11299552    0    0   908    36  816  850 90  3  5  1  1 {stamp}\n")
        };
        let rows =
            from.iter().flat_map(|(hour, count)| (0..*count).map(move |minute| format!("{hour}:{minute:02}:00")));
        let header = STAMPED.lines().take(2).map(|line| format!("{}\n", line.replace("UTC", zone))).collect::<String>();
        format!("{header}{}", rows.map(row).collect::<String>())
    }

    #[test]
    fn a_summer_that_ends_takes_its_hour_back() {
        let night = [("2026-10-25 01", 60), ("2026-10-25 02", 60), ("2026-10-25 02", 60), ("2026-10-25 03", 5)];
        let (samples, reading) = read_text(&minutes("CEST", &night), None).unwrap();
        let at: Vec<i64> = samples.rows.iter().map(|row| row.at.unwrap().second()).collect();
        // 2026-10-25T01:00 in summer is 23:00 of the day before in UTC; the first row is since boot.
        let expected: Vec<i64> = (1..185).map(|minute| 1_792_882_800 + 60 * minute).collect();
        assert_eq!(at, expected);
        let told = "its summer ends where its stamps go from 2026-10-25 02:59:00 to 2026-10-25 02:00:00: the hour is \
                    taken back in the rows behind it";
        assert_eq!(reading.remarks[1..], [told]);
        // A vmstat that prints its header again says so itself.
        let again = format!("{}{}", minutes("CEST", &night[..2]), minutes("CET", &night[2..]));
        let (samples, reading) = read_text(&again, None).unwrap();
        let at: Vec<i64> = samples.rows.iter().map(|row| row.at.unwrap().second()).collect();
        assert_eq!((at, reading.remarks.len()), (expected, 1));
    }

    #[test]
    fn a_clock_that_goes_back_otherwise_is_told() {
        for zone in ["UTC", "CEST"] {
            let set = [("2026-10-25 02", 30), ("2026-10-25 02", 20), ("2026-10-25 01", 2)];
            let (samples, reading) = read_text(&minutes(zone, &set), None).unwrap();
            assert_eq!((samples.rows.len(), reading.unreadable), (51, 0));
            let told = "its clock goes back 2 times, first from 2026-10-25 02:29:00 to 2026-10-25 02:00:00: 22 rows have \
                        moments that rows before had passed, each where its stamp says";
            assert_eq!(reading.remarks[1..], [told], "{zone}");
        }
    }

    #[test]
    fn zones_without_a_name_are_offsets() {
        for (zone, hours) in [("+03", 3.0), ("-03", -3.0), ("+0530", 5.5), ("+0545", 5.75), ("-0330", -3.5)] {
            let (samples, _) = read_text(&STAMPED.replace("UTC", zone), None).unwrap();
            assert_eq!(samples.rows[0].at, Some(Nanos::from_secs(1_795_692_493 - (hours * 3600.0) as i64)), "{zone}");
        }
        for zone in ["+3", "+99", "+0375", "-", "+ab", "+-1+2"] {
            assert!(read_text(&STAMPED.replace("UTC", zone), None).is_err(), "{zone}");
        }
    }

    #[test]
    fn without_stamps_the_rows_have_no_moment_and_a_zone_may_be_given() {
        let plain: String = STAMPED
            .lines()
            .map(|line| format!("{}\n", line.split(" 2026").next().unwrap().replace("UTC", "")))
            .collect();
        let (samples, _) = read_text(&plain, None).unwrap();
        assert_eq!(samples.rows.iter().map(|row| row.at).collect::<Vec<_>>(), [None, None]);
        let pacific = STAMPED.replace("UTC", "PST");
        assert!(read_text(&pacific, None).unwrap_err().to_string().contains("`--zone +01:00`"));
        // What the file says itself is not turned by what is reported about it.
        let (samples, _) = read_text(STAMPED, Some(7200)).unwrap();
        assert_eq!(samples.rows[0].at, Some(Nanos::from_secs(1_795_692_493)));
        let (samples, _) = read_text(&pacific, Some(-8 * 3600)).unwrap();
        assert_eq!(samples.rows[0].at, Some(Nanos::from_secs(1_795_692_493 + 8 * 3600)));
        assert!(read_text("a b c\n", None).unwrap_err().to_string().contains("vmstat -n -t 1"));
    }
}
