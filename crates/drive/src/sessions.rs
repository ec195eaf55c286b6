//! The sessions of one part of a scenario in one thread, and the recorder that they report to.

use crate::Wait;
use crate::blueprint::{Blueprint, Built};
use crate::error::DriveError;
use clock::Clock;
use contract::{Cancel, Interest, Notice, Recorder, Session, Slot, Task, Template};
use plan::PartPlan;
use std::cell::Cell;
use std::rc::Rc;
use terms::{Nanos, Outcome};

/// Captured values, by the capture's number.
pub type Captures = Vec<Option<Vec<u8>>>;

struct SlotSessions {
    /// By driver.
    sessions: Vec<Option<Box<dyn Session>>>,
    user: u64,
    /// What its user's set-up captured, where a clean-up of its own will want it.
    kept: Captures,
}

/// One session of each driver in every slot. All calls of sessions are made here.
pub(crate) struct Sessions {
    pub(crate) recorder: Recorder,
    built: Built,
    /// Which part of the plan: part of the tokens of its sockets.
    pub(crate) part: u16,
    /// Number of the thread among so many: which users are its own.
    worker: u64,
    workers: u64,
    /// Which driver's session is called next: part of the token of a socket that it attaches.
    driver: Rc<Cell<u8>>,
    slots: Vec<SlotSessions>,
    /// Users or connections: slots without those that make calls at once with others.
    users: u64,
    /// Slots whose sessions others woke, with the driver.
    pub(crate) woken: Vec<(u32, u8)>,
}

impl Sessions {
    /// Builds the drivers for thread `worker`; `part` comes with its number in the plan.
    ///
    /// # Errors
    /// What a driver finds wrong, or could not prepare.
    pub(crate) fn new<W: Wait>(
        blueprint: &Blueprint<'_>,
        (part, number): (&PartPlan, usize),
        worker: u16,
        clock: &Clock,
        wait: &W,
    ) -> Result<Self, DriveError> {
        let built = blueprint.build()?;
        let driver = Rc::new(Cell::new(0));
        let attach = wait.attach(number as u16, driver.clone());
        let mut recorder = Recorder::new(clock.clone(), built.shared.clone(), blueprint.layout.clone(), attach);
        recorder.set_place(worker, number as u8);
        recorder.set_streams(part.streams.as_ref().map(|streams| streams.table));
        Ok(Self {
            recorder,
            built,
            part: number as u16,
            worker: u64::from(worker),
            workers: u64::from(blueprint.workers),
            driver,
            slots: Vec::new(),
            users: 0,
            woken: Vec::new(),
        })
    }

    /// Adds a slot for the next of this thread's users or connections.
    pub(crate) fn add(&mut self) -> u32 {
        self.add_of(self.users * self.workers + self.worker)
    }

    /// The same for the user of that number.
    pub(crate) fn add_of(&mut self, user: u64) -> u32 {
        let number = self.slots.len() as u32;
        self.users += 1;
        let slot = self.recorder.add_slot(user);
        debug_assert_eq!(slot, number);
        self.open_sessions(number, user)
    }

    /// Adds a slot that makes calls at once with another one's, for the same user.
    pub(crate) fn add_beside(&mut self, slot: u32) -> u32 {
        let (number, user) = (self.recorder.add_slot_beside(slot), self.user(slot));
        self.open_sessions(number, user)
    }

    fn open_sessions(&mut self, number: u32, user: u64) -> u32 {
        let sessions = self.built.drivers.iter().map(|driver| Some(driver.session(Slot { number, user }))).collect();
        self.slots.push(SlotSessions { sessions, user, kept: Captures::new() });
        number
    }

    /// The slots of users or connections of their own.
    pub(crate) fn owners(&self) -> impl Iterator<Item = u32> {
        (0..self.slots.len() as u32).filter(|slot| self.recorder.owner_of(*slot) == *slot)
    }

    /// The user or connection of a slot, by its number in the whole run.
    pub(crate) fn user(&self, slot: u32) -> u64 {
        self.slots[slot as usize].user
    }

    /// What its user's set-up captured.
    pub(crate) fn kept(&self, slot: u32) -> &Captures {
        &self.slots[slot as usize].kept
    }

    /// From now on what the slot has captured is what its user's set-up captured.
    pub(crate) fn keep(&mut self, slot: u32) {
        self.slots[slot as usize].kept = self.recorder.captures_of(slot).to_vec();
    }

    /// Lets a slot's sessions go, with their connections.
    pub(crate) fn let_go(&mut self, slot: u32) {
        self.slots[slot as usize].sessions.fill_with(|| None);
    }

    /// Which driver carries out an exchange.
    #[inline]
    pub(crate) fn driver_of(&self, exchange: u16) -> u8 {
        self.built.driver_of[usize::from(exchange)]
    }

    /// Longest wait for an exchange.
    #[inline]
    pub(crate) fn timeout_of(&self, exchange: u16) -> Nanos {
        self.built.timeouts[usize::from(exchange)]
    }

    /// Longest wait for the opening of an exchange's held connection; none where it holds none.
    pub(crate) fn opening_of(&self, exchange: u16) -> Option<Nanos> {
        self.built.openings[usize::from(exchange)]
    }

    /// Its name in the study.
    pub(crate) fn name_of(&self, exchange: u16) -> &str {
        self.built.names.get(usize::from(exchange)).map_or("", String::as_str)
    }

    /// Appends a text's slots as this slot's iteration fills them in; a value that was never captured is not text.
    pub(crate) fn render(&mut self, slot: u32, task: &Task, text: &Template, into: &mut Vec<u8>) {
        self.recorder.enter(slot);
        self.recorder.render_text(task, text, into);
    }

    /// A member of a list that this slot has captured.
    pub(crate) fn member(&mut self, slot: u32, list: u8, index: usize) -> Option<Vec<u8>> {
        self.recorder.enter(slot);
        self.recorder.captured(list).and_then(|list| extract::member(list, index))
    }

    /// A list's member is in hand now.
    pub(crate) fn keep_member(&mut self, slot: u32, member: u8, value: &[u8]) {
        self.recorder.enter(slot);
        self.recorder.capture(member, Some(value));
    }

    /// What has happened to the drivers since the last call.
    pub(crate) fn notices(&self) -> impl Iterator<Item = Notice> {
        self.built.drivers.iter().flat_map(|driver| driver.notices())
    }

    /// Hands a task to a slot. `available` is when the slot became free for it.
    pub(crate) fn begin(&mut self, slot: u32, task: &Task, available: Nanos, is_closed_load: bool) -> Interest {
        let driver = self.driver_of(task.exchange);
        self.enter(slot, driver);
        self.recorder.open(task, available, is_closed_load);
        let session = self.slots[slot as usize].sessions[usize::from(driver)].as_mut();
        let interest = session.map_or(Interest::Gone, |session| session.begin(task, &mut self.recorder));
        self.note_woken(driver);
        interest
    }

    /// Has a slot's connection opened, which stays.
    pub(crate) fn connect(&mut self, slot: u32, task: &Task) -> Interest {
        let driver = self.driver_of(task.exchange);
        self.enter(slot, driver);
        self.recorder.open_connection(task);
        let session = self.slots[slot as usize].sessions[usize::from(driver)].as_mut();
        let interest = session.map_or(Interest::Gone, |session| session.connect(task, &mut self.recorder));
        self.note_woken(driver);
        interest
    }

    /// Has a slot's session say what it has to before its connection is closed. Whether anything is waited for now that was
    /// not before.
    pub(crate) fn leave(&mut self, slot: u32, driver: u8) -> (Interest, bool) {
        self.enter(slot, driver);
        let before = self.recorder.awaiting();
        let session = self.slots[slot as usize].sessions[usize::from(driver)].as_mut();
        let interest = session.map_or(Interest::Idle, |session| session.leave(&mut self.recorder));
        self.note_woken(driver);
        (interest, self.recorder.awaiting() > before)
    }

    /// Has a slot's connection closed.
    pub(crate) fn disconnect(&mut self, slot: u32, driver: u8) {
        self.enter(slot, driver);
        if let Some(session) = self.slots[slot as usize].sessions[usize::from(driver)].as_mut() {
            session.disconnect(&mut self.recorder);
        }
    }

    /// A socket of this slot is ready, or its wake-up has come. `None` where there is no such session.
    pub(crate) fn ready(&mut self, slot: u32, driver: u8) -> Option<Interest> {
        self.enter(slot, driver);
        let session = self.slots.get_mut(slot as usize)?.sessions[usize::from(driver)].as_mut()?;
        let interest = session.ready(&mut self.recorder);
        self.note_woken(driver);
        Some(interest)
    }

    /// Ends the exchange in hand from outside; what the session leaves open is closed as `outcome`.
    pub(crate) fn cut(&mut self, slot: u32, driver: u8, why: Cancel, outcome: Outcome) {
        self.enter(slot, driver);
        if let Some(session) = self.slots[slot as usize].sessions[usize::from(driver)].as_mut() {
            session.cancel(why, &mut self.recorder);
        }
        self.note_woken(driver);
        self.recorder.close_rest(slot, outcome);
    }

    /// A session of that driver is called next.
    #[inline]
    fn enter(&mut self, slot: u32, driver: u8) {
        self.recorder.enter(slot);
        self.recorder.serve(driver);
        self.driver.set(driver);
    }

    /// Takes note of the slots that the driver's session has just woken.
    #[inline]
    fn note_woken(&mut self, driver: u8) {
        while let Some(slot) = self.recorder.take_woken() {
            self.woken.push((slot, driver));
        }
    }
}
