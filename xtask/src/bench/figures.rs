//! Figures from outputs, and the table that shows them.

use serde_json::Value;
use std::fmt::Write as _;

/// The row of what a run costs whatever its load.
pub(super) const FIXED: &str = "loadproof, one a second";

/// One measurement.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) name: String,
    pub(super) command: String,
    pub(super) requests: u64,
    pub(super) cpu_s: f64,
    pub(super) wall_s: f64,
    pub(super) instructions: Option<u64>,
    pub(super) result: Option<OfResult>,
}

/// What a `result.json` tells.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct OfResult {
    /// Iterations that ended, well or not, in all phases with load.
    pub(super) requests: u64,
    pub(super) failed: u64,
    pub(super) validity: String,
    /// The hold's p99 of the generator's lateness, ms; open loads only.
    pub(super) lateness_p99_ms: Option<f64>,
}

/// The number in `123456 requests in 5.00s, 10.00MB read`.
pub(super) fn of_wrk(stdout: &str) -> Option<u64> {
    let line = stdout.lines().find(|line| line.contains(" requests in "))?;
    line.split_ascii_whitespace().next()?.parse().ok()
}

/// What the bench needs of a `result.json`.
pub(super) fn of_result(json: &str) -> Option<OfResult> {
    let json: Value = serde_json::from_str(json).ok()?;
    let steps = json["scenarios"][0]["steps"].as_array()?;
    let sum = |key: &str| steps.iter().filter_map(|step| step[key].as_u64()).sum::<u64>();
    let hold = steps.iter().find(|step| step["phase"] == "hold")?;
    Some(OfResult {
        requests: sum("completed") + sum("failed"),
        failed: sum("failed"),
        validity: json["validity"]["state"].as_str()?.to_owned(),
        lateness_p99_ms: hold["generator"]["lateness_p99_ms"].as_f64().filter(|_| hold["users"].is_null()),
    })
}

/// The table, then the ratios to the first row, then the commands.
pub(super) fn table(rows: &[Row]) -> String {
    let fixed_s = rows.iter().find(|row| row.name == FIXED).map_or(0.0, |row| row.cpu_s);
    // What a run costs whatever its load is no cost of a request.
    let net_s = |row: &Row| if row.result.is_some() { (row.cpu_s - fixed_s).max(0.0) } else { row.cpu_s };
    let per_million = |row: &Row| net_s(row) / (row.requests.max(1) as f64 / 1e6);
    let mut text = format!(
        "{:<30} {:>10} {:>9} {:>12} {:>16} {:>18}\n",
        "", "requests", "CPU s", "less fixed", "CPU s / million", "instructions each"
    );
    for row in rows {
        let instructions = row.instructions.map(|count| count as f64 / row.requests.max(1) as f64);
        let is_fixed = row.name == FIXED;
        let number = |value: f64| if is_fixed { "–".to_owned() } else { format!("{value:.2}") };
        let _ = writeln!(
            text,
            "{:<30} {:>10} {:>9.2} {:>12} {:>16} {:>18}",
            row.name,
            row.requests,
            row.cpu_s,
            number(net_s(row)),
            number(per_million(row)),
            instructions.filter(|_| !is_fixed).map_or_else(|| "–".into(), |count| format!("{count:.0}")),
        );
    }
    for row in rows.iter().filter(|row| row.result.is_some()) {
        text += &details(row);
    }
    text += "\n";
    if let Some((first, rest)) = rows.split_first().filter(|(first, _)| first.result.is_none()) {
        text += "\n";
        for row in rest.iter().filter(|row| row.name != FIXED) {
            let ratio = per_million(row) / per_million(first).max(f64::MIN_POSITIVE);
            let _ = writeln!(text, "{}: {ratio:.2} times the processor time of {} for a request", row.name, first.name);
        }
    }
    text += "\n";
    for row in rows {
        let _ = writeln!(text, "$ {}", row.command);
    }
    text
}

fn details(row: &Row) -> String {
    let Some(result) = &row.result else { return String::new() };
    let lateness = result.lateness_p99_ms.map_or_else(String::new, |ms| format!(", generator late p99 {ms:.3} ms"));
    format!(
        "\n{}: {}, {} failed{lateness}; {:.1} s from start to report",
        row.name, result.validity, result.failed, row.wall_s
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_of_wrk_are_read() {
        let text = "Running 5s test\n  1 threads and 64 connections\n  123456 requests in 5.00s, 17.5MB read\n";
        assert_eq!(of_wrk(text), Some(123_456));
        assert_eq!(of_wrk("unable to connect"), None);
    }

    #[test]
    fn a_result_is_read_over_its_steps() {
        let json = r#"{"validity":{"state":"valid"},"scenarios":[{"steps":[
            {"phase":"ramp","completed":10,"failed":1,"generator":{}},
            {"phase":"hold","completed":90,"failed":0,"generator":{"lateness_p99_ms":0.25}}]}]}"#;
        let found = of_result(json).unwrap();
        assert_eq!((found.requests, found.failed, found.lateness_p99_ms), (101, 1, Some(0.25)));
        assert_eq!(of_result("{}"), None);
        assert_eq!(of_result("no json"), None);
    }

    #[test]
    fn the_ratio_is_of_processor_time_for_a_request() {
        let row = |name: &str, requests, cpu_s, result| Row {
            name: name.into(),
            command: format!("{name} x"),
            requests,
            cpu_s,
            wall_s: 5.0,
            instructions: None,
            result,
        };
        let result = OfResult { requests: 50, failed: 0, validity: "valid".into(), lateness_p99_ms: None };
        let rows = [
            row("wrk", 1_000_000, 2.0, None),
            row(FIXED, 5, 1.0, Some(result.clone())),
            row("ours", 500_000, 4.0, Some(result)),
        ];
        let text = table(&rows);
        // 2 s for a million, and 4 - 1 = 3 s for half a million.
        assert!(text.contains("ours: 3.00 times"), "{text}");
        assert!(!text.contains(&format!("{FIXED}: 0")), "{text}");
        assert!(text.contains("$ wrk x") && text.contains("ours: valid, 0 failed;"), "{text}");
    }
}
