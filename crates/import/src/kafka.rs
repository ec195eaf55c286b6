//! `kafka-consumer-groups --describe`, asked again and again: by how much each partition's consumer is behind.
//!
//! It has no clock; a line with a moment (`date -u +%FT%TZ`) before each answer is one. `-` stands for what is not known.
//!
//! Source: Kafka 3.x, `ConsumerGroupCommand`.

use crate::error::ImportError;
use crate::input::Input;
use crate::numbers::moment_in;
use crate::reading::{Reading, shown};
use crate::samples::{Row, Samples, Whose, by_line};
use crate::zone::Zone;
use std::collections::HashSet;
use std::path::Path;

/// Reads a file.
///
/// # Errors
/// For a file without a header of the tool.
pub(crate) fn read(path: &Path, input: Input, zone: &Zone) -> Result<(Samples, Reading), ImportError> {
    let (mut names, mut at): (Option<Vec<String>>, _) = (None, None);
    let (mut shown, mut tables, mut unknown) = (Vec::<Shown>::new(), 0usize, 0u64);
    let (mut rows, mut reading) = by_line(path, input, |line| {
        if let Some(stamp) = moment_in(line.trim().as_bytes(), zone) {
            at = Some(stamp);
            return Ok(None);
        }
        let fields: Vec<&str> = line.split_whitespace().collect();
        if fields.contains(&"PARTITION") && fields.contains(&"LAG") {
            names = Some(fields.iter().map(|name| (*name).to_owned()).collect());
            tables += 1;
            return Ok(None);
        }
        // What the tool says of a group as a whole.
        if line.starts_with("Consumer group ") || line.starts_with("Warning:") {
            return Ok(None);
        }
        let Some(names) = &names else { return Err("it stands before any header".into()) };
        let (group, partition, lag) = row(&fields, names)?;
        let has_lag = lag.is_some();
        shown.push(Shown { table: tables - 1, group, partition: partition.clone(), has_lag });
        let Some(lag) = lag else {
            unknown += 1;
            return Ok(None);
        };
        Ok(Some(Row { at, since: None, instance: Some(partition.into()), values: vec![("lag", lag as f64)] }))
    })?;
    if names.is_none() {
        let what = "is not output of kafka-consumer-groups: no line of it names `PARTITION` and `LAG`\n\
                    make one with `kafka-consumer-groups --bootstrap-server HOST:9092 --describe --group NAME >> FILE`";
        return Err(ImportError::file(path, what));
    }
    let has_groups = shown.iter().any(|row| row.group != shown[0].group);
    let answers = answers(&shown, has_groups);
    let with_lag = shown.iter().zip(answers).filter(|(shown, _)| shown.has_lag);
    for (row, (Shown { group, partition, .. }, answer)) in rows.iter_mut().zip(with_lag) {
        // Each group has read to a place of its own in the same partitions.
        let name = if has_groups { format!("{group}/{partition}") } else { partition.clone() };
        row.instance = Some(Whose { name, screen: Some(answer) });
    }
    if unknown > 0 {
        let rows = if unknown == 1 { "1 row has" } else { &format!("{unknown} rows have") };
        reading.remarks.push(format!("{rows} `-` as LAG: by how much the consumer was behind was not known there"));
    }
    Ok((Samples { monitor: "imported", usual_instance: "group", skipped: 0, rows }, reading))
}

/// A row of an answer.
struct Shown {
    /// The table that it stands in, from 0. An answer has one for each group.
    table: usize,
    group: String,
    partition: String,
    has_lag: bool,
}

/// Of each row, which answer it belongs to, from 0: of one group each table is one, and of several one ends where a group
/// comes again. So it does where a partition comes again, in case a header was damaged.
fn answers(rows: &[Shown], has_groups: bool) -> Vec<usize> {
    let (mut answer, mut lost, mut table) = (0, 0, rows.first().map_or(0, |row| row.table));
    let (mut groups, mut partitions) = (HashSet::new(), HashSet::new());
    let mut answers = Vec::with_capacity(rows.len());
    for row in rows {
        let is_next_table = std::mem::replace(&mut table, row.table) != row.table;
        let comes_again = partitions.contains(&(&row.group, &row.partition));
        if comes_again || is_next_table && (!has_groups || groups.contains(&row.group)) {
            lost += usize::from(!is_next_table);
            answer += 1;
            groups.clear();
            partitions.clear();
        }
        groups.insert(&row.group);
        partitions.insert((&row.group, &row.partition));
        // A table without any row is an answer, too.
        answers.push(if has_groups { answer } else { row.table + lost });
    }
    answers
}

/// Group, partition of a topic, and by how much the group is behind in it, where that is known.
///
/// Columns behind `LAG` may be empty and are not needed.
fn row(fields: &[&str], names: &[String]) -> Result<(String, String, Option<u64>), String> {
    let text = |name: &str| names.iter().position(|known| known == name).and_then(|place| fields.get(place)).copied();
    let need = |name: &str| text(name).ok_or_else(|| format!("it has no `{name}`"));
    let (topic, partition, lag) = (need("TOPIC")?, need("PARTITION")?, need("LAG")?);
    let number = |name: &str, text: &str| {
        text.parse::<u64>().map_err(|_| format!("its `{name}` is `{}`, which is not a number", shown(text.as_bytes())))
    };
    let topic: String = topic.chars().take(100).collect();
    let group: String = text("GROUP").unwrap_or_default().chars().take(100).collect();
    if lag == "-" {
        return Ok((group, format!("{topic}-{}", shown(partition.as_bytes())), None));
    }
    let (partition, lag) = (number("PARTITION", partition)?, number("LAG", lag)?);
    Ok((group, format!("{topic}-{partition}"), Some(lag)))
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

    #[test]
    fn rows_are_of_the_answer_that_they_stand_in() {
        let answers = |text: &str| -> Vec<(String, usize)> {
            let (samples, _) =
                read(Path::new("lag.log"), Input::of(Cursor::new(text.as_bytes().to_vec())).unwrap(), &Zone::default())
                    .unwrap();
            let whose = samples.rows.into_iter().filter_map(|row| row.instance);
            whose.map(|whose| (whose.name, whose.screen.unwrap())).collect()
        };
        let of = |expected: &[(&str, usize)]| -> Vec<(String, usize)> {
            expected.iter().map(|(name, answer)| ((*name).to_owned(), *answer)).collect()
        };
        let header = "GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG\n";
        let (zero, one, none) = ("a t 0 1 2 1\n", "a t 1 1 2 1\n", "a t 1 - 2 -\n");
        // Partition 1 comes with the third answer, and has no lag in the fourth; the fifth is empty.
        let text =
            [header, zero, header, zero, header, zero, one, header, zero, none, header, header, zero, one].concat();
        let expected = [("t-0", 0), ("t-0", 1), ("t-0", 2), ("t-1", 2), ("t-0", 3), ("t-0", 5), ("t-1", 5)];
        assert_eq!(answers(&text), of(&expected));
        // Two groups in each answer, each below a header of its own (`--all-groups`); the second comes later.
        let other = "b t 0 1 2 1\n";
        let text = [header, zero, header, zero, header, other, header, zero, header, other].concat();
        assert_eq!(answers(&text), of(&[("a/t-0", 0), ("a/t-0", 1), ("b/t-0", 1), ("a/t-0", 2), ("b/t-0", 2)]));
        // Below one header, and with a header lost.
        let text = [header, zero, header, zero, other, header, zero, other, zero, other].concat();
        let expected =
            [("a/t-0", 0), ("a/t-0", 1), ("b/t-0", 1), ("a/t-0", 2), ("b/t-0", 2), ("a/t-0", 3), ("b/t-0", 3)];
        assert_eq!(answers(&text), of(&expected));
    }
}
