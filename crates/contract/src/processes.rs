//! Which processes of this machine an instance is: for monitors that watch instances. From `/proc`; see proc(5).
//!
//! An instance is a *tree*: the process that was started and all its descendants, those included whose parent has
//! ended. Whatever a text lacks is `None`; nothing panics.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io::Read;

/// Bytes read of a socket table: the kernel writes listening sockets first.
const TABLE_BYTES_MAX: u64 = 64 * 1024;

/// All processes of the machine at one moment, by id.
pub type Scan = BTreeMap<u32, Stat>;

/// A process, once and for all: an id can pass to another one, an id with a start time cannot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identity {
    /// Its id.
    pub pid: u32,
    /// Start, in clock ticks since the machine started.
    pub start: u64,
}

/// What `/proc/PID/stat` tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stat {
    /// Short name, at most 15 characters.
    pub name: String,
    /// Id of the parent.
    pub parent: u32,
    /// Processor time of its own, clock ticks.
    pub own: Ticks,
    /// Processor time of children that have ended and been waited for, theirs included.
    pub children: Ticks,
    /// Threads.
    pub threads: u64,
    /// Clock ticks since the machine started; with the id it names a process once and for all.
    pub start: u64,
    /// Address space, bytes.
    pub reserved: u64,
    /// Resident set, pages. The kernel brings it up to date in batches, so it lags by some dozen pages a thread.
    pub resident_pages: u64,
}

/// Processor time in user and system mode, clock ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ticks {
    /// In user mode.
    pub user: u64,
    /// In system mode.
    pub system: u64,
}

/// Name of the fact that tells which process an instance is, in which it runs, and so on. Two monitors may call one
/// process by two names, or watch a process and what it started: by this it is counted once all the same.
pub const LINEAGE: &str = "process and its parents";

/// Generations that a lineage tells at most; deeper ones are nobody's instance.
const GENERATIONS_MAX: usize = 32;

/// A process, its parent and so on, without the first of the machine: `456@8100 123@7900`, each id with its start.
pub fn lineage(process: Identity) -> String {
    lineage_among(process, stat_of)
}

fn lineage_among(process: Identity, stat_of: impl Fn(u32) -> Option<Stat>) -> String {
    let mut line = vec![process];
    let mut stat = stat_of(process.pid).filter(|stat| stat.start == process.start);
    while let Some(pid) = stat.map(|stat| stat.parent).filter(|pid| *pid > 1 && line.len() < GENERATIONS_MAX) {
        stat = stat_of(pid);
        line.extend(stat.as_ref().map(|stat| Identity { pid, start: stat.start }));
    }
    line.iter().map(|one| format!("{}@{}", one.pid, one.start)).collect::<Vec<_>>().join(" ")
}

/// Reads what [`lineage`] wrote; what is none of it is left out.
pub fn read_lineage(text: &str) -> Vec<Identity> {
    let identity = |word: &str| {
        let (pid, start) = word.split_once('@')?;
        Some(Identity { pid: pid.parse().ok()?, start: start.parse().ok()? })
    };
    text.split_ascii_whitespace().take(GENERATIONS_MAX).filter_map(identity).collect()
}

/// Reads every process that can be seen. One scan serves all instances.
///
/// # Errors
/// `/proc` that cannot be read.
pub fn scan() -> std::io::Result<Scan> {
    let entries = std::fs::read_dir("/proc")?;
    let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    // A process may end while the scan goes on: it is then not there.
    Ok(pids.filter_map(|pid| Some((pid, stat_of(pid)?))).collect())
}

/// What a process is now; `None` for one that has ended.
pub fn stat_of(pid: u32) -> Option<Stat> {
    stat(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// Reads `/proc/PID/stat`; `None` for a process that has ended and only waits to be reaped.
///
/// The name in brackets can hold anything, brackets and blanks included: what follows its last bracket counts.
pub fn stat(text: &str) -> Option<Stat> {
    let (head, rest) = text.rsplit_once(')')?;
    let (_, name) = head.split_once('(')?;
    let fields: Vec<_> = rest.split_ascii_whitespace().collect();
    // Field n of proc(5) stands at n - 3.
    let number = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
    let ticks = |user: usize, system: usize| Some(Ticks { user: number(user)?, system: number(system)? });
    if matches!(*fields.first()?, "Z" | "X" | "x") {
        return None;
    }
    Some(Stat {
        name: name.to_owned(),
        parent: u32::try_from(number(4)?).ok()?,
        own: ticks(14, 15)?,
        children: ticks(16, 17)?,
        threads: number(20)?,
        start: number(22)?,
        reserved: number(23)?,
        resident_pages: number(24)?,
    })
}

/// The root with its descendants, and with members from `before` that still live and whose parent has ended, so that
/// they hang elsewhere now; `None` when the root is gone.
pub fn family<'a>(
    root: Identity,
    before: impl IntoIterator<Item = &'a Identity>,
    scan: &Scan,
) -> Option<BTreeSet<Identity>> {
    let is_there = |identity: &Identity| scan.get(&identity.pid).is_some_and(|stat| stat.start == identity.start);
    if !is_there(&root) {
        return None;
    }
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    for (&pid, stat) in scan {
        children.entry(stat.parent).or_default().push(pid);
    }
    let mut open: Vec<u32> = before.into_iter().filter(|member| is_there(member)).map(|member| member.pid).collect();
    open.push(root.pid);
    let mut members = BTreeSet::new();
    while let Some(pid) = open.pop() {
        let Some(stat) = scan.get(&pid) else { continue };
        if members.insert(Identity { pid, start: stat.start }) {
            open.extend(children.get(&pid).into_iter().flatten());
        }
    }
    Some(members)
}

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

/// The port of `http://host:port…`, when the host is this machine's loopback interface.
pub fn loopback_port(url: &str) -> Option<u16> {
    let (scheme, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let (host, port) = match authority.rsplit_once(':').filter(|(_, port)| !port.ends_with(']')) {
        Some((host, port)) => (host, port.parse().ok()?),
        None => (authority, if scheme == "https" { 443 } else { 80 }),
    };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let is_loopback =
        host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
    is_loopback.then_some(port)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(parent: u32, start: u64) -> Stat {
        let (own, children) = (Ticks::default(), Ticks::default());
        Stat { name: String::new(), parent, own, children, threads: 1, start, reserved: 0, resident_pages: 0 }
    }

    #[test]
    fn this_process_is_found_by_its_socket() {
        let socket = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = socket.local_addr().unwrap().port();
        let scan = super::scan().unwrap();
        assert_eq!(listener(port, &scan).unwrap().pid, std::process::id());
        drop(socket);
        assert_eq!(listener(port, &scan), None);
    }

    #[test]
    fn a_lineage_is_told_up_to_the_first_process_and_read_again() {
        let scan = Scan::from([(1, member(0, 1)), (5, member(1, 50)), (6, member(5, 60)), (7, member(6, 70))]);
        let told = |pid, start| lineage_among(Identity { pid, start }, |pid| scan.get(&pid).cloned());
        assert_eq!(told(7, 70), "7@70 6@60 5@50");
        assert_eq!(told(7, 71), "7@71", "the id has passed to another process");
        let read = read_lineage("7@70 6@60 x 5@ @5 -1@2 5@50");
        assert_eq!(read.iter().map(|one| (one.pid, one.start)).collect::<Vec<_>>(), [(7, 70), (6, 60), (5, 50)]);
        let own = std::process::id();
        let start = stat_of(own).unwrap().start;
        assert_eq!(read_lineage(&lineage(Identity { pid: own, start }))[0], Identity { pid: own, start });
        // Processes that are each other's parents are told once round, and then no more.
        let circle = Scan::from([(5, member(6, 50)), (6, member(5, 60))]);
        let told = lineage_among(Identity { pid: 5, start: 50 }, |pid| circle.get(&pid).cloned());
        assert_eq!(read_lineage(&told).len(), GENERATIONS_MAX);
    }

    #[test]
    fn a_server_stands_above_its_workers() {
        let scan = Scan::from([(5, member(1, 50)), (6, member(5, 60)), (7, member(5, 61))]);
        assert_eq!(topmost(&HashSet::from([6, 7, 5]), &scan), Some(Identity { pid: 5, start: 50 }));
        assert_eq!(topmost(&HashSet::new(), &scan), None);
    }

    #[test]
    fn descendants_belong_also_when_their_parent_has_ended_and_a_stranger_is_not_the_root() {
        let root = Identity { pid: 10, start: 100 };
        let first =
            Scan::from([(10, member(1, 100)), (11, member(10, 101)), (12, member(11, 102)), (13, member(1, 103))]);
        let before = family(root, [], &first).unwrap();
        assert_eq!(before.iter().map(|one| one.pid).collect::<Vec<_>>(), [10, 11, 12]);
        let second =
            Scan::from([(10, member(1, 100)), (11, member(1, 300)), (12, member(1, 102)), (14, member(12, 301))]);
        let after = family(root, &before, &second).unwrap();
        assert_eq!(after.iter().map(|one| one.pid).collect::<Vec<_>>(), [10, 12, 14]);
        assert_eq!(family(root, [], &Scan::from([(10, member(1, 555))])), None);
    }

    #[test]
    fn a_process_as_the_kernel_writes_it() {
        let text = "4711 (a) R (b c) S 17 4711 4711 0 -1 4194560 9146 70 2 0 157 35 5 6 20 0 9 0 88120 2363392 1688 \
            18446744073709551615 1 1 0 0 0 0 0 4096 0 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n";
        let expected = Stat {
            name: "a) R (b c".to_owned(),
            parent: 17,
            own: Ticks { user: 157, system: 35 },
            children: Ticks { user: 5, system: 6 },
            threads: 9,
            start: 88_120,
            reserved: 2_363_392,
            resident_pages: 1688,
        };
        assert_eq!(stat(text), Some(expected));
        assert_eq!(stat(&text.replace(") S 17", ") Z 17")), None, "a zombie has ended");
        assert_eq!(stat("4711 (cut) S 17"), None);
        assert_eq!(stat(")("), None);
    }

    #[test]
    fn addresses_on_this_machine() {
        for (url, port) in [
            ("http://127.0.0.1:8080/x", Some(8080)),
            ("http://localhost:9", Some(9)),
            ("http://[::1]:7/", Some(7)),
            ("http://[::1]/", Some(80)),
            ("https://127.0.0.1", Some(443)),
            ("http://10.0.0.1:80", None),
            ("http://shop.example:80", None),
            ("127.0.0.1:80", None),
            ("http://127.0.0.1:99999", None),
        ] {
            assert_eq!(loopback_port(url), port, "{url}");
        }
        let line =
            "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1\n";
        assert_eq!(listening(line, 8080), [4711]);
        assert!(listening(&line.replace(" 0A ", " 01 "), 8080).is_empty());
    }
}
