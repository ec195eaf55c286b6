//! `docker stats`: as the table that it prints, or as JSON, one object a line (`--format json`). It has no clock.
//!
//! The share of a processor is of one core; memory in binary units, what goes over the network in decimal ones.
//!
//! Source: Docker CLI 27, `cli/command/container/formatter_stats.go`.

use crate::error::ImportError;
use crate::input::Input;
use crate::reading::{Reading, shown};
use crate::samples::{Row, Samples, by_line};
use std::collections::HashSet;
use std::path::Path;

/// Reads a file.
///
/// # Errors
/// For a file in which no line is of `docker stats`.
pub(crate) fn read(path: &Path, input: Input) -> Result<(Samples, Reading), ImportError> {
    let (mut screens, mut names) = (Screens::default(), HashSet::new());
    let (rows, reading) = by_line(path, input, |line| {
        // Each screen goes to the top left corner; one on which nothing ran has no line of its own.
        screens.cleared(line.matches("\u{1b}[H").count());
        let line = without_controls(line);
        let line = line.trim();
        if line.is_empty() {
            return Ok(None);
        }
        if line.starts_with("CONTAINER") {
            screens.header();
            return Ok(None);
        }
        let (key, row) = if line.starts_with('{') { of_json(line)? } else { of_table(line)? };
        let screen = screens.container(key);
        let mut row = row?;
        if let Some(instance) = &mut row.instance {
            if names.len() <= CONTAINERS_MAX && !names.contains(&**instance) {
                names.insert(instance.name.clone());
            }
            instance.screen = Some(screen);
        }
        Ok((names.len() <= CONTAINERS_MAX).then_some(row))
    })?;
    if names.len() > CONTAINERS_MAX {
        let what = format!(
            "has more than {CONTAINERS_MAX} containers; keep those that belong to the system, such as with \
             `docker stats NAME… > FILE`"
        );
        return Err(ImportError::file(path, what));
    }
    if rows.is_empty() {
        let why =
            reading.examples.first().map(|line| format!(": line {}: {}", line.line, line.why)).unwrap_or_default();
        let what = format!("holds no line of `docker stats`{why}\nmake one with `docker stats --format json > FILE`");
        return Err(ImportError::file(path, what));
    }
    Ok((Samples { monitor: "cgroup", usual_instance: "container", skipped: 0, rows }, reading))
}

/// Containers of one file. A bridge of Linux has 1024 ports, and each container takes one.
const CONTAINERS_MAX: usize = 1000;

/// Which screen a line is on: one begins with its header or by clearing the terminal, and where neither is there when a
/// container comes again.
#[derive(Default)]
struct Screens {
    /// How many have begun.
    begun: usize,
    /// Containers on the last of them.
    shown: HashSet<String>,
    /// Whether it began by clearing the terminal, and has nothing yet.
    is_cleared: bool,
}

impl Screens {
    fn begin(&mut self, count: usize) {
        self.begun += count;
        self.shown.clear();
    }

    fn cleared(&mut self, times: usize) {
        if times > 0 {
            self.begin(times);
            self.is_cleared = true;
        }
    }

    fn header(&mut self) {
        if !std::mem::take(&mut self.is_cleared) {
            self.begin(1);
        }
    }

    /// The number of the screen that has this container.
    fn container(&mut self, key: String) -> usize {
        self.is_cleared = false;
        if self.begun == 0 || self.shown.contains(&key) {
            self.begin(1);
        }
        self.shown.insert(key);
        self.begun - 1
    }
}

/// A container, and what its line says; that one was on a screen is known where it was not running, too.
type Line = (String, Result<Row, String>);

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
fn of_table(line: &str) -> Result<Line, String> {
    let fields: Vec<&str> = line.split_whitespace().filter(|field| *field != "/").collect();
    if let [id, name, "--", ..] = fields.as_slice() {
        return Ok(((*id).to_owned(), Err(was_down(name))));
    }
    let [id, name, cpu, used, limit, _, net_in, net_out, _, _, tasks] = fields.as_slice() else {
        return Err(format!("it has {} fields, and 11 were expected", fields.len()));
    };
    Ok(((*id).to_owned(), row(name, cpu, (used, limit), (net_in, net_out), tasks)))
}

fn of_json(line: &str) -> Result<Line, String> {
    let value: serde_json::Value = serde_json::from_str(line).map_err(|error| format!("it is not JSON: {error}"))?;
    let text = |key: &str| value.get(key).and_then(serde_json::Value::as_str).unwrap_or_default();
    let pair = |key: &str| text(key).split_once('/').map(|(one, two)| (one.trim(), two.trim())).unwrap_or_default();
    let key = ["ID", "Container", "Name"].into_iter().map(text).find(|key| !key.is_empty()).unwrap_or_default();
    let row = row(text("Name"), text("CPUPerc"), pair("MemUsage"), pair("NetIO"), text("PIDs"));
    Ok((key.to_owned(), row))
}

fn was_down(name: &str) -> String {
    format!("the container `{}` was not running", shown(name.as_bytes()))
}

fn row(
    name: &str,
    cpu: &str,
    (used, limit): (&str, &str),
    (net_in, net_out): (&str, &str),
    tasks: &str,
) -> Result<Row, String> {
    if cpu == "--" {
        return Err(was_down(name));
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
    Ok(Row { at: None, since: None, instance: Some(name.chars().take(100).collect::<String>().into()), values })
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
        assert_eq!(row.instance.as_ref().unwrap().screen, Some(0));
        assert!(read_text("nothing here\n").unwrap_err().to_string().contains("docker stats --format json"));
    }

    const HEADER: &str = "CONTAINER ID   NAME   CPU %   MEM USAGE / LIMIT   MEM %   NET I/O   BLOCK I/O   PIDS\n";

    fn line(name: &str) -> String {
        format!("id-{name} {name} 1.00% 10MiB / 2GiB 0.49% 1kB / 0B 0B / 0B 5\n")
    }

    fn screens(text: &str) -> Vec<(String, usize)> {
        let (samples, _) = read_text(text).unwrap();
        let whose = samples.rows.into_iter().filter_map(|row| row.instance);
        whose.map(|whose| (whose.name, whose.screen.unwrap())).collect()
    }

    #[test]
    fn rows_are_of_the_screen_that_they_stand_on() {
        let of = |expected: &[(&str, usize)]| -> Vec<(String, usize)> {
            expected.iter().map(|(name, screen)| ((*name).to_owned(), *screen)).collect()
        };
        let (a, b) = (line("a"), line("b"));
        let down = "id-a  a  --  -- / --  --  --  --  --\n";
        // `b` comes on the third screen; nothing runs on the fourth; `a` is down on the fifth and gone on the sixth.
        let table = [HEADER, &a, HEADER, &a, HEADER, &a, &b, HEADER, HEADER, down, &b, HEADER, &b].concat();
        let expected = of(&[("a", 0), ("a", 1), ("a", 2), ("b", 2), ("b", 4), ("b", 5)]);
        assert_eq!(screens(&table), expected);
        // As a terminal has it: the code stands in the header's line, or alone.
        assert_eq!(screens(&table.replace("CONTAINER", "\u{1b}[2J\u{1b}[HCONTAINER")), expected);
        assert_eq!(screens(&table.replace("CONTAINER", "\u{1b}[H\nCONTAINER")), expected);
        // Without headers a screen ends where a container comes again.
        assert_eq!(
            screens(&[&*a, &*a, &*b, &*a, &*b].concat()),
            of(&[("a", 0), ("a", 1), ("b", 1), ("a", 2), ("b", 2)])
        );
        let json = |name: &str| {
            format!(
                "{{\"CPUPerc\":\"1.00%\",\"ID\":\"{name}\",\"MemUsage\":\"1MiB / 2GiB\",\"Name\":\"{name}\",\"NetIO\":\"1kB / 0B\",\"PIDs\":\"5\"}}\n"
            )
        };
        let (a, b) = (json("a"), json("b"));
        assert_eq!(screens(&[&*a, &*a, &*b, &*a].concat()), of(&[("a", 0), ("a", 1), ("b", 1), ("a", 2)]));
        // Two screens on which nothing ran have nothing but the code.
        let cleared = format!("\u{1b}[2J\u{1b}[H{a}\u{1b}[2J\u{1b}[H\u{1b}[2J\u{1b}[H\u{1b}[2J\u{1b}[H{b}");
        assert_eq!(screens(&cleared), of(&[("a", 0), ("b", 3)]));
    }

    #[test]
    fn more_containers_than_a_host_runs_are_refused() {
        let of = |count: usize| format!("{HEADER}{}", (0..count).map(|n| line(&format!("c{n}"))).collect::<String>());
        assert_eq!(read_text(&of(1000)).unwrap().0.rows.len(), 1000);
        assert!(read_text(&of(1001)).unwrap_err().to_string().contains("more than 1000 containers"));
    }
}
