//! One exchange that somebody waits for: for whoever has a thread to wait in, and no load to drive.

use super::Client;
use super::failed::{Failed, Stood, Why};
use super::host::Host;
use super::turn::{Call, Step};
use crate::{AtEnd, Parser, Trouble};
use clock::Clock;
use contract::Interest;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use terms::{Nanos, Outcome};

/// Somebody who waits has the time, and nothing else that a client could need.
struct Alone<'a>(&'a Clock);

impl Host for Alone<'_> {
    fn now(&self) -> Nanos {
        self.0.now()
    }
}

impl Client {
    /// Carries out one exchange over HTTP/1.1 and waits for its end, no longer than `until`, and for no more than `most`
    /// bytes of a body. Status and body, as far as the call keeps it.
    ///
    /// # Errors
    /// Why there is no answer within these bounds.
    pub fn carry_out(
        &mut self,
        call: &Call<'_>,
        until: Nanos,
        most: u64,
        clock: &Clock,
    ) -> Result<(u16, Vec<u8>), Failed> {
        let mut answer = (0, Vec::new());
        self.carry_out_and(call, until, most, clock, &mut |parser, _| {
            answer = (parser.status(), parser.body().to_vec());
        })?;
        Ok(answer)
    }

    /// The same, and shows the answer to `look`, with the server's own certificate where it has shown one.
    ///
    /// # Errors
    /// Why there is no answer within these bounds.
    pub fn carry_out_and(
        &mut self,
        call: &Call<'_>,
        until: Nanos,
        most: u64,
        clock: &Clock,
        look: &mut dyn FnMut(&Parser, Option<&[u8]>),
    ) -> Result<(), Failed> {
        let answered = self.wait_for(call, until, most, clock);
        if answered.is_ok() {
            look(self.answer(), self.certificate());
        }
        self.finish(call, &mut Alone(clock));
        answered
    }

    /// The same without an end: the answer lies with the client until it is finished.
    pub(super) fn wait_for(&mut self, call: &Call<'_>, until: Nanos, most: u64, clock: &Clock) -> Result<(), Failed> {
        let host = &mut Alone(clock);
        debug_assert!(call.http2.is_none(), "a connection of HTTP/2 has no socket to wait for here");
        let mut step = self.begin(call, host.now(), host);
        loop {
            if self.answer().body_bytes() > most {
                return Err(Failed::plainly(Outcome::Fault, Why::TooLong));
            }
            match step {
                Step::Answered => return Ok(()),
                // Who only wants to know what is stated does not mind how it ends.
                Step::Failed(Failed { why: Why::Closed, .. }) if self.answer().at_end() == AtEnd::Complete => {
                    return Ok(());
                }
                Step::Failed(failed) => return Err(failed),
                Step::Waiting(interest) => {
                    let left = until - host.now();
                    if left <= Nanos::ZERO || !self.wait(interest, left)? {
                        return Err(Failed::new(Outcome::Timeout, Why::Late, self.stood()));
                    }
                }
            }
            step = self.ready(call, host);
        }
    }

    /// Waits until the socket has something or takes something, no longer than is `left`. Whether it does.
    fn wait(&self, interest: Interest, left: Nanos) -> Result<bool, Failed> {
        let (Interest::Io { write, .. }, Some(socket)) = (interest, self.socket()) else { return Ok(true) };
        // A handshake of TLS waits for bytes as often as it has some: with `OUT` this would spin.
        let is_greeting = matches!(self.stood(), Stood::Greeting | Stood::Tunnelling);
        let flags = if write && !is_greeting { PollFlags::IN | PollFlags::OUT } else { PollFlags::IN };
        let timeout = Timespec { tv_sec: left.second(), tv_nsec: left.0 % 1_000_000_000 };
        match poll(&mut [PollFd::from_borrowed_fd(socket, flags)], Some(&timeout)) {
            Ok(ready) => Ok(ready > 0),
            Err(Errno::INTR) => Ok(true),
            Err(error) => Err(Failed::new(Outcome::NoResource, Why::Trouble(Trouble::Io(error.into())), self.stood())),
        }
    }
}
