//! Exchanges outside measurement: before a load, after it, each user's own, or one of each kind to look at.

use crate::lane::{Lane, Making, SlotRun};
use crate::setup::{DriveError, Setup};
use crate::wait::{self, Epoll};
use crate::{Control, Stop, Wait};
use clock::Clock;
use contract::{Cancel, Failure, Interest, NO_STREAM, Task};
use plan::{LoadPlan, ScenarioPlan};
use recorder::{Folded, LegRow, NoteRow, OutcomeRow};
use study::Per;
use terms::{Nanos, Outcome};

/// What one exchange, carried out by itself, came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    /// Number of the exchange.
    pub exchange: u16,
    /// How it ended.
    pub outcome: Outcome,
    /// From begin to end.
    pub took: Nanos,
    /// What the driver noticed, secrets cut out.
    pub notes: Vec<String>,
    /// Legs behind the first that ended, in their order.
    pub later: Vec<Later>,
}

/// How a later leg of it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Later {
    /// Number of the leg.
    pub leg: contract::Leg,
    /// How it ended.
    pub outcome: Outcome,
    /// From the first byte of the request; unknown for what stands beside the books.
    pub took: Option<Nanos>,
}

/// The step of what is outside measurement, so that its replies are never taken for a measured exchange's.
const OUTSIDE: u32 = u32::MAX;

/// Values that set-up exchanges captured, by capture number.
pub(crate) type Captures = Vec<Option<Vec<u8>>>;

/// A leg's end with its time, of which there is one in so few rows.
fn later(row: &OutcomeRow, folded: &Folded) -> Later {
    let of = |known: &&LegRow| known.leg == row.leg && Some(known.population) == row.outcome.population();
    let took = folded.legs.iter().find(of).map(|known| known.service.max);
    Later { leg: row.leg, outcome: row.outcome, took }
}

impl Lane<'_> {
    /// Carries out one exchange in a slot and waits for its end, or for the word to stop at once.
    pub(crate) fn carry_out<W: Wait>(&mut self, wait: &mut W, slot: u32, exchange: u16) -> Shown {
        let began = self.clock.now();
        let timeout = self.built.timeouts[usize::from(exchange)];
        let serial = self.slots[slot as usize].user;
        let deadline = began + timeout;
        let task = Task {
            exchange,
            serial,
            row: serial,
            units: 1,
            intended: began,
            deadline,
            step: OUTSIDE,
            stream: NO_STREAM,
        };
        let driver = self.built.driver_of[usize::from(exchange)];
        self.enter(slot, driver);
        self.recorder.open(&task, began, true);
        let mut interest = match self.slots[slot as usize].sessions[usize::from(driver)].as_mut() {
            Some(session) => session.begin(&task, &mut self.recorder),
            None => Interest::Gone,
        };
        self.note_woken(driver);
        let mut ready = Vec::new();
        let ended = loop {
            if let Some(ended) = self.recorder.take_end(slot) {
                break ended;
            }
            self.fetch();
            let now = self.clock.now();
            self.recorder.expire(now);
            let wake = if let Interest::WakeAt(at) = interest { at } else { deadline };
            let is_stopped = self.control.get() == Stop::Now;
            if now < deadline && !is_stopped && !matches!(interest, Interest::Idle | Interest::Gone) {
                ready.clear();
                let missing = self.recorder.next_missing().unwrap_or(deadline);
                wait.wait(&self.clock, wake.min(deadline).min(missing).min(self.patience(now)), &mut ready);
            }
            // A socket of another slot may bring this one's answer; whoever's session is called wakes the others.
            for (lane, other, of) in ready.iter().map(|&token| wait::parts(token)) {
                if lane == self.index && other != slot {
                    self.call_ready(other, of);
                }
            }
            self.woken.clear();
            self.enter(slot, driver);
            let Some(session) = self.slots[slot as usize].sessions[usize::from(driver)].as_mut() else { continue };
            if is_stopped {
                session.cancel(Cancel::Abort, &mut self.recorder);
                self.recorder.close_rest(slot, Outcome::Aborted);
            } else if self.clock.now() >= deadline || matches!(interest, Interest::Idle | Interest::Gone) {
                session.cancel(Cancel::Deadline, &mut self.recorder);
                self.recorder.close_rest(slot, Outcome::Timeout);
            } else if !ready.is_empty()
                || matches!(interest, Interest::WakeAt(at) if at <= self.clock.now())
                || self.recorder.take_woken().is_some()
            {
                interest = session.ready(&mut self.recorder);
                self.note_woken(driver);
            }
        };
        let at = self.await_replies(wait).unwrap_or(ended.at);
        let folded = self.recorder.drain().fold();
        // Whatever came beside the books, such as a second reply, is no failure of the exchange.
        let failed = folded.outcomes.iter().map(|row| row.outcome).find(|outcome| outcome.is_failed());
        let outcome = if ended.outcome == Outcome::Ok { failed.unwrap_or(Outcome::Ok) } else { ended.outcome };
        let mut later: Vec<Later> =
            folded.outcomes.iter().filter(|row| row.leg > 0).map(|row| later(row, &folded)).collect();
        later.sort_by_key(|later| (later.leg, later.outcome));
        let mut notes: Vec<String> = folded.notes.into_iter().map(|note: NoteRow| note.text).collect();
        if outcome == Outcome::Missing {
            notes.push("a reply on another connection did not come in time".to_owned());
        }
        Shown { exchange, outcome, took: at - began, notes, later }
    }

    /// The same; a mistake where it does not end well. What was cut off by the operator has not failed.
    fn carry_out_well<W: Wait>(&mut self, wait: &mut W, slot: u32, exchange: u16) -> Result<(), DriveError> {
        let shown = self.carry_out(wait, slot, exchange);
        if matches!(shown.outcome, Outcome::Ok | Outcome::Aborted) {
            return Ok(());
        }
        let name = self.built.names.get(usize::from(exchange)).map_or("", String::as_str);
        let seen = shown.notes.first().map_or(String::new(), |note| format!(": {note}"));
        Err(DriveError::SetUp(Failure::new(format!("`{name}` ended as `{}`{seen}", shown.outcome))))
    }

    /// A stop is looked for at least ten times a second.
    fn patience(&self, now: Nanos) -> Nanos {
        if self.clock.is_simulated() { Nanos::MAX } else { now + Nanos::from_millis(100) }
    }

    /// Waits until every leg has ended that others close, or for the word to stop at once. Returns when the last one
    /// did; nothing where there was none.
    fn await_replies<W: Wait>(&mut self, wait: &mut W) -> Option<Nanos> {
        let mut last = None;
        let mut ready = Vec::new();
        while self.recorder.awaiting() > 0 && self.control.get() != Stop::Now {
            let patience = self.clock.now() + Nanos::from_millis(100);
            let until = self.recorder.next_missing().map_or(patience, |missing| missing.min(patience));
            ready.clear();
            wait.wait(&self.clock, until, &mut ready);
            last = self.fetch().or(last);
            let (now, open) = (self.clock.now(), self.recorder.awaiting_legs());
            self.recorder.expire(now);
            // That nobody refused it in time is no end of anything.
            if self.recorder.awaiting_legs() < open {
                last = Some(now);
            }
        }
        last
    }

    /// Takes what has come for this lane by itself. Returns when the last of it did.
    fn fetch(&mut self) -> Option<Nanos> {
        let mut last = None;
        while let Some(arrival) = self.inbox.as_ref().and_then(|inbox| inbox.try_recv().ok()) {
            self.recorder.take_arrival(&arrival);
            last = Some(arrival.at);
        }
        last
    }

    /// Carries out this user's set-up; what it captures outlives its iterations.
    pub(crate) fn set_up_user<W: Wait>(&mut self, wait: &mut W, slot: u32) -> Result<(), DriveError> {
        let part = self.part;
        self.recorder.set_up_user();
        for &(exchange, _) in part.set_up.iter().filter(|(_, per)| *per == Per::User) {
            if self.control.get() != Stop::No {
                break;
            }
            self.carry_out_well(wait, slot, exchange)?;
        }
        if self.has_clean_up_of_users() {
            self.slots[slot as usize].kept = self.recorder.captures_of(slot).to_vec();
        }
        self.recorder.keep_captures(slot);
        Ok(())
    }

    /// Whether its users clean up by themselves. In an open load there are none.
    fn has_clean_up_of_users(&self) -> bool {
        matches!(self.part.load, LoadPlan::Closed { .. }) && self.part.clean_up.iter().any(|(_, per)| *per == Per::User)
    }

    /// Its users after their last iterations, where they have something to clean up.
    pub(crate) fn users_left(&self) -> Vec<UserLeft> {
        if !self.has_clean_up_of_users() {
            return Vec::new();
        }
        let left = |(number, slot): (usize, &SlotRun)| {
            let last = self.recorder.captures_of(number as u32);
            UserLeft { user: slot.user, captures: over(last, &slot.kept) }
        };
        self.slots.iter().enumerate().map(left).collect()
    }
}

/// A virtual user whose load is over.
pub(crate) struct UserLeft {
    /// Its number.
    user: u64,
    /// What its last iteration captured, and before that its set-up.
    captures: Captures,
}

/// What newer exchanges captured, else what older ones did.
fn over(newer: &[Option<Vec<u8>>], older: &[Option<Vec<u8>>]) -> Captures {
    let place = |place: usize| {
        let of = |list: &[Option<Vec<u8>>]| list.get(place).cloned().flatten();
        of(newer).or_else(|| of(older))
    };
    (0..newer.len().max(older.len())).map(place).collect()
}

/// A lane by itself, outside any load.
fn lane<'a, W: Wait>(
    setup: &Setup<'_>,
    (plan, part): (&'a ScenarioPlan, usize),
    clock: &Clock,
    wait: &W,
    control: &'a Control,
    sink: &'a dyn Fn(record::Entry),
) -> Result<Lane<'a>, DriveError> {
    let setup = Setup { workers: 1, ..setup.clone() };
    let mut lane =
        Lane::new(Making { number: 0, setup: &setup, plan, part, clock: clock.clone(), control, sink }, wait)?;
    if let (Some(post), Some(waker)) = (&setup.post, wait.waker()) {
        post.open(OUTSIDE..=OUTSIDE, 1);
        lane.inbox = Some(post.subscribe(0, waker));
    }
    Ok(lane)
}

/// The same with one slot.
fn single<'a, W: Wait>(
    setup: &Setup<'_>,
    part: (&'a ScenarioPlan, usize),
    clock: &Clock,
    wait: &W,
    control: &'a Control,
    sink: &'a dyn Fn(record::Entry),
) -> Result<(Lane<'a>, u32), DriveError> {
    let mut lane = lane(setup, part, clock, wait, control, sink)?;
    let slot = lane.add_slot();
    Ok((lane, slot))
}

/// Carries out exchanges of one part in order on one slot, outside measurement, and hands on what they captured. Begins
/// none after the word `until` was said.
pub(crate) fn prepare(
    setup: &Setup<'_>,
    part: (&ScenarioPlan, usize),
    exchanges: &[u16],
    before: &Captures,
    clock: &Clock,
    (control, until): (&Control, Stop),
) -> Result<Captures, DriveError> {
    if exchanges.is_empty() {
        return Ok(before.clone());
    }
    let (sink, mut wait) = (|_| {}, Epoll::new()?);
    let (mut lane, slot) = single(setup, part, clock, &wait, control, &sink)?;
    lane.recorder.set_node_captures(before.clone());
    for &exchange in exchanges {
        if control.get() >= until {
            break;
        }
        lane.carry_out_well(&mut wait, slot, exchange)?;
    }
    Ok(over(lane.recorder.captures_of(slot), before))
}

/// Carries out each user's clean-up with what that user knows, one user after another and each on connections of its
/// own. One that fails keeps nobody else from it; the first failure is told in the end.
pub(crate) fn clean_up_users(
    setup: &Setup<'_>,
    part: (&ScenarioPlan, usize),
    mut users: Vec<UserLeft>,
    before: &Captures,
    clock: &Clock,
    control: &Control,
) -> Result<(), DriveError> {
    if users.is_empty() {
        return Ok(());
    }
    users.sort_unstable_by_key(|left| left.user);
    let exchanges = those(&part.0.parts[part.1].clean_up, |per| per == Per::User);
    let (sink, mut wait) = (|_| {}, Epoll::new()?);
    let mut lane = lane(setup, part, clock, &wait, control, &sink)?;
    let mut outcome = Ok(());
    for left in users {
        if control.get() == Stop::Now {
            break;
        }
        let slot = lane.add_slot_of(left.user);
        lane.recorder.set_node_captures(over(&left.captures, before));
        let carried_out = exchanges.iter().map(|&exchange| lane.carry_out_well(&mut wait, slot, exchange));
        let ended: Result<(), DriveError> = carried_out.collect();
        // Its connections are closed before the next user's are opened.
        lane.slots[slot as usize].sessions.fill_with(|| None);
        outcome = outcome.and(ended);
    }
    outcome
}

/// Exchanges of one part that are carried out so often.
pub(crate) fn those(exchanges: &[(u16, Per)], is_meant: fn(Per) -> bool) -> Vec<u16> {
    exchanges.iter().filter(|(_, per)| is_meant(*per)).map(|(exchange, _)| *exchange).collect()
}

/// One exchange of each kind that a part of a scenario carries out, set-up first, one after another whatever becomes of
/// those before, until somebody says stop. `setup` is that of the part.
///
/// # Errors
/// When drivers cannot be built, or the system refuses sockets.
pub fn once(
    setup: &Setup<'_>,
    (plan, part): (&ScenarioPlan, usize),
    exchanges: &[u16],
    clock: &Clock,
    control: &Control,
) -> Result<Vec<Shown>, DriveError> {
    let (sink, mut wait) = (|_| {}, Epoll::new()?);
    let mut setup = setup.clone();
    setup.shared.is_looked_at = true;
    let (mut lane, slot) = single(&setup, (plan, part), clock, &wait, control, &sink)?;
    lane.recorder.look();
    let carried_out = exchanges
        .iter()
        .map_while(|&exchange| (control.get() == Stop::No).then(|| lane.carry_out(&mut wait, slot, exchange)));
    Ok(carried_out.collect())
}
