//! Every code that the judge can say, with the names of its arguments: what a message catalogue has to cover.
//!
//! A code is always said with exactly these arguments. For signs, `value`, `questionable` and `invalid` are the
//! sign's own fields of those names; they stand here when the sign has them.

/// A code with the names of its arguments, in alphabetical order.
pub type Entry = (&'static str, &'static [&'static str]);

/// Reasons of verdicts. Those of a rule of several clauses have one argument more: [`DECIDED_BY`] or [`SHOWN_OF`].
pub const REASONS: &[Entry] = &[
    ("bucket_straddles_limit", &["count"]),
    ("census", &[]),
    ("change_inside", &["base", "subject"]),
    ("change_outside", &["base", "subject"]),
    ("change_straddles", &["base", "subject"]),
    ("compared_at_least", &["limit"]),
    ("compared_base_censored", &[]),
    ("compared_baseline", &["run", "why"]),
    ("compared_census", &[]),
    ("compared_changed", &["limit"]),
    ("compared_differs", &["what"]),
    ("compared_few_calls", &["count", "needed"]),
    ("compared_inside", &["limit"]),
    ("compared_invalid", &["where"]),
    ("compared_no_samples", &["where"]),
    ("compared_one_level", &[]),
    ("compared_other_censored", &[]),
    ("compared_outside", &["limit"]),
    ("compared_questionable", &[]),
    ("compared_saturated", &["count"]),
    ("compared_straddles", &["limit"]),
    ("compared_straddles_runs", &["limit", "needed"]),
    ("compared_too_short", &["needed", "seconds"]),
    ("compared_within_noise", &[]),
    ("compared_zero", &[]),
    ("compound_estimate", &[]),
    ("counts_differ", &["counts", "difference"]),
    ("cut_short", &[]),
    ("cut_short_below", &[]),
    ("drift_unclear", &["detectable", "horizon", "spread"]),
    ("drifts", &["horizon", "hourly", "spread"]),
    ("edges_unknown", &[]),
    ("far_outside", &["count"]),
    ("instance_lost", &["instance", "kind"]),
    ("interval_inside", &["count"]),
    ("interval_outside", &["count"]),
    ("interval_straddles_limit", &["count"]),
    ("interval_straddles_needs", &["count", "needed"]),
    ("left_out", &["table"]),
    ("level_shift", &["after", "at", "before"]),
    ("no_baseline", &[]),
    ("no_samples", &[]),
    ("not_counted_after", &[]),
    ("not_counted_before", &[]),
    ("not_run", &[]),
    ("not_yet", &[]),
    ("other_requirement", &["requirement"]),
    ("reconciled", &["counts"]),
    ("run_invalid", &["sign", "where"]),
    ("run_questionable", &["sign", "where"]),
    ("samples_missing", &[]),
    ("steady", &["detectable", "horizon", "spread"]),
    ("too_few", &["count", "needed"]),
    ("too_few_batches", &["batches", "count", "needed"]),
    ("too_short", &["have", "needed"]),
    ("trial", &[]),
    ("units_differ", &[]),
];

/// Name of a reason's argument: of several clauses, the one that decided.
pub const DECIDED_BY: &str = "decided_by";

/// Name of a reason's argument: of several clauses that all hold, the one whose figures are shown.
pub const SHOWN_OF: &str = "shown_of";

/// Signs of validity.
pub const SIGNS: &[Entry] = &[
    ("altered_evidence", &["files"]),
    ("books", &[]),
    ("clock_step", &["instance"]),
    ("cores_full", &["questionable", "value"]),
    ("evidence_lost", &[]),
    ("identity", &["instance"]),
    ("instance_lost", &["instance", "kind"]),
    ("killed", &[]),
    ("lateness", &["invalid", "questionable", "value"]),
    ("little", &["invalid", "value"]),
    ("lost_starts", &["invalid", "questionable", "value"]),
    ("open_iterations", &["count"]),
    ("overloaded", &["questionable", "value"]),
    ("rate", &["clean", "ended", "found", "planned"]),
    ("resources", &["count"]),
    ("run_queue", &["invalid", "questionable", "value"]),
    ("steal", &["invalid", "questionable", "value"]),
    ("torn_evidence", &["bytes"]),
    ("unanswered", &["classes", "count"]),
    ("unsound_rows", &["count"]),
];

/// Rules that make findings.
pub const FINDINGS: &[Entry] = &[
    ("ARITH", &["computed", "stated", "sum"]),
    ("BACKLOG", &["ended", "from", "offered", "to"]),
    ("CEILING", &["ceiling", "instance", "of", "reached", "series", "time"]),
    ("CENSORED", &["quantile", "share", "timeouts"]),
    ("CO-CLOSED", &["max", "median"]),
    ("COPY-TWIN", &["mean", "other"]),
    ("DOWN", &["at", "instance", "kind"]),
    ("DRIFT", &["after", "at", "before", "direction", "figure", "others", "shape", "subject"]),
    ("DROP", &["after", "at", "before", "count", "exchange", "others"]),
    ("ERR-FAST", &["failed", "ok", "share"]),
    ("FEW", &["carried", "count", "needed"]),
    ("FLAT-R", &["from", "mean", "spread", "to"]),
    ("GC-STORM", &["full", "hold", "instance", "per_minute", "share", "sibling", "worst"]),
    ("GEN-CEILING", &["ceiling", "limit", "rate", "share"]),
    ("GEN-DROP", &["dropped", "intended", "lost", "share"]),
    ("GEN-SAT", &["limit", "sign", "value"]),
    ("GEN-SLIP", &["lateness", "limit"]),
    ("HEAP", &["collections", "first", "height", "hold", "instance", "last", "old", "peak", "reached", "shape"]),
    ("IDLE", &["baseline", "instance", "load", "seconds", "series"]),
    ("INVENTORY-MEMORY", &["memory", "metaspace", "row", "xmx"]),
    ("INVENTORY-RESERVATION", &["memory", "reservation", "row"]),
    ("INVENTORY-SHIFTED", &["column", "row", "same", "usual", "value"]),
    ("INVENTORY-TEXT", &["cell", "column", "row"]),
    ("INVENTORY-TWIN", &["other", "row"]),
    ("INVENTORY-UNITS", &["column", "units"]),
    (
        "LEAK",
        &[
            "collections",
            "full",
            "full_high",
            "full_low",
            "grade",
            "hold",
            "hourly",
            "hourly_high",
            "hourly_low",
            "instance",
            "level",
            "per_iteration",
            "series",
        ],
    ),
    ("LITTLE", &["concurrency", "expected", "off", "rate", "time"]),
    ("MEAN-GT-P90", &["mean", "p90", "tail"]),
    ("NO-ANSWER", &["exchange", "started"]),
    ("NO-BASE", &["base", "other"]),
    ("NO-RETURN", &["baseline", "instance", "others", "series", "value", "watched"]),
    ("NONMONO", &["failed", "held", "where"]),
    ("NOT-REACHED", &["load", "loads", "throughput"]),
    ("OTHER-WORK", &["busy", "cores", "limit", "own"]),
    ("RATIO", &["computed", "stated", "words"]),
    ("REFUSED", &["exchange", "refused", "started", "taken"]),
    ("REGIME", &["kind", "what"]),
    ("REPLIES", &["after_all", "again", "duplicate", "missing", "right", "streams", "wrong"]),
    ("ROUNDING", &["high", "low", "statistic"]),
    ("SHAPE", &["extreme", "modes", "shape", "stalled", "tail"]),
    ("SIGNIFICANT", &["base", "change", "direction", "high", "kind", "low", "other", "statistic"]),
    ("SKEW", &["greatest", "group", "high", "least", "low", "off", "series"]),
    ("SPIKE", &["at", "figure", "greatest", "lasted", "number", "others", "place", "subject", "usual"]),
    (
        "STALL",
        &["affected", "during", "duty", "every", "exchange", "figure", "lasts", "others", "repeats", "usual", "with"],
    ),
    ("STATE", &["before", "change", "first", "instance", "now", "series"]),
    ("UNCLAIMED", &["example", "listener", "nobodys", "ours", "too_late", "unknown", "unreadable"]),
    ("UNEXPLAINED", &["from", "other", "to"]),
    ("UNIT", &["computed", "first", "second", "unit"]),
    ("UNUSED", &["name", "value"]),
    ("WARM-UP", &["after", "before", "cut", "declared", "exchange", "figure", "moved", "others", "shape", "typed"]),
];

/// Rungs of the ladder of what limited a scenario, from the top.
pub const RUNGS: &[&str] = &["generator", "instance_down", "ceiling", "resource", "software", "downstream"];

/// Signals that speak for a rung.
pub const LADDER: &[Entry] = &[
    ("at_ceiling", &["instance", "metric", "share", "time"]),
    ("behind", &["ended", "offered"]),
    ("connections_bound", &["bound", "time"]),
    ("failures", &["share"]),
    ("generator_sign", &["sign", "state"]),
    ("instance_lost", &["instance", "kind"]),
    ("piled_up", &["from", "to"]),
    ("queue_grew", &["from", "instance", "metric", "to"]),
    ("refused", &["share"]),
    ("run_queue", &["cores", "queue"]),
    ("saturated", &["instance", "metric", "utilisation"]),
    ("slower", &["from", "to"]),
    ("throughput_flat", &["from", "load", "to"]),
    ("wait_grew", &["from", "instance", "metric", "to"]),
];

/// What the loads that were tried say about the limit.
pub const CAPACITY: &[&str] = &["at_least", "below", "between", "nothing", "unknown"];

/// Why a volume or a ratio is refused.
pub const REFUSALS: &[Entry] = &[
    ("cannot_tell", &["requirement"]),
    ("cut_short", &[]),
    ("degraded", &["sign", "where"]),
    ("no_value", &[]),
    ("not_met", &["requirement"]),
    ("trial", &[]),
    ("undrained", &["ended", "left", "offered"]),
];

/// Names of settings; their value is the only argument.
pub const SETTINGS: &[&str] = &[
    "confidence",
    "verdict_confidence",
    "wrong_verdict",
    "batches",
    "lateness_questionable",
    "lateness_questionable_share",
    "lateness_invalid",
    "lateness_invalid_share",
    "lost_questionable",
    "lost_invalid",
    "run_queue_questionable",
    "run_queue_invalid",
    "steal_questionable",
    "steal_invalid",
    "cores_full",
    "little_invalid",
    "samples_missing",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_arguments_stand_in_order_and_once() {
        for list in [REASONS, SIGNS, FINDINGS, LADDER, REFUSALS] {
            assert!(list.windows(2).all(|pair| pair[0].0 < pair[1].0));
            for (code, args) in list {
                assert!(args.windows(2).all(|pair| pair[0] < pair[1]), "{code}");
            }
        }
    }
}
