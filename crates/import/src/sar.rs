//! `sar`, as it prints itself ([`sar_text`](crate::sar_text)) and as `sadf -d` prints it: fields between semicolons, a
//! header behind `#` for each group of metrics, lines of restarts.
//!
//! Source: sysstat 12, `sadf(1)`, `sar(1)`.

use crate::error::ImportError;
use crate::input::Input;
use crate::numbers::{moment, moment_in, whole};
use crate::reading::{Reading, shown};
use crate::samples::{Samples, by_line};
use crate::sar_fields::{Fields, Of, Parts};
use crate::sar_text::{Report, Told};
use crate::zone::Zone;
use std::path::Path;
use terms::Nanos;

/// Reads a file in either form.
///
/// # Errors
/// For a file without a header of `sar` or `sadf -d`.
pub(crate) fn read(path: &Path, input: Input, zone: &Zone) -> Result<(Samples, Reading), ImportError> {
    let (mut names, mut report): (Option<Vec<String>>, Option<Report>) = (None, None);
    let (mut parts, mut refused, mut of_parts, mut has_disks) = (Parts::default(), None, 0u64, false);
    let (mut rows, mut reading) = by_line(path, input, |line| {
        if let Some(header) = line.strip_prefix('#') {
            names = Some(header.trim().split(';').map(|name| name.trim().to_owned()).collect());
            return Ok(None);
        }
        if let Some(begun) = Report::begins(line) {
            match (begun, &mut report) {
                (Ok(next), Some(report)) => report.goes_on_as(next),
                (Ok(first), None) => report = Some(first),
                (Err(why), _) => refused = Some(why),
            }
            return Ok(None);
        }
        let (at, machine, of) = if let Some(report) = &mut report {
            match report.line(line, zone)? {
                Told::Row(at, machine, of) => (at, machine, of),
                Told::Beside => return Ok(None),
            }
        } else {
            if line.contains("RESTART") || line.contains(";COM ") {
                return Ok(None);
            }
            let Some(names) = &names else { return Err("it stands before any header".into()) };
            of_fields(&line.split(';').collect::<Vec<_>>(), names, zone)?
        };
        of_parts += u64::from(matches!(of, Of::Interface { .. } | Of::Disk { .. }));
        let row = parts.take(of, at, machine)?;
        has_disks |= row.as_ref().is_some_and(|row| row.values.iter().any(|(metric, _)| *metric == "disk_read"));
        Ok(row)
    })?;
    if let Some(why) = refused {
        return Err(ImportError::file(path, why));
    }
    let is_sadf = names.is_some_and(|names| names.iter().any(|name| name == "timestamp"));
    if !is_sadf && !report.as_ref().is_some_and(|report| report.has_block) {
        let what = "is output of neither `sar` nor `sadf -d`: it has no line `Linux … (HOST) … (4 CPU)` with a header of \
                    columns below it, and no line `# hostname;interval;timestamp`\n\
                    make one with `LC_ALL=C sar -u -q -r -b -n DEV -f DATAFILE > FILE` or \
                    `sadf -d DATAFILE -- -u -q -r -b > FILE`";
        return Err(ImportError::file(path, what));
    }
    rows.extend(parts.rows(has_disks));
    // Rows of disks and interfaces are read, too, and add up to one.
    let sums = rows.len() as u64 - reading.read;
    reading.read = rows.len() as u64;
    if of_parts > 0 {
        reading
            .remarks
            .push(format!("{of_parts} rows of single disks and interfaces are added up to {sums} of the machine"));
    }
    reading.remarks.extend(report.iter().flat_map(Report::remarks));
    Ok((Samples { monitor: "host", usual_instance: "host", skipped: 0, rows }, reading))
}

/// Moment, machine, and what a row of `sadf -d` is of.
fn of_fields(fields: &[&str], names: &[String], zone: &Zone) -> Result<(Nanos, Option<String>, Of), String> {
    let fields = Fields::of(names, fields)?;
    let stamp = fields.text("timestamp").unwrap_or_default();
    let at = whole(stamp.as_bytes())
        .map(Nanos::from_secs)
        .or_else(|| match stamp.strip_suffix("UTC") {
            Some(stamp) => moment(stamp.trim_end().as_bytes()),
            None => moment_in(stamp.as_bytes(), zone),
        })
        .ok_or_else(|| format!("its timestamp `{}` is not a time stamp", shown(stamp.as_bytes())))?;
    let host = fields.text("hostname").filter(|host| !host.is_empty()).map(|host| host.chars().take(100).collect());
    Ok((at, host, fields.told()?))
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

    fn input(text: &str) -> Input {
        Input::of(Cursor::new(text.as_bytes().to_vec())).unwrap()
    }

    fn seen(text: &str, zone: &Zone) -> (Samples, Reading) {
        read(Path::new("sar.log"), input(text), zone).unwrap()
    }

    #[test]
    fn rows_of_the_whole_machine_have_the_units_of_our_own_monitor() {
        let (samples, reading) = seen(TEXT, &Zone::default());
        assert_eq!((samples.rows.len(), reading.unreadable), (2, 1));
        let row = &samples.rows[0];
        assert_eq!((row.at, row.instance.as_deref()), (Some(Nanos::from_secs(1_795_690_681)), Some("db1")));
        let of = |metric: &str| row.values.iter().find(|(name, _)| *name == metric).unwrap().1;
        assert!(
            (of("cpu") - 0.255).abs() < 1e-9 && (of("user") - 0.21).abs() < 1e-9 && (of("idle") - 0.74).abs() < 1e-9
        );
        assert_eq!(samples.rows[1].values, [("run_queue", 3.0), ("load1", 0.5)]);
        let refused = read(Path::new("x"), input("10:00 all 1 2\n"), &Zone::default()).unwrap_err().to_string();
        assert!(refused.contains("sadf -d") && refused.contains("LC_ALL=C sar"), "{refused}");
    }

    #[test]
    fn local_time_of_sadf_is_of_the_zone_that_is_given() {
        // The second row says that it is in UTC, the third is since 1970.
        let text = TEXT.replace("10:58:02;-1;x", "12:58:02;-1;9");
        let zone = Zone::of(Some(7200));
        let (samples, _) = seen(&text, &zone);
        let at: Vec<i64> = samples.rows.iter().map(|row| row.at.unwrap().second() - 1_795_690_680).collect();
        assert_eq!((at, zone.is_used()), (vec![1, 2, 2], true));
    }

    /// `sar -u -n DEV -d`, as sysstat 12.6 prints it.
    const PRINTED: &str = "\
Linux 6.1.0-18-amd64 (db1) \t2026-11-26 \t_x86_64_\t(4 CPU)

12:58:00        CPU     %user     %nice   %system   %iowait    %steal     %idle
12:58:01        all     20.00      1.00      4.50      0.50      0.00     74.00
12:58:00      IFACE   rxpck/s   txpck/s    rxkB/s    txkB/s   rxcmp/s   txcmp/s  rxmcst/s   %ifutil
12:58:01         lo      1.00      1.00      8.00      8.00      0.00      0.00      0.00      0.00
12:58:01       eth0     10.00     10.00      2.00      3.00      0.00      0.00      0.00      0.01
12:58:00        DEV       tps     rkB/s     wkB/s     dkB/s   areq-sz    aqu-sz     await     %util
12:58:01        sda     10.00      4.00      5.00      0.00     16.00      0.01      0.50     40.00
nonsense
";

    #[test]
    fn what_sar_prints_is_read_with_disks_and_interfaces_added_up() {
        let zone = Zone::of(Some(7200));
        let (samples, reading) = seen(PRINTED, &zone);
        assert_eq!((samples.rows.len(), reading.read, reading.unreadable), (2, 2, 1), "{reading:?}");
        assert!(zone.is_used());
        let at = Some(Nanos::from_secs(1_795_690_681));
        assert_eq!((samples.rows[0].at, samples.rows[1].at), (at, at));
        let kib = 1024.0;
        let expected = [
            ("disk_read", 4.0 * kib),
            ("disk_write", 5.0 * kib),
            ("disk_busy", 0.4),
            ("net_in", 2.0 * kib),
            ("net_out", 3.0 * kib),
            ("loopback", 8.0 * kib),
        ];
        assert_eq!(samples.rows[1].values, expected);
        assert_eq!(reading.remarks, ["3 rows of single disks and interfaces are added up to 1 of the machine"]);
    }

    #[test]
    fn the_machines_own_row_of_what_disks_read_goes_before_their_sum() {
        let text = format!(
            "{PRINTED}12:58:00          tps      rtps      wtps      dtps   bread/s   bwrtn/s   bdscd/s\n\
             12:58:01        10.00      5.00      5.00      0.00     80.00     80.00      0.00\n"
        );
        let (samples, _) = seen(&text, &Zone::default());
        let read = samples.rows.iter().flat_map(|row| &row.values).filter(|(metric, _)| *metric == "disk_read");
        assert_eq!(read.map(|(_, value)| *value).collect::<Vec<_>>(), [80.0 * 512.0]);
    }

    #[test]
    fn programs_are_not_the_machine() {
        let text = "Linux 6.1.0 (db1) \t2026-11-26 \t_x86_64_\t(4 CPU)\n\n\
            12:58:00  UID PID %usr %system CPU Command\n12:58:01  0 1 99.00 1.00 0 init\n";
        assert!(read(Path::new("x"), input(text), &Zone::default()).is_err());
    }
}
