//! What `ssh` says of itself, of which the end is kept: its last words say why it ended.

use rustix::fs::{OFlags, fcntl_setfl};
use std::io::{ErrorKind, Read};
use std::process::ChildStderr;

/// What is kept of it.
const BYTES_MAX: usize = 4096;

/// Standard error of a process, read as it comes and never waited for.
pub(crate) struct Said {
    /// Until the process has closed it.
    pipe: Option<ChildStderr>,
    words: Vec<u8>,
}

impl Said {
    /// # Errors
    /// A pipe that cannot be read without waiting.
    pub(crate) fn new(pipe: ChildStderr) -> std::io::Result<Self> {
        fcntl_setfl(&pipe, OFlags::NONBLOCK)?;
        Ok(Self { pipe: Some(pipe), words: Vec::new() })
    }

    /// What to wait at for more.
    pub(crate) fn pipe(&self) -> Option<&ChildStderr> {
        self.pipe.as_ref()
    }

    /// Adds what has come: at most as much as `chunk` holds, so that a flood holds up nobody.
    pub(crate) fn listen(&mut self, chunk: &mut [u8]) {
        match self.pipe.as_mut().map(|pipe| pipe.read(chunk)) {
            Some(Ok(count)) if count > 0 => {
                self.words.extend_from_slice(&chunk[..count]);
                self.words.drain(..self.words.len().saturating_sub(BYTES_MAX));
            }
            Some(Err(error)) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            _ => self.pipe = None,
        }
    }

    /// Its last words so far.
    pub(crate) fn words(&self) -> String {
        String::from_utf8_lossy(&self.words).trim().to_owned()
    }
}
