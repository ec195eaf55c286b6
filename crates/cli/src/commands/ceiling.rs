//! `loadproof ceiling`: what the generator of this machine can send in time.

use crate::ceiling::{self, ANSWERED, Ceiling, LATE, ProbeOptions};
use crate::exit::{Exit, Failed};
use crate::options::CeilingOptions;
use crate::output::{self, put, say};
use crate::prepare::duration;
use crate::words::grouped;
use judge::validity::pace::Tried;
use serde_json::json;
use terms::Nanos;

/// Schema of `--json`.
const SCHEMA: &str = "loadproof/ceiling/1";

/// Finds the generator's ceiling and prints it.
pub(crate) fn ceiling(options: &CeilingOptions) -> Result<Exit, Failed> {
    let length = duration("--for", &options.length)?;
    let levels = length.as_secs_f64().ceil().clamp(4.0, 600.0) as u32;
    let threads = options.threads.unwrap_or_else(ceiling::usual_threads).clamp(1, 256);
    let wanted = ProbeOptions { connections: options.connections.max(1), threads, levels };
    say!("testing the generator against a built-in target on 127.0.0.1, about {} s", levels + 6);
    let found = ceiling::probe(&wanted)?;
    if options.json {
        output::data(&serde_json::to_string_pretty(&value(&wanted, &found)).map_err(anyhow::Error::from)?);
    } else {
        lines(&wanted, &found).iter().for_each(|line| put!("{line}"));
    }
    Ok(if found.per_s.is_some() { Exit::Met } else { Exit::CannotTell })
}

fn value(wanted: &ProbeOptions, found: &Ceiling) -> serde_json::Value {
    let level = |tried: &Tried| {
        json!({
            "planned": tried.planned,
            "started": tried.started,
            "in_time": tried.is_answered(LATE, ANSWERED),
            "late_p99_ms": tried.late.map(Nanos::as_millis_f64),
            "response_p99_ms": tried.response.map(Nanos::as_millis_f64),
            "full": tried.is_full,
        })
    };
    json!({
        "schema": SCHEMA,
        "per_s": found.per_s,
        "closed_per_s": found.closed_per_s,
        "levels": found.levels.iter().map(level).collect::<Vec<_>>(),
        "threads": wanted.threads,
        "connections": wanted.connections,
        "late_at_most_ms": LATE.as_millis_f64(),
        "answered_within_ms": ANSWERED.as_millis_f64(),
    })
}

fn lines(wanted: &ProbeOptions, found: &Ceiling) -> Vec<String> {
    let rate = |per_s: f64| format!("{}/s", grouped(per_s.round() as u64));
    let of = |count: u32, word: &str| format!("{} {word}{}", grouped(count.into()), if count == 1 { "" } else { "s" });
    let (threads, connections) = (of(wanted.threads.into(), "thread"), of(wanted.connections, "connection"));
    let mut lines = vec![
        format!("{threads}, {connections}, target on the same machine"),
        format!("  closed load   {}", rate(found.closed_per_s)),
    ];
    match found.per_s {
        Some(per_s) => {
            lines.push(format!(
                "  open load     {} on time: 99 in 100 were started within {LATE} and answered within {ANSWERED}",
                rate(per_s)
            ));
            lines.push(format!(
                "plan at most about {} from this machine; the report warns of a load above half of the ceiling",
                rate(per_s / 2.0)
            ));
        }
        None => lines.push(format!(
            "  open load     not even {} was on time: something else uses this machine's processors; check with `top`, \
             and try again",
            rate(found.levels.first().map_or(0.0, |first| first.planned as f64))
        )),
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    const WANTED: ProbeOptions = ProbeOptions { connections: 64, threads: 1, levels: 2 };

    #[test]
    fn what_was_found_is_said_with_its_conditions() {
        let first = Tried { planned: 18_370, started: 18_370, late: None, response: None, is_full: false };
        let found = Ceiling { closed_per_s: 61_234.4, per_s: Some(48_900.0), levels: vec![first] };
        let text = lines(&WANTED, &found).join("\n");
        for part in ["1 thread, 64 connections", "61,234/s", "48,900/s on time", "about 24,450/s"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let text = lines(&WANTED, &Ceiling { per_s: None, ..found }).join("\n");
        assert!(text.contains("not even 18,370/s was on time"), "{text}");
    }
}
