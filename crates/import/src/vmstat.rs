//! `vmstat`, with `-t` or without, with headers that are printed again or once.
//!
//! The first row is the average since the machine was started, and left out. Memory is in KiB, blocks are of a KiB.
//!
//! Source: procps, `vmstat(8)`.

use crate::error::ImportError;
use crate::input::Input;
use crate::numbers::moment;
use crate::reading::{Reading, shown};
use crate::samples::{Row, Samples, by_line};
use crate::zone::Zone;
use std::path::Path;
use terms::Nanos;

const KIB: f64 = 1024.0;
/// Zones that name one offset; others are several, or a matter of the season.
const ZONES: [(&str, i64); 7] =
    [("UTC", 0), ("GMT", 0), ("WET", 0), ("CET", 3600), ("CEST", 7200), ("EET", 7200), ("EEST", 10_800)];

/// Names of the columns, and the zone of its stamps.
struct Header {
    names: Vec<String>,
    /// Offset of the stamps behind the columns, seconds; none where there are none.
    zone: Option<i64>,
}

/// Reads a file. `zone` is that of its stamps, where the file's own name of it is not known.
///
/// # Errors
/// For a file without a header of `vmstat`.
pub(crate) fn read(path: &Path, input: Input, zone: &Zone) -> Result<(Samples, Reading), ImportError> {
    let (mut header, mut is_first, mut refused): (Option<Header>, bool, Option<String>) = (None, true, None);
    let (mut is_behind_header, mut stamps, mut since_boot) = (false, [None; 2], 0u64);
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
        let Some(header) = &header else { return Err("it stands before any header".into()) };
        let row = read_row(&fields, header)?;
        let is_of_another = std::mem::take(&mut is_behind_header) && breaks_off(stamps, row.at);
        stamps = [stamps[1], row.at];
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
        None => Ok(Header { names, zone: None }),
        Some(place) => {
            let zone = names[place].as_str();
            let known = ZONES.iter().find(|(name, _)| *name == zone).map(|(_, offset)| *offset);
            let offset = known.or_else(|| given.offset_if_given()).ok_or_else(|| {
                format!(
                    "has stamps in the zone `{}`, which names no one offset; write it: `--zone +01:00`",
                    shown(zone.as_bytes())
                )
            })?;
            Ok(Header { names: names[..place].to_vec(), zone: Some(offset) })
        }
    }
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
