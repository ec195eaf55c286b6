//! What has come to a listener, counted for the record like everything else that is watched.

use contract::{Facts, Failure, MetricKind, Monitor, Role, Samples};
use recorder::Unmatched;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use terms::{Nanos, Unit};

/// Its name in the record.
pub const NAME: &str = "listeners";

/// What is counted of each listener.
///
/// `requests` are all that came whole. Of them `handed` went to the thread that their key names, `handshakes` among
/// them but for those that were told that nobody is there any more; `unmatched` are those of `handed` for which no leg of any exchange turned out to wait. `too_late` came for a
/// scenario that was over. `unasked` name a message of this run and are nothing that the study waits for, `unknown`
/// name none of its messages, `unreadable` were a driver's by their head and nonsense by their content, `unclaimed`
/// were for no driver at all. `broken` are connections that spoke no HTTP, ended early or sent too much. `open` are
/// connections.
pub const METRICS: &[MetricKind] = &[
    MetricKind::counter("requests", Unit::Count),
    MetricKind::counter("handed", Unit::Count),
    MetricKind::counter("handshakes", Unit::Count),
    MetricKind::counter("unmatched", Unit::Count),
    MetricKind::counter("too_late", Unit::Count),
    MetricKind::counter("unasked", Unit::Count),
    MetricKind::counter("unknown", Unit::Count),
    MetricKind::counter("unreadable", Unit::Count),
    MetricKind::counter("unclaimed", Unit::Count),
    MetricKind::counter("broken", Unit::Count),
    MetricKind::gauge("open", Unit::Count).with_role(Role::Waiting),
];

/// The counts of one listener. Its thread counts, its monitor reads.
#[derive(Debug, Default)]
pub struct Counts {
    pub(crate) requests: AtomicU64,
    pub(crate) handed: AtomicU64,
    pub(crate) handshakes: AtomicU64,
    /// Load threads count here.
    pub(crate) unmatched: Unmatched,
    pub(crate) too_late: AtomicU64,
    pub(crate) unasked: AtomicU64,
    pub(crate) unknown: AtomicU64,
    pub(crate) unreadable: AtomicU64,
    pub(crate) unclaimed: AtomicU64,
    pub(crate) broken: AtomicU64,
    pub(crate) open: AtomicU64,
}

pub(crate) fn add(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

impl Counts {
    /// The counts now, in the order of [`METRICS`].
    pub fn now(&self) -> [u64; METRICS.len()] {
        let Self { requests, handed, handshakes, unmatched, too_late, unasked, unknown, unreadable, .. } = self;
        let Self { unclaimed, broken, open, .. } = self;
        let known = [requests, handed, handshakes, &*unmatched.0, too_late, unasked, unknown, unreadable];
        let mut values = known.into_iter().chain([unclaimed, broken, open]).map(|count| count.load(Ordering::Relaxed));
        std::array::from_fn(|_| values.next().unwrap_or_default())
    }
}

/// Reads the counts of listeners, each by its name.
pub fn monitor(listeners: Vec<(String, Arc<Counts>)>) -> Box<dyn Monitor> {
    Box::new(Listeners(listeners))
}

struct Listeners(Vec<(String, Arc<Counts>)>);

impl Monitor for Listeners {
    fn facts(&mut self, _: &mut Facts) {}

    fn sample(&mut self, at: Nanos, out: &mut Samples) -> Result<(), Failure> {
        for (name, counts) in &self.0 {
            let instance = out.instance(name);
            for (metric, value) in counts.now().into_iter().enumerate() {
                out.value(at, instance, metric as u16, value as f64);
            }
        }
        Ok(())
    }
}
