//! How many bytes of ordinary log lines are looked through for secrets in a second of one core:
//! `cargo run --release -p scrub --example look_through`.

use clock::Clock;
use scrub::KeptOut;

/// A shape of lines, and how one with a number in it is written.
type Lines = (&'static str, fn(u64) -> String);

const LINES: [Lines; 4] = [
    ("plain", |n| {
        format!("2026-11-22T10:27:{:02}.{:03}Z  INFO store: stored item {n} for user {}\n", n % 60, n % 1000, n % 77)
    }),
    ("JSON", |n| {
        let (at, trace) = (n % 60, n.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        format!(
            "{{\"ts\":\"10:27:{at:02}Z\",\"path\":\"/items/{n}?q=a%20b\",\"trace\":\"{trace:016x}\",\"said\":\"\\\"x\\\"\"}}\n"
        )
    }),
    ("access log", |n| {
        format!("127.0.0.1 - - [22/Nov/2026:10:27:{:02} +0000] \"GET /items/{n} HTTP/1.1\" 200 {}\n", n % 60, n % 3000)
    }),
    ("stack trace", |n| {
        format!("    at com.example.inventory.Store{}.process(Store.java:{}) ~[app.jar!/:1.2.0]\n", n % 7, n % 700)
    }),
];
/// What an instance's output is looked through in.
const PIECE: usize = 32 << 10;
const BYTES: usize = 4 << 20;

fn main() {
    let clock = Clock::system();
    let users: Vec<String> = (0..5000).map(|number| format!("user{number:05} Name")).collect();
    let kept_out = KeptOut::of(users.iter().map(|user| user.as_bytes())).with_secrets([&b"s3cr3t-Zq8vT1mN"[..]]);
    for (name, line) in LINES {
        let text: Vec<u8> = (0..).flat_map(|number| line(number).into_bytes()).take(BYTES).collect();
        let began = clock.now();
        let left: usize = text.chunks(PIECE).map(|piece| kept_out.cut_bytes(piece, &[]).len()).sum();
        let rate = BYTES as f64 / (clock.now() - began).as_secs_f64() / 1e6;
        println!("{name:12} {rate:6.2} MB/s ({left} of {BYTES} bytes left)");
    }
}
