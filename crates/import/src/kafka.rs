//! `kafka-consumer-groups --describe`, asked again and again: by how much each partition's consumer is behind.
//!
//! It has no clock; a line with a moment (`date -u +%FT%TZ`) before each answer is one. `-` stands for what is not known.
//!
//! Source: Kafka 3.x, `ConsumerGroupCommand`.

use crate::error::ImportError;
use crate::input::Input;
use crate::numbers::moment_in;
use crate::reading::{Reading, shown};
use crate::samples::{Row, Samples, by_line};
use crate::zone::Zone;
use std::path::Path;

/// Reads a file.
///
/// # Errors
/// For a file without a header of the tool.
pub(crate) fn read(path: &Path, input: Input, zone: &Zone) -> Result<(Samples, Reading), ImportError> {
    let (mut names, mut at): (Option<Vec<String>>, _) = (None, None);
    let (mut groups, mut unknown) = (Vec::<String>::new(), 0u64);
    let (mut rows, mut reading) = by_line(path, input, |line| {
        if let Some(stamp) = moment_in(line.trim().as_bytes(), zone) {
            at = Some(stamp);
            return Ok(None);
        }
        let fields: Vec<&str> = line.split_whitespace().collect();
        if fields.contains(&"PARTITION") && fields.contains(&"LAG") {
            names = Some(fields.iter().map(|name| (*name).to_owned()).collect());
            return Ok(None);
        }
        // What the tool says of a group as a whole.
        if line.starts_with("Consumer group ") || line.starts_with("Warning:") {
            return Ok(None);
        }
        let Some(names) = &names else { return Err("it stands before any header".into()) };
        let Some((group, row)) = row(&fields, names)? else {
            unknown += 1;
            return Ok(None);
        };
        groups.push(group);
        Ok(Some(Row { at, ..row }))
    })?;
    if names.is_none() {
        let what = "is not output of kafka-consumer-groups: no line of it names `PARTITION` and `LAG`\n\
                    make one with `kafka-consumer-groups --bootstrap-server HOST:9092 --describe --group NAME >> FILE`";
        return Err(ImportError::file(path, what));
    }
    if groups.iter().any(|group| *group != groups[0]) {
        // Each group has read to a place of its own in the same partitions.
        for (row, group) in rows.iter_mut().zip(&groups) {
            row.instance = row.instance.as_ref().map(|partition| format!("{group}/{partition}"));
        }
    }
    if unknown > 0 {
        let rows = if unknown == 1 { "1 row has" } else { &format!("{unknown} rows have") };
        reading.remarks.push(format!("{rows} `-` as LAG: by how much the consumer was behind was not known there"));
    }
    Ok((Samples { monitor: "imported", usual_instance: "group", skipped: 0, rows }, reading))
}

/// Columns behind `LAG` may be empty and are not needed.
fn row(fields: &[&str], names: &[String]) -> Result<Option<(String, Row)>, String> {
    let text = |name: &str| names.iter().position(|known| known == name).and_then(|place| fields.get(place)).copied();
    let need = |name: &str| text(name).ok_or_else(|| format!("it has no `{name}`"));
    let (topic, partition, lag) = (need("TOPIC")?, need("PARTITION")?, need("LAG")?);
    if lag == "-" {
        return Ok(None);
    }
    let number = |name: &str, text: &str| {
        text.parse::<u64>().map_err(|_| format!("its `{name}` is `{}`, which is not a number", shown(text.as_bytes())))
    };
    let (partition, lag) = (number("PARTITION", partition)?, number("LAG", lag)?);
    let topic: String = topic.chars().take(100).collect();
    let instance = Some(format!("{topic}-{partition}"));
    let group: String = text("GROUP").unwrap_or_default().chars().take(100).collect();
    Ok(Some((group, Row { at: None, since: None, instance, values: vec![("lag", lag as f64)] })))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;
    use terms::Nanos;

    const TEXT: &str = "\
2026-11-26T10:58:00Z
Consumer group 'store' has no active members.

GROUP           TOPIC           PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG             CONSUMER-ID     HOST            CLIENT-ID
store           registrations   0          10              15              5               -               -               -
store           registrations   1          -               3               -               -               -               -
store           registrations   2          7               x               y               -               -               -
2026-11-26T10:58:10Z
GROUP           TOPIC           PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG             CONSUMER-ID     HOST            CLIENT-ID
store           registrations   0          15              15              0               c-1             /10.0.0.7       c
";

    #[test]
    fn each_partition_is_an_instance_with_its_lag() {
        let input = |text: &str| Input::of(Cursor::new(text.as_bytes().to_vec())).unwrap();
        let (samples, reading) = read(Path::new("lag.log"), input(TEXT), &Zone::default()).unwrap();
        assert_eq!(reading.unreadable, 1);
        assert!(reading.remarks[0].starts_with("1 row has `-` as LAG"), "{reading:?}");
        let seen: Vec<_> = samples.rows.iter().map(|row| (row.at, row.instance.as_deref(), row.values[0].1)).collect();
        let at = |second: i64| Some(Nanos::from_secs(1_795_690_680 + second));
        assert_eq!(seen, [(at(0), Some("registrations-0"), 5.0), (at(10), Some("registrations-0"), 0.0)]);
        // Two groups on one topic, as `--all-groups` prints them.
        let both = format!("{TEXT}index           registrations   0          2              15              13\n");
        let (samples, _) = read(Path::new("lag.log"), input(&both), &Zone::default()).unwrap();
        let seen: Vec<_> = samples.rows.iter().map(|row| (row.instance.as_deref().unwrap(), row.values[0].1)).collect();
        let expected =
            [("store/registrations-0", 5.0), ("store/registrations-0", 0.0), ("index/registrations-0", 13.0)];
        assert_eq!(seen, expected);
        assert!(
            read(Path::new("x"), input("a b\n"), &Zone::default())
                .unwrap_err()
                .to_string()
                .contains("--describe --group")
        );
    }

    #[test]
    fn a_stamp_that_says_no_zone_is_of_the_one_that_is_given() {
        let text = TEXT.replace("10:58:00Z", "12:58:00");
        let zone = Zone::of(Some(7200));
        let input = Input::of(Cursor::new(text.into_bytes())).unwrap();
        let (samples, _) = read(Path::new("lag.log"), input, &zone).unwrap();
        let at: Vec<_> = samples.rows.iter().map(|row| row.at.unwrap().second() - 1_795_690_680).collect();
        assert_eq!((at, zone.is_used()), (vec![0, 10], true), "the second says that it is of UTC");
    }
}
