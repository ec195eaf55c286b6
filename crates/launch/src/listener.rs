//! Which socket listens on a port, and whose it is.

use std::collections::HashSet;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Bytes read of a socket table. The kernel writes listening sockets before all others, so this is enough for about
/// 400 of them, and the text does not grow with the connections of a load. Reading still costs the kernel a walk through
/// its table of connections, however empty: 4 ms each on a machine with 24 GiB. It is nothing for every instance and
/// second; that is what [`Spot`] is for.
const TABLE_BYTES_MAX: u64 = 64 * 1024;

/// State `LISTEN` in `/proc/net/tcp` (include/net/tcp_states.h of Linux).
const LISTEN: &str = "0A";

/// The socket tables at one moment, IPv4 and IPv6.
pub(crate) struct Tables([String; 2]);

impl Tables {
    pub(crate) fn read() -> Self {
        Self(["/proc/net/tcp", "/proc/net/tcp6"].map(read_table))
    }

    /// Inodes of the sockets that listen on a port of this machine.
    pub(crate) fn inodes(&self, port: u16) -> HashSet<u64> {
        self.0.iter().flat_map(|table| listening(table, port)).collect()
    }
}

/// Inodes of the sockets that listen on a port of this machine now.
pub(crate) fn inodes(port: u16) -> HashSet<u64> {
    Tables::read().inodes(port)
}

/// Where one socket hangs: looking there again costs some microseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spot {
    descriptor: PathBuf,
    link: PathBuf,
}

impl Spot {
    /// The descriptor of one of these processes that is one of these sockets.
    pub(crate) fn find(sockets: &HashSet<u64>, pids: impl IntoIterator<Item = u32>) -> Option<Self> {
        let is_meant = |link: &Path| inode(link).is_some_and(|inode| sockets.contains(&inode));
        pids.into_iter().find_map(|pid| {
            let entries = std::fs::read_dir(format!("/proc/{pid}/fd")).ok()?;
            let spot = |entry: std::fs::DirEntry| {
                let link = std::fs::read_link(entry.path()).ok().filter(|link| is_meant(link))?;
                Some(Self { descriptor: entry.path(), link })
            };
            entries.flatten().find_map(spot)
        })
    }

    /// Whether the same socket still hangs there. The kernel never gives an inode number to another socket while the
    /// first is open.
    pub(crate) fn is_unchanged(&self) -> bool {
        std::fs::read_link(&self.descriptor).is_ok_and(|link| link == self.link)
    }
}

fn read_table(path: &str) -> String {
    let mut bytes = Vec::new();
    // A table that cannot be read holds no proof; the caller then has the nonce alone.
    if let Ok(file) = std::fs::File::open(path) {
        let _ = file.take(TABLE_BYTES_MAX).read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Reads lines such as `0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 12345 1 …`: the
/// local address is field 2, the state field 4, the inode field 10 (proc_net_tcp of the kernel's documentation).
fn listening(table: &str, port: u16) -> Vec<u64> {
    let inode = |line: &str| {
        let fields: Vec<_> = line.split_ascii_whitespace().take(10).collect();
        let (_, local) = fields.get(1)?.rsplit_once(':')?;
        let is_meant = *fields.get(3)? == LISTEN && u16::from_str_radix(local, 16).ok()? == port;
        if is_meant { fields.get(9)?.parse().ok() } else { None }
    };
    table.lines().filter_map(inode).collect()
}

/// Whether one of these processes holds one of these sockets; `None` when that cannot be read, as with a process of
/// another user.
pub(crate) fn is_held_by(sockets: &HashSet<u64>, pids: &HashSet<u32>) -> Option<bool> {
    let mut is_readable = false;
    for &pid in pids {
        if let Some(held) = held(pid) {
            is_readable = true;
            if held.iter().any(|inode| sockets.contains(inode)) {
                return Some(true);
            }
        }
    }
    is_readable.then_some(false)
}

/// A process outside `ours` that holds one of these sockets, for messages.
pub(crate) fn holder(sockets: &HashSet<u64>) -> Option<u32> {
    let holds = |pid: &u32| held(*pid).is_some_and(|held| held.iter().any(|inode| sockets.contains(inode)));
    crate::alive::all().into_iter().find(holds)
}

/// Inodes of the sockets of a process.
fn held(pid: u32) -> Option<Vec<u64>> {
    let entries = std::fs::read_dir(format!("/proc/{pid}/fd")).ok()?;
    let socket = |entry: std::fs::DirEntry| inode(&std::fs::read_link(entry.path()).ok()?);
    Some(entries.flatten().filter_map(socket).collect())
}

/// The number in `socket:[4711]`.
fn inode(link: &Path) -> Option<u64> {
    link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::os::fd::AsRawFd;

    /// Taken from a Linux 6.18 machine; 1F90 is 8080.
    const TABLE: &str = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n\
        \x20  0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 0 100 0 0 10 0\n\
        \x20  1: 0100007F:1F90 0100007F:D2F0 01 00000000:00000000 00:00000000 00000000     0        0 4712 1 0 20 4 30 10 -1\n";

    #[test]
    fn only_the_listening_socket_counts() {
        assert_eq!(listening(TABLE, 8080), [4711]);
        assert!(listening(TABLE, 54_000).is_empty(), "D2F0 is 54000, the other end of a connection");
    }

    #[test]
    fn our_own_listener_is_found_and_is_ours() {
        for address in ["127.0.0.1:0", "[::1]:0"] {
            let Ok(listener) = std::net::TcpListener::bind(address) else { continue };
            let port = listener.local_addr().unwrap().port();
            let link = std::fs::read_link(format!("/proc/self/fd/{}", listener.as_raw_fd())).unwrap();
            // Somebody else may listen on this port of another address.
            let sockets = HashSet::from([inode(&link).unwrap()]);
            assert!(inodes(port).is_superset(&sockets), "{address}");
            assert_eq!(is_held_by(&sockets, &HashSet::from([std::process::id()])), Some(true));
            assert_ne!(is_held_by(&sockets, &HashSet::from([1])), Some(true));
            assert_eq!(holder(&sockets), Some(std::process::id()));
            let spot = Spot::find(&sockets, [std::process::id()]).unwrap();
            assert!(spot.is_unchanged());
            assert_eq!(Spot::find(&HashSet::from([1]), [std::process::id()]), None);
            drop(listener);
            assert!(!spot.is_unchanged());
            // A process that another test is just starting has it until it runs its own program.
            let clock = clock::Clock::system();
            let until = clock.now() + terms::Nanos::from_secs(20);
            while !inodes(port).is_disjoint(&sockets) {
                assert!(clock.now() < until, "{address} is still listened at");
                std::thread::yield_now();
            }
        }
    }

    proptest! {
        #[test]
        fn no_table_makes_it_panic(text in "[0-9A-F: \\n]{0,200}", port: u16) {
            let _ = listening(&text, port);
        }
    }
}
