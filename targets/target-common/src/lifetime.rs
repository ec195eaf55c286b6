//! When a target ends: on a signal, with its parent, or after its time. It must never outlive its test.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;

use rustix::process::{Pid, PidfdFlags, pidfd_open};

/// Environment variable with the id of the process that a target ends with.
pub(crate) const PARENT_VARIABLE: &str = "LOADPROOF_PARENT_PID";

/// SIGINT and SIGTERM, whose numbers are the same on every Linux.
const ENDING_SIGNALS: [i32; 2] = [2, 15];

/// A descriptor that becomes readable when a signal asks the process to end.
///
/// A flag alone would not do: a signal between the test of the flag and the wait would be slept over.
pub(crate) fn signal_descriptor() -> io::Result<UnixStream> {
    let (reader, writer) = UnixStream::pair()?;
    reader.set_nonblocking(true)?;
    for signal in ENDING_SIGNALS {
        signal_hook::low_level::pipe::register(signal, writer.try_clone()?)?;
    }
    Ok(reader)
}

/// A descriptor that becomes readable when the parent named in the environment ends; `None` when none is named.
///
/// # Errors
/// A variable that is not a process id, or a parent that is gone already.
pub(crate) fn parent_descriptor() -> Result<Option<OwnedFd>, String> {
    let Ok(text) = std::env::var(PARENT_VARIABLE) else { return Ok(None) };
    // Negative ids name groups, and `from_raw` panics on them.
    let pid = text.parse::<i32>().ok().filter(|pid| *pid > 0).and_then(Pid::from_raw);
    let pid = pid.ok_or_else(|| format!("`{PARENT_VARIABLE}` holds `{text}`, which is not a process id"))?;
    pidfd_open(pid, PidfdFlags::empty())
        .map(Some)
        .map_err(|error| format!("the process {text} named in `{PARENT_VARIABLE}` cannot be watched: {error}"))
}
