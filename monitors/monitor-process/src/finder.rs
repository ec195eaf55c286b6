//! Finds the process that listens on a port of this machine.

use crate::parse;
use crate::tree::{Identity, Scan};
use std::collections::HashSet;
use std::io::Read;

/// Bytes read of a socket table: the kernel writes listening sockets first.
const TABLE_BYTES_MAX: u64 = 64 * 1024;

/// The process that listens on this port. Where several share the socket, as a server and its workers do, the one whose
/// parent is none of them. Looks through the descriptors of all processes, so it is nothing for every sample.
pub(crate) fn listener(port: u16, scan: &Scan) -> Option<Identity> {
    let sockets: HashSet<u64> =
        ["/proc/net/tcp", "/proc/net/tcp6"].iter().flat_map(|path| parse::listening(&read_table(path), port)).collect();
    if sockets.is_empty() {
        return None;
    }
    let holders: HashSet<u32> = scan.keys().copied().filter(|&pid| holds(pid, &sockets)).collect();
    topmost(&holders, scan)
}

fn topmost(holders: &HashSet<u32>, scan: &Scan) -> Option<Identity> {
    let own = holders.iter().filter_map(|pid| Some((*pid, scan.get(pid)?)));
    let top = own.filter(|(_, stat)| !holders.contains(&stat.parent)).min_by_key(|(_, stat)| stat.start);
    top.map(|(pid, stat)| Identity { pid, start: stat.start })
}

fn read_table(path: &str) -> String {
    let mut bytes = Vec::new();
    if let Ok(file) = std::fs::File::open(path) {
        let _ = file.take(TABLE_BYTES_MAX).read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn holds(pid: u32, sockets: &HashSet<u64>) -> bool {
    let inode = |entry: std::fs::DirEntry| {
        let target = std::fs::read_link(entry.path()).ok()?;
        target.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.parse::<u64>().ok()
    };
    let entries = std::fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    entries.filter_map(inode).any(|inode| sockets.contains(&inode))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::{Stat, Ticks};

    #[test]
    fn this_process_is_found_by_its_socket() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let scan = crate::tree::scan().unwrap();
        assert_eq!(super::listener(port, &scan).unwrap().pid, std::process::id());
        drop(listener);
        assert_eq!(super::listener(port, &scan), None);
    }

    #[test]
    fn a_server_stands_above_its_workers() {
        let stat = |parent, start| {
            let (own, children) = (Ticks::default(), Ticks::default());
            Stat { name: String::new(), parent, own, children, threads: 1, start, reserved: 0, resident_pages: 0 }
        };
        let scan = Scan::from([(5, stat(1, 50)), (6, stat(5, 60)), (7, stat(5, 61))]);
        assert_eq!(topmost(&HashSet::from([6, 7, 5]), &scan), Some(Identity { pid: 5, start: 50 }));
        assert_eq!(topmost(&HashSet::new(), &scan), None);
    }
}
