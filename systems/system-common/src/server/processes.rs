//! The server's own processes: one a connection, and some that work in the background.

use std::collections::HashMap;

use rustix::process::{Pid, Signal, kill_process};

/// A process and all its descendants, itself first.
pub(crate) fn tree(root: u32) -> Vec<u32> {
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
        if let Some(parent) = stat.ok().as_deref().and_then(parent) {
            children.entry(parent).or_default().push(pid);
        }
    }
    let mut found = vec![root];
    let mut next = 0;
    while let Some(pid) = found.get(next).copied() {
        next += 1;
        found.extend(children.remove(&pid).unwrap_or_default());
    }
    found
}

/// Field 4 of proc(5); the name in brackets before it can hold anything, brackets too.
fn parent(stat: &str) -> Option<u32> {
    stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// Sends a signal to all of them. One that ended meanwhile is nothing to say: its parent, the server, reaps it.
pub(crate) fn signal(pids: &[u32], signal: Signal) {
    for pid in pids.iter().filter_map(|pid| i32::try_from(*pid).ok()).filter_map(Pid::from_raw) {
        let _ = kill_process(pid, signal);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descendants_come_after_their_ancestors() {
        let mut child = std::process::Command::new("sh").args(["-c", "sleep 60 & wait"]).spawn().unwrap();
        // Other tests of this process have children, too: only the child's own tell that it is complete.
        let mut below = Vec::new();
        for _ in 0..1000 {
            below = tree(child.id());
            if below.len() == 2 {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let found = tree(std::process::id());
        assert_eq!((found[0], below[0], below.len()), (std::process::id(), child.id(), 2));
        assert!(below.iter().all(|pid| found.contains(pid)));
        signal(&below, Signal::KILL);
        assert!(!child.wait().unwrap().success());
    }

    #[test]
    fn a_name_with_brackets_does_not_shift_the_fields() {
        assert_eq!(parent("42 (postgres: a) b) S 7 42"), Some(7));
        assert_eq!(parent("42 (cut"), None);
    }
}
