//! One scenario, carried out by the nodes: whoever conducts the run says when, and takes what they record.

use crate::load::Rows;
use crate::nodes::message::{Order, Share, Told};
use crate::nodes::{Came, Nodes, PATIENCE};
use clock::Clock;
use drive::{Captures, DriveError, Kept, Marks, Stop, beginning};
use plan::ScenarioPlan;
use record::Entry;
use std::sync::atomic::Ordering;
use std::sync::mpsc::RecvTimeoutError;
use terms::Nanos;

/// From the nodes' being ready to the first start.
const HEAD_START: Nanos = Nanos::from_millis(50);

impl Nodes {
    /// Has the nodes carry out a scenario, as [`drive::run_scenario`] does it with threads of its own.
    ///
    /// # Errors
    /// What a node could not do; a node that is lost.
    pub(crate) fn scenario(
        &mut self,
        (index, plan): (usize, &ScenarioPlan),
        kept: &mut Kept,
        clock: &Clock,
        rows: &dyn Rows,
    ) -> Result<(), DriveError> {
        let control = self.control.clone();
        let sink = |entry| rows.take(entry);
        let rest = |wait, from| rows.rest(plan, (wait, from), &control);
        let marks = Marks { plan, clock, control: &control, sink: &sink, rest: &rest };
        let count = usize::from(plan.nodes.unwrap_or(self.nodes.len() as u16)).clamp(1, self.nodes.len());
        marks.idle();
        self.go_on()?;
        let agreed = self.agree_on_time(clock, false);
        // A signal reaches `control` a moment after it came; the node is not at fault then.
        if self.interrupted.load(Ordering::Relaxed) {
            control.stop(Stop::Drain);
        }
        if control.get() != Stop::No {
            return Ok(());
        }
        agreed.map_err(|why| {
            let node = why.split([' ', ':']).next().unwrap_or_default().to_owned();
            DriveError::NodeLost { node, why }
        })?;
        self.set_up(index, count, kept, rows)?;
        if control.get() != Stop::No {
            self.begin(count, None)?;
            self.all_say(count, rows, |told| matches!(told, Told::LoadOver(_)))?;
            return self.clean_up(count, false, rows);
        }
        // Each is told after the other, and has to hear it in time: the error of its clock is half of a round.
        let rounds: i64 = self.nodes[..count].iter().map(|node| 2 * node.head.clock_error_ns).sum();
        let origin = beginning(clock, HEAD_START + Nanos(2 * rounds));
        self.begin(count, Some(origin))?;
        let (mut load_ended, mut drained) = (origin, origin);
        let (driven, in_hand) = std::thread::scope(|scope| {
            let marking = scope.spawn(|| marks.load_steps(origin));
            let driven = self.all_say(count, rows, |told| match told {
                Told::LoadOver(over) => {
                    load_ended = load_ended.max(over.at_ns.map_or(origin, Nanos));
                    drained = drained.max(Nanos(over.ended_ns));
                    true
                }
                _ => false,
            });
            if driven.is_err() {
                control.stop(Stop::Now);
            }
            (driven, marking.join().unwrap_or_default())
        });
        driven?;
        marks.load_over(&in_hand, load_ended);
        marks.drain(load_ended);
        // What a node says may be long on its way, behind a server that was away; its rows end where its drain did.
        marks.recovery(drained.clamp(load_ended, clock.now().max(load_ended)));
        self.clean_up(count, control.get() != Stop::Now, rows)?;
        marks.gap();
        Ok(())
    }

    /// After the load: by how much the nodes' clocks ran away since they were asked last belongs to the bound. Of a node that
    /// is lost, or does not answer any more, no more is known than before.
    pub(crate) fn bound_clocks(&mut self, clock: &Clock) {
        self.heeds_stop = false;
        if !self.nodes.iter().any(|node| node.is_gone) {
            let _ = self.agree_on_time(clock, false);
        }
    }

    /// An abort rule ended the attempt before, of which the nodes were told: that is over now.
    fn go_on(&mut self) -> Result<(), DriveError> {
        if self.control.get() != Stop::No || self.is_stop_told == Stop::No {
            return Ok(());
        }
        self.is_stop_told = Stop::No;
        (0..self.nodes.len()).try_for_each(|node| self.say(node, &Order::GoOn))
    }

    /// The first node does what is done once, and the others get what it captured; then everybody's users are set up.
    fn set_up(&mut self, index: usize, count: usize, kept: &mut Kept, rows: &dyn Rows) -> Result<(), DriveError> {
        let (threads, workers) = (self.threads, self.threads * count as u16);
        let mut elsewhere: Option<Vec<Captures>> = None;
        for node in 0..count {
            let share = Share {
                scenario: index,
                first: node as u16 * threads,
                threads,
                workers,
                kept: kept.0.clone(),
                elsewhere: elsewhere.clone(),
            };
            self.say(node, &Order::SetUp(Box::new(share)))?;
            if elsewhere.is_none() {
                let mut captured = None;
                self.one_says(node, rows, |told| {
                    if let Told::SetUp { kept, captures } = told {
                        captured = Some((kept, captures));
                    }
                    captured.is_some()
                })?;
                let (all, own) = captured.unwrap_or_default();
                for values in own.iter().chain([&all]) {
                    let known = values.iter().zip(&self.credentials).filter(|(_, is_one)| **is_one);
                    known.filter_map(|(value, _)| value.as_deref()).for_each(|value| self.kept_out.remember(value));
                }
                kept.0 = all;
                elsewhere = Some(own);
            }
        }
        self.all_say(count, rows, |told| matches!(told, Told::Ready))
    }

    fn begin(&mut self, count: usize, origin: Option<Nanos>) -> Result<(), DriveError> {
        (0..count).try_for_each(|node| self.say(node, &Order::Begin { origin_ns: origin.map(|origin| origin.0) }))
    }

    /// Everybody cleans up behind itself; the first node, which set up what is there once, does so last.
    fn clean_up(&mut self, count: usize, is_wanted: bool, rows: &dyn Rows) -> Result<(), DriveError> {
        for node in (0..count).rev() {
            self.say(node, &Order::CleanUp { is_wanted, is_first: node == 0 })?;
            self.one_says(node, rows, |told| matches!(told, Told::Over))?;
        }
        Ok(())
    }

    /// Waits until each of the first `count` nodes has said it.
    fn all_say(
        &mut self,
        count: usize,
        rows: &dyn Rows,
        mut is_it: impl FnMut(Told) -> bool,
    ) -> Result<(), DriveError> {
        let mut left = vec![true; count];
        while left.contains(&true) {
            let Some((index, told)) = self.next(rows)? else { continue };
            if is_it(told)
                && let Some(left) = left.get_mut(index)
            {
                *left = false;
            }
        }
        Ok(())
    }

    fn one_says(
        &mut self,
        node: usize,
        rows: &dyn Rows,
        mut is_it: impl FnMut(Told) -> bool,
    ) -> Result<(), DriveError> {
        loop {
            if let Some((index, told)) = self.next(rows)?
                && index == node
                && is_it(told)
            {
                return Ok(());
            }
        }
    }

    /// The next thing that any node says, if one comes soon; rows go their way. A stop is passed on meanwhile.
    fn next(&mut self, rows: &dyn Rows) -> Result<Option<(usize, Told)>, DriveError> {
        let stop = self.control.get();
        if stop > self.is_stop_told {
            self.is_stop_told = stop;
            (0..self.nodes.len()).try_for_each(|node| self.say(node, &Order::Stop { now: stop == Stop::Now }))?;
        }
        let hand_on = |(seen, counters): (Vec<record::Observed>, Vec<i64>)| {
            rows.count(&counters);
            seen.into_iter().for_each(|seen| rows.take(Entry::Seen(seen)));
        };
        self.early.drain(..).for_each(hand_on);
        match self.from.recv_timeout(PATIENCE) {
            Ok((_, Came::Rows(seen, counters))) => {
                hand_on((seen, counters));
                Ok(None)
            }
            Ok((index, Came::Said(Told::Failed { text }))) => Err(self.failed(index, &text)),
            Ok((index, Came::Said(Told::Lost { text: why }))) => {
                Err(DriveError::NodeLost { node: self.nodes[index].head.name.clone(), why })
            }
            Ok((index, Came::Said(told))) => Ok(Some((index, told))),
            Ok((index, Came::Gone(why))) => {
                self.nodes[index].is_gone = true;
                Err(DriveError::NodeLost { node: self.nodes[index].head.name.clone(), why })
            }
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(self.all_lost()),
        }
    }

    fn failed(&self, index: usize, text: &str) -> DriveError {
        DriveError::SetUp(contract::Failure::new(format!("{}: {text}", self.nodes[index].head.name)))
    }

    fn say(&mut self, index: usize, order: &Order) -> Result<(), DriveError> {
        let told = self.tell(index, order);
        told.map_err(|why| DriveError::NodeLost { node: self.nodes[index].head.name.clone(), why })
    }

    fn all_lost(&self) -> DriveError {
        let names: Vec<&str> = self.nodes.iter().map(|node| node.head.name.as_str()).collect();
        DriveError::NodeLost { node: names.join(", "), why: "none of them can be heard".into() }
    }
}
