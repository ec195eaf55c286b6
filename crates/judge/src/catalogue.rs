//! Every code that the judge can say, with the names of its arguments: what a message catalogue has to cover.
//!
//! A code is always said with exactly these arguments. For signs, `value`, `questionable` and `invalid` are the
//! sign's own fields of those names; they stand here when the sign has them.

/// A code with the names of its arguments, in alphabetical order.
pub type Entry = (&'static str, &'static [&'static str]);

/// Reasons of verdicts. Those of a rule of several clauses have one argument more: [`DECIDED_BY`] or [`SHOWN_OF`].
pub const REASONS: &[Entry] = &[
    ("bucket_straddles_limit", &["count"]),
    ("censored", &[]),
    ("census", &[]),
    ("change_inside", &["base", "subject"]),
    ("change_outside", &["base", "subject"]),
    ("change_straddles", &["base", "subject"]),
    ("compared_apart", &["parts"]),
    ("compared_at_least", &["limit"]),
    ("compared_base_censored", &[]),
    ("compared_baseline", &["run", "why"]),
    ("compared_census", &[]),
    ("compared_changed", &["limit"]),
    ("compared_dealt", &["chance"]),
    ("compared_differs", &["what"]),
    ("compared_family", &["rows"]),
    ("compared_few_calls", &["count", "needed"]),
    ("compared_inside", &["limit"]),
    ("compared_invalid", &["where"]),
    ("compared_no_samples", &["where"]),
    ("compared_one_level", &[]),
    ("compared_other_censored", &[]),
    ("compared_outside", &["limit"]),
    ("compared_questionable", &[]),
    ("compared_saturated", &["count"]),
    ("compared_sparse", &[]),
    ("compared_straddles", &["limit"]),
    ("compared_straddles_runs", &["limit", "needed"]),
    ("compared_too_short", &["needed", "seconds"]),
    ("compared_unsettled", &["open"]),
    ("compared_within_noise", &[]),
    ("compared_zero", &[]),
    ("compound_estimate", &[]),
    ("counts_differ", &["counts", "difference"]),
    ("cut_short", &[]),
    ("cut_short_below", &[]),
    ("drift_unclear", &["detectable", "horizon", "spread"]),
    ("drifts", &["horizon", "hourly", "spread"]),
    ("edges_unknown", &[]),
    ("far_outside", &["count", "runs"]),
    ("fell", &["after", "at", "at_high", "at_low", "before", "shape", "side"]),
    ("fell_not", &["seconds", "side"]),
    ("fell_perhaps", &["at_low", "side"]),
    ("instance_lost", &["instance", "kind"]),
    ("interval_inside", &["count"]),
    ("interval_outside", &["count"]),
    ("interval_straddles_limit", &["count"]),
    ("interval_straddles_needs", &["count", "needed"]),
    ("left_out", &["table"]),
    ("level_shift", &["after", "at", "before"]),
    ("no_baseline", &[]),
    // a file of samples without a clock was placed nowhere
    ("no_clock", &["correlation", "every", "file", "needed", "rows", "why"]),
    ("no_samples", &[]),
    ("not_counted_after", &[]),
    ("not_counted_before", &[]),
    ("not_run", &[]),
    ("not_yet", &[]),
    ("other_requirement", &["requirement"]),
    ("outside_run", &["file", "from", "rows", "run_from", "run_to", "to"]),
    ("rate_shifts", &[]),
    ("reconciled", &["counts"]),
    ("run_invalid", &["sign", "where"]),
    ("run_questionable", &["sign", "where"]),
    ("samples_missing", &[]),
    ("steady", &["detectable", "horizon", "spread"]),
    ("too_few", &["count", "needed"]),
    ("too_few_batches", &["batches", "count", "needed"]),
    ("too_short", &["have", "needed"]),
    ("too_short_for_memory", &["count", "times"]),
    ("trial", &[]),
    ("units_differ", &[]),
    ("unsettled", &["open"]),
    ("worked", &["duty", "lasts", "lost", "mean", "number", "side"]),
];

/// Name of a reason's argument: of several clauses, the one that decided.
pub const DECIDED_BY: &str = "decided_by";

/// Name of a reason's argument: of several clauses that all hold, the one whose figures are shown.
pub const SHOWN_OF: &str = "shown_of";

/// Signs of validity. Above each stands its row of the guide: what it looks at, and from where on it makes a run
/// questionable and invalid; `{NAME}` is a limit of [`crate::validity::limits`].
pub const SIGNS: &[Entry] = &[
    // a sealed file was changed afterwards, is missing, or cannot be read | – | any
    ("altered_evidence", &["files"]),
    // samples of an imported file without a clock were placed by a start and an interval, or where they fit best | any | –
    ("approximate", &["files"]),
    // intended, started and ended do not add up | – | any
    ("books", &[]),
    // an imported file of calls breaks off before its end, or is damaged: what is missing is not known | breaks off |
    // damaged
    ("broken_off", &["file"]),
    // the wall clock was set during the step | any | –
    ("clock_step", &["instance"]),
    // processor share of the busiest load thread, closed loads: throughput is a lower bound | {CORES_FULL} or more |
    // –
    ("cores_full", &["questionable", "value"]),
    // entries of the record were lost | – | any
    ("evidence_lost", &[]),
    // the imported files do not show whether each call failed | any | –
    ("failures_unknown", &["tool"]),
    // processor time used by programs outside the study, share of the machine; evaluated where the machine, a process
    // of the system and the generator were all watched; load nodes on other machines are left out | above
    // {FOREIGN_QUESTIONABLE} | above {FOREIGN_INVALID}
    ("foreign", &["invalid", "questionable", "value"]),
    // a wrong instance, at the start or at the end | – | any
    ("identity", &["instance"]),
    // another tool drove the load: its files do not show when calls were due, how the generator fared or who answered |
    // any | –
    ("imported", &["tool"]),
    // an instance ended or was restarted, until it is back | any | –
    ("instance_lost", &["instance", "kind"]),
    // the run was killed; what was measured until then is judged | – | –
    ("killed", &[]),
    // p99 of the generator's lateness, open loads | above {LATENESS_QUESTIONABLE_MS} ms and above
    // {LATENESS_QUESTIONABLE_SHARE} of the median response | above {LATENESS_INVALID_MS} ms and above
    // {LATENESS_INVALID_SHARE} of the median response
    ("lateness", &["invalid", "questionable", "value"]),
    // counts, times and concurrency contradict each other | – | above {LITTLE_INVALID}
    ("little", &["invalid", "value"]),
    // intended starts that the generator lost | above {LOST_QUESTIONABLE} | above {LOST_INVALID}
    ("lost_starts", &["invalid", "questionable", "value"]),
    // a load node was lost while it carried its share of the load | – | any
    ("node_lost", &["instance"]),
    // a node that watched was lost, and what it watched has no samples from then on | any | –
    ("node_unwatched", &["from", "instance", "to"]),
    // started, no end recorded, in a killed run | – | –
    ("open_iterations", &["count"]),
    // an instance that the run had started was gone when the run was collected after its conductor had died: since when
    // the load met nothing is unknown | – | any
    ("orphaned", &["instance"]),
    // seconds in which a load thread was full while arrivals waited for a connection, open loads | above
    // {OVERLOADED_SECONDS} | the same, and less than {ENDED_LEAST} of the planned load ended
    ("overloaded", &["questionable", "value"]),
    // the highest rate on time, where one of `lateness`, `lost_starts`, `overloaded` is bad | as these | as these
    ("rate", &["clean", "ended", "found", "planned"]),
    // descriptors, ports or memory of the generator ran out | – | any
    ("resources", &["count"]),
    // time that the most delayed load thread had to wait for a core | above {RUN_QUEUE_QUESTIONABLE} | above
    // {RUN_QUEUE_INVALID}
    ("run_queue", &["invalid", "questionable", "value"]),
    // processor time taken by the hypervisor, on the load machine that lost most | above {STEAL_QUESTIONABLE} | above
    // {STEAL_INVALID}
    ("steal", &["invalid", "questionable", "value"]),
    // iterations that ended by a fault of the study (`bad_study`): a value that was never captured, a script that failed |
    // above {LOST_QUESTIONABLE} | above {LOST_INVALID}
    ("study_faults", &["invalid", "questionable", "value"]),
    // the last block of a killed run was incomplete; it is left out | – | –
    ("torn_evidence", &["bytes"]),
    // no call of the run got a readable answer | any | –
    ("unanswered", &["classes", "count"]),
    // lines of an imported file of calls that could not be read, share of that file | above {UNREADABLE_QUESTIONABLE} |
    // above {UNREADABLE_INVALID}
    ("unreadable", &["count", "file", "invalid", "questionable", "value"]),
    // lines of an imported file of samples that could not be read, share of that file | above {UNREADABLE_QUESTIONABLE} | –
    ("unreadable_samples", &["count", "file", "monitor", "questionable", "value"]),
    // inconsistent rows of the record; they are left out | – | any
    ("unsound_rows", &["count"]),
    // the conductor of the run had died, and only nodes watched anything | any | –
    ("unwatched", &["from", "to"]),
];

/// Rules that make findings.
pub use crate::findings::RULES as FINDINGS;

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

/// Why the parameters of the scalability law are not printed for a search.
pub const LAWS: &[Entry] = &[
    ("ceiling", &["loads"]),
    ("far_peak", &["most", "peak"]),
    ("few_loads", &["have", "need"]),
    ("no_bend", &["bound", "loads"]),
    ("no_fit", &["loads"]),
    ("no_kappa", &["loads"]),
    ("regimes", &[]),
];

/// Why no knee is marked for a search.
pub const KNEES: &[Entry] = &[("few_loads", &["have", "need"]), ("none", &["loads"]), ("straight", &["loads"])];

/// Why a trend over iterations cannot be told.
pub const TRENDS: &[Entry] = &[
    ("few", &["have", "need"]),
    ("interval", &[]),
    ("missing", &["all", "have", "need"]),
    ("span", &["span"]),
    ("zero", &[]),
];

/// Why an attempt of a search came out as it did.
pub const ATTEMPTS: &[Entry] = &[
    ("aborted", &["rule"]),
    ("aborted_spoiled", &["rule"]),
    ("behind", &["ended", "offered"]),
    ("degraded", &["instance"]),
    ("invalid", &[]),
    ("left", &["left"]),
    ("measured", &[]),
    ("met", &[]),
    ("no_rate", &[]),
    ("no_value", &["requirement"]),
    ("not_met", &["requirement"]),
    ("nothing_asked", &[]),
    ("nothing_ok", &[]),
    ("unrested", &["left", "leg"]),
    ("value_beyond", &["requirement"]),
    ("value_within", &["requirement"]),
];

/// Why a step is not the healthiest.
pub const HEALTH: &[Entry] = &[
    ("anomaly", &["finding", "rule"]),
    ("backlog", &["finding"]),
    ("broken", &["requirement"]),
    ("cut_short", &[]),
    ("degraded", &["instance"]),
    ("failed", &["limit", "share"]),
    ("invalid", &["sign"]),
    ("lower", &["best"]),
    ("memory", &["finding", "rule"]),
    ("no_rate", &[]),
    ("not_met", &["limit", "requirement", "value"]),
    ("nothing_ok", &[]),
    ("processor", &["instance", "limit", "metric", "share"]),
    ("undrained", &["ended", "left", "offered"]),
    ("unproven", &["requirement"]),
];

/// What could not be seen of the healthiest step, or among which steps it was not chosen.
pub const UNSEEN: &[&str] = &["earlier", "memory", "memory_short", "processor", "trial"];

/// Why a volume or a ratio is refused.
pub const REFUSALS: &[Entry] = &[
    ("cannot_tell", &["requirement"]),
    ("cut_short", &[]),
    ("degraded", &["sign", "where"]),
    ("drained_late", &["drain", "load", "rate"]),
    ("earlier", &["scenario"]),
    ("no_healthiest", &["scenario"]),
    ("no_value", &[]),
    ("not_met", &["requirement"]),
    ("still_busy", &["rule"]),
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
    "foreign_questionable",
    "foreign_invalid",
    "cores_full",
    "little_invalid",
    "samples_missing",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_arguments_stand_in_order_and_once() {
        for list in [REASONS, SIGNS, FINDINGS, LADDER, HEALTH, REFUSALS] {
            assert!(list.windows(2).all(|pair| pair[0].0 < pair[1].0));
            for (code, args) in list {
                assert!(args.windows(2).all(|pair| pair[0] < pair[1]), "{code}");
            }
        }
    }
}
