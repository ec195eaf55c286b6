//! Monitors that nodes run: whoever conducts the run says which, and takes what they record as it comes.

use crate::facts::Fact;
use crate::nodes::message::{Carried, Order, Told, WireWatched};
use crate::nodes::newest::Newest;
use crate::nodes::{ANSWERING, JOINING, Node, Nodes, is_loopback, local};
use crate::recorded::Entries;
use contract::{Watched, Watches};
use record::{Entry, Observed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use terms::Nanos;

/// Where samples and events of nodes go as they come: they wait for no scenario.
#[derive(Clone, Default)]
pub(super) struct Straight {
    entries: Arc<OnceLock<Entries>>,
    newest: Arc<Mutex<Newest>>,
}

impl Straight {
    /// From now on they go there.
    fn open(&self, entries: Entries) {
        let _ = self.entries.set(entries);
    }

    /// Takes samples and events; returns the rest, and all of it while nobody records.
    pub(super) fn take(&self, seen: Vec<Observed>) -> Vec<Observed> {
        let Some(entries) = self.entries.get() else { return seen };
        let mut rest = Vec::new();
        for one in seen {
            match one {
                Observed::Samples(rows) => {
                    let mut newest = self.newest();
                    rows.iter().for_each(|row| newest.see(row));
                    drop(newest);
                    entries.send_in_turn(Entry::Samples(rows));
                }
                Observed::Event(row) => entries.send_in_turn(Entry::Event(row)),
                other => rest.push(other),
            }
        }
        rest
    }

    /// What has come so far.
    pub(super) fn newest(&self) -> std::sync::MutexGuard<'_, Newest> {
        self.newest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A monitor for a node, with the instances as this process knows them.
pub(crate) struct ForNode {
    /// Its name.
    pub(crate) node: String,
    pub(crate) watch: usize,
    pub(crate) number: u16,
    pub(crate) watches: Watches,
    pub(crate) instances: Vec<Watched>,
}

impl Nodes {
    /// Samples and events of all of them go there as they come.
    pub(crate) fn record(&self, entries: &Entries) {
        self.straight.open(entries.clone());
    }

    /// Has each of them run the monitors that are for it; what these captured at the start. A node that only watches goes
    /// on for `alone` without a word while load is on.
    ///
    /// # Errors
    /// What a monitor finds wrong with its settings there; a node that is lost.
    pub(crate) fn carry(&mut self, monitors: &[ForNode], alone: Nanos) -> Result<Vec<Fact>, String> {
        let mut captured = Vec::new();
        for index in 0..self.nodes.len() {
            let node = &self.nodes[index];
            let own = monitors.iter().filter(|monitor| monitor.node == node.head.name);
            let own: Vec<Carried> = own.map(|monitor| monitor.for_node(node)).collect();
            if own.is_empty() {
                continue;
            }
            self.nodes[index].carries = true;
            self.tell(index, &Order::Carry { monitors: own, alone_ns: alone.0 })?;
            self.until(index, JOINING, |told| match told {
                Told::Carrying { facts } => {
                    captured.extend(facts);
                    Ok(true)
                }
                _ => Ok(false),
            })?;
        }
        Ok(captured)
    }

    /// Ends their monitors for a while: instances are about to be ended on purpose. What they capture is captured again at
    /// the end, of those who are there then.
    pub(crate) fn rest_watch(&mut self) {
        let heeds_stop = self.heeds_stop;
        self.end_watch();
        self.heeds_stop = heeds_stop;
    }

    /// Ends their monitors; what these captured at the end. A node that does not answer says nothing more.
    pub(crate) fn end_watch(&mut self) -> Vec<Fact> {
        // What was watched while the run was stopped belongs to it.
        self.heeds_stop = false;
        let mut captured = Vec::new();
        for index in 0..self.nodes.len() {
            if !self.nodes[index].carries || self.nodes[index].is_gone || self.tell(index, &Order::EndWatch).is_err() {
                continue;
            }
            let ended = self.until(index, ANSWERING, |told| match told {
                Told::Watched { facts } => {
                    captured.extend(facts);
                    Ok(true)
                }
                _ => Ok(false),
            });
            if ended.is_ok() {
                self.nodes[index].carries = false;
            }
        }
        captured
    }
}

impl ForNode {
    /// What a process id or an address of this machine itself means is nothing on another.
    fn for_node(&self, node: &Node) -> Carried {
        let same = |here: String, there: &str| !here.is_empty() && here == there;
        let shares_processes = same(local::processes(), &node.processes);
        let shares_network = same(local::network(), &node.network);
        let instance = |watched: &Watched| {
            let is_meant = |url: &String| {
                shares_network
                    || self.watches != Watches::Instances
                    || !study::ReplicaPlace::from_url(url)
                        .is_some_and(|place| is_loopback(place.host.trim_matches(['[', ']'])))
            };
            WireWatched {
                name: watched.name.clone(),
                pid: watched.pid.filter(|_| shares_processes),
                url: watched.url.clone().filter(is_meant),
            }
        };
        let instances = self.instances.iter().map(instance).collect();
        Carried { watch: self.watch, number: self.number, instances }
    }
}
