//! Which address of this machine a connection comes from.
//!
//! Connections from one address to one other differ by their local port only, and the system has some 28 000 of those.
//! All of 127.0.0.0/8 is this machine, so towards a loopback target there are more addresses to come from. A target
//! elsewhere would have to have a way back to each of them, which nobody but its operator can know: there the run says
//! that the ports ran out.

use crate::Trouble;
use contract::Notice;
use rustix::io::Errno;
use std::cell::{Cell, RefCell};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// Addresses beside the one that the system picks: 127.0.0.2 to 127.0.0.8. With all of them there are more ports than
/// any machine has descriptors for, and a connection that finds none is given up after so many tries.
const MORE: u8 = 7;

/// The addresses towards one target, in one thread.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    /// 0 is what the system picks, *n* is 127.0.0.(*n* + 1).
    current: Cell<u8>,
    /// The addresses up to this one have been told.
    told: Cell<u8>,
    news: RefCell<Vec<Notice>>,
}

impl Sources {
    /// Connects by `connect`, which is handed the address to come from. Goes on to the next one when a loopback target's
    /// ports have run out from this one, and stays there.
    ///
    /// # Errors
    /// What `connect` says, of the last address when all have run out.
    pub(crate) fn connect<T>(
        &self,
        target: SocketAddr,
        mut connect: impl FnMut(Option<Ipv4Addr>) -> Result<T, Trouble>,
    ) -> Result<T, Trouble> {
        let mut tries = 0;
        loop {
            let connected = connect(source(self.current.get()));
            match connected {
                Err(Trouble::Io(error)) if tries < MORE && is_out_of_ports(&error) && has_more(target) => {
                    tries += 1;
                    self.go_on(target);
                }
                connected => return connected,
            }
        }
    }

    fn go_on(&self, target: SocketAddr) {
        let next = (self.current.get() + 1) % (MORE + 1);
        self.current.set(next);
        // Ports that were closed are free again after a while, so it goes round; that is not news.
        let Some(address) = source(next).filter(|_| next > self.told.get()) else { return };
        self.told.set(next);
        self.news.borrow_mut().push(Notice {
            kind: "source_address",
            subject: address.to_string(),
            text: format!("the local ports for connections to {target} have run out, so they come from {address}, too"),
        });
    }

    /// What has happened since the last call.
    pub(crate) fn take_news(&self) -> Vec<Notice> {
        std::mem::take(&mut *self.news.borrow_mut())
    }
}

fn source(number: u8) -> Option<Ipv4Addr> {
    (number > 0).then(|| Ipv4Addr::new(127, 0, 0, number + 1))
}

/// Whether a target can be reached from more than one address without anybody having to arrange it.
fn has_more(target: SocketAddr) -> bool {
    matches!(target.ip(), IpAddr::V4(address) if address.is_loopback())
}

fn is_out_of_ports(error: &std::io::Error) -> bool {
    let errno = error.raw_os_error().map(Errno::from_raw_os_error);
    matches!(errno, Some(Errno::ADDRNOTAVAIL | Errno::ADDRINUSE | Errno::AGAIN))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Connection;

    const LOOPBACK: &str = "127.0.0.1:80";

    /// A system that has so many ports from each address, and keeps them.
    fn ports(each: usize) -> impl FnMut(Option<Ipv4Addr>) -> Result<Option<Ipv4Addr>, Trouble> {
        let mut used = std::collections::BTreeMap::<Option<Ipv4Addr>, usize>::new();
        move |source| {
            let used = used.entry(source).or_default();
            *used += 1;
            if *used <= each { Ok(source) } else { Err(Trouble::Io(Errno::ADDRNOTAVAIL.into())) }
        }
    }

    fn connect(sources: &Sources, target: &str, ports: &mut dyn FnMut(Option<Ipv4Addr>) -> Connected) -> Connected {
        sources.connect(target.parse().unwrap(), ports)
    }

    type Connected = Result<Option<Ipv4Addr>, Trouble>;

    #[test]
    fn the_next_address_is_taken_when_one_has_run_out_and_each_is_told_once() {
        let (sources, mut ports) = (Sources::default(), ports(3));
        let seen: Vec<_> = (0..24).map(|_| connect(&sources, LOOPBACK, &mut ports).unwrap()).collect();
        let expected: Vec<_> = (0..=MORE).flat_map(|number| [source(number); 3]).collect();
        assert_eq!(seen, expected);
        let told = sources.take_news();
        assert_eq!(told.len(), usize::from(MORE));
        assert_eq!((told[0].kind, told[0].subject.as_str()), ("source_address", "127.0.0.2"));
        assert!(told[0].text.contains("127.0.0.1:80"), "{}", told[0].text);
        let gone = connect(&sources, LOOPBACK, &mut ports);
        assert!(matches!(gone, Err(Trouble::Io(_))), "all of them have run out");
        assert_eq!(sources.take_news(), [], "and there is nothing new about it");
    }

    #[test]
    fn no_other_target_and_no_other_trouble_changes_the_address() {
        for target in ["192.0.2.1:80", "[::1]:80"] {
            let sources = Sources::default();
            assert!(connect(&sources, target, &mut ports(0)).is_err());
            assert_eq!((sources.current.get(), sources.take_news().len()), (0, 0), "{target}");
        }
        for errno in [Errno::CONNREFUSED, Errno::MFILE, Errno::NOMEM] {
            let sources = Sources::default();
            let mut refuse = |_: Option<Ipv4Addr>| Err(Trouble::Io(errno.into()));
            assert!(connect(&sources, LOOPBACK, &mut refuse).is_err());
            assert_eq!(sources.current.get(), 0, "{errno:?}");
        }
    }

    #[test]
    fn a_connection_comes_from_the_address_it_is_told() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        for source in [Ipv4Addr::LOCALHOST, Ipv4Addr::new(127, 0, 0, 2), Ipv4Addr::new(127, 0, 0, 8)] {
            let connection = Connection::connect(address, None, Some(source)).unwrap();
            let (_, from) = listener.accept().unwrap();
            assert_eq!(from.ip(), IpAddr::V4(source));
            drop(connection);
        }
    }
}
