//! A way to the page that can be cut.
//!
//! A browser is told that `localhost` is an address of loopback at which this listens, on the page's own port: so the page
//! is asked for under a name that is its own, and nothing in between changes a byte.

use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{IpAddr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Bytes that are passed on at a time.
const PIECE: usize = 16 * 1024;
/// Between two looks whether something is still held back.
const LOOK: Duration = Duration::from_millis(20);

/// Passes connections on to a server until it is cut.
#[derive(Clone)]
pub(super) struct Relay(Arc<Shared>);

struct Shared {
    address: SocketAddr,
    to: SocketAddr,
    is_cut: AtomicBool,
    is_held: AtomicBool,
    open: Mutex<Open>,
}

/// Connections of browsers, by number, each with what it is passed on to.
#[derive(Default)]
struct Open {
    next: u64,
    pairs: BTreeMap<u64, [TcpStream; 2]>,
}

impl Relay {
    /// Listens at `ip`, on the port of the server.
    ///
    /// # Errors
    /// An address that is taken.
    pub(super) fn start(ip: IpAddr, to: SocketAddr) -> Result<Self> {
        let address = SocketAddr::from((ip, to.port()));
        let listener = TcpListener::bind(address).with_context(|| format!("nothing can listen at {address}"))?;
        let address = listener.local_addr()?;
        let shared = Shared { address, to, is_cut: false.into(), is_held: false.into(), open: Mutex::default() };
        let relay = Self(Arc::new(shared));
        let own = relay.clone();
        std::thread::spawn(move || {
            for browser in listener.incoming().flatten() {
                own.pass(browser);
            }
        });
        Ok(relay)
    }

    /// Where it listens.
    pub(super) fn address(&self) -> SocketAddr {
        self.0.address
    }

    /// Cuts all connections, each in the middle of the next thing that the server says, and takes no new ones.
    pub(super) fn cut(&self) {
        self.0.is_cut.store(true, Ordering::SeqCst);
    }

    /// Takes connections again. Those that the server has said nothing on since are cut now.
    pub(super) fn mend(&self) {
        for (_, pair) in std::mem::take(&mut self.open().pairs) {
            close(&pair);
        }
        self.0.is_cut.store(false, Ordering::SeqCst);
    }

    /// Keeps back whatever is stated, until it is told otherwise: a network that stands still and closes nothing.
    pub(super) fn hold(&self, is_held: bool) {
        self.0.is_held.store(is_held, Ordering::SeqCst);
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.0.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_cut(&self) -> bool {
        self.0.is_cut.load(Ordering::SeqCst)
    }

    /// A connection that cannot be passed on is closed.
    fn pass(&self, browser: TcpStream) {
        if self.is_cut() {
            return;
        }
        let Ok(server) = TcpStream::connect(self.0.to) else { return };
        let _ = (browser.set_nodelay(true), server.set_nodelay(true));
        let (Ok(kept), Ok(kept_too)) = (browser.try_clone(), server.try_clone()) else { return };
        let (Ok(from), Ok(to)) = (browser.try_clone(), server.try_clone()) else { return };
        let number = {
            let mut open = self.open();
            open.next += 1;
            let number = open.next;
            open.pairs.insert(number, [kept, kept_too]);
            number
        };
        let [there, back] = [self.clone(), self.clone()];
        std::thread::spawn(move || there.copy(number, from, to, false));
        std::thread::spawn(move || back.copy(number, server, browser, true));
    }

    /// Copies one direction to its end; with it the other ends, too.
    fn copy(&self, number: u64, mut from: TcpStream, mut to: TcpStream, is_of_server: bool) {
        let mut piece = vec![0; PIECE];
        while let Ok(length @ 1..) = from.read(&mut piece) {
            while self.0.is_held.load(Ordering::SeqCst) && !self.is_cut() {
                std::thread::sleep(LOOK);
            }
            let is_last = is_of_server && self.is_cut();
            let length = if is_last { length.div_ceil(2) } else { length };
            if to.write_all(&piece[..length]).is_err() || is_last {
                break;
            }
        }
        if let Some(pair) = self.open().pairs.remove(&number) {
            close(&pair);
        }
    }
}

fn close(pair: &[TcpStream; 2]) {
    for stream in pair {
        let _ = stream.shutdown(Shutdown::Both);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader};

    /// A server that says each line again in capitals.
    fn server() -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                std::thread::spawn(move || {
                    let mut to = stream.try_clone().unwrap();
                    for line in BufReader::new(stream).lines().map_while(Result::ok) {
                        let _ = to.write_all(format!("{}\n", line.to_uppercase()).as_bytes());
                    }
                });
            }
        });
        address
    }

    fn said(stream: &mut TcpStream, text: &str) -> String {
        let _ = stream.write_all(text.as_bytes());
        let mut line = String::new();
        let _ = BufReader::new(stream).read_line(&mut line);
        line
    }

    #[test]
    fn it_passes_all_on_until_it_is_cut_and_again_once_it_is_mended() {
        let relay = Relay::start("127.0.0.2".parse().unwrap(), server()).unwrap();
        let connect = || TcpStream::connect(relay.address()).unwrap();
        let mut open = connect();
        assert_eq!(said(&mut open, "before\n"), "BEFORE\n");
        relay.hold(true);
        open.set_read_timeout(Some(LOOK * 5)).unwrap();
        assert_eq!(said(&mut open, "late\n"), "");
        open.set_read_timeout(None).unwrap();
        relay.hold(false);
        assert_eq!(said(&mut open, ""), "LATE\n");
        relay.cut();
        // Half of seven bytes, and the end.
        assert_eq!(said(&mut open, "during\n"), "DURI");
        assert_eq!(said(&mut connect(), "new\n"), "");
        relay.mend();
        assert_eq!(said(&mut connect(), "after\n"), "AFTER\n");
    }
}
