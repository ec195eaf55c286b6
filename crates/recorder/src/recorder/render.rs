//! Filling a template's slots for one exchange.

use super::{Recorder, Shared};
use crate::exchange::{NO_STREAM, Task};
use crate::template::{Call, Given, Piece, ScriptCall, Template};
use std::io::Write;
use terms::{iso, seed};

/// What `$(text(n))` is made of.
const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789";

impl Recorder {
    /// Appends the template's text for this task. Returns `false`, with nothing more to rely on, when a capture that
    /// it needs was never made, or when a script failed: [`Recorder::take_trouble`] says which.
    pub fn render(&mut self, task: &Task, template: u16, into: &mut Vec<u8>) -> bool {
        let shared = self.shared.clone();
        let Some(template) = shared.templates.get(usize::from(template)) else { return false };
        template.pieces.iter().all(|piece| self.render_piece(task, piece, &shared, into))
    }

    /// The same of a text that is not a numbered template: what was never captured is left out.
    pub fn render_text(&mut self, task: &Task, text: &Template, into: &mut Vec<u8>) {
        let shared = self.shared.clone();
        for piece in &text.pieces {
            self.render_piece(task, piece, &shared, into);
        }
    }

    /// Why a script failed since this was last asked; `None` where none did, and what was not rendered was never captured.
    pub fn take_trouble(&mut self) -> Option<String> {
        self.trouble.take()
    }

    /// What is rendered next belongs to the message of that number on the slot's held connection.
    pub fn number_message(&mut self, number: u64) {
        self.slots[self.slot as usize].message = number;
    }

    /// The next random number of this iteration: by the study's seed, the step and the iteration, whatever the one
    /// before it in this slot did. A run made again draws the same; a repetition within a run draws others.
    pub fn draw(&mut self, task: &Task) -> u64 {
        let of_iteration = seed::hash(self.shared.seed ^ (u64::from(task.step) << 32), task.serial);
        let state = &mut self.slots[self.slot as usize];
        if let Some((call, draws)) = &mut state.beside {
            *draws += 1;
            return seed::hash(seed::hash(of_iteration, *call), *draws);
        }
        let (iteration, draws) = &mut state.draws;
        if *iteration != (task.step, task.serial) {
            (*iteration, *draws) = ((task.step, task.serial), 0);
        }
        *draws += 1;
        seed::hash(of_iteration, *draws)
    }

    /// A captured value as the slot in hand sees it: its iteration's own, its user's, its node's.
    pub fn captured(&self, slot: u8) -> Option<&[u8]> {
        let owner = self.slots[self.slot as usize].owner;
        let (state, number) = (&self.slots[owner as usize], usize::from(slot));
        let own = state.captures.get(number).and_then(Option::as_ref);
        let own = own.or(state.kept.get(number).and_then(Option::as_ref));
        own.or(self.node_captures.get(number).and_then(Option::as_ref)).map(Vec::as_slice)
    }

    fn render_piece(&mut self, task: &Task, piece: &Piece, shared: &Shared, into: &mut Vec<u8>) -> bool {
        match piece {
            Piece::Fixed(bytes) => into.extend_from_slice(bytes),
            Piece::Column { table: number, column } => {
                let Some(table) = shared.tables.get(usize::from(*number)) else { return false };
                if self.is_setting_up_user && !self.user_tables.contains(number) {
                    self.user_tables.push(*number);
                }
                // A stream keeps its row, and a user that of the data it was set up with; of other data every iteration
                // has the next.
                let has_stream = task.stream != NO_STREAM && self.streams == Some(*number);
                let row = match () {
                    () if has_stream => usize::from(task.stream),
                    () if self.user_tables.contains(number) => table.row_of(self.slots[self.slot as usize].user),
                    () => table.row_of(task.row),
                };
                return table.append(row, *column, &mut self.row, into);
            }
            Piece::Capture(slot) => {
                let Some(value) = self.captured(*slot) else { return false };
                into.extend_from_slice(value);
            }
            Piece::Serial => number(task.serial, into),
            Piece::User => number(self.slots[self.slot as usize].user, into),
            Piece::Message => number(self.slots[self.slot as usize].message, into),
            Piece::Node => number(u64::from(shared.node), into),
            Piece::Traceparent => self.render_traceparent(task, into),
            Piece::Now => into.extend_from_slice(iso::millis(self.wall()).as_bytes()),
            Piece::Uuid => {
                uuid(shared.seed ^ (u64::from(task.exchange) << 48) ^ u64::from(task.step), task.serial, into)
            }
            Piece::Text(length) => {
                into.extend((0..*length as usize).map(|k| LETTERS[(k + task.serial as usize) % LETTERS.len()]))
            }
            Piece::Call(call) => return self.render_call(task, call, shared, into),
            Piece::Script(call) => return self.render_script(task, call, shared, into),
            Piece::Bytes(length) => into.extend((0..*length as u64).map(|k| seed::hash(task.serial, k) as u8)),
        }
        true
    }
}

impl Recorder {
    fn render_call(&mut self, task: &Task, call: &Call, shared: &Shared, into: &mut Vec<u8>) -> bool {
        let Some(arguments) = self.render_all(task, &call.arguments, shared) else { return false };
        let given = Given { draw: self.draw(task), now: self.wall() };
        (call.function)(&arguments, given, into)
    }

    fn render_script(&mut self, task: &Task, call: &ScriptCall, shared: &Shared, into: &mut Vec<u8>) -> bool {
        let Some(arguments) = self.render_all(task, &call.arguments, shared) else { return false };
        let called = call.script.call(&arguments, into);
        let is_well = called.is_ok();
        if let Err(trouble) = called {
            self.trouble = Some(trouble.text);
        }
        is_well
    }

    /// The arguments of a call; none where one of them has no value.
    fn render_all(&mut self, task: &Task, templates: &[Template], shared: &Shared) -> Option<Vec<Vec<u8>>> {
        let mut texts = Vec::with_capacity(templates.len());
        for template in templates {
            let mut text = Vec::new();
            if !template.pieces.iter().all(|piece| self.render_piece(task, piece, shared, &mut text)) {
                return None;
            }
            texts.push(text);
        }
        Some(texts)
    }
}

fn number(value: u64, into: &mut Vec<u8>) {
    write!(into, "{value}").expect("writing to memory does not fail");
}

fn uuid(seed_value: u64, serial: u64, into: &mut Vec<u8>) {
    let (high, low) = (seed::hash(seed_value, serial * 2), seed::hash(seed_value, serial * 2 + 1));
    let (a, b, c) = (high >> 32, high >> 16 & 0xffff, high & 0xfff);
    let (d, e) = (low >> 48 & 0x3fff | 0x8000, low & 0xffff_ffff_ffff);
    write!(into, "{a:08x}-{b:04x}-4{c:03x}-{d:04x}-{e:012x}").expect("writing to memory does not fail");
}
