//! A tiny open-loop client that measures how true a target is: sends on schedule, prints response times.
//!
//! `cargo run -p target-common --example pace -- 127.0.0.1:PORT RATE SECONDS CONNECTIONS`
//!
//! Response times run from the intended start. It polls without sleeping, so it takes one core whole and adds
//! as little of its own as it can; with two cores the target has the other one.

#![allow(clippy::disallowed_methods, reason = "measures real time")]

use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Instant;

const REQUEST: &[u8] = b"GET /pace HTTP/1.1\r\nHost: localhost\r\n\r\n";

fn main() -> std::io::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [address, rate, seconds, count] = words.as_slice() else {
        eprintln!("error: four words are needed: ADDRESS RATE SECONDS CONNECTIONS, `127.0.0.1:8080 1000 10 250`");
        std::process::exit(2);
    };
    let number = |text: &String| text.parse::<u64>().map_err(std::io::Error::other);
    let (rate, seconds, count) = (number(rate)?.max(1), number(seconds)?, number(count)?);
    let mut streams = Vec::new();
    for _ in 0..count {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        streams.push(stream);
    }
    let (mut response, mut late) = drive(&mut streams, rate, rate * seconds)?;
    print("response", &mut response);
    print("sent late", &mut late);
    Ok(())
}

/// Prints mean and nearest-rank percentiles of `values` in nanoseconds; none of them rounded before.
fn print(name: &str, values: &mut [u64]) {
    values.sort_unstable();
    let ms = |ns: u64| ns as f64 / 1e6;
    let rank = |per_mille: usize| (values.len() * per_mille).div_ceil(1000).max(1) - 1;
    let at = |per_mille: usize| values.get(rank(per_mille)).map_or(f64::NAN, |ns| ms(*ns));
    let mean = ms(values.iter().sum::<u64>()) / values.len() as f64;
    println!(
        "{name}: n {} mean {mean:.3} p50 {:.3} p90 {:.3} p99 {:.3} p99.9 {:.3} max {:.3} ms",
        values.len(),
        at(500),
        at(900),
        at(990),
        at(999),
        at(1000)
    );
}

/// Sends `total` requests at `rate` a second; returns response times and lateness of sending, in ns.
fn drive(streams: &mut [TcpStream], rate: u64, total: u64) -> std::io::Result<(Vec<u64>, Vec<u64>)> {
    let (mut response, mut late) = (Vec::new(), Vec::new());
    let mut idle: VecDeque<usize> = (0..streams.len()).collect();
    let mut busy: VecDeque<(usize, u64)> = VecDeque::new();
    let mut buffer = [0; 4096];
    let origin = Instant::now();
    let now_ns = || origin.elapsed().as_nanos() as u64;
    let mut sent = 0;
    while (response.len() as u64) < total {
        let intended_ns = sent * 1_000_000_000 / rate;
        if sent < total
            && now_ns() >= intended_ns
            && let Some(index) = idle.pop_front()
        {
            streams[index].write_all(REQUEST)?;
            late.push(now_ns() - intended_ns);
            busy.push_back((index, intended_ns));
            sent += 1;
        }
        // One connection a turn: reading them all would make the next request late.
        let Some((index, intended_ns)) = busy.pop_front() else { continue };
        match streams[index].read(&mut buffer) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            // The answers of the targets are small enough to come in one piece.
            Ok(_) => {
                response.push(now_ns() - intended_ns);
                idle.push_back(index);
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => busy.push_back((index, intended_ns)),
            Err(error) => return Err(error),
        }
    }
    Ok((response, late))
}
