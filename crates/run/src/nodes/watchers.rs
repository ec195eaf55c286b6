//! Nodes that only watch: each is looked after by a thread of its own, so that one that is lost takes nothing with it.

use crate::facts::Fact;
use crate::nodes::message::Order;
use crate::nodes::{ForNode, Nodes};
use crate::recorded::Entries;
use clock::Clock;
use contract::LoadOn;
use record::{Entry, EventRow, MonitorHead, NodeHead, Observed};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use study::Places;
use terms::Nanos;

/// Between two looks whether load is on: less than the time between two samples.
const LOOK_EVERY: Nanos = Nanos::from_millis(50);
/// Between two questions what its clock shows.
const CLOCK_EVERY: Nanos = Nanos::from_secs(10);
/// How long a node that only watches goes on without a word, behind a load that has no planned end.
const ALONE_MAX: Nanos = Nanos::from_secs(3600);
/// What a load may take longer than planned, with what comes before its first start and after its last.
const ALONE_MORE: Nanos = Nanos::from_secs(120);

/// How long a node that only watches may go on by itself while load is on: as long as the longest load.
pub(crate) fn alone(plans: &[&plan::Plan]) -> Nanos {
    let lengths = plans.iter().flat_map(|plan| &plan.scenarios).map(|scenario| scenario.length);
    lengths.map(|length| length.map_or(ALONE_MAX, |length| length + ALONE_MORE)).max().unwrap_or_default()
}

/// Nodes that only watch, at work.
#[derive(Default)]
pub(crate) struct Watchers(Vec<Watcher>);

struct Watcher {
    turn: Sender<Turn>,
    /// Facts that its monitors captured when they began anew; one answer to each turn but the last.
    turned: Receiver<Vec<Fact>>,
    thread: JoinHandle<(Vec<Fact>, Vec<NodeHead>)>,
}

/// What a node that only watches does next.
enum Turn {
    /// Nothing is watched for a while.
    Rest,
    /// Monitors with the instances as they are now.
    Carry(Watchlist),
    Stop,
}

/// What nodes watch from now on, where instances were started again.
#[derive(Clone)]
pub(crate) struct Watchlist {
    pub(crate) monitors: Arc<Vec<ForNode>>,
    pub(crate) places: Places,
    pub(crate) alone: Nanos,
}

/// What they are looked after with.
#[derive(Clone)]
pub(crate) struct Tending {
    pub(crate) clock: Clock,
    pub(crate) entries: Entries,
    pub(crate) load_on: LoadOn,
    pub(crate) monitors: Vec<MonitorHead>,
}

impl Watchers {
    /// Looks after nodes that have begun to watch.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub(crate) fn tend(all: Vec<Nodes>, tending: &Tending) -> std::io::Result<Self> {
        let mut watchers = Self::default();
        for mut nodes in all {
            nodes.heeds_stop = false;
            let ((turn, turns), (tell, turned), own) = (channel(), channel(), tending.clone());
            let thread = std::thread::Builder::new().name("watching node".into());
            let thread = thread.spawn(move || look_after(nodes, &own, &turns, &tell))?;
            watchers.0.push(Watcher { turn, turned, thread });
        }
        Ok(watchers)
    }

    /// Ends what they watch, for a while.
    pub(crate) fn rest(&self) {
        self.all(|| Turn::Rest);
    }

    /// Has them watch the system as it is now. Returns what their monitors captured.
    pub(crate) fn go_on(&self, list: &Watchlist) -> Vec<Fact> {
        self.all(|| Turn::Carry(list.clone()))
    }

    /// All at once; the answer of one that is lost never comes.
    fn all(&self, turn: impl Fn() -> Turn) -> Vec<Fact> {
        self.0.iter().for_each(|watcher| drop(watcher.turn.send(turn())));
        self.0.iter().filter_map(|watcher| watcher.turned.recv().ok()).flatten().collect()
    }

    /// Ends what they watch. Returns what their monitors captured at the end, and who they were.
    pub(crate) fn stop(self) -> (Vec<Fact>, Vec<NodeHead>) {
        let (mut facts, mut heads) = (Vec::new(), Vec::new());
        for watcher in &self.0 {
            let _ = watcher.turn.send(Turn::Stop);
        }
        for Watcher { thread, .. } in self.0 {
            let Ok((captured, who)) = thread.join() else { continue };
            facts.extend(captured);
            heads.extend(who);
        }
        (facts, heads)
    }
}

/// Tells a node when load is on, and asks what its clock shows, until it is lost or all is over.
fn look_after(
    mut nodes: Nodes,
    tending: &Tending,
    turns: &Receiver<Turn>,
    turned: &Sender<Vec<Fact>>,
) -> (Vec<Fact>, Vec<NodeHead>) {
    let Tending { clock, load_on, .. } = tending;
    let (mut was_on, mut next_clock) = (false, clock.now() + CLOCK_EVERY);
    let mut lost: Option<String> = None;
    loop {
        match turns.recv_timeout(LOOK_EVERY.to_std()) {
            Err(RecvTimeoutError::Timeout) => {}
            Ok(Turn::Stop) | Err(RecvTimeoutError::Disconnected) => break,
            Ok(turn) => {
                let facts = if lost.is_none() { turn.with(&mut nodes) } else { Ok(Vec::new()) };
                let _ = turned.send(facts.unwrap_or_else(|why| {
                    lost = Some(why);
                    Vec::new()
                }));
            }
        }
        if lost.is_some() {
            continue;
        }
        let is_on = load_on.get();
        let mut looked = nodes.look();
        if is_on != was_on {
            was_on = is_on;
            looked = looked.and_then(|()| nodes.tell(0, &Order::Load { is_on }));
        }
        if clock.now() >= next_clock {
            looked = looked.and_then(|()| nodes.agree_on_time(clock, false));
            next_clock = clock.now() + CLOCK_EVERY;
        }
        lost = looked.err();
    }
    // One that was lost while nothing was watched was to watch again.
    let was_lost = lost.is_some();
    let facts = match &lost {
        None => {
            // By how much its clock ran away since it was asked last belongs to the bound.
            lost = nodes.agree_on_time(clock, false).err();
            nodes.end_watch()
        }
        Some(_) => Vec::new(),
    };
    let heads = nodes.heads();
    if nodes.is_watching() || was_lost {
        let why = lost.unwrap_or_else(|| "it did not answer at the end".to_owned());
        tell_missing(&nodes, &heads, &why, tending);
    }
    (facts, heads)
}

impl Turn {
    /// What the monitors of a node captured at it.
    ///
    /// # Errors
    /// Why it watches nothing from now on.
    fn with(self, nodes: &mut Nodes) -> Result<Vec<Fact>, String> {
        match self {
            Self::Carry(Watchlist { monitors, places, alone }) => {
                nodes.places(&places)?;
                nodes.carry(&monitors, alone)
            }
            Self::Rest | Self::Stop => {
                nodes.rest_watch();
                Ok(Vec::new())
            }
        }
    }
}

/// Writes from when on the samples of a node are missing, and why.
fn tell_missing(nodes: &Nodes, heads: &[NodeHead], why: &str, tending: &Tending) {
    let Tending { clock, entries, monitors, .. } = tending;
    let now = clock.now();
    let newest = nodes.newest();
    for row in newest.missing(monitors, now) {
        entries.send_in_turn(Entry::Seen(Observed::Samples(vec![row])));
    }
    for head in heads {
        let is_own = |number: u16| monitors.get(usize::from(number)).is_some_and(|one| one.on == head.name);
        let from = newest.of(is_own).unwrap_or_default();
        entries.send_in_turn(Entry::Event(unwatched_by(&head.name, (from, now), why)));
    }
}

/// From when to when nothing is known of what a node was to watch.
pub(super) fn unwatched_by(name: &str, (from, to): (Nanos, Nanos), why: &str) -> EventRow {
    let (begins, ends) = (from.as_secs_f64(), to.as_secs_f64());
    let text = format!(
        "from {begins:.1} s to {ends:.1} s after the start there are no samples of what the node {name} watched: {why}"
    );
    EventRow { at: from, kind: record::UNWATCHED.into(), subject: name.into(), text }
}
