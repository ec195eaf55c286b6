//! Transactions: exchanges of an iteration that are booked as one, too.
//!
//! One begins with its first exchange and ends with its last; what the iteration thinks in between is not its time. It
//! is ok if all of its exchanges were, and has failed as the first of them that did.

use super::Lane;
use crate::slots::Iteration;
use recorder::Whole;
use terms::{Nanos, Outcome};

/// A transaction that a slot's iteration is in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transaction {
    number: u16,
    /// Origin of its first exchange; none before that.
    intended: Option<Nanos>,
    /// When its first exchange was started.
    started: Option<Nanos>,
    /// Think time between its exchanges.
    thought: Nanos,
    /// Think time since its last exchange, which counts if another one follows.
    thinking: Nanos,
    /// End of its last exchange.
    ended: Nanos,
    outcome: Outcome,
}

impl Transaction {
    fn new(number: u16) -> Self {
        Self {
            number,
            intended: None,
            started: None,
            thought: Nanos::ZERO,
            thinking: Nanos::ZERO,
            ended: Nanos::ZERO,
            outcome: Outcome::Ok,
        }
    }
}

impl Lane<'_> {
    pub(super) fn enter_transaction(&mut self, slot: u32, number: u16) {
        let index = slot as usize;
        if self.transactions.len() <= index {
            self.transactions.resize_with(index + 1, Vec::new);
        }
        self.transactions[index].push(Transaction::new(number));
    }

    /// The innermost one is over.
    pub(super) fn leave_transaction(&mut self, slot: u32, iteration: &Iteration) {
        if let Some(transaction) = self.transactions.get_mut(slot as usize).and_then(Vec::pop) {
            self.book_transaction(slot, iteration, &transaction);
        }
    }

    /// The iteration has ended within them, by itself or, with an outcome, from outside.
    pub(super) fn end_transactions(&mut self, slot: u32, iteration: &Iteration, at: Nanos, forced: Option<Outcome>) {
        while let Some(mut transaction) = self.transactions.get_mut(slot as usize).and_then(Vec::pop) {
            if let (Outcome::Ok, Some(forced)) = (transaction.outcome, forced) {
                (transaction.outcome, transaction.ended) = (forced, at);
            }
            self.book_transaction(slot, iteration, &transaction);
        }
    }

    /// An exchange begins that counts from `origin`.
    pub(super) fn begin_in_transactions(&mut self, slot: u32, origin: Nanos) {
        for transaction in self.within(slot) {
            transaction.intended.get_or_insert(origin);
            transaction.thought += std::mem::take(&mut transaction.thinking);
        }
    }

    pub(super) fn think_in_transactions(&mut self, slot: u32, time: Nanos) {
        for transaction in self.within(slot).iter_mut().filter(|transaction| transaction.intended.is_some()) {
            transaction.thinking += time;
        }
    }

    /// An exchange was started; the first one is the start of the transaction, too.
    pub(super) fn start_in_transactions(&mut self, slot: u32) {
        let Some(&iteration) = self.slots.get(slot) else { return };
        let started = self.sessions.recorder.started_at(slot);
        let owner = self.slots.owner(slot);
        let Self { transactions, sessions, .. } = self;
        let open = transactions.get_mut(owner as usize).map_or(&mut [][..], Vec::as_mut_slice);
        for transaction in open.iter_mut().filter(|transaction| transaction.started.is_none()) {
            if let (Some(at), Some(intended)) = (started, transaction.intended) {
                transaction.started = Some(at);
                let second = if sessions.recorder.is_closed_load(slot) { at } else { intended };
                sessions.recorder.whole_started(transaction.number, (iteration.step, iteration.stream), second);
            }
        }
    }

    pub(super) fn end_in_transactions(&mut self, slot: u32, at: Nanos, outcome: Outcome) {
        for transaction in self.within(slot) {
            transaction.ended = transaction.ended.max(at);
            if transaction.outcome == Outcome::Ok {
                transaction.outcome = outcome;
            }
        }
    }

    fn within(&mut self, slot: u32) -> &mut [Transaction] {
        self.transactions.get_mut(slot as usize).map_or(&mut [], Vec::as_mut_slice)
    }

    fn book_transaction(&mut self, slot: u32, iteration: &Iteration, transaction: &Transaction) {
        // Without an exchange there was none.
        let Some(intended) = transaction.intended else { return };
        self.sessions.recorder.whole_ended(
            slot,
            &Whole {
                exchange: transaction.number,
                step: iteration.step,
                stream: iteration.stream,
                outcome: transaction.outcome,
                intended,
                started: transaction.started.unwrap_or(transaction.ended),
                at: transaction.ended,
                left_out: transaction.thought,
            },
        );
    }
}
