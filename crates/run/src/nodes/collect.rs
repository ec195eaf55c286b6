//! A run whose conductor was killed, brought to its end: everything that its nodes ever said is heard again from the
//! server that keeps it, up to the end of the load that was on.
//!
//! # Ideas
//! What the conductor itself had seen is taken over from its record: marks, events, the samples of its monitors. What the
//! nodes recorded is not, since the server has all of it from the beginning, and so each row is there once. The new
//! evidence stands beside the old until it is whole; whoever is killed meanwhile begins anew.

mod ordered;
mod over;
mod seen;
mod system;

use crate::error::RunError;
use crate::facts::Fact;
use crate::nodes::link::{Inbox, Link, Outbox};
use crate::nodes::message::{Frame, LoadOver, Order, Told, frame, read};
use crate::nodes::watchers::unwatched_by;
use crate::nodes::{PATIENCE, WAITING_MAX, local};
use crate::observer::{News, Observer};
use crate::signals::{self, Signals};
use clock::Clock;
use drive::{Control, Stop};
use ordered::Ordered;
use over::Over;
use plan::Plan;
use record::{Entry, EventRow, Head, MonitorHead, Observed, Unfinished, Writer};
use seen::Seen;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use study::Study;
use terms::Nanos;

/// Between two syncs of what is written.
const SYNC_EVERY: Nanos = Nanos::SECOND;
/// How long a node that is still there may take to clean up.
const CLEANING_UP: Nanos = Nanos::from_secs(60);

/// A shorter time without samples of what a node watched is told by the samples that are missing.
const UNWATCHED_LEAST: Nanos = Nanos::from_secs(10);

/// A load node of a run whose conductor has died.
pub struct LeftNode {
    /// What it was ordered so far; ends there.
    pub orders: Box<dyn Inbox>,
    /// What it says, from its beginning, and the way to it.
    pub link: Link,
}

/// What a node said, or what came of hearing it.
enum Heard {
    Said(Told),
    Rows(Vec<Observed>),
    /// It cannot be heard any more, and the server could.
    Silent(String),
    /// What it said cannot be had.
    Broken(String),
}

/// One node, as far as it was heard.
struct Node {
    name: String,
    to: Box<dyn Outbox>,
    ordered: Ordered,
    over: Option<LoadOver>,
    /// Whether it carries load; else it only watches.
    drives: bool,
    /// Whether it runs monitors, and what these captured at their end, once it has said so.
    carries: bool,
    watched: Option<Vec<Fact>>,
    is_cleaned_up: bool,
    /// Whether it says nothing more.
    is_gone: bool,
    /// Why it cannot go on, and whether that is the system's doing.
    lost: Option<(String, bool)>,
    /// End of the last second that each of its load threads has closed, of the last load.
    closed: Nanos,
}

impl Node {
    /// Whether nothing more has to come of its load.
    fn is_done(&self) -> bool {
        let wanted = self.ordered.scenario;
        wanted.is_none() || self.lost.is_some() || self.over.map(|over| over.scenario) == wanted
    }
}

/// Brings a run to its end with all that its nodes recorded, and returns its sealed folder. `study` is the one that was
/// run. While the load is still on, this waits for its end, and a signal stops it as it would have stopped the run.
///
/// # Errors
/// A server that no longer has all of it, or goes away; a disk that refuses. The folder is then what it was.
pub fn collect(
    left: Unfinished,
    study: &Study,
    nodes: Vec<LeftNode>,
    observer: &dyn Observer,
) -> Result<PathBuf, RunError> {
    let signals = Signals::listen().map_err(RunError::Signals)?;
    let plan = plan::build(study);
    let mut head = Head { ending: None, ..left.run().head.clone() };
    let mut all = Vec::new();
    let mut ways = Vec::new();
    for (index, LeftNode { orders, link }) in nodes.into_iter().enumerate() {
        let known = head.nodes.get(index);
        let name = known.map_or_else(|| study::load_node_name(index as u16 + 1), |node| node.name.clone());
        let drives = known.is_none_or(|node| node.threads > 0);
        let carries = head.monitors.iter().any(|monitor| monitor.carrier() == Some(name.as_str()));
        let ordered = Ordered::read(orders).map_err(|why| again(&name, &why))?;
        if let Some(node) = head.nodes.get_mut(index) {
            ordered.tell_clock(node);
        }
        let (to, over, lost) = (link.to, None, None);
        let (watched, closed) = (None, Nanos::ZERO);
        all.push(Node {
            name,
            to,
            ordered,
            over,
            drives,
            carries,
            watched,
            is_cleaned_up: false,
            is_gone: false,
            lost,
            closed,
        });
        ways.push(link.from);
    }
    let mut writer = left.write_anew(&head)?;
    let seen = Seen::take_over(left.run(), &head, &mut writer)?;
    let (sender, from) = sync_channel(WAITING_MAX);
    for (index, way) in ways.into_iter().enumerate() {
        let sender = sender.clone();
        let thread = std::thread::Builder::new().name(format!("node {}", index + 1));
        thread.spawn(move || hear(index, way, &sender)).map_err(RunError::Thread)?;
    }
    let clock = clock_of(&head);
    let control = Control::new();
    let mut collecting = Collecting {
        study,
        plan: &plan,
        clock: &clock,
        control: &control,
        signals: &signals,
        observer,
        nodes: all,
        from,
        writer,
        seen,
        monitors: head.monitors.clone(),
        told: Stop::No,
        next_sync: Nanos::ZERO,
    };
    collecting.hear_the_load()?;
    collecting.clean_up()?;
    collecting.end_watching()?;
    collecting.end(left, head)
}

/// What to say of a node whose messages cannot be had.
fn again(name: &str, why: &str) -> RunError {
    RunError::Node(format!(
        "what {name} said cannot be collected: {why}. The folder is as it was; type the command again, or seal what the \
         folder itself holds with `--give-up`"
    ))
}

/// The clock of the run: that of its conductor where this is the same boot of the same machine, else as the wall clock
/// tells.
fn clock_of(head: &Head) -> Clock {
    let here = local::clock();
    let meeting = head.meeting.clone().unwrap_or_default();
    if !here.is_empty() && meeting.clock == here {
        return Clock::that_shows(Clock::machine() + Nanos(meeting.clock_offset_ns));
    }
    Clock::that_shows(Clock::system().wall() - Nanos(head.wall_origin_ns))
}

/// Hears a node until there is nothing more, or nobody wants to know.
fn hear(index: usize, mut from: Box<dyn Inbox>, tell: &SyncSender<(usize, Heard)>) {
    loop {
        let heard = match from.next() {
            Ok(Some(frame)) => match read::<Told>(&frame) {
                Some(Frame::Said(told)) => Heard::Said(told),
                Some(Frame::Rows(rows, _)) => match record::carried(&rows) {
                    Some(seen) => Heard::Rows(seen),
                    None => Heard::Broken("what it recorded cannot be read".into()),
                },
                Some(Frame::File(..)) | None => Heard::Broken("what it said cannot be read".into()),
            },
            Ok(None) => Heard::Silent("its process ended".into()),
            Err(error) if error.kind() == ErrorKind::TimedOut => Heard::Silent(error.to_string()),
            Err(error) => Heard::Broken(error.to_string()),
        };
        let is_last = matches!(heard, Heard::Silent(_) | Heard::Broken(_));
        if tell.send((index, heard)).is_err() || is_last {
            return;
        }
    }
}

/// A run that is being collected.
struct Collecting<'a> {
    study: &'a Study,
    plan: &'a Plan,
    clock: &'a Clock,
    control: &'a Control,
    signals: &'a Signals,
    observer: &'a dyn Observer,
    nodes: Vec<Node>,
    from: Receiver<(usize, Heard)>,
    writer: Writer,
    seen: Seen,
    monitors: Vec<MonitorHead>,
    /// The stop that nodes were told.
    told: Stop,
    next_sync: Nanos,
}

impl Collecting<'_> {
    /// Hears everything up to the end of the load in hand.
    fn hear_the_load(&mut self) -> Result<(), RunError> {
        for index in 0..self.nodes.len() {
            self.say(index, &Order::TakenUp);
        }
        let in_hand = self.nodes.first().filter(|node| node.drives).and_then(|node| node.ordered.scenario);
        let own = in_hand.and_then(|index| self.plan.scenarios.get(index)).map(|scenario| scenario.number);
        let own = own.and_then(|number| self.study.scenarios.get(usize::from(number)));
        let mut is_announced = false;
        while !self.nodes.iter().all(Node::is_done) {
            let heard = self.next()?;
            if !heard && !is_announced && self.driving().all(|node| node.lost.is_none()) {
                is_announced = true;
                self.announce(in_hand);
                // Its rules are looked at by nobody who could see all that they ask for.
                if own.is_some_and(|own| !own.aborts().is_empty()) {
                    self.observer
                        .hear(News::Stopping("the load has abort rules, which need somebody who watches: it stops"));
                    self.control.stop(Stop::Drain);
                }
            }
            // What is driven without one of them is not the load that was planned.
            if self.driving().any(|node| node.lost.is_some()) {
                self.control.stop(Stop::Now);
            }
        }
        Ok(())
    }

    fn driving(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter().filter(|node| node.drives)
    }

    /// The load is still on, or a node is silent.
    fn announce(&self, in_hand: Option<usize>) {
        let scenario = in_hand.and_then(|index| self.plan.scenarios.get(index));
        let origin = self.nodes.iter().find_map(|node| node.ordered.origin);
        let until = scenario.and_then(|scenario| Some(origin? + scenario.length?));
        let left = until.map(|until| (until - self.clock.now()).or_zero().as_secs_f64().ceil());
        let name = scenario.map_or("", |scenario| scenario.name.as_str());
        let text = match left {
            Some(left) if left > 0.0 => {
                format!("the load of `{name}` is still on, for {left} s: waiting for its end; Ctrl-C stops it")
            }
            _ => format!("waiting for the end of `{name}`"),
        };
        self.observer.hear(News::Waiting(&text));
    }

    /// Takes what comes next; whether anything came soon. A stop is passed on meanwhile.
    fn next(&mut self) -> Result<bool, RunError> {
        if let (stop, Some(name)) = self.signals.pass_on(self.control) {
            let text = match stop {
                Stop::Now => format!("stopping the load now ({name})"),
                _ => format!("stopping the load ({name}): no new starts; what is open may end{}", signals::again(name)),
            };
            self.observer.hear(News::Stopping(&text));
        }
        let stop = self.control.get();
        if stop > self.told {
            self.told = stop;
            for index in 0..self.nodes.len() {
                if !self.nodes[index].is_done() {
                    self.say(index, &Order::Stop { now: stop == Stop::Now });
                }
            }
        }
        let now = self.clock.now();
        if now >= self.next_sync {
            self.next_sync = now + SYNC_EVERY;
            self.writer.sync()?;
        }
        let (index, heard) = match self.from.recv_timeout(PATIENCE) {
            Ok(heard) => heard,
            Err(RecvTimeoutError::Timeout) => return Ok(false),
            Err(RecvTimeoutError::Disconnected) => return Err(again("a node", "none of them can be heard")),
        };
        let Self { nodes, writer, seen: taken_over, monitors, .. } = self;
        let node = &mut nodes[index];
        match heard {
            Heard::Rows(seen) => {
                for one in &seen {
                    if taken_over.holds(one) {
                        continue;
                    }
                    if let Observed::Engine(row) = one {
                        node.closed = Nanos::from_secs(row.second.saturating_add(1));
                    }
                    if let Observed::Samples(rows) = one {
                        taken_over.see(rows, monitors);
                    }
                    writer.add(one)?;
                }
            }
            Heard::Said(Told::LoadOver(over)) => node.over = Some(over),
            Heard::Said(Told::Watched { facts }) => node.watched = Some(facts),
            Heard::Said(Told::Over) => node.is_cleaned_up = node.is_done(),
            Heard::Said(Told::Failed { text }) => node.lost = Some((text, true)),
            Heard::Said(Told::Lost { text }) => node.lost = Some((text, false)),
            Heard::Said(_) => {}
            // Its load is whole; that it is gone means no more than that nobody can tell it anything.
            Heard::Silent(_) if node.is_done() => (node.is_cleaned_up, node.is_gone) = (true, true),
            Heard::Silent(why) => node.lost = Some((why, false)),
            Heard::Broken(_) if node.is_cleaned_up && (!node.carries || node.watched.is_some()) => node.is_gone = true,
            Heard::Broken(why) => return Err(again(&node.name, &why)),
        }
        Ok(true)
    }

    /// Nodes that are still there clean up behind the load, the first of them last, and leave.
    fn clean_up(&mut self) -> Result<(), RunError> {
        let is_wanted = self.control.get() != Stop::Now;
        for index in (0..self.nodes.len()).rev() {
            let is_there = |node: &Node| node.over.is_some() && !node.is_cleaned_up && node.lost.is_none();
            if !is_there(&self.nodes[index]) {
                continue;
            }
            self.say(index, &Order::CleanUp { is_wanted, is_first: index == 0 });
            let began = Clock::system();
            while is_there(&self.nodes[index]) && began.now() < CLEANING_UP {
                self.next()?;
            }
        }
        Ok(())
    }

    /// Nodes that are still there end what they watch, and leave; of those that are not, all that they said is heard.
    fn end_watching(&mut self) -> Result<(), RunError> {
        for index in 0..self.nodes.len() {
            let is_there = |node: &Node| node.carries && node.watched.is_none() && node.lost.is_none();
            if is_there(&self.nodes[index]) {
                self.say(index, &Order::EndWatch);
                let began = Clock::system();
                while is_there(&self.nodes[index]) && !self.nodes[index].is_gone && began.now() < CLEANING_UP {
                    self.next()?;
                }
            }
        }
        for index in 0..self.nodes.len() {
            self.say(index, &Order::Leave);
        }
        Ok(())
    }

    /// Tells a node something. One that cannot be told is gone, which is noticed where it matters.
    fn say(&mut self, index: usize, order: &Order) {
        let _ = self.nodes[index].to.send(&frame(order));
    }

    fn event(&mut self, at: Nanos, kind: &str, subject: &str, text: &str) -> Result<(), RunError> {
        let (kind, subject, text) = (kind.into(), subject.into(), text.into());
        self.writer.write(Entry::Event(EventRow { at, kind, subject, text }))?;
        Ok(())
    }

    /// Writes what follows from the end of the load, and seals.
    fn end(mut self, left: Unfinished, mut head: Head) -> Result<PathBuf, RunError> {
        let seen = std::mem::take(&mut self.seen);
        let driving = self.driving().count();
        let over = Over::of(self.plan, &self.nodes[..driving], &seen);
        for mark in over.marks(&seen) {
            self.writer.write(Entry::Step(mark))?;
        }
        for (name, at, why) in over.lost() {
            self.event(at, record::NODE_LOST, &name, &format!("the load node {name} was lost: {why}"))?;
        }
        let (from, to) = (seen.last(), over.ended().max(seen.last()));
        if over.goes_beyond(&seen) {
            seen.write_missing(&head, to, &mut self.writer)?;
            let text = format!(
                "from {:.1} s to {:.1} s after the start nothing was watched but by nodes: the process that conducted \
                 the run had died",
                from.as_secs_f64(),
                to.as_secs_f64()
            );
            self.observer.hear(News::Waiting(&text));
            self.event(from, record::UNWATCHED, "run", &text)?;
        }
        for name in self.nodes.iter().filter(|node| node.carries).map(|node| node.name.clone()).collect::<Vec<_>>() {
            // The last sample of one that is still there lies behind the load.
            let newest = seen.last_of(&name, &self.monitors).unwrap_or_default();
            if newest + UNWATCHED_LEAST < over.ended() {
                let row = unwatched_by(&name, (newest, over.ended()), "the node was lost");
                self.observer.hear(News::Waiting(&row.text));
                self.writer.write(Entry::Event(row))?;
            }
        }
        head.facts_end = self.nodes.iter_mut().filter_map(|node| node.watched.take()).flatten().collect();
        for (name, text) in system::end(&head, self.observer) {
            if over.goes_beyond(&seen) {
                self.event(from, record::ORPHANED, &name, &text)?;
            }
        }
        head.ending = Some(over.ending(self.plan, self.study, &head, (from, to)));
        Ok(left.replace(self.writer, &head)?)
    }
}
