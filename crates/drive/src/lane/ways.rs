//! Which way an iteration goes: conditions, loops, and what they ask of captured values.

use super::Lane;
use super::exchanges::task_of;
use crate::program::{Operation, Test};
use crate::slots::Iteration;

/// Scripts that failed in conditions are told so often by each thread.
const TOLD_MAX: u8 = 5;

/// Passes of the loops around the operation in hand, from the outermost.
pub(super) type Passes = [u32; 4];

impl Lane<'_> {
    /// Goes on where an operation that waits for nothing leads. Where the rest is given up, no loop has another pass.
    pub(super) fn turn_off(&mut self, slot: u32, iteration: &Iteration) {
        let next = iteration.cursor + 1;
        let place = match self.program.operations.get(iteration.cursor) {
            Some(Operation::Jump(place)) => *place,
            Some(Operation::Unless(test, place)) => {
                let test = test.clone();
                let place = *place;
                if self.holds(slot, iteration, &test) { next } else { place }
            }
            Some(Operation::Pass(depth, most, test, place)) => {
                let (depth, most, test, place) = (*depth, *most, test.clone(), *place);
                let is_left = !iteration.is_given_up && self.passes_of(slot)[depth] < most;
                if is_left && self.holds(slot, iteration, &test) {
                    self.passes_of(slot)[depth] += 1;
                    next
                } else {
                    self.passes_of(slot)[depth] = 0;
                    place
                }
            }
            Some(Operation::Next(depth, members, place)) => {
                let (depth, list, member, most, place) = (*depth, members.list, members.member, members.most, *place);
                let pass = self.passes_of(slot)[depth];
                let is_left = !iteration.is_given_up && pass < most;
                let value = is_left.then(|| self.sessions.member(slot, list, pass as usize)).flatten();
                match value {
                    Some(value) => {
                        self.sessions.keep_member(slot, member, &value);
                        self.passes_of(slot)[depth] += 1;
                        next
                    }
                    None => {
                        self.passes_of(slot)[depth] = 0;
                        place
                    }
                }
            }
            Some(Operation::Enter(number)) => {
                let number = *number;
                self.enter_transaction(slot, number);
                next
            }
            Some(Operation::Leave) => {
                self.leave_transaction(slot, iteration);
                next
            }
            _ => next,
        };
        self.go_to(slot, place);
    }

    /// Whether a condition holds for this iteration. What was never captured is an empty text, and so is the value of a
    /// script that failed, which an event tells.
    fn holds(&mut self, slot: u32, iteration: &Iteration, test: &Test) -> bool {
        let task = task_of(iteration, 0, iteration.origin);
        let (mut left, mut right) = (Vec::new(), Vec::new());
        self.sessions.render(slot, &task, &test.left, &mut left);
        let is_so = match test.compare {
            None => !left.trim_ascii().is_empty(),
            Some(compare) => {
                self.sessions.render(slot, &task, &test.right, &mut right);
                extract::holds(&left, compare, &right)
            }
        };
        if let Some(trouble) = self.sessions.recorder.take_trouble() {
            self.tell_trouble(trouble);
        }
        is_so != test.is_not
    }

    /// Nothing is sent that the failure could be a failure of.
    fn tell_trouble(&mut self, trouble: String) {
        if self.troubles_told < TOLD_MAX {
            self.troubles_told += 1;
            let trouble = self.sessions.recorder.shown(&trouble);
            self.event(
                self.clock.now(),
                "script",
                "condition".to_owned(),
                format!("{trouble}; its value is taken as empty"),
            );
        }
    }

    pub(super) fn go_to(&mut self, slot: u32, place: usize) {
        if let Some(iteration) = self.slots.get_mut(slot) {
            iteration.cursor = place;
        }
    }

    /// A new iteration has been in no loop.
    pub(super) fn forget_passes(&mut self, slot: u32) {
        if self.program.loops > 0 {
            *self.passes_of(slot) = Passes::default();
        }
    }

    fn passes_of(&mut self, slot: u32) -> &mut Passes {
        let index = slot as usize;
        if self.passes.len() <= index {
            self.passes.resize(index + 1, Passes::default());
        }
        &mut self.passes[index]
    }

    /// What tells the passes of all loops around an operation apart; 0 outside of loops, which leave no count behind.
    pub(super) fn pass(&self, slot: u32) -> u64 {
        if self.program.loops == 0 {
            return 0;
        }
        let passes = self.passes.get(slot as usize).copied().unwrap_or_default();
        passes.iter().fold(0, |all, pass| all.wrapping_mul(100_003).wrapping_add(u64::from(*pass)))
    }
}
