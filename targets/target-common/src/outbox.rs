//! Bytes on their way out of one connection.

use std::collections::VecDeque;
use std::io;
use std::net::TcpStream;

use crate::answer::{Body, LAST_CHUNK, Pages, Rendered, push_chunk};
use crate::session::Session;

/// Queued bytes from which no further answer is added; a client that does not read must not fill our memory.
pub(crate) const HIGH_WATER: usize = 64 * 1024;

enum Segment {
    Bytes { bytes: Vec<u8>, at: usize },
    Shared { body: Body, at: usize, end: usize },
    Pages(Pages),
}

/// A queue of bytes, with counts from the beginning of the connection.
#[derive(Default)]
pub(crate) struct Outbox {
    segments: VecDeque<Segment>,
    /// Bytes queued since the beginning, without those that pages will still make.
    pushed: u64,
    /// Bytes that the session has taken since the beginning.
    written: u64,
}

impl Outbox {
    /// Queues an answer; it is gone when [`Outbox::written`] reaches what [`Outbox::pushed`] is now.
    pub(crate) fn push(&mut self, rendered: Rendered) {
        self.push_bytes(rendered.first);
        match rendered.rest {
            Some((Body::Pages(pages), _)) => self.segments.push_back(Segment::Pages(pages)),
            Some((body, end)) => {
                self.pushed += end as u64;
                self.segments.push_back(Segment::Shared { body, at: 0, end });
            }
            None => {}
        }
    }

    /// Queues plain bytes, behind the last ones in the same segment where that is possible.
    pub(crate) fn push_bytes(&mut self, more: Vec<u8>) {
        self.pushed += more.len() as u64;
        match self.segments.back_mut() {
            Some(Segment::Bytes { bytes, .. }) if bytes.len() + more.len() <= HIGH_WATER => bytes.extend(more),
            _ => self.segments.push_back(Segment::Bytes { bytes: more, at: 0 }),
        }
    }

    /// Bytes queued since the beginning of the connection.
    pub(crate) fn pushed(&self) -> u64 {
        self.pushed
    }

    /// Bytes taken by the session since the beginning of the connection.
    pub(crate) fn written(&self) -> u64 {
        self.written
    }

    /// True when a further answer should wait.
    pub(crate) fn is_full(&self) -> bool {
        self.pushed - self.written >= HIGH_WATER as u64 || matches!(self.segments.back(), Some(Segment::Pages(_)))
    }

    /// Gives bytes to the session until none are left (true) or it takes no more (false).
    pub(crate) fn send(&mut self, session: &mut dyn Session, stream: &mut TcpStream) -> io::Result<bool> {
        while let Some(segment) = self.segments.front_mut() {
            let bytes: &[u8] = match segment {
                Segment::Bytes { bytes, at } => &bytes[*at..],
                Segment::Shared { body: Body::Shared(bytes), at, end } => &bytes[*at..*end],
                Segment::Shared { body: Body::Owned(bytes), at, end } => &bytes[*at..*end],
                Segment::Shared { body: Body::Pages(_), .. } => &[],
                Segment::Pages(pages) => {
                    let (bytes, is_last) = next_page(pages);
                    if is_last {
                        self.segments.pop_front();
                    }
                    self.pushed += bytes.len() as u64;
                    self.segments.push_front(Segment::Bytes { bytes, at: 0 });
                    continue;
                }
            };
            if bytes.is_empty() {
                self.segments.pop_front();
                continue;
            }
            let taken = match session.write(stream, bytes) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(taken) => taken,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            self.written += taken as u64;
            match segment {
                Segment::Bytes { at, .. } | Segment::Shared { at, .. } => *at += taken,
                Segment::Pages(_) => {}
            }
        }
        session.flush(stream)
    }
}

/// The next page as a chunk; the last one together with the end of the body.
fn next_page(pages: &mut Pages) -> (Vec<u8>, bool) {
    match pages() {
        Some(page) => {
            let mut chunk = Vec::with_capacity(page.len() + 16);
            push_chunk(&mut chunk, &page);
            (chunk, false)
        }
        None => (LAST_CHUNK.to_vec(), true),
    }
}
