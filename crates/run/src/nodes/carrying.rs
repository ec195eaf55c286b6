//! Monitors that a node runs for the run that it takes part in.

use crate::facts::Fact;
use crate::kept_out;
use crate::monitors::kinds_of;
use crate::nodes::message::{Carried, WireWatched};
use crate::prepare::Prepared;
use clock::Clock;
use contract::{BuildContext, Carrier, LoadOn, MonitorSettings, Watched};
use record::{Entry, EventRow, SampleRow};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use study::Places;
use terms::Nanos;
use watch::{Built, Watching};

/// Monitors at work.
pub(super) struct Carrying {
    watching: Watching,
    /// The clock that they began with, and by how much that of the run has turned out to be ahead of it since.
    clock: Clock,
    ahead_ns: Arc<AtomicI64>,
}

/// What they are started with.
pub(super) struct Setting<'a> {
    pub(super) prepared: &'a Prepared,
    pub(super) places: &'a Places,
    pub(super) clock: &'a Clock,
    pub(super) load_on: &'a LoadOn,
    /// The name of this node.
    pub(super) node: &'a str,
}

impl Carrying {
    /// Starts them; what they record goes to `tell`, which may wait: a sample that is due meanwhile is missing, and told so.
    ///
    /// # Errors
    /// What a monitor finds wrong with its settings on this machine.
    pub(super) fn start(
        monitors: Vec<Carried>,
        setting: &Setting<'_>,
        tell: impl Fn(Entry) + Clone + Send + 'static,
    ) -> Result<Self, String> {
        let built = monitors.into_iter().map(|carried| build(carried, setting)).collect::<Result<_, _>>()?;
        let (clock, kept_out) = (setting.clock.clone(), setting.prepared.kept_out.clone());
        let ahead_ns: Arc<AtomicI64> = Arc::default();
        let ahead = ahead_ns.clone();
        let watching = watch::start(built, &clock, move |entry| {
            let shift = Nanos(ahead.load(Ordering::Relaxed));
            let entry = match entry {
                Entry::Samples(rows) => {
                    Entry::Samples(rows.into_iter().map(|row| SampleRow { at: row.at + shift, ..row }).collect())
                }
                // The wall clock of this machine places nothing; whoever conducts the run watches its own.
                Entry::Event(row) if row.kind == watch::CLOCK_STEP => return,
                Entry::Event(row) => Entry::Event(EventRow { at: row.at + shift, ..row }),
                _ => return,
            };
            tell(kept_out::entry(entry, &kept_out));
        });
        Ok(Self { watching, clock, ahead_ns })
    }

    /// The clock of the run is better known now.
    pub(super) fn follow(&self, clock: &Clock) {
        self.ahead_ns.store((clock.now() - self.clock.now()).0, Ordering::Relaxed);
    }

    /// What they captured at the start.
    pub(super) fn facts(&self, prepared: &Prepared) -> Vec<Fact> {
        clean(self.watching.facts().0.clone(), prepared)
    }

    /// Takes a last sample of everything, and ends them; returns what they capture now.
    pub(super) fn stop(self, prepared: &Prepared) -> Vec<Fact> {
        clean(self.watching.stop().0, prepared)
    }
}

/// What only this process knows as a secret is cut here.
fn clean(facts: Vec<Fact>, prepared: &Prepared) -> Vec<Fact> {
    let cut = |text: String| prepared.kept_out.cut(&text).into_owned();
    facts.into_iter().map(|(subject, name, value)| (subject, name, cut(value))).collect()
}

fn build(carried: Carried, setting: &Setting<'_>) -> Result<Built, String> {
    let &Setting { prepared, places, load_on, node, .. } = setting;
    let study = &prepared.study;
    let unknown = || "it does not know a monitor of the study".to_owned();
    let watched = study.watch.get(carried.watch).ok_or_else(unknown)?;
    let kind = prepared.registry.monitors.iter().find(|kind| kind.name == watched.kind).ok_or_else(unknown)?;
    let names = study::names(study, &prepared.secrets, &prepared.tables, None, places);
    let carrier = Carrier { name: node.to_owned(), is_here: true };
    let context = BuildContext::new(&names, study.base.clone()).with_load_on(load_on.clone());
    let settings = MonitorSettings {
        name: watched.name.clone(),
        node: watched.node.clone(),
        instances: carried.instances.into_iter().map(Watched::from).collect(),
        on: None,
        every: watched.every,
    };
    let wrong = |mistakes| prepared.kept_out.cut(&prepared.rejected(mistakes).to_string()).into_owned();
    let mut monitor = (kind.build)(&settings, &mut context.with_carrier(Some(carrier))).map_err(wrong)?;
    monitor.ready().map_err(wrong)?;
    let (name, kinds) = (watched.name.clone(), kinds_of(kind, &watched.node));
    Ok(Built { number: carried.number, name, kinds, every: watched.every, monitor })
}

impl From<WireWatched> for Watched {
    fn from(WireWatched { name, pid, url }: WireWatched) -> Self {
        Self { name, pid, url }
    }
}
