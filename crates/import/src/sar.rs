//! `sar` as `sadf -d` prints it: fields between semicolons, a header behind `#` for each group of metrics, lines of restarts.
//!
//! Of processors the row of all of them is taken (`-1`). Blocks of a disk are of 512 bytes.
//!
//! Source: sysstat 12, `sadf(1)`, `sar(1)`.

use crate::error::ImportError;
use crate::input::Input;
use crate::numbers::{moment, moment_in, whole};
use crate::reading::{Reading, shown};
use crate::samples::{Row, Samples, by_line};
use std::path::Path;
use terms::Nanos;

const KIB: f64 = 1024.0;
const BLOCK: f64 = 512.0;
const SHARE: f64 = 0.01;

/// Columns with the metric of our own monitor and the factor to its unit.
const METRICS: [(&str, &str, f64); 13] = [
    ("%idle", "idle", SHARE),
    ("%iowait", "iowait", SHARE),
    ("%steal", "steal", SHARE),
    ("runq-sz", "run_queue", 1.0),
    ("blocked", "blocked", 1.0),
    ("ldavg-1", "load1", 1.0),
    ("kbavail", "memory_available", KIB),
    ("kbmemused", "memory_used", KIB),
    ("kbswpused", "swap_used", KIB),
    ("bread/s", "disk_read", BLOCK),
    ("bwrtn/s", "disk_write", BLOCK),
    ("cswch/s", "context_switches", 1.0),
    ("intr/s", "interrupts", 1.0),
];

/// Reads a file.
///
/// # Errors
/// For a file without a header of `sadf -d`.
pub(crate) fn read(path: &Path, input: Input, zone: i64) -> Result<(Samples, Reading), ImportError> {
    let mut names: Option<Vec<String>> = None;
    let (rows, reading) = by_line(path, input, |line| {
        if let Some(header) = line.strip_prefix('#') {
            names = Some(header.trim().split(';').map(|name| name.trim().to_owned()).collect());
            return Ok(None);
        }
        if line.contains("RESTART") || line.contains(";COM ") {
            return Ok(None);
        }
        let Some(names) = &names else { return Err("it stands before any header".into()) };
        row(&line.split(';').collect::<Vec<_>>(), names, zone)
    })?;
    if names.is_none_or(|names| !names.iter().any(|name| name == "timestamp")) {
        let what = "is not output of `sadf -d`: no line of it begins with `# hostname;interval;timestamp`\n\
                    make one with `sadf -d -- -u -q -r -b > FILE`";
        return Err(ImportError::file(path, what));
    }
    Ok((Samples { monitor: "host", usual_instance: "host", skipped: 0, rows }, reading))
}

fn row(fields: &[&str], names: &[String], zone: i64) -> Result<Option<Row>, String> {
    if fields.len() != names.len() {
        return Err(format!("it has {} fields, and its header {}", fields.len(), names.len()));
    }
    let text = |name: &str| names.iter().position(|known| known == name).map(|place| fields[place].trim());
    // One processor, one disk, one interface: the machine as a whole has rows of its own, or none.
    let is_part = text("CPU").is_some_and(|cpu| cpu != "-1" && cpu != "all")
        || ["DEV", "IFACE", "INTR"].iter().any(|name| text(name).is_some());
    if is_part {
        return Ok(None);
    }
    let stamp = text("timestamp").unwrap_or_default();
    let at = whole(stamp.as_bytes())
        .map(Nanos::from_secs)
        .or_else(|| match stamp.strip_suffix("UTC") {
            Some(stamp) => moment(stamp.trim_end().as_bytes()),
            None => moment_in(stamp.as_bytes(), zone),
        })
        .ok_or_else(|| format!("its timestamp `{}` is not a time stamp", shown(stamp.as_bytes())))?;
    let value = |name: &str| -> Result<Option<f64>, String> {
        let Some(text) = text(name) else { return Ok(None) };
        let value = text.replace(',', ".").parse::<f64>().ok().filter(|value| value.is_finite() && *value >= 0.0);
        value.map(Some).ok_or_else(|| format!("its `{name}` is `{}`, which is not a number", shown(text.as_bytes())))
    };
    let sum = |names: &[&str]| -> Result<Option<f64>, String> {
        let mut all = None;
        for name in names {
            all = value(name)?.map(|value| value + all.unwrap_or(0.0)).or(all);
        }
        Ok(all)
    };
    let (user, system) = (sum(&["%user", "%usr", "%nice"])?, sum(&["%system", "%sys", "%irq", "%soft"])?);
    let mut values = Vec::new();
    let both = user.zip(system).map(|(user, system)| (user + system).min(100.0));
    for (metric, value) in [("cpu", both), ("user", user), ("system", system)] {
        values.extend(value.map(|value| (metric, value * SHARE)));
    }
    for (name, metric, factor) in METRICS {
        values.extend(value(name)?.map(|value| (metric, value * factor)));
    }
    let host = text("hostname").filter(|host| !host.is_empty()).map(|host| host.chars().take(100).collect());
    Ok((!values.is_empty()).then_some(Row { at: Some(at), since: None, instance: host, values }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    /// As sadf of sysstat 12.6 prints it.
    const TEXT: &str = "\
# hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;%idle
db1;1;2026-11-26 10:58:01 UTC;-1;20.00;1.00;4.50;0.50;0.00;74.00
db1;1;2026-11-26 10:58:01 UTC;0;90.00;0.00;5.00;0.00;0.00;5.00
db1;-1;2026-11-26 10:58:02 UTC;LINUX-RESTART\t(2 CPU)
db1;1;2026-11-26 10:58:02;-1;x;1.00;4.50;0.50;0.00;74.00
# hostname;interval;timestamp;runq-sz;plist-sz;ldavg-1
db1;1;1795690682;3;200;0.50
";

    #[test]
    fn rows_of_the_whole_machine_have_the_units_of_our_own_monitor() {
        let input = |text: &str| Input::of(Cursor::new(text.as_bytes().to_vec())).unwrap();
        let (samples, reading) = read(Path::new("sar.csv"), input(TEXT), 0).unwrap();
        assert_eq!((samples.rows.len(), reading.unreadable), (2, 1));
        let row = &samples.rows[0];
        assert_eq!((row.at, row.instance.as_deref()), (Some(Nanos::from_secs(1_795_690_681)), Some("db1")));
        let of = |metric: &str| row.values.iter().find(|(name, _)| *name == metric).unwrap().1;
        assert!(
            (of("cpu") - 0.255).abs() < 1e-9 && (of("user") - 0.21).abs() < 1e-9 && (of("idle") - 0.74).abs() < 1e-9
        );
        assert_eq!(samples.rows[1].values, [("run_queue", 3.0), ("load1", 0.5)]);
        assert!(read(Path::new("x"), input("10:00 all 1 2\n"), 0).unwrap_err().to_string().contains("sadf -d"));
    }
}
