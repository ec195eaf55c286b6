//! Local ports for outgoing connections: how many there are, which are in use, how long a closed one rests.

use crate::numbers::grouped;
use std::collections::HashSet;
use std::io::Read;
use std::net::{IpAddr, Ipv4Addr};

/// What widens the range to all that may be had.
pub(super) const WIDEN: &str = "sudo sysctl -w net.ipv4.ip_local_port_range='1024 65535'";

/// Addresses that connections to a loopback target may come from: 127.0.0.1 to 127.0.0.8, as `driver-http` has it.
const LOOPBACK_SOURCES: u64 = 8;
/// How long Linux lets a closed connection rest (TIME-WAIT), seconds; it is not a setting.
const RESTS_S: f64 = 60.0;
/// As above where a resting port may be used again (`tcp_tw_reuse`).
const REUSED_S: f64 = 1.0;
/// The table of connections is read up to here: 200 000 lines.
const TABLE_BYTES_MAX: u64 = 32 * 1024 * 1024;

/// The ports of this machine.
#[derive(Clone, Debug)]
pub(super) struct Ports {
    first: u16,
    last: u16,
    /// `net.ipv4.tcp_tw_reuse`: 0 never, 1 always, 2 for loopback.
    reuse: u8,
    /// `/proc/net/tcp`.
    table: String,
}

impl Ports {
    /// As they are now; `None` where Linux does not say.
    pub(super) fn look() -> Option<Self> {
        let range = std::fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").ok()?;
        let reuse = std::fs::read_to_string("/proc/sys/net/ipv4/tcp_tw_reuse").unwrap_or_default();
        let mut table = Vec::new();
        // Without the table none counts as in use: the run itself will tell.
        if let Ok(file) = std::fs::File::open("/proc/net/tcp") {
            let _ = file.take(TABLE_BYTES_MAX).read_to_end(&mut table);
        }
        Self::of(&range, &reuse, String::from_utf8_lossy(&table).into_owned())
    }

    pub(super) fn of(range: &str, reuse: &str, table: String) -> Option<Self> {
        let mut ends = range.split_ascii_whitespace().map(str::parse);
        let (first, last) = (ends.next()?.ok()?, ends.next()?.ok()?);
        (first <= last).then(|| Self { first, last, reuse: reuse.trim().parse().unwrap_or(0), table })
    }

    /// How many there are from one address.
    pub(super) fn size(&self) -> u64 {
        u64::from(self.last - self.first) + 1
    }

    /// How many are left for connections to one address, from all the addresses that they may come from.
    pub(super) fn free_towards(&self, host: &str, port: u16, is_loopback: bool) -> u64 {
        let addresses = if is_loopback && !host.contains(':') { LOOPBACK_SOURCES } else { 1 };
        (self.size() * addresses).saturating_sub(self.used_towards(host, port))
    }

    /// Ports within the range that cannot be used for a connection to this address: those of connections to it, open or
    /// resting, and those that somebody listens at.
    fn used_towards(&self, host: &str, port: u16) -> u64 {
        let host = if host == "localhost" { "127.0.0.1" } else { host };
        let target = host.parse::<IpAddr>().ok();
        let is_used = |line: &&str| -> Option<bool> {
            let mut words = line.split_ascii_whitespace().skip(1);
            let ((_, local), remote, state) = (end(words.next()?)?, end(words.next()?)?, words.next()?);
            let is_to_target = target == Some(IpAddr::V4(remote.0)) && remote.1 == port;
            Some((self.first..=self.last).contains(&local) && (state == "0A" || is_to_target))
        };
        let used = self.table.lines().filter(|line| is_used(line) == Some(true));
        // From several addresses the same port counts each time.
        used.filter_map(|line| line.split_ascii_whitespace().nth(1)).collect::<HashSet<_>>().len() as u64
    }

    /// How long a port rests after its connection was closed, seconds.
    pub(super) fn rests_s(&self, is_loopback: bool) -> f64 {
        let is_reused = self.reuse == 1 || (self.reuse == 2 && is_loopback);
        if is_reused { REUSED_S } else { RESTS_S }
    }

    /// `28,232 ports are free for them (32768 to 60999, some of them in use)`
    pub(super) fn describe(&self, free: u64) -> String {
        format!(
            "{} ports are free for them (`net.ipv4.ip_local_port_range` is {} to {})",
            grouped(free),
            self.first,
            self.last
        )
    }
}

/// `0100007F:1F90`: address in the order of the machine's bytes, port.
fn end(text: &str) -> Option<(Ipv4Addr, u16)> {
    let (address, port) = text.split_once(':')?;
    let address = u32::from_str_radix(address, 16).ok()?;
    Some((Ipv4Addr::from(address.to_ne_bytes()), u16::from_str_radix(port, 16).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADING: &str =
        "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";

    fn line(local: &str, remote: &str, state: &str) -> String {
        format!(
            "   0: {local} {remote} {state} 00000000:00000000 00:00000000 00000000     0        0 18 1 x 100 0 0 10 0\n"
        )
    }

    #[test]
    fn a_port_is_taken_by_a_connection_to_the_same_address_or_by_a_listener() {
        // 40000 is 9C40; 127.0.0.1 is 0100007F and 10.0.0.5 is 0500000A on a machine with the small end first.
        let table = [
            HEADING.to_owned(),
            line("0100007F:9C40", "0100007F:1F90", "01"), // to 127.0.0.1:8080
            line("0200007F:9C40", "0100007F:1F90", "01"), // the same port of another address
            line("0100007F:9C41", "0100007F:1F90", "06"), // resting
            line("0100007F:9C42", "0100007F:1F91", "01"), // to another port
            line("0100007F:9C43", "0500000A:1F90", "01"), // to another host
            line("00000000:9C44", "00000000:0000", "0A"), // a listener
            line("0100007F:1F90", "0100007F:9C40", "01"), // outside the range
        ];
        let ports = Ports::of("40000\t40099\n", "2\n", table.concat()).unwrap();
        assert_eq!(ports.size(), 100);
        assert_eq!(ports.used_towards("127.0.0.1", 8080), 4);
        assert_eq!(ports.used_towards("localhost", 8080), 4);
        assert_eq!(ports.used_towards("10.0.0.5", 8080), 2);
        assert_eq!(ports.used_towards("shop.example", 8080), 1);
        assert_eq!(ports.free_towards("127.0.0.1", 8080, true), 796);
        assert_eq!(ports.free_towards("10.0.0.5", 8080, false), 98);
        assert_eq!(ports.free_towards("::1", 8080, true), 99, "IPv6 has one loopback address");
    }

    #[test]
    fn a_closed_connection_rests_for_a_minute_unless_its_port_may_be_used_again() {
        let rests = |reuse: &str| {
            let ports = Ports::of("1 2", reuse, String::new()).unwrap();
            [true, false].map(|is_loopback| ports.rests_s(is_loopback))
        };
        assert_eq!(rests("0"), [60.0, 60.0]);
        assert_eq!(rests("1"), [1.0, 1.0]);
        assert_eq!(rests("2"), [1.0, 60.0]);
        assert_eq!(rests("?"), [60.0, 60.0]);
    }

    #[test]
    fn what_is_no_table_is_no_port() {
        for table in ["", "x", "a b c d", "  0: 0100007F 0100007F:1F90 01", "  0: ZZ:9C40 0:0 0A"] {
            assert_eq!(Ports::of("40000 40099", "2", table.into()).unwrap().used_towards("127.0.0.1", 80), 0);
        }
        assert!(Ports::of("5 4", "2", String::new()).is_none() && Ports::of("", "", String::new()).is_none());
    }
}
