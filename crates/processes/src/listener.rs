//! Which process listens on a port of this machine.

use crate::table::Scan;
use std::collections::HashSet;
use std::io::Read;
use std::net::{IpAddr, UdpSocket};
use terms::process::Identity;

/// Bytes read of a socket table: the kernel writes listening sockets first.
const TABLE_BYTES_MAX: u64 = 64 * 1024;

/// The process that listens on this port. Where several share the socket, as a server and its workers do, the one whose
/// parent is none of them. Looks through the descriptors of all processes, so it is nothing for every sample.
pub fn listener(port: u16, scan: &Scan) -> Option<Identity> {
    let sockets: HashSet<u64> =
        ["/proc/net/tcp", "/proc/net/tcp6"].iter().flat_map(|path| listening(&read_table(path), port)).collect();
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

/// Inodes of the sockets that listen on a port, from a table such as `/proc/net/tcp`: local address in field 2, state in
/// field 4 (`0A` is LISTEN), inode in field 10.
pub fn listening(table: &str, port: u16) -> Vec<u64> {
    let inode = |line: &str| {
        let fields: Vec<_> = line.split_ascii_whitespace().take(10).collect();
        let (_, local) = fields.get(1)?.rsplit_once(':')?;
        let is_meant = *fields.get(3)? == "0A" && u16::from_str_radix(local, 16).ok()? == port;
        if is_meant { fields.get(9)?.parse().ok() } else { None }
    };
    table.lines().filter_map(inode).collect()
}

/// The port of `http://host:port…`, when the host is this machine: its loopback, another of its addresses, or its name. No
/// name is looked up elsewhere.
pub fn own_port(url: &str) -> Option<u16> {
    let (scheme, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let (host, port) = match authority.rsplit_once(':').filter(|(_, port)| !port.ends_with(']')) {
        Some((host, port)) => (host, port.parse().ok()?),
        None => (authority, if scheme == "https" { 443 } else { 80 }),
    };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let is_own = match host.parse::<IpAddr>() {
        Ok(address) => address.is_loopback() || is_own(address),
        Err(_) => host == "localhost" || is_called(host),
    };
    is_own.then_some(port)
}

/// Whether an address is one of this machine: only those can be bound to.
fn is_own(address: IpAddr) -> bool {
    let is_one = !address.is_unspecified() && !address.is_multicast();
    is_one && UdpSocket::bind((address, 0)).is_ok()
}

/// Whether this machine calls itself so, with its domain or without.
fn is_called(host: &str) -> bool {
    let own = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let own = own.trim();
    let first = |name: &str| name.split('.').next().unwrap_or_default().to_ascii_lowercase();
    !own.is_empty()
        && (host.eq_ignore_ascii_case(own)
            || ((!host.contains('.') || !own.contains('.')) && first(host) == first(own)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{scan, tests::member};

    #[test]
    fn this_process_is_found_by_its_socket() {
        let socket = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = socket.local_addr().unwrap().port();
        let scan = scan().unwrap();
        assert_eq!(listener(port, &scan).unwrap().pid, std::process::id());
        drop(socket);
        assert_eq!(listener(port, &scan), None);
    }

    #[test]
    fn a_server_stands_above_its_workers() {
        let scan = Scan::from([(5, member(1, 50)), (6, member(5, 60)), (7, member(5, 61))]);
        assert_eq!(topmost(&HashSet::from([6, 7, 5]), &scan), Some(Identity { pid: 5, start: 50 }));
        assert_eq!(topmost(&HashSet::new(), &scan), None);
    }

    #[test]
    fn addresses_on_this_machine() {
        for (url, port) in [
            ("http://127.0.0.1:8080/x", Some(8080)),
            ("http://localhost:9", Some(9)),
            ("http://[::1]:7/", Some(7)),
            ("http://[::1]/", Some(80)),
            ("https://127.0.0.1", Some(443)),
            // Documentation addresses (RFC 5737) are nobody's.
            ("http://192.0.2.1:80", None),
            ("http://0.0.0.0:80", None),
            ("http://shop.example:80", None),
            ("127.0.0.1:80", None),
            ("http://127.0.0.1:99999", None),
        ] {
            assert_eq!(own_port(url), port, "{url}");
        }
        let own = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
        assert_eq!(own_port(&format!("http://{}:81/", own.trim())), Some(81));
        let line =
            "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1\n";
        assert_eq!(listening(line, 8080), [4711]);
        assert!(listening(&line.replace(" 0A ", " 01 "), 8080).is_empty());
    }
}
