//! Whoever listens on the way to a server.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// Passes on what goes over a port of loopback, and remembers it.
pub struct Listener {
    port: u16,
    /// One direction of one connection after another, as they end.
    heard: Arc<Mutex<Vec<u8>>>,
}

impl Listener {
    /// Listens on a way to this port of loopback.
    pub fn before(server: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (port, heard) = (listener.local_addr().unwrap().port(), Arc::<Mutex<Vec<u8>>>::default());
        let all = heard.clone();
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let server = TcpStream::connect(("127.0.0.1", server)).unwrap();
                for (from, to) in [(&client, &server), (&server, &client)] {
                    let (from, to, all) = (from.try_clone().unwrap(), to.try_clone().unwrap(), all.clone());
                    std::thread::spawn(move || pass_on(from, to, &all));
                }
            }
        });
        Self { port, heard }
    }

    /// Where the way begins.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// What was stated on connections that have ended.
    pub fn heard(&self) -> Vec<u8> {
        self.heard.lock().unwrap().clone()
    }

    /// Whether these bytes were among it.
    pub fn has_heard(&self, text: &str) -> bool {
        self.heard.lock().unwrap().windows(text.len()).any(|piece| piece == text.as_bytes())
    }
}

/// What is cut by a read is whole again in what is remembered.
fn pass_on(mut from: TcpStream, mut to: TcpStream, all: &Mutex<Vec<u8>>) {
    let (mut own, mut bytes) = (Vec::new(), [0; 16 << 10]);
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        own.extend_from_slice(&bytes[..count]);
        if to.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Write);
    all.lock().unwrap().append(&mut own);
}
