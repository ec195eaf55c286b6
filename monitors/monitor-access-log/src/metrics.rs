//! What an access log is measured by.

use contract::MetricKind;
use terms::Unit;

/// What an access log is measured by. `duration` has a value for each call; the others are counts since the start of the
/// run.
pub const METRICS: &[MetricKind] = &[
    MetricKind::distribution("duration"),
    MetricKind::counter("calls", Unit::Count),
    MetricKind::counter("client_errors", Unit::Count),
    MetricKind::counter("errors", Unit::Count),
    MetricKind::counter("sent", Unit::Bytes),
    MetricKind::counter("not_understood", Unit::Count),
];

/// Numbers of the metrics, in the order of [`METRICS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub(crate) enum Metric {
    Duration,
    Calls,
    ClientErrors,
    Errors,
    Sent,
    NotUnderstood,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_agree() {
        for (metric, name) in [
            (Metric::Duration, "duration"),
            (Metric::Calls, "calls"),
            (Metric::ClientErrors, "client_errors"),
            (Metric::Errors, "errors"),
            (Metric::Sent, "sent"),
            (Metric::NotUnderstood, "not_understood"),
        ] {
            assert_eq!(METRICS[metric as usize].name, name);
        }
        assert_eq!(METRICS.len(), Metric::NotUnderstood as usize + 1);
    }
}
