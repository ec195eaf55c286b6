//! A server that answers at once and keeps the kernel's receive stamp of every request.

use crate::options::Options;
use crate::spread::{from_schedule, gaps, spread};
use anyhow::{Context, Result};
use nix::sys::socket::{ControlMessageOwned, MsgFlags, recvmsg, setsockopt, sockopt};
use rustix::event::epoll;
use serde_json::json;
use std::io::{IoSliceMut, Write};
use std::mem::MaybeUninit;
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsRawFd;

const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const LISTENER: u64 = u64::MAX;
const INPUT: u64 = u64::MAX - 1;
/// Beyond this no stamp is kept: 80 MB are enough for the longest bench.
const ARRIVALS_MAX: usize = 10_000_000;

/// Serves until standard input closes.
pub(crate) fn run(options: &Options) -> Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0").context("no port of 127.0.0.1 is free")?;
    listener.set_nonblocking(true)?;
    // Taken over by every connection, also for what comes before it is accepted.
    setsockopt(&listener, sockopt::ReceiveTimestampns, &true).context("this kernel stamps no arrivals")?;
    println!("listening on {}", listener.local_addr()?);
    std::io::stdout().flush()?;
    let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
    let watch = epoll::EventFlags::IN;
    epoll::add(&epoll, &listener, epoll::EventData::new_u64(LISTENER), watch)?;
    epoll::add(&epoll, std::io::stdin(), epoll::EventData::new_u64(INPUT), watch)?;
    let (mut connections, mut stamps) = (Vec::new(), Vec::with_capacity(100_000));
    let mut events = vec![MaybeUninit::uninit(); 512];
    loop {
        let ready: Vec<u64> = match epoll::wait(&epoll, &mut events[..], None) {
            Ok((events, _)) => events.iter().map(|event| event.data.u64()).collect(),
            Err(rustix::io::Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
        };
        for token in ready {
            match token {
                INPUT => return Ok(summary(stamps, options)),
                LISTENER => {
                    while let Ok((socket, _)) = listener.accept() {
                        prepare(&socket)?;
                        epoll::add(&epoll, &socket, epoll::EventData::new_u64(connections.len() as u64), watch)?;
                        connections.push(Some(socket));
                    }
                }
                slot => {
                    let place = &mut connections[slot as usize];
                    if !place.as_mut().is_some_and(|socket| serve(socket, &mut stamps)) {
                        *place = None;
                    }
                }
            }
        }
    }
}

fn prepare(socket: &TcpStream) -> Result<()> {
    socket.set_nonblocking(true)?;
    Ok(socket.set_nodelay(true)?)
}

/// Answers what has come; whether the connection stays.
fn serve(socket: &mut TcpStream, stamps: &mut Vec<i64>) -> bool {
    let mut buffer = [0; 16384];
    let mut space = nix::cmsg_space!(nix::sys::time::TimeSpec);
    let mut parts = [IoSliceMut::new(&mut buffer)];
    let (length, stamp) = {
        let Ok(message) = recvmsg::<()>(socket.as_raw_fd(), &mut parts, Some(&mut space), MsgFlags::empty()) else {
            return true;
        };
        let stamp = message.cmsgs().ok().and_then(|mut all| {
            all.find_map(|one| match one {
                ControlMessageOwned::ScmTimestampns(at) => Some(at.tv_sec() * 1_000_000_000 + at.tv_nsec()),
                _ => None,
            })
        });
        (message.bytes, stamp)
    };
    if length == 0 {
        return false;
    }
    // A request of a generator without a body ends with an empty line, and none is in parts: they are far below a segment.
    for _ in buffer[..length].windows(4).filter(|end| end == b"\r\n\r\n") {
        if let Some(stamp) = stamp.filter(|_| stamps.len() < ARRIVALS_MAX) {
            stamps.push(stamp);
        }
        if socket.write_all(ANSWER).is_err() {
            return false;
        }
    }
    true
}

fn summary(mut stamps: Vec<i64>, options: &Options) -> String {
    stamps.sort_unstable();
    let first = stamps.first().copied().unwrap_or_default();
    let arrivals: Vec<f64> = stamps.iter().map(|at| (at - first) as f64 / 1e3).collect();
    let interval = options.interval as f64;
    let seconds = arrivals.last().map_or(0.0, |last| last / 1e6);
    json!({
        "arrivals": arrivals.len(), "rate": (arrivals.len().max(1) - 1) as f64 / seconds.max(1e-9),
        "from_schedule_us": spread(from_schedule(&arrivals, interval)), "gaps_us": spread(gaps(&arrivals, interval)),
    })
    .to_string()
}
