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
        found.warning().iter().for_each(|text| say!("{text}"));
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
        "other_programs": found.others.map(|others| others.programs),
        "other_guests": found.others.map(|others| others.guests),
        "run_queue": found.run_queue,
        "disturbed": found.disturbance().map(|disturbance| disturbance.who),
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
    lines.push(match found.per_s {
        Some(per_s) => format!(
            "  open load     {} on time: 99 in 100 were started within {LATE} and answered within {ANSWERED}",
            rate(per_s)
        ),
        None => {
            let lowest = found.levels.iter().map(|tried| tried.planned).min().unwrap_or_default();
            format!("  open load     not even {} was on time", rate(lowest as f64))
        }
    });
    // Half of a figure that is too low is no plan.
    let plan = |per_s: f64| {
        format!(
            "plan at most about {} from this machine; the report warns of a load above half of the ceiling",
            rate(per_s / 2.0)
        )
    };
    lines.extend(found.warning().or_else(|| found.per_s.map(plan)));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use watch::OthersShares;

    const WANTED: ProbeOptions = ProbeOptions { connections: 64, threads: 1, levels: 2 };

    #[test]
    fn what_was_found_is_said_with_its_conditions() {
        let first = Tried { planned: 18_370, started: 18_370, late: None, response: None, is_full: false };
        let found = Ceiling {
            closed_per_s: 61_234.4,
            per_s: Some(48_900.0),
            levels: vec![first],
            others: None,
            run_queue: None,
        };
        let text = lines(&WANTED, &found).join("\n");
        for part in ["1 thread, 64 connections", "61,234/s", "48,900/s on time", "about 24,450/s"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.contains("warning"), "{text}");
        let text = lines(&WANTED, &Ceiling { per_s: None, ..found.clone() }).join("\n");
        assert!(text.contains("not even 18,370/s was on time\nwarning: ") && text.contains("`top`"), "{text}");
        let others = Some(OthersShares { programs: 0.412, guests: 0.0 });
        let text = lines(&WANTED, &Ceiling { others, ..found }).join("\n");
        assert!(text.contains("48,900/s on time") && !text.contains("plan at most"), "{text}");
        assert!(
            text.ends_with(
                "warning: other programs used up to 41% of the processors meanwhile, so the figure is too low by an unknown \
                 amount; stop them and repeat"
            ),
            "{text}"
        );
    }
}
