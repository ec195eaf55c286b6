//! Load nodes on this machine: children of the process that conducts the run, over their standard input and output.

use crate::nodes::Link;
use clock::Clock;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use terms::Nanos;

/// How long a node may take to leave.
const LEAVING: Nanos = Nanos::from_secs(5);
/// Time between two looks whether it has.
const LOOK_EVERY: Nanos = Nanos::from_millis(10);

/// Starts one. It ends with whoever holds the other end of its standard input.
///
/// # Errors
/// Why there is none.
pub(crate) fn start() -> Result<(Link, Child), String> {
    let program = std::env::current_exe().map_err(|error| format!("this program cannot be found: {error}"))?;
    let mut command = Command::new(program);
    command.args(["node", "--stdio"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    // What a terminal sends its foreground is for whoever conducts the run, who passes it on.
    command.process_group(0);
    let mut child = command.spawn().map_err(|error| format!("a load node could not be started: {error}"))?;
    match (child.stdin.take(), child.stdout.take()) {
        (Some(to), Some(from)) => Ok((Link::over(to, from), child)),
        _ => Err("a load node has no standard input or output".into()),
    }
}

/// Waits for all of them to leave; those that do not are ended.
pub(crate) fn end(mut children: Vec<Child>) {
    let clock = Clock::system();
    while clock.now() < LEAVING && !children.is_empty() {
        children.retain_mut(|child| matches!(child.try_wait(), Ok(None)));
        clock.sleep_until(clock.now() + LOOK_EVERY);
    }
    for child in &mut children {
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// What this machine calls itself; empty where the system does not tell.
pub(crate) fn host() -> String {
    std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default().trim().to_owned()
}

/// Which boot of which machine this is, and which of its clocks: processes for which it is the same share one monotonic
/// clock. Empty where the system does not tell.
pub(crate) fn clock() -> String {
    of_this_boot("time")
}

/// The same of its network: processes for which it is the same have one loopback.
pub(crate) fn network() -> String {
    of_this_boot("net")
}

/// The same of its processes: for whom it is the same, an id is that of the same process.
pub(crate) fn processes() -> String {
    of_this_boot("pid")
}

fn of_this_boot(namespace: &str) -> String {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let own = std::fs::read_link(format!("/proc/self/ns/{namespace}"));
    match boot.trim() {
        "" => String::new(),
        boot => format!("{boot} {}", own.map(|path| path.to_string_lossy().into_owned()).unwrap_or_default()),
    }
}
