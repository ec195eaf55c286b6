//! Free ports on the loopback interface.

use std::io;
use std::net::{Ipv4Addr, TcpListener};

/// How often a port that was given out before is refused before the search is given up.
const TRIES_MAX: u32 = 64;

/// Ports that are held until they are released, right before the process that shall listen on them starts.
///
/// Between release and bind somebody else can take one; the launcher notices (the listener is not ours, or the process
/// says "address in use") and tries others.
pub(crate) struct Held {
    listeners: Vec<TcpListener>,
    /// Names with their ports, in the order asked for.
    pub(crate) ports: Vec<(String, u16)>,
}

impl Held {
    /// Finds a free port for each name, none of them in `given`: an earlier instance may not be listening yet.
    ///
    /// # Errors
    /// When the system has no free port.
    pub(crate) fn find(names: &[String], given: &[u16]) -> io::Result<Self> {
        let mut held = Self { listeners: Vec::new(), ports: Vec::new() };
        let mut refused = Vec::new();
        for name in names {
            loop {
                let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
                let port = listener.local_addr()?.port();
                if given.contains(&port) && refused.len() < TRIES_MAX as usize {
                    // Held until the end, so that the system does not offer it again.
                    refused.push(listener);
                    continue;
                }
                held.listeners.push(listener);
                held.ports.push((name.clone(), port));
                break;
            }
        }
        Ok(held)
    }

    /// Lets go of the ports.
    pub(crate) fn release(self) -> Vec<(String, u16)> {
        drop(self.listeners);
        self.ports
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_differ_and_can_be_bound_once_released() {
        let names: Vec<_> = ["port", "admin", "peer"].map(str::to_owned).into();
        let held = Held::find(&names, &[]).unwrap();
        let [first, second, third] = [0, 1, 2].map(|index| held.ports[index].1);
        assert!(first != second && second != third && first != third);
        assert!(TcpListener::bind((Ipv4Addr::LOCALHOST, first)).is_err(), "held until released");
        let ports = held.release();
        assert_eq!(ports.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["port", "admin", "peer"]);
    }
}
