//! Which process listens on a port of this machine.

use crate::table::Scan;
use std::collections::HashSet;
use std::io::Read;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, UdpSocket};
use terms::process::Identity;

/// Bytes read of a socket table: the kernel writes listening sockets first.
const TABLE_BYTES_MAX: u64 = 64 * 1024;

/// The longest name that the kernel keeps of a process that only passes connections on to a container.
const PROXY: &str = "docker-proxy";

/// Where an instance answers on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    pub port: u16,
    /// Addresses of which it is one; none where only a name of the machine is known, which may stand for any of them.
    addresses: Vec<IpAddr>,
}

/// A socket that listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Socket {
    pub address: IpAddr,
    pub inode: u64,
}

/// The process that listens there. Where several share the socket, as a server and its workers do, the one whose
/// parent is none of them. Looks through the descriptors of all processes, so it is nothing for every sample.
pub fn listener(endpoint: &Endpoint, scan: &Scan) -> Option<Identity> {
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"];
    let all: Vec<Socket> = tables.iter().flat_map(|path| listening(&read_table(path), endpoint.port)).collect();
    let sockets = endpoint.answering(&all);
    if sockets.is_empty() {
        return None;
    }
    let holders: HashSet<u32> = scan.keys().copied().filter(|&pid| holds(pid, &sockets)).collect();
    topmost(&holders, scan)
}

/// Whether a process of this name only passes on what comes for another, which is the one that is meant.
pub fn is_proxy(name: &str) -> bool {
    name == PROXY
}

impl Endpoint {
    /// Of sockets that listen on its port those that answer it: of its own address, else those of every address. Two
    /// servers may have one port, at 127.0.0.1 and at 127.0.0.2.
    fn answering(&self, all: &[Socket]) -> HashSet<u64> {
        let of = |is_meant: &dyn Fn(&Socket) -> bool| -> HashSet<u64> {
            all.iter().filter(|socket| is_meant(socket)).map(|socket| socket.inode).collect()
        };
        if self.addresses.is_empty() {
            return of(&|_| true);
        }
        let exact = of(&|socket| self.addresses.contains(&socket.address));
        if exact.is_empty() { of(&|socket| socket.address.is_unspecified()) } else { exact }
    }
}

/// The first process of a machine holds the sockets of servers that it starts when somebody connects; it is not one of
/// them, unless the others are its own workers.
fn topmost(holders: &HashSet<u32>, scan: &Scan) -> Option<Identity> {
    let name = |pid: &u32| scan.get(pid).map(|stat| stat.name.as_str());
    let is_served = |pid: &u32| *pid != 1 || holders.iter().all(|other| name(other) == name(pid));
    let holders: HashSet<u32> = holders.iter().copied().filter(is_served).collect();
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

/// The sockets that listen on a port, from a table such as `/proc/net/tcp`: local address in field 2, state in field 4
/// (`0A` is LISTEN), inode in field 10.
pub fn listening(table: &str, port: u16) -> Vec<Socket> {
    let socket = |line: &str| {
        let fields: Vec<_> = line.split_ascii_whitespace().take(10).collect();
        let (address, local) = fields.get(1)?.rsplit_once(':')?;
        let is_meant = *fields.get(3)? == "0A" && u16::from_str_radix(local, 16).ok()? == port;
        let inode = fields.get(9)?.parse().ok()?;
        is_meant.then(|| Some(Socket { address: address_of(address)?, inode })).flatten()
    };
    table.lines().filter_map(socket).collect()
}

/// An address as the kernel writes it: words of 32 bits in the machine's own order. One of version 4 within one of
/// version 6 is the former.
fn address_of(text: &str) -> Option<IpAddr> {
    let word = |at: usize| {
        let digits = text.get(at * 8..at * 8 + 8)?;
        Some(u32::from_str_radix(digits, 16).ok()?.to_ne_bytes())
    };
    match text.len() {
        8 => Some(IpAddr::from(word(0)?)),
        32 => {
            let mut bytes = [0; 16];
            for at in 0..4 {
                bytes[at * 4..at * 4 + 4].copy_from_slice(&word(at)?);
            }
            Some(IpAddr::from(bytes).to_canonical())
        }
        _ => None,
    }
}

/// The endpoint of `http://host:port…`, when the host is this machine: its loopback, another of its addresses, or its name.
/// No name is looked up elsewhere.
pub fn own_endpoint(url: &str) -> Option<Endpoint> {
    let (scheme, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let (host, port) = match authority.rsplit_once(':').filter(|(_, port)| !port.ends_with(']')) {
        Some((host, port)) => (host, port.parse().ok()?),
        None => (authority, if scheme == "https" { 443 } else { 80 }),
    };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let addresses = match host.parse::<IpAddr>() {
        Ok(address) => (address.is_loopback() || is_own(address)).then(|| vec![address.to_canonical()]),
        Err(_) if host == "localhost" => Some(vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]),
        Err(_) => is_called(host).then(Vec::new),
    };
    addresses.map(|addresses| Endpoint { port, addresses })
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
        let at = |host: &str| own_endpoint(&format!("http://{host}:{port}/")).unwrap();
        let scan = scan().unwrap();
        for host in ["127.0.0.1", "localhost"] {
            assert_eq!(listener(&at(host), &scan).unwrap().pid, std::process::id());
        }
        assert_eq!(listener(&at("127.0.0.2"), &scan), None, "whatever listens there, this process does not");
        drop(socket);
        assert_eq!(listener(&at("127.0.0.1"), &scan), None);
        let socket = std::net::TcpListener::bind("0.0.0.0:0").unwrap();
        let url = format!("http://127.0.0.2:{}/", socket.local_addr().unwrap().port());
        assert_eq!(listener(&own_endpoint(&url).unwrap(), &scan).unwrap().pid, std::process::id());
    }

    #[test]
    fn a_server_stands_above_its_workers() {
        let scan = Scan::from([(5, member(1, 50)), (6, member(5, 60)), (7, member(5, 61))]);
        assert_eq!(topmost(&HashSet::from([6, 7, 5]), &scan), Some(Identity { pid: 5, start: 50 }));
        assert_eq!(topmost(&HashSet::new(), &scan), None);
    }

    #[test]
    fn the_first_process_is_none_of_those_that_it_starts() {
        let named = |name: &str, parent, start| crate::Stat { name: name.into(), ..member(parent, start) };
        let pid = |scan: &Scan| topmost(&scan.keys().copied().collect(), scan).map(|top| top.pid);
        let started = Scan::from([(1, named("systemd", 0, 1)), (50, named("shop", 1, 90))]);
        assert_eq!(pid(&started), Some(50));
        assert_eq!(pid(&Scan::from([(1, named("systemd", 0, 1))])), Some(1), "nobody has come yet");
        let container = Scan::from([(1, named("nginx", 0, 1)), (7, named("nginx", 1, 2)), (8, named("nginx", 1, 3))]);
        assert_eq!(pid(&container), Some(1), "a server with its workers");
    }

    /// Two servers have one port: 8080 of 127.0.0.1, of 127.0.0.2 and of the wildcards.
    #[test]
    fn a_port_is_that_of_an_address() {
        let line =
            |address: &str, inode: u32| format!("   0: {address}:1F90 0:0 0A 0:0 0:0 0     0        0 {inode} 1\n");
        let (one, two) = (line("0100007F", 1), line("0200007F", 2));
        let (any, any6, mapped) = (
            line("00000000", 3),
            line("00000000000000000000000000000000", 4),
            line("0000000000000000FFFF00000100007F", 5),
        );
        let inodes = |host: &str, tables: &[&String]| {
            let all: Vec<Socket> = tables.iter().flat_map(|table| listening(table, 8080)).collect();
            let endpoint = own_endpoint(&format!("http://{host}:8080")).unwrap();
            let mut inodes: Vec<u64> = endpoint.answering(&all).into_iter().collect();
            inodes.sort_unstable();
            inodes
        };
        assert_eq!(inodes("127.0.0.1", &[&one, &two, &any]), [1]);
        assert_eq!(inodes("127.0.0.2", &[&one, &two, &any]), [2]);
        assert_eq!(inodes("127.0.0.3", &[&one, &two, &any, &any6]), [3, 4]);
        assert_eq!(inodes("127.0.0.3", &[&one, &two]), [0; 0]);
        assert_eq!(inodes("localhost", &[&one, &two]), [1]);
        assert_eq!(inodes("127.0.0.1", &[&mapped, &any]), [5]);
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
            assert_eq!(own_endpoint(url).map(|endpoint| endpoint.port), port, "{url}");
        }
        let own = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
        let named = own_endpoint(&format!("http://{}:81/", own.trim()));
        assert_eq!(named, Some(Endpoint { port: 81, addresses: Vec::new() }));
        let line =
            "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1\n";
        assert_eq!(listening(line, 8080), [Socket { address: Ipv4Addr::LOCALHOST.into(), inode: 4711 }]);
        assert!(listening(&line.replace(" 0A ", " 01 "), 8080).is_empty());
    }
}
