//! The slots of a lane: what each is busy with, which are free, and how many there may be.

use terms::{Nanos, Outcome};

/// One iteration under way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Iteration {
    pub(crate) serial: u64,
    pub(crate) step: u32,
    pub(crate) stream: u16,
    /// Intended start of the iteration.
    pub(crate) intended: Nanos,
    /// Origin of the exchange in hand or next.
    pub(crate) origin: Nanos,
    /// When this slot became free for it.
    pub(crate) available: Nanos,
    pub(crate) began: Nanos,
    /// Number of the operation in hand or next.
    pub(crate) cursor: usize,
    pub(crate) is_started: bool,
    pub(crate) worst: Outcome,
    /// What the study or the generator could not do made the rest of it meaningless: no exchange is carried out any
    /// more, but its think times are kept, so that a user whose every iteration ends so is no faster than the others.
    pub(crate) is_given_up: bool,
    /// The driver whose exchange is in hand.
    pub(crate) in_hand: Option<u8>,
}

/// Most iterations of one lane at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bound {
    pub(crate) slots: usize,
    /// It is what the system gives, not what the study says: an arrival that waits for it waits on the generator's
    /// account.
    pub(crate) is_ours: bool,
}

/// Places for one iteration at a time each, and for calls that are made at once with its own.
pub(crate) struct Slots {
    iterations: Vec<Option<Iteration>>,
    /// Those that have been busy and are free, with the moment since when.
    free: Vec<(u32, Nanos)>,
    bound: Bound,
    /// Slots that belong to each iteration: its own, and behind it those in which it makes calls at once with it.
    each: u32,
}

impl Slots {
    /// `each`: how many slots an iteration makes calls in at a time.
    pub(crate) fn new(bound: Bound, each: u32) -> Self {
        Self { iterations: Vec::new(), free: Vec::new(), bound, each }
    }

    /// The slot whose iteration a slot belongs to.
    #[inline]
    pub(crate) fn owner(&self, slot: u32) -> u32 {
        slot - slot % self.each
    }

    /// The slots that have iterations of their own.
    pub(crate) fn owners(&self) -> impl Iterator<Item = u32> + use<> {
        (0..self.len()).step_by(self.each as usize)
    }

    /// The slots in which one with an iteration of its own makes calls at once with it.
    pub(crate) fn beside(&self, slot: u32) -> std::ops::Range<u32> {
        slot + 1..slot + self.each
    }

    /// Number of slots.
    pub(crate) fn len(&self) -> u32 {
        self.iterations.len() as u32
    }

    /// Most iterations that there may be.
    pub(crate) fn most(&self) -> usize {
        self.bound.slots
    }

    /// Whether one more iteration may have slots.
    pub(crate) fn has_room(&self) -> bool {
        self.iterations.len() < self.bound.slots * self.each as usize
    }

    /// Adds one that is busy with nothing; it is not offered as free.
    pub(crate) fn add(&mut self) {
        self.iterations.push(None);
    }

    /// Whether the bound is the system's; told once.
    pub(crate) fn take_is_bound_ours(&mut self) -> bool {
        std::mem::take(&mut self.bound.is_ours)
    }

    /// A slot that is free, and since when. The one that was freed last, whose connection is the warmest.
    #[inline]
    pub(crate) fn take_free(&mut self) -> Option<(u32, Nanos)> {
        self.free.pop()
    }

    /// Offers a slot as free.
    #[inline]
    pub(crate) fn free(&mut self, slot: u32, since: Nanos) {
        self.free.push((slot, since));
    }

    /// The iteration in a slot.
    #[inline]
    pub(crate) fn get(&self, slot: u32) -> Option<&Iteration> {
        self.iterations.get(slot as usize)?.as_ref()
    }

    /// The same, to be changed.
    #[inline]
    pub(crate) fn get_mut(&mut self, slot: u32) -> Option<&mut Iteration> {
        self.iterations.get_mut(slot as usize)?.as_mut()
    }

    /// Makes a slot busy.
    #[inline]
    pub(crate) fn occupy(&mut self, slot: u32, iteration: Iteration) {
        self.iterations[slot as usize] = Some(iteration);
    }

    /// Ends what a slot is busy with.
    #[inline]
    pub(crate) fn vacate(&mut self, slot: u32) -> Option<Iteration> {
        self.iterations[slot as usize].take()
    }

    /// The driver whose exchange a slot has in hand.
    #[inline]
    pub(crate) fn in_hand(&self, slot: u32) -> Option<u8> {
        self.get(slot)?.in_hand
    }
}
