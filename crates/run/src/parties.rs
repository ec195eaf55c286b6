//! Who takes part in a run besides the process that conducts it: load nodes here or elsewhere, and nodes that only watch.

use crate::error::RunError;
use crate::folder::CallNodes;
use crate::nodes::{Joining, Nodes};
use std::sync::Mutex;
use study::{Study, load_node};

/// Who drives the load, and who watches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parts {
    load: Drives,
    /// Names of the nodes that only watch, each once.
    watchers: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Drives {
    /// The process that conducts the run.
    Itself,
    /// So many processes of this machine.
    Here(u16),
    /// So many nodes that are met at a server.
    Elsewhere(u16),
}

/// Those who joined.
pub(crate) struct Parties {
    /// Who drives the load, where that is not the process that conducts the run.
    pub(crate) nodes: Option<Mutex<Nodes>>,
    /// Who only watches, each by itself.
    pub(crate) watchers: Vec<Nodes>,
}

impl Parts {
    /// As a study has it; `meets` says whether there is a server at which others can be met.
    ///
    /// # Errors
    /// What cannot be, as a sentence.
    pub(crate) fn of(study: &Study, meets: bool) -> Result<Self, String> {
        let carriers: Vec<&str> = study.watch.iter().filter_map(study::Watch::carrier).collect();
        Self::from((study.nodes, study.nodes_are_here), !study.listeners.is_empty(), &carriers, meets)
    }

    /// Of so many load nodes, which the study may have here, and the nodes that its monitors are on.
    fn from(
        (nodes, are_here): (u16, bool),
        has_listener: bool,
        carriers: &[&str],
        meets: bool,
    ) -> Result<Self, String> {
        let mut watchers: Vec<String> = Vec::new();
        for name in carriers.iter().filter(|name| load_node(name).is_none()) {
            if !watchers.iter().any(|known| known == name) {
                watchers.push((*name).to_owned());
            }
        }
        let is_on_load_node = carriers.iter().any(|name| load_node(name).is_some());
        let load = match nodes {
            count if meets && !are_here => Drives::Elsewhere(count),
            1 if !is_on_load_node => Drives::Itself,
            count => Drives::Here(count),
        };
        let conducts = "a study with a listener is driven by the process that conducts it";
        match watchers.first() {
            Some(name) if !meets => Err(format!(
                "the node `{name}` is to watch its machine: start `loadproof node --nats URL --name {name}` there, and add \
                 `--nats URL` here; a machine without a node is watched with `on: ssh://{name}`"
            )),
            None if meets && are_here => {
                Err("nobody is met over `--nats`: the study has its load nodes on this machine \
                                              (`nodes: { at: local }`) and no monitor on another; leave out `--nats`"
                    .into())
            }
            _ if !has_listener || load == Drives::Itself => Ok(Self { load, watchers }),
            _ if is_on_load_node => {
                Err(format!("{conducts}, so no monitor can be on a load node; leave out `on: node-1`"))
            }
            Some(_) => Err(format!(
                "{conducts}; write `nodes: {{ at: local }}`, and only nodes that watch are met over `--nats`"
            )),
            None => Err(format!("{conducts}; leave out `--nats`")),
        }
    }

    /// Whether the load is driven by others than processes of this machine that this one started.
    pub(crate) fn load_is_elsewhere(&self) -> bool {
        matches!(self.load, Drives::Elsewhere(_))
    }

    /// Has everybody join, each load node with so many threads.
    ///
    /// # Errors
    /// Who cannot be had, or cannot take part.
    pub(crate) fn meet(&self, call: Option<&CallNodes>, threads: u16, run: &Joining<'_>) -> Result<Parties, RunError> {
        let count = if let Drives::Elsewhere(count) = self.load { count } else { 0 };
        let mut links = match call {
            Some(call) => (call.call)(run.run, count, &self.watchers, run.interrupted).map_err(RunError::Node)?,
            None => Vec::new(),
        };
        let watching = links.split_off(usize::from(count).min(links.len()));
        let nodes = match self.load {
            Drives::Itself => None,
            Drives::Here(count) => Some(Nodes::start_here(count, threads, run)?),
            Drives::Elsewhere(_) => Some(Nodes::elsewhere(links, threads, run)?),
        };
        let named = self.watchers.iter().zip(watching);
        let watchers = named.map(|(name, link)| Nodes::watcher(link, name, run)).collect::<Result<_, _>>()?;
        Ok(Parties { nodes: nodes.map(Mutex::new), watchers })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_drives_and_who_watches() {
        let of = |nodes, carriers: &[&str], meets| Parts::from(nodes, false, carriers, meets);
        let parts = |load, watchers: &[&str]| {
            Ok(Parts { load, watchers: watchers.iter().map(|name| (*name).to_owned()).collect() })
        };
        assert_eq!(of((1, false), &[], false), parts(Drives::Itself, &[]));
        assert_eq!(of((2, false), &[], false), parts(Drives::Here(2), &[]));
        assert_eq!(of((1, false), &["node-1"], false), parts(Drives::Here(1), &[]), "somebody has to carry it");
        assert_eq!(of((2, false), &["db1", "node-2", "db1"], true), parts(Drives::Elsewhere(2), &["db1"]));
        assert_eq!(of((1, true), &["db1", "web1"], true), parts(Drives::Itself, &["db1", "web1"]));
        assert_eq!(of((2, true), &["db1"], true), parts(Drives::Here(2), &["db1"]));
        let why = of((1, false), &["db1"], false).unwrap_err();
        assert!(why.contains("loadproof node --nats URL --name db1") && why.contains("ssh://db1"), "{why}");
        let why = of((2, true), &[], true).unwrap_err();
        assert!(why.contains("leave out `--nats`"), "{why}");
    }

    #[test]
    fn a_listener_is_where_the_run_is_conducted() {
        let of = |are_here, carriers: &[&str], meets| Parts::from((1, are_here), true, carriers, meets);
        assert!(of(false, &[], false).is_ok() && of(true, &["db1"], true).is_ok());
        assert!(of(false, &[], true).unwrap_err().contains("leave out `--nats`"));
        assert!(of(false, &["db1"], true).unwrap_err().contains("at: local"));
        assert!(of(false, &["node-1"], false).unwrap_err().contains("leave out `on: node-1`"));
    }
}
