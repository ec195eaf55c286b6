//! Pages that are left open, and whether their memory and that of the command stay the same.

use super::checks::Checks;
use super::flat::Quarters;
use super::stages::{LIVE, View};
use crate::child::memory_of;
use anyhow::Result;
use serde_json::json;
use std::time::{Duration, Instant};

const MIB: f64 = 1_048_576.0;
/// So many samples at least, and one every so many seconds.
const SAMPLES: u32 = 40;
const EVERY_MAX: Duration = Duration::from_secs(30);
/// One in so many is printed.
const SHOWN_EVERY: usize = 4;
const EVERY_MIN: Duration = Duration::from_millis(500);
/// What may come on top of 1.2 times the second quarter: MiB of memory, and elements.
const SLACK_MIB: f64 = 1.0;
const SLACK_NODES: f64 = 200.0;
/// Messages are kept for readers for ten minutes at least: a page that is away for longer begins anew. In a time of this
/// length one page is, from a quarter of it on.
const AWAY_MIN: Duration = Duration::from_secs(2400);
const AWAY: Duration = Duration::from_secs(780);

/// What is looked at, by place: memory and elements of each page, and memory of the command.
const SERIES: [(&str, &str, f64); 5] = [
    ("first page, left open: memory", "MiB", SLACK_MIB),
    ("second page, left open: memory", "MiB", SLACK_MIB),
    ("first page, left open: elements", "elements", SLACK_NODES),
    ("second page, left open: elements", "elements", SLACK_NODES),
    ("loadproof, pages left open: memory", "MiB", SLACK_MIB),
];

/// Looks at both pages and at the command for so long; `pid` is the command's.
pub(super) fn left_open(checks: &mut Checks, pid: u32, views: [&mut View; 2], time: Duration) -> Result<()> {
    let every = (time / SAMPLES).clamp(EVERY_MIN, EVERY_MAX);
    let began = Instant::now();
    let [first, second] = views;
    let mut all: Vec<[f64; 5]> = Vec::new();
    println!(
        "left open for {} s, looked at every {:.1} s; 1.2 times and 1 MiB or 200 elements more would be flat",
        time.as_secs(),
        every.as_secs_f64()
    );
    let mut is_away = false;
    while began.elapsed() < time {
        let at = began.elapsed();
        let shall_be = time >= AWAY_MIN && (time / 4..time / 4 + AWAY).contains(&at);
        if shall_be != is_away {
            is_away = shall_be;
            let what = if is_away { "cut off for longer than messages are kept" } else { "connected again" };
            println!("  {:>6.0} s  second page {what}", at.as_secs_f64());
            second.browser.is_cut = true;
            if is_away {
                second.way.cut();
            } else {
                second.way.mend();
                // From here on, trouble with the network is trouble again.
                second.browser.is_cut = !second.has(LIVE)?;
            }
        }
        let ([first_mib, first_nodes], [second_mib, second_nodes]) = (memory(first)?, memory(second)?);
        let own = memory_of(pid, "VmRSS:").map_or(f64::NAN, |bytes| bytes as f64 / MIB);
        if all.len().is_multiple_of(SHOWN_EVERY) {
            println!(
                "  {:>6.0} s  pages {first_mib:.2} and {second_mib:.2} MiB, {first_nodes} and {second_nodes} elements, loadproof {own:.1} MiB",
                at.as_secs_f64()
            );
        }
        all.push([first_mib, second_mib, first_nodes, second_nodes, own]);
        let next = every * all.len() as u32;
        std::thread::sleep(next.saturating_sub(began.elapsed()));
    }
    for (place, (name, unit, slack)) in SERIES.iter().enumerate() {
        let series: Vec<f64> = all.iter().map(|sample| sample[place]).collect();
        let quarters = Quarters::of(&series);
        let seen = quarters.map_or_else(
            || format!("cannot be told of {series:?}"),
            |of| format!("{:.2} {unit} at most in the second quarter, {:.2} in the last", of.second, of.last),
        );
        checks.see(name, quarters.is_some_and(|of| of.is_flat(*slack)), seen);
    }
    second.browser.is_cut = false;
    Ok(())
}

/// Memory that the page's script holds, MiB, once what nobody needs was collected; and nodes of its document.
fn memory(view: &mut View) -> Result<[f64; 2]> {
    view.browser.call("HeapProfiler.collectGarbage", json!({}))?;
    let told = view.browser.call("Performance.getMetrics", json!({}))?;
    let metric = |name: &str| {
        let mut metrics = told["metrics"].as_array().into_iter().flatten();
        metrics.find(|metric| metric["name"] == name).and_then(|metric| metric["value"].as_f64()).unwrap_or(f64::NAN)
    };
    Ok([metric("JSHeapUsedSize") / MIB, metric("Nodes")])
}
