//! Instances that a run has started and that outlived it, since it was killed: found again by what they were told, and
//! ended as the run would have ended them.

use crate::keeper::timespec;
use crate::process::is_empty_but_for;
use clock::Clock;
use rustix::event::poll;
use rustix::process::{Pid, Signal, kill_process_group};
use std::fs::File;
use std::io::Read;
use terms::Nanos;

/// How long one may take to end once it is asked to.
const GRACE: Nanos = Nanos::from_secs(10);
/// Between two looks whether it has.
const PAUSE: Nanos = Nanos::from_millis(50);
/// Looks at whether a killed group is gone.
const KILL_LOOKS_MAX: u32 = 100;
/// A longer environment is none that a run has made.
const ENVIRONMENT_BYTES_MAX: u64 = 4 << 20;

/// An instance whose run is gone.
#[derive(Clone, Copy, Debug)]
pub struct Orphan {
    pid: Pid,
}

impl Orphan {
    /// The process of this number, if it lives and is what the process `parent` started as the instance `name`: the
    /// number alone could be a stranger's by now.
    pub fn find(pid: u32, parent: u32, name: &str) -> Option<Self> {
        let mut environment = Vec::new();
        let file = File::open(format!("/proc/{pid}/environ")).ok()?;
        file.take(ENVIRONMENT_BYTES_MAX).read_to_end(&mut environment).ok()?;
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let is_alive = !matches!(stat.rsplit_once(')')?.1.split_ascii_whitespace().next()?, "Z" | "X");
        let pid = Pid::from_raw(i32::try_from(pid).ok()?)?;
        (is_alive && is_told(&environment, parent, name)).then_some(Self { pid })
    }

    /// Asks its group to end, and kills what is left of it after a while. Whether that was not needed.
    pub fn end(self) -> bool {
        let clock = Clock::system();
        let _ = kill_process_group(self.pid, Signal::TERM);
        while self.is_there() && clock.now() < GRACE {
            clock.sleep_until(clock.now() + PAUSE);
        }
        let is_in_time = !self.is_there();
        let _ = kill_process_group(self.pid, Signal::KILL);
        for _ in 0..KILL_LOOKS_MAX {
            if !self.is_there() {
                break;
            }
            let _ = poll(&mut [], Some(&timespec(PAUSE)));
        }
        is_in_time
    }

    /// Whether anything of its group lives.
    fn is_there(self) -> bool {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.pid.as_raw_pid())).unwrap_or_default();
        let state = stat.rsplit_once(')').and_then(|(_, rest)| rest.split_ascii_whitespace().next());
        state.is_some_and(|state| !matches!(state, "Z" | "X")) || !is_empty_but_for(self.pid)
    }
}

/// Whether an environment says so.
fn is_told(environment: &[u8], parent: u32, name: &str) -> bool {
    let has = |wanted: String| environment.split(|byte| *byte == 0).any(|one| one == wanted.as_bytes());
    has(format!("LOADPROOF_PARENT_PID={parent}")) && has(format!("LOADPROOF_INSTANCE={name}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    #[test]
    fn a_stranger_with_the_same_number_is_left_alone() {
        let own = std::process::id();
        assert!(Orphan::find(own, 1, "shop").is_none(), "nobody told this process to be `shop`");
        let environment = b"PATH=/bin\0LOADPROOF_PARENT_PID=7\0LOADPROOF_INSTANCE=shop.1\0";
        assert!(is_told(environment, 7, "shop.1"));
        assert!(!is_told(environment, 7, "shop") && !is_told(environment, 70, "shop.1"));
    }

    #[test]
    fn one_that_was_left_behind_is_found_and_ended_with_its_group() {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", "sleep 60 & wait"]).env("LOADPROOF_PARENT_PID", "7").env("LOADPROOF_INSTANCE", "shop");
        let mut child = command.process_group(0).spawn().unwrap();
        let mut found = None;
        // Until the shell has become what it is to be, its environment is that of this test.
        for _ in 0..500 {
            found = Orphan::find(child.id(), 7, "shop");
            if found.is_some() {
                break;
            }
            std::thread::park_timeout(std::time::Duration::from_millis(10));
        }
        let waiting = std::thread::spawn(move || child.wait());
        assert!(found.unwrap().end());
        waiting.join().unwrap().unwrap();
        assert!(Orphan::find(found.unwrap().pid.as_raw_pid() as u32, 7, "shop").is_none());
    }
}
