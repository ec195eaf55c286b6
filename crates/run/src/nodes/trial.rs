//! Whether load nodes elsewhere are fast enough for their shares, tried before the load against a target that does nothing.
//!
//! All nodes try at once, as they will carry the load at once, and each against a target of its own process. Target and
//! node share the machine, so what one sends here it sends to a target elsewhere as well.

use crate::nodes::Nodes;
use crate::nodes::message::{Order, Told};
use record::{CeilingHead, NodeHead, NodeTrial};
use serde::{Deserialize, Serialize};
use terms::Nanos;

/// What a trial may take besides its seconds: the start of threads and of the target, and a way there and back.
const BESIDE: Nanos = Nanos::from_secs(60);
/// A node that started less than this part of its share in its best second is too slow, whatever disturbed it.
const HOPELESS: f64 = 0.5;
/// Fewer requests a second say little about a node: one that is late once is not slow.
const FEW: f64 = 100.0;
/// What to do about a node that others keep busy.
const BUSY: &str = "leave that machine out, or see what else it is busy with";

/// What nodes are to try.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// Connections of each.
    pub connections: u32,
    /// Levels of a second each on the way to a node's ceiling; none where only its share is tried.
    pub levels: u32,
}

/// What one node is to try.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct NodeLoad {
    pub trial: Trial,
    pub threads: u16,
    /// A rate that it has to keep up with, requests a second; none where no rate is planned.
    pub per_s: Option<f64>,
}

/// What a node sent to a target that does nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sent {
    /// Requests started in the best second, and in the best of those that were in time.
    pub started_per_s: f64,
    pub in_time_per_s: Option<f64>,
}

/// What a node can do that is not in this crate: it tries a load, or says why it cannot.
pub(crate) type Try<'a> = &'a dyn Fn(&NodeLoad) -> Result<Sent, String>;

/// What came of a trial.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// What all of them send in time together, where that was looked for.
    pub(crate) ceiling: Option<CeilingHead>,
    /// Nodes that may be too slow, a sentence each.
    pub(crate) slow: Vec<String>,
}

impl Nodes {
    /// Has every node try its share of a planned rate of exchanges a second, and find its ceiling where that is wanted.
    ///
    /// # Errors
    /// A node that came nowhere near its share, or could not try.
    pub(crate) fn try_out(&mut self, trial: Trial, planned_per_s: f64) -> Result<Outcome, String> {
        let count = self.nodes.len();
        let shares = Shares { planned_per_s, nodes: count };
        let per_s = (planned_per_s > 0.0).then(|| shares.each().max(FEW).ceil());
        if trial.levels == 0 && per_s.is_none() {
            return Ok(Outcome::default());
        }
        let load = NodeLoad { trial, threads: self.threads, per_s };
        for index in 0..count {
            self.tell(index, &Order::Try(load))?;
        }
        let within = BESIDE + Nanos::from_secs(2 * i64::from(trial.levels));
        let mut sent = vec![Sent::default(); count];
        self.until_all(within, "say how fast it is", |index, told| match told {
            Told::Tried(found) => {
                sent[index] = found;
                Ok(true)
            }
            _ => Err("it said something else than asked".into()),
        })?;
        for (node, sent) in self.nodes.iter_mut().zip(&sent) {
            let Sent { started_per_s, in_time_per_s } = *sent;
            node.head.tried = Some(NodeTrial { per_s, started_per_s, in_time_per_s });
        }
        let slow = shares.slow(&self.heads())?;
        // Shares are equal, so the slowest node bounds them all.
        let slowest = sent.iter().map(|sent| sent.in_time_per_s).reduce(|a, b| Some(a?.min(b?))).flatten();
        let ceiling = slowest.filter(|_| trial.levels > 0).map(|per_s| CeilingHead {
            per_s: per_s * count as f64,
            threads: u32::from(self.threads) * count as u32,
            connections: trial.connections * count as u32,
        });
        Ok(Outcome { ceiling, slow })
    }
}

/// What is planned, and how many share it.
#[derive(Clone, Copy)]
struct Shares {
    planned_per_s: f64,
    nodes: usize,
}

impl Shares {
    fn each(self) -> f64 {
        self.planned_per_s / self.nodes.max(1) as f64
    }

    /// Nodes that were late at their shares, and those with fewer cores than load threads, a sentence each.
    ///
    /// # Errors
    /// One that is too slow for its share.
    fn slow(self, heads: &[NodeHead]) -> Result<Vec<String>, String> {
        let mut slow = Vec::new();
        for NodeHead { name, host, cores, threads, tried, .. } in heads {
            if cores < threads {
                slow.push(format!(
                    "{name} on {host} has {cores} of the {threads} cores that its load threads want; give each node \
                     fewer with `cores` under `nodes`"
                ));
            }
            let Some(NodeTrial { per_s: Some(per_s), started_per_s, in_time_per_s }) = tried else { continue };
            if in_time_per_s.is_some_and(|in_time| in_time >= *per_s) {
                continue;
            }
            let share = self.each();
            if *started_per_s < HOPELESS * share {
                return Err(format!(
                    "{name} on {host} is too slow: its share of the load is {share:.0} exchanges/s, and to a target \
                     that does nothing it sends {started_per_s:.0} requests/s at most; {}",
                    self.enough(*started_per_s)
                ));
            }
            let (in_time, to_type) = match in_time_per_s {
                Some(in_time) => (format!("{in_time:.0}/s were in time"), self.enough(*in_time)),
                None => ("no rate tried was in time".to_owned(), BUSY.to_owned()),
            };
            slow.push(format!(
                "{name} on {host} may be too slow: it sent {per_s:.0} requests/s late to a target that does nothing \
                 ({in_time}), and its share of the load is {share:.0} exchanges/s; {to_type}"
            ));
        }
        Ok(slow)
    }

    /// What helps where a node starts so much at most.
    fn enough(self, per_s: f64) -> String {
        let wanted = self.planned_per_s / (HOPELESS * per_s).max(1.0);
        // Where that would be no end of nodes, a machine is wrong, not their number.
        let nodes = (wanted.ceil() as usize).max(self.nodes + 1);
        if nodes > 100 * self.nodes.max(1) {
            return BUSY.to_owned();
        }
        format!("leave that machine out, or share the load among more: `nodes: {{ count: {nodes} }}`")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(name: &str, started_per_s: f64, in_time_per_s: Option<f64>) -> NodeHead {
        let tried = Some(NodeTrial { per_s: Some(1000.0), started_per_s, in_time_per_s });
        NodeHead { name: name.into(), host: "gen7".into(), cores: 2, threads: 2, tried, ..NodeHead::default() }
    }

    const SHARES: Shares = Shares { planned_per_s: 4000.0, nodes: 4 };

    #[test]
    fn a_node_that_keeps_up_is_not_spoken_of() {
        let heads = [node("node-1", 1000.0, Some(1000.0)), node("node-2", 8000.0, Some(7000.0))];
        assert_eq!(SHARES.slow(&heads), Ok(Vec::new()));
        let untried = NodeHead { cores: 1, threads: 1, ..NodeHead::default() };
        assert_eq!(SHARES.slow(&[untried]), Ok(Vec::new()));
    }

    #[test]
    fn a_node_that_is_late_may_be_too_slow() {
        let heads =
            [node("node-1", 1000.0, Some(1000.0)), node("node-2", 900.0, Some(500.0)), node("node-3", 500.0, None)];
        let slow = SHARES.slow(&heads).unwrap();
        assert_eq!(slow.len(), 2);
        for part in ["node-2 on gen7 may be too slow", "500/s were in time", "1000 exchanges/s", "count: 16"] {
            assert!(slow[0].contains(part), "{part}: {}", slow[0]);
        }
        assert!(slow[1].contains("node-3") && slow[1].contains("no rate tried was in time"), "{}", slow[1]);
    }

    #[test]
    fn a_node_that_sends_less_than_half_of_its_share_takes_no_part() {
        let why = SHARES.slow(&[node("node-1", 499.0, None)]).unwrap_err();
        for part in ["node-1 on gen7 is too slow", "1000 exchanges/s", "499 requests/s", "count: 17"] {
            assert!(why.contains(part), "{part}: {why}");
        }
        let why = SHARES.slow(&[node("node-1", 0.0, None)]).unwrap_err();
        assert!(why.contains("busy with") && !why.contains("count"), "{why}");
    }

    #[test]
    fn a_node_with_fewer_cores_than_threads_is_told() {
        let head = NodeHead { cores: 1, ..node("node-1", 1000.0, Some(1000.0)) };
        let slow = SHARES.slow(&[head]).unwrap();
        assert!(slow.len() == 1 && slow[0].contains("has 1 of the 2 cores"), "{slow:?}");
    }
}
