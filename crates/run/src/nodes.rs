//! Load nodes: processes that carry the load of a run together, and whoever conducts them.
//!
//! # Ideas
//! The load is shared by number among all threads of all nodes, so nodes need not talk while they drive: each is told
//! once what its share is and when the load begins. What they record arrives here as rows that only have to be added up,
//! and goes the way of the rows of a thread of our own; so many nodes leave the record that one would have left.
//!
//! A node that is lost ends the run: what it did in its last seconds nobody knows, and the record says how far it is
//! whole.

mod carry;
mod carrying;
mod collect;
mod files;
mod lead;
pub(crate) mod link;
pub(crate) mod local;
mod message;
mod newest;
mod place;
mod serve;
mod standing;
mod trial;
mod watchers;

pub(crate) use carry::ForNode;
pub use collect::{LeftNode, collect};
pub use link::{Inbox, Link, Outbox};
pub use serve::{Able, serve};
pub use trial::{NodeLoad, Sent, Trial};
pub(crate) use watchers::{Tending, Watchers, Watchlist, alone};

use crate::error::RunError;
use crate::prepare::Prepared;
use carry::Straight;
use clock::Clock;
use drive::{Control, Stop};
use message::{Frame, Join, Joined, Order, PROTOCOL, Told, WirePlaces, file_frame, frame, read};
use record::NodeHead;
use scrub::KeptOut;
use std::process::Child;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;
use study::Places;
use terms::Nanos;

/// Messages that may wait here. Who sends more waits with them.
const WAITING_MAX: usize = 4096;
/// How long a node may take to read the study and its data.
const JOINING: Nanos = Nanos::from_secs(120);
/// How long a node may be silent while it has nothing to do but answer.
const ANSWERING: Nanos = Nanos::from_secs(30);
/// How often a stop is looked for while nothing comes.
const PATIENCE: Duration = Duration::from_millis(20);
/// Rounds in which the clock of a node on another machine is asked for; the quickest counts.
const ROUNDS: u32 = 15;

/// The load nodes of a run.
pub(crate) struct Nodes {
    nodes: Vec<Node>,
    /// From all of them.
    from: Receiver<(usize, Came)>,
    /// Load threads of each.
    threads: u16,
    control: Control,
    is_stop_told: Stop,
    /// Set when a signal came, which before the load nobody else looks for.
    interrupted: Arc<AtomicBool>,
    /// What the run keeps out, and which captures are credentials: those that nodes captured are kept out as well.
    kept_out: KeptOut,
    credentials: Vec<bool>,
    /// Rows that came while something else was waited for.
    early: Vec<(Vec<record::Observed>, Vec<i64>)>,
    /// Whether a run that is being stopped keeps it from waiting for an answer.
    heeds_stop: bool,
    straight: Straight,
}

/// What nodes join.
pub(crate) struct Joining<'a> {
    pub(crate) prepared: &'a Prepared,
    /// Its id.
    pub(crate) run: &'a str,
    pub(crate) places: &'a Places,
    pub(crate) clock: &'a Clock,
    pub(crate) control: &'a Control,
    /// Set when a signal came.
    pub(crate) interrupted: &'a Arc<AtomicBool>,
}

/// One of them.
struct Node {
    head: NodeHead,
    to: Box<dyn Outbox>,
    child: Option<Child>,
    /// Which clock it has, which loopback, and which processes.
    clock: String,
    network: String,
    processes: String,
    /// Whether it runs monitors.
    carries: bool,
    /// Whether nothing comes from it any more.
    is_gone: bool,
}

/// What came from a node.
enum Came {
    Said(Told),
    Rows(Vec<record::Observed>, Vec<i64>),
    /// Nothing will come any more.
    Gone(String),
}

impl Nodes {
    /// Starts so many nodes on this machine, each with so many load threads, and has them join a run.
    ///
    /// # Errors
    /// Processes that the system refuses; a node that cannot take part.
    pub(crate) fn start_here(count: u16, threads: u16, run: &Joining<'_>) -> Result<Self, RunError> {
        let started = (1..=count).map(|_| local::start().map(|(link, child)| (link, Some(child))));
        let started = started.collect::<Result<_, _>>().map_err(RunError::Node)?;
        Self::over(started, threads, run)
    }

    /// Has the nodes at the other ends of these ways join a run, each with so many load threads.
    ///
    /// # Errors
    /// A node that cannot take part.
    pub(crate) fn elsewhere(links: Vec<Link>, threads: u16, run: &Joining<'_>) -> Result<Self, RunError> {
        Self::over(links.into_iter().map(|link| (link, None)).collect(), threads, run)
    }

    /// Has the node of this name at the other end join a run, which it only watches.
    ///
    /// # Errors
    /// A node that cannot take part.
    pub(crate) fn watcher(link: Link, name: &str, run: &Joining<'_>) -> Result<Self, RunError> {
        Self::named(vec![(name.to_owned(), link, None)], 0, run)
    }

    fn over(links: Vec<(Link, Option<Child>)>, threads: u16, run: &Joining<'_>) -> Result<Self, RunError> {
        let named = |(index, (link, child))| (study::load_node_name(index as u16 + 1), link, child);
        Self::named(links.into_iter().enumerate().map(named).collect(), threads, run)
    }

    fn named(links: Vec<(String, Link, Option<Child>)>, threads: u16, run: &Joining<'_>) -> Result<Self, RunError> {
        let (sender, from) = sync_channel(WAITING_MAX);
        let (mut nodes, straight) = (Vec::new(), Straight::default());
        for (index, (name, Link { to, from }, child)) in links.into_iter().enumerate() {
            let (sender, straight) = (sender.clone(), straight.clone());
            let thread = std::thread::Builder::new().name(name.clone());
            let listen = move || hear(from, &straight, |came| sender.send((index, came)).is_ok());
            thread.spawn(listen).map_err(|error| RunError::Node(error.to_string()))?;
            let head = NodeHead { name, threads: threads.into(), ..NodeHead::default() };
            let (clock, network, processes) = (String::new(), String::new(), String::new());
            nodes.push(Node { head, to, child, clock, network, processes, carries: false, is_gone: false });
        }
        let mut all = Self {
            nodes,
            from,
            threads,
            control: run.control.clone(),
            is_stop_told: Stop::No,
            interrupted: run.interrupted.clone(),
            kept_out: run.prepared.kept_out.clone(),
            credentials: run.prepared.study.credentials(),
            early: Vec::new(),
            heeds_stop: true,
            straight,
        };
        all.join(run).and_then(|()| all.agree_on_time(run.clock, true)).map_err(RunError::Node)?;
        Ok(all)
    }

    /// Who they are.
    pub(crate) fn heads(&self) -> Vec<NodeHead> {
        self.nodes.iter().map(|node| node.head.clone()).collect()
    }

    /// Everybody reads the study; whoever understands another one, or is another version, takes no part.
    fn join(&mut self, run: &Joining<'_>) -> Result<(), String> {
        let Joining { prepared, places, .. } = run;
        // Who is not a child of ours may be on another machine, where the study's files are not.
        let is_here = self.nodes.iter().all(|node| node.child.is_some());
        let files = if is_here { Vec::new() } else { files::of(prepared)? };
        for index in 0..self.nodes.len() {
            let is_child = self.nodes[index].child.is_some();
            for file in files.iter().filter(|_| !is_child) {
                let node = &mut self.nodes[index];
                let sent = node.to.send(&file_frame(file));
                sent.map_err(|error| format!("{} cannot be reached: {error}", node.head.name))?;
            }
            let join = Join {
                protocol: PROTOCOL,
                version: env!("CARGO_PKG_VERSION").into(),
                run: run.run.into(),
                node: self.nodes[index].head.name.clone(),
                study: prepared.study.effective.clone(),
                base: is_child.then(|| prepared.study.base.to_string_lossy().into_owned()),
                places: WirePlaces::from(*places),
            };
            self.tell(index, &Order::Join(Box::new(join)))?;
        }
        let wanted = crate::head::sha256(prepared.study.effective.as_bytes());
        let mut joined: Vec<Option<Joined>> = vec![None; self.nodes.len()];
        self.until_all(JOINING, "join", |index, told| match told {
            Told::Joined(who) if who.sha256 == wanted => {
                joined[index] = Some(*who);
                Ok(true)
            }
            Told::Joined(_) => Err("it reads another study than the one that is run; are its files the same?".into()),
            _ => Err("it said something else than asked".into()),
        })?;
        // Whoever has the clock of this boot of this machine runs on it.
        let here = local::clock();
        for (node, who) in self.nodes.iter_mut().zip(joined.into_iter().flatten()) {
            (node.head.host, node.head.version, node.head.pid) = (who.host, who.version, Some(who.pid));
            node.head.cores = who.cores.into();
            node.head.is_here = !here.is_empty() && who.clock == here;
            (node.clock, node.network, node.processes) = (who.clock, who.network, who.processes);
        }
        self.check_places(places)
    }

    /// An address that means the own machine means another one elsewhere.
    fn check_places(&self, places: &Places) -> Result<(), String> {
        let here = local::network();
        let own = places.instances.iter().find(|instance| {
            instance.replicas.iter().any(|replica| is_loopback(replica.host.trim_matches(['[', ']'])))
        });
        // One that only watches sends nothing there.
        let mut away = self.nodes.iter().filter(|node| node.network != here && node.head.threads > 0);
        let (Some(own), Some(away)) = (own, away.next()) else { return Ok(()) };
        Err(format!(
            "{} runs on {}, where the address of `{}` is that machine itself; give the instance an address that all \
             machines reach, with `url`",
            away.head.name, away.head.host, own.name
        ))
    }

    /// Finds by how much each node's clock differs from the run's, and tells it.
    pub(super) fn agree_on_time(&mut self, clock: &Clock, is_first: bool) -> Result<(), String> {
        let here = local::clock();
        for index in 0..self.nodes.len() {
            let shares_clock = !here.is_empty() && self.nodes[index].clock == here;
            if shares_clock && !is_first {
                continue;
            }
            // One boot has one monotonic clock; only the run's origin is another.
            let (offset, error) = if shares_clock {
                let before = Clock::machine();
                let now = clock.now();
                let error = Clock::machine() - before;
                (now - before, error)
            } else {
                self.ask_time(index, clock)?
            };
            let head = &mut self.nodes[index].head;
            // What its clock ran away since it was asked last is not known better than this.
            let drift = if is_first { 0 } else { (offset.0 - head.clock_offset_ns).abs() };
            head.clock_offset_ns = offset.0;
            head.clock_error_ns = head.clock_error_ns.max(error.0.max(drift));
            self.tell(index, &Order::Clock { offset_ns: offset.0 })?;
            self.done(index)?;
        }
        Ok(())
    }

    /// Asks what its clock shows, several times: the quickest answer says most. Offset, and by how much it may be wrong.
    fn ask_time(&mut self, index: usize, clock: &Clock) -> Result<(Nanos, Nanos), String> {
        let mut best: Option<(Nanos, Nanos)> = None;
        for _ in 0..ROUNDS {
            let asked = clock.now();
            self.tell(index, &Order::Time)?;
            let mut shows = None;
            self.until(index, ANSWERING, |told| match told {
                Told::Time { shows_ns } => {
                    shows = Some(Nanos(shows_ns));
                    Ok(true)
                }
                _ => Err("it said something else than asked".into()),
            })?;
            let took = clock.now() - asked;
            let half = Nanos(took.0 / 2);
            let Some(shows) = shows else { continue };
            if best.is_none_or(|(_, error)| half < error) {
                best = Some((asked + half - shows, half));
            }
        }
        best.ok_or_else(|| "its clock cannot be read".to_owned())
    }

    /// From now on each node watches itself, as the monitor of this number.
    pub(crate) fn watch(&mut self, monitor: u16) -> Result<(), String> {
        for index in 0..self.nodes.len() {
            self.tell(index, &Order::Watch { monitor })?;
            self.done(index)?;
        }
        Ok(())
    }

    /// The study is another one from now on: a search has added an attempt.
    pub(crate) fn study(&mut self, prepared: &Prepared) -> Result<(), String> {
        for index in 0..self.nodes.len() {
            self.tell(index, &Order::Study { text: prepared.study.effective.clone() })?;
            self.done(index)?;
        }
        Ok(())
    }

    /// Instances were started anew: from now on the system answers there.
    pub(crate) fn places(&mut self, places: &Places) -> Result<(), String> {
        for index in 0..self.nodes.len() {
            self.tell(index, &Order::Places(Box::new(WirePlaces::from(places))))?;
            self.done(index)?;
        }
        self.check_places(places)
    }

    fn done(&mut self, index: usize) -> Result<(), String> {
        self.until(index, JOINING, |told| match told {
            Told::Done => Ok(true),
            _ => Err("it said something else than asked".into()),
        })
    }

    pub(super) fn tell(&mut self, index: usize, order: &Order) -> Result<(), String> {
        let node = &mut self.nodes[index];
        node.to.send(&frame(order)).map_err(|error| format!("it cannot be reached: {error}"))
    }

    /// Waits until every node has answered; `take` says whether it has.
    fn until_all(
        &mut self,
        within: Nanos,
        what: &str,
        mut take: impl FnMut(usize, Told) -> Result<bool, String>,
    ) -> Result<(), String> {
        let mut left = vec![true; self.nodes.len()];
        let clock = Clock::system();
        while left.contains(&true) {
            match self.answer(&clock, within) {
                Ok((index, told)) => {
                    let name = &self.nodes[index].head.name;
                    left[index] &= !take(index, told).map_err(|why| format!("{name} takes no part: {why}"))?;
                }
                Err(Some(text)) => return Err(text),
                Err(None) => {
                    let name = left.iter().position(|left| *left).map_or("", |index| &self.nodes[index].head.name);
                    return Err(format!("{name} did not {what} within {} s", within.second()));
                }
            }
        }
        Ok(())
    }

    /// Whether nobody is lost; whatever they say meanwhile is passed over.
    pub(super) fn look(&mut self) -> Result<(), String> {
        loop {
            match self.from.try_recv() {
                Ok((_, Came::Gone(why))) => return Err(why),
                Ok((_, Came::Said(Told::Failed { text } | Told::Lost { text }))) => return Err(text),
                Ok(_) => {}
                Err(_) => return Ok(()),
            }
        }
    }

    /// Whether a node was to run monitors, and has not said that they have ended.
    pub(super) fn is_watching(&self) -> bool {
        self.nodes.iter().any(|node| node.carries)
    }

    /// The newest samples of what they watch.
    fn newest(&self) -> std::sync::MutexGuard<'_, newest::Newest> {
        self.straight.newest()
    }

    fn until(
        &mut self,
        node: usize,
        within: Nanos,
        mut take: impl FnMut(Told) -> Result<bool, String>,
    ) -> Result<(), String> {
        let clock = Clock::system();
        loop {
            match self.answer(&clock, within) {
                Ok((index, told)) if index == node => {
                    if take(told)? {
                        return Ok(());
                    }
                }
                Ok(_) => {}
                Err(Some(text)) => return Err(text),
                Err(None) => {
                    return Err(format!("{} did not answer within {} s", self.nodes[node].head.name, within.second()));
                }
            }
        }
    }

    /// What a node says while nothing is driven; none when it took too long.
    fn answer(&mut self, clock: &Clock, within: Nanos) -> Result<(usize, Told), Option<String>> {
        loop {
            let is_stopped = self.control.get() != Stop::No || self.interrupted.load(Ordering::Relaxed);
            if self.heeds_stop && is_stopped {
                return Err(Some("stopped by the operator".to_owned()));
            }
            if clock.now() > within {
                return Err(None);
            }
            match self.from.recv_timeout(PATIENCE) {
                Ok((index, Came::Said(Told::Failed { text } | Told::Lost { text }))) => {
                    return Err(Some(format!("{}: {text}", self.nodes[index].head.name)));
                }
                Ok((index, Came::Said(told))) => return Ok((index, told)),
                Ok((index, Came::Gone(why))) => {
                    self.nodes[index].is_gone = true;
                    return Err(Some(format!("{} was lost: {why}", self.nodes[index].head.name)));
                }
                Ok((_, Came::Rows(seen, counters))) => self.early.push((seen, counters)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(Some("all load nodes were lost".into())),
            }
        }
    }
}

/// Whether a host means the machine that asks.
fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

impl Drop for Nodes {
    /// Nobody is left behind.
    fn drop(&mut self) {
        // Where one cannot be told, the server is away, and so are the others; they notice by themselves.
        let _ = self.nodes.iter_mut().try_for_each(|node| node.to.send(&frame(&Order::Leave)));
        let children = self.nodes.drain(..).filter_map(|Node { child, .. }| child).collect();
        local::end(children);
    }
}

/// Hears a node until it has gone, or nobody wants to know.
fn hear(mut from: Box<dyn Inbox>, straight: &Straight, tell: impl Fn(Came) -> bool) {
    loop {
        let came = match from.next() {
            Ok(Some(frame)) => match read::<Told>(&frame) {
                Some(Frame::Said(told)) => Came::Said(told),
                Some(Frame::Rows(rows, counters)) => match record::carried(&rows) {
                    Some(seen) => match straight.take(seen) {
                        rest if rest.is_empty() && counters.is_empty() => continue,
                        rest => Came::Rows(rest, counters),
                    },
                    None => Came::Gone("what it recorded cannot be read".into()),
                },
                Some(Frame::File(..)) | None => Came::Gone("what it said cannot be read".into()),
            },
            Ok(None) => Came::Gone("its process ended".into()),
            Err(error) => Came::Gone(error.to_string()),
        };
        let is_gone = matches!(came, Came::Gone(_));
        if !tell(came) || is_gone {
            return;
        }
    }
}
