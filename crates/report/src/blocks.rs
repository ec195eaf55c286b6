//! The blocks that reports can have: what a profile chooses among.

use study::Block;

/// Every block, in the order in which they are usually read.
pub const BLOCKS: &[Block] = &[
    Block {
        name: "overview",
        parts: &["key-findings", "not-shown"],
        about: "the first screen: what was tested, what failed, the figures and the whole run; instead of `summary`",
    },
    Block {
        name: "summary",
        parts: &["key-findings", "not-shown"],
        about: "verdicts, key findings, what the test does not show",
    },
    Block {
        name: "introduction",
        parts: &["purpose", "scope", "criteria", "reading"],
        about: "purpose, scope, success criteria, reading guide",
    },
    Block {
        name: "setup",
        parts: &["system", "nodes", "foreseen", "hardware", "software", "differs", "data", "stored"],
        about: "topology, load nodes, what was foreseen before the load, hardware, software, differences from production, data, \
                what was stored at the start and at the end",
    },
    Block {
        name: "exchanges",
        parts: &["assumptions", "sequence", "features"],
        about: "course of exchanges with several legs, what their protocol leaves out; `assumptions` only where named",
    },
    Block {
        name: "requests",
        parts: &[],
        about: "each exchange as it was asked for: what is sent, checks, timeout, share",
    },
    Block { name: "moments", parts: &[], about: "what happened within a second of each other, a line each" },
    Block { name: "load", parts: &[], about: "planned and achieved, books, assumptions" },
    Block { name: "definitions", parts: &[], about: "terms as they are used" },
    Block {
        name: "results",
        parts: &[
            "verdicts",
            "times",
            "table",
            "throughput",
            "distribution",
            "legs",
            "streams",
            "errors",
            "system",
            "reconciliation",
            "findings",
            "conclusion",
        ],
        about: "a chapter for each scenario; `table`, `system` and `reconciliation` only where a profile names them; \
                `conclusion` beside the block `conclusions` only where it is named or has many scenarios",
    },
    Block {
        name: "bulk",
        parts: &[],
        about: "what was carried by loads that end with a number of units: how many, in what time, mean and working rate, what \
                was left",
    },
    Block {
        name: "grid",
        parts: &["scaling", "clean", "map", "delivered", "ramp", "system"],
        about: "a chapter for each grid: all cells against what was planned, what more replicas bring, and the largest without an \
                error",
    },
    Block {
        name: "search",
        parts: &["curve"],
        about: "a chapter for each search: every trial, between which loads the limit lies, and what the trials say together",
    },
    Block {
        name: "iterations",
        parts: &["client", "servers", "system", "trends"],
        about: "all iterations over the whole run: calls and high percentiles, each server's own log, what was watched side \
                by side, and how all of it changes with load",
    },
    Block { name: "levels", parts: &[], about: "times and use across levels of load" },
    Block { name: "stability", parts: &[], about: "drifts, leaks, stalls and drops" },
    Block { name: "system", parts: &[], about: "what was watched" },
    Block { name: "resources", parts: &[], about: "what each workload used, in one table; instead of `system`" },
    Block { name: "generator", parts: &[], about: "health of the load generator" },
    Block { name: "comparison", parts: &[], about: "scenarios and runs against each other" },
    Block {
        name: "capacity",
        parts: &["healthiest", "limits", "volumes"],
        about: "capacity, the healthiest step, what limited each scenario, volumes and ratios; only parts where they are named",
    },
    Block {
        name: "conclusions",
        parts: &["heads", "recommendations", "open"],
        about: "conclusions, recommendations, open points; `heads` (throughput, response time, processor and so on, with \
                limits step by step) only where it is named",
    },
    Block { name: "author", parts: &[], about: "comments, expectations and links of the study's author" },
    Block { name: "threats", parts: &[], about: "threats to validity" },
    Block { name: "environment", parts: &[], about: "instances and facts captured" },
    Block { name: "components", parts: &[], about: "components as stated and as captured" },
    Block { name: "statistics", parts: &[], about: "every table with its file" },
    Block { name: "methods", parts: &[], about: "methods and thresholds" },
    Block { name: "inventory", parts: &[], about: "run, evidence and data with hashes" },
    Block { name: "checks", parts: &[], about: "checks that were run, and what was left out" },
    Block { name: "conformance", parts: &[], about: "what the profile demands, and where it stands" },
];

/// Blocks that are short forms of others: what stands in for what.
pub(crate) const SHORT_FORMS: [(&str, &str); 2] = [("overview", "summary"), ("resources", "system")];

/// The block of that name.
pub(crate) fn named(name: &str) -> Option<&'static Block> {
    BLOCKS.iter().find(|block| block.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_blocks_and_parts_are_plain_and_stand_once() {
        for (index, Block { name, parts, about }) in BLOCKS.iter().enumerate() {
            assert!(name.chars().all(|c| c.is_ascii_lowercase()) && !about.is_empty(), "{name}");
            assert!(BLOCKS[..index].iter().all(|other| other.name != *name), "{name}");
            assert!(parts.iter().all(|part| part.chars().all(|c| c.is_ascii_lowercase() || c == '-')), "{name}");
        }
    }
}
