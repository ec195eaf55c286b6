//! `docker stats`: as the table that it prints, or as JSON, one object a line (`--format json`). It has no clock.
//!
//! The share of a processor is of one core; memory in binary units, what goes over the network in decimal ones.
//!
//! Source: Docker CLI 27, `cli/command/container/formatter_stats.go`.

use crate::error::ImportError;
use crate::input::Input;
use crate::reading::{Reading, shown};
use crate::samples::{Row, Samples, by_line};
use std::path::Path;

/// Reads a file.
///
/// # Errors
/// For a file in which no line is of `docker stats`.
pub(crate) fn read(path: &Path, input: Input) -> Result<(Samples, Reading), ImportError> {
    let (rows, reading) = by_line(path, input, |line| {
        let line = without_controls(line);
        let line = line.trim();
        if line.is_empty() || line.starts_with("CONTAINER") {
            return Ok(None);
        }
        if line.starts_with('{') { of_json(line).map(Some) } else { of_table(line).map(Some) }
    })?;
    if rows.is_empty() {
        let why =
            reading.examples.first().map(|line| format!(": line {}: {}", line.line, line.why)).unwrap_or_default();
        let what = format!("holds no line of `docker stats`{why}\nmake one with `docker stats --format json > FILE`");
        return Err(ImportError::file(path, what));
    }
    Ok((Samples { monitor: "cgroup", usual_instance: "container", skipped: 0, rows }, reading))
}

/// Without what moves a terminal's cursor, with which each screen of the table begins.
fn without_controls(line: &str) -> String {
    let mut clean = String::with_capacity(line.len());
    let mut rest = line.chars();
    while let Some(character) = rest.next() {
        if character == '\u{1b}' {
            // A sequence ends with its first letter.
            for inner in rest.by_ref() {
                if inner.is_ascii_alphabetic() {
                    break;
                }
            }
        } else if !character.is_control() || character == '\t' {
            clean.push(character);
        }
    }
    clean
}

/// `id name 0.50% 10MiB / 2GiB 0.49% 1.2kB / 0B 0B / 0B 5`
fn of_table(line: &str) -> Result<Row, String> {
    let fields: Vec<&str> = line.split_whitespace().filter(|field| *field != "/").collect();
    let [_, name, cpu, used, limit, _, net_in, net_out, _, _, tasks] = fields.as_slice() else {
        return Err(format!("it has {} fields, and 11 were expected", fields.len()));
    };
    row(name, cpu, (used, limit), (net_in, net_out), tasks)
}

fn of_json(line: &str) -> Result<Row, String> {
    let value: serde_json::Value = serde_json::from_str(line).map_err(|error| format!("it is not JSON: {error}"))?;
    let text = |key: &str| value.get(key).and_then(serde_json::Value::as_str).unwrap_or_default();
    let pair = |key: &str| text(key).split_once('/').map(|(one, two)| (one.trim(), two.trim())).unwrap_or_default();
    row(text("Name"), text("CPUPerc"), pair("MemUsage"), pair("NetIO"), text("PIDs"))
}

fn row(
    name: &str,
    cpu: &str,
    (used, limit): (&str, &str),
    (net_in, net_out): (&str, &str),
    tasks: &str,
) -> Result<Row, String> {
    if cpu == "--" {
        return Err(format!("the container `{}` was not running", shown(name.as_bytes())));
    }
    let wrong = |what: &str, text: &str| format!("its {what} is `{}`, which cannot be read", shown(text.as_bytes()));
    let cores = cpu.strip_suffix('%').and_then(|number| number.parse::<f64>().ok()).filter(|it| it.is_finite());
    let cores = cores.ok_or_else(|| wrong("share of a processor", cpu))? / 100.0;
    let size = |what: &str, text: &str| bytes(text).ok_or_else(|| wrong(what, text));
    let mut values = vec![("cpu", cores), ("used", size("memory", used)?), ("memory_limit", size("limit", limit)?)];
    values.extend(tasks.parse::<f64>().ok().map(|tasks| ("tasks", tasks)));
    // Sums since the container began; our own monitor has rates, so they are only looked at.
    size("network", net_in)?;
    size("network", net_out)?;
    Ok(Row { at: None, since: None, instance: Some(name.chars().take(100).collect()), values })
}

/// A size with its unit: `1.5GiB`, `12kB`, `0B`.
fn bytes(text: &str) -> Option<f64> {
    let split = text.find(|character: char| character.is_ascii_alphabetic())?;
    let (number, unit) = text.split_at(split);
    let factor = match unit {
        "B" => 1.0,
        "kB" | "KB" => 1e3,
        "MB" => 1e6,
        "GB" => 1e9,
        "TB" => 1e12,
        "KiB" => 1024.0,
        "MiB" => 1_048_576.0,
        "GiB" => 1_073_741_824.0,
        "TiB" => 1_099_511_627_776.0,
        _ => return None,
    };
    number.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0).map(|number| number * factor)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn read_text(text: &str) -> Result<(Samples, Reading), ImportError> {
        read(Path::new("docker.log"), Input::of(Cursor::new(text.as_bytes().to_vec())).unwrap())
    }

    #[test]
    fn the_table_and_the_json_say_the_same() {
        let table = "\u{1b}[2J\u{1b}[HCONTAINER ID   NAME      CPU %     MEM USAGE / LIMIT     MEM %     NET I/O           BLOCK I/O   PIDS\n\
            1a2b3c         shop-1    150.25%   512.5MiB / 2GiB       25.02%    1.25kB / 0B       0B / 8.19kB   42\n\
            1a2b3c         gone      --        -- / --               --        --                --            --\n";
        let json = r#"{"BlockIO":"0B / 8.19kB","CPUPerc":"150.25%","Container":"1a2b3c","ID":"1a2b3c","MemPerc":"25.02%","MemUsage":"512.5MiB / 2GiB","Name":"shop-1","NetIO":"1.25kB / 0B","PIDs":"42"}"#;
        let (of_table, reading) = read_text(table).unwrap();
        assert_eq!(reading.unreadable, 1);
        let (of_json, _) = read_text(json).unwrap();
        assert_eq!(of_table.rows, of_json.rows);
        let row = &of_table.rows[0];
        assert_eq!(row.instance.as_deref(), Some("shop-1"));
        assert_eq!(
            row.values,
            [("cpu", 1.5025), ("used", 537_395_200.0), ("memory_limit", 2_147_483_648.0), ("tasks", 42.0)]
        );
        assert!(read_text("nothing here\n").unwrap_err().to_string().contains("docker stats --format json"));
    }
}
