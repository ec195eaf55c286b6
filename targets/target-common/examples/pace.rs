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

use target_common::Lateness;

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
    let (response, late, sum_ns) = drive(&mut streams, rate, rate * seconds)?;
    let ms = |ns: u64| ns as f64 / 1e6;
    let line = |name: &str, values: &Lateness| {
        println!(
            "{name}: n {} p50 {:.3} p90 {:.3} p99 {:.3} p99.9 {:.3} max {:.3} ms",
            values.count(),
            ms(values.quantile_ns(0.5)),
            ms(values.quantile_ns(0.9)),
            ms(values.quantile_ns(0.99)),
            ms(values.quantile_ns(0.999)),
            ms(values.max_ns())
        );
    };
    line("response", &response);
    line("sent late", &late);
    println!("mean response {:.3} ms", sum_ns as f64 / 1e6 / response.count().max(1) as f64);
    Ok(())
}

/// Sends `total` requests at `rate` a second; returns response times, lateness of sending, and the sum of the first.
fn drive(streams: &mut [TcpStream], rate: u64, total: u64) -> std::io::Result<(Lateness, Lateness, u64)> {
    let (mut response, mut late, mut sum_ns) = (Lateness::default(), Lateness::default(), 0);
    let mut idle: VecDeque<usize> = (0..streams.len()).collect();
    let mut busy: VecDeque<(usize, u64)> = VecDeque::new();
    let mut buffer = [0; 4096];
    let origin = Instant::now();
    let now_ns = || origin.elapsed().as_nanos() as u64;
    let mut sent = 0;
    while response.count() < total {
        let intended_ns = sent * 1_000_000_000 / rate;
        if sent < total
            && now_ns() >= intended_ns
            && let Some(index) = idle.pop_front()
        {
            streams[index].write_all(REQUEST)?;
            late.record(now_ns() - intended_ns);
            busy.push_back((index, intended_ns));
            sent += 1;
        }
        // One connection a turn: reading them all would make the next request late.
        let Some((index, intended_ns)) = busy.pop_front() else { continue };
        match streams[index].read(&mut buffer) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            // The answers of the targets are small enough to come in one piece.
            Ok(_) => {
                let response_ns = now_ns() - intended_ns;
                response.record(response_ns);
                sum_ns += response_ns;
                idle.push_back(index);
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => busy.push_back((index, intended_ns)),
            Err(error) => return Err(error),
        }
    }
    Ok((response, late, sum_ns))
}
