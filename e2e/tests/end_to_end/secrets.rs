//! Secrets are put through every way into a run, and no byte that comes out of it holds one, however encoded.
#![allow(clippy::unwrap_used, reason = "a test")]
#![allow(clippy::disallowed_methods, reason = "tests of real processes wait in real time")]

use e2e::{Place, Ran, files, until};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;

/// The secrets of the study, by the names of their variables.
const SECRETS: [(&str, &str); 3] = [
    ("KEY", "kEy-9f8e7d/6c5b4a+32=1"),
    ("PASS", "hunter2-Quokka.55"),
    ("STORE", "postgres://lab:mango-Tapir-77@127.0.0.1:1/lab"),
];
/// What must not be found: those, what answers gave, and what stands in the study itself.
const HIDDEN: [&str; 7] = [
    "kEy-9f8e7d/6c5b4a+32=1",
    "hunter2-Quokka.55",
    "mango-Tapir-77",
    "ticket-Zebra-4711-b",
    "sid-Walrus-0815-c",
    "plain-Otter-2718",
    "field-Heron-3141",
];

/// How an echo writes what it was sent.
const CODES: [&str; 11] =
    ["plain", "percent", "upper", "json", "escaped", "xml", "entities", "base64", "hex", "list", "twice"];

fn encode(code: &str, text: &str) -> String {
    let each = |write: &dyn Fn(u8) -> String| text.bytes().map(write).collect::<String>();
    let percent = |byte: u8| match byte {
        _ if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        _ => format!("%{byte:02x}"),
    };
    match code {
        "percent" => each(&percent),
        "upper" => each(&|byte| format!("%{byte:02X}")),
        "json" => format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('/', "\\/")),
        "escaped" => each(&|byte| format!("\\u{:04x}", u32::from(byte))),
        "xml" => text.replace('&', "&amp;").replace('=', "&#x3D;").replace('/', "&sol;"),
        "entities" => each(&|byte| format!("&#{byte};")),
        "base64" => base64(format!("u:{text}").as_bytes()),
        "hex" => each(&|byte| format!("{byte:02x}")),
        "list" => each(&|byte| format!("{byte}, ")),
        "twice" => encode("percent", &encode("base64", text)),
        _ => text.to_owned(),
    }
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let group = |group: &[u8]| {
        let bits = group.iter().enumerate().fold(0u32, |bits, (k, byte)| bits | u32::from(*byte) << (16 - 8 * k));
        let digits = (0..=group.len()).map(|k| char::from(DIGITS[(bits >> (18 - 6 * k) & 63) as usize]));
        digits.chain("==".chars().take(3 - group.len())).collect::<String>()
    };
    bytes.chunks(3).map(group).collect()
}

/// A server that repeats what it is sent. It ends with the test's process.
fn parrot() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || repeat(stream));
        }
    });
    port
}

fn repeat(mut stream: TcpStream) -> Option<()> {
    stream.set_nodelay(true).ok()?;
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    loop {
        let (mut head, mut length) = (Vec::new(), 0);
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).ok()? == 0 {
                return None;
            }
            let line = line.trim().to_owned();
            if line.is_empty() {
                break;
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().ok()?;
            }
            head.push(line);
        }
        let mut body = String::new();
        reader.by_ref().take(length).read_to_string(&mut body).ok()?;
        let path = head.first()?.split(' ').nth(1)?.to_owned();
        let of = |name: &str| head.iter().find(|line| line.to_ascii_lowercase().starts_with(name)).cloned();
        let (status, header, answer) = match path.split('?').next()? {
            "/version" => (200, String::new(), "{\"name\":\"shop\",\"token\":\"sid-Walrus-0815-c\"}".to_owned()),
            "/login" => {
                (200, "x-session-id: sid-Walrus-0815-c\r\n".into(), "{\"ticket\":\"ticket-Zebra-4711-b\"}".to_owned())
            }
            "/found" => {
                (200, String::new(), "{\"token\":\"sid-Walrus-0815-c\",\"a\":\"hunter2-Quokka.55\"}".to_owned())
            }
            path => {
                let told = ["x-thing", "authorization", "x-api-key"].iter().filter_map(|name| of(name));
                // The key alone, then whole lines: an answer that is too long is not shown to its end.
                let told = format!("{body} {} {path}", told.collect::<Vec<_>>().join("; "));
                (500, String::new(), encode(path.strip_prefix("/echo/").unwrap_or_default(), &told))
            }
        };
        let head = format!("HTTP/1.1 {status} X\r\n{header}content-length: {}\r\n\r\n", answer.len());
        stream.write_all(head.as_bytes()).ok()?;
        stream.write_all(answer.as_bytes()).ok()?;
    }
}

/// An instance that tells its secret, and ends when loadproof is gone.
const TALKER: &str = "echo plain \"$KEY\"
printf '%s' \"user:$KEY\" | base64
printf '%s' \"$KEY\" | od -An -tx1
printf '%s' \"$KEY\" | od -c
printf '%s' \"$KEY\" | od -tx1z
printf '{\"password\": \"%s\"}\\n' field-Heron-3141
printf 'a line in two: %s' \"$(printf '%s' \"$KEY\" | cut -c1-9)\"
sleep 0.3
printf '%s\\nticket-Zebra-4711-b\\nspoken\\n' \"$(printf '%s' \"$KEY\" | cut -c10-)\"
while kill -0 $LOADPROOF_PARENT_PID 2>/dev/null; do echo \"again $KEY\" >&2; sleep 0.2; done
echo \"last $KEY\"
";

fn study(port: u16) -> String {
    let mut exchanges = String::new();
    let mut scenarios = String::new();
    for code in CODES {
        exchanges += &format!(
            "  echo_{code}: {{ http.post: {{ url: '$(shop.url)/echo/{code}?p=$(secret.PASS)', basic: 'perf:$(secret.PASS)', headers: {{ x-thing: $(secret.KEY), x-api-key: plain-Otter-2718 }}, body: file.txt }} }}\n"
        )
        .replace("body: file.txt", "file: file.txt");
        scenarios += &format!("  {code}: {{ load: {{ users: 1, count: 2 }}, run: [echo_{code}] }}\n");
    }
    format!(
        "study: Nothing gets out
data: {{ people: {{ file: people.csv }} }}
system:
  name: shop
  instances:
    shop: {{ url: 'http://127.0.0.1:{port}', ready: none, identity: {{ path: /version, expect: {{ name: shop }} }} }}
    talker: {{ start: 'sh talk.sh --password=plain-Otter-2718', ready: none, env: {{ KEY: $(secret.KEY), API_TOKEN: plain-Otter-2718 }} }}
watch: {{ store: {{ sql: {{ url: $(secret.STORE) }} }} }}
exchanges:
{exchanges}  login: {{ http.get: {{ url: $(shop.url)/login }}, capture: {{ pass_on: {{ from: json($.ticket), secret: true }}, sid: header(x-session-id) }} }}
  use: {{ http.post: {{ url: $(shop.url)/echo/plain, body: 'with $(pass_on) and $(sid)' }} }}
  coded: {{ http.post: {{ url: $(shop.url)/echo/base64, body: 'with $(pass_on) and $(sid)' }} }}
  found: {{ http.get: {{ url: $(shop.url)/found }}, check: json($.token) = other }}
  other: {{ http.get: {{ url: $(shop.url)/found }}, check: json($.a) = other }}
scenarios:
{scenarios}  used: {{ load: {{ users: 1, count: 3 }}, run: [login, use] }}
  in_code: {{ load: {{ users: 1, count: 3 }}, run: [login, coded] }}
  checked: {{ load: {{ users: 1, count: 2 }}, run: [found] }}
  checked_too: {{ load: {{ users: 1, count: 2 }}, run: [other] }}
report: {{ languages: [en, nl, da], formats: [html, md, docx, pdf, junit, json] }}
"
    )
}

fn prepare(place: &Place) {
    place.file("study.yaml", &study(parrot()));
    place.file("talk.sh", TALKER);
    place.file("file.txt", "say $(secret.KEY)");
    place.file("people.csv", "id\n1\n");
}

/// What a text reads as once decoded, in ways of the test's own.
fn readings(bytes: &[u8]) -> Vec<Vec<u8>> {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let mut all = vec![bytes.to_vec()];
    for (before, after, base, width) in
        [("%", "", 16, 2), ("\\u", "", 16, 4), ("&#x", ";", 16, 0), ("&#", ";", 10, 0), ("=", "", 16, 2)]
    {
        let (mut out, mut rest) = (Vec::new(), text.as_str());
        while let Some(at) = rest.find(before) {
            out.extend_from_slice(&rest.as_bytes()[..at]);
            let digits = &rest[at + before.len()..];
            let length = if width > 0 { width } else { digits.find(after).unwrap_or(9).min(9) };
            let value = digits.get(..length).and_then(|digits| u32::from_str_radix(digits, base).ok());
            match value.and_then(|value| u8::try_from(value).ok()) {
                Some(byte) => {
                    out.push(byte);
                    rest = &digits[length + after.len()..];
                }
                None => {
                    out.extend_from_slice(before.as_bytes());
                    rest = digits;
                }
            }
        }
        out.extend_from_slice(rest.as_bytes());
        all.push(out);
    }
    all.push(text.replace("\\/", "/").replace("&sol;", "/").replace("&amp;", "&").into_bytes());
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    };
    for shift in 0..4 {
        let mut out = Vec::new();
        for run in bytes.split(|byte| digit(*byte).is_none()).filter(|run| run.len() >= 8 + shift) {
            for four in run[shift..].chunks(4) {
                let bits = four
                    .iter()
                    .enumerate()
                    .fold(0u32, |bits, (k, byte)| bits | u32::from(digit(*byte).unwrap_or_default()) << (18 - 6 * k));
                out.extend_from_slice(&bits.to_be_bytes()[1..four.len().max(1)]);
            }
            out.push(b'\n');
        }
        all.push(out);
    }
    for shift in 0..2 {
        let digits: Vec<u8> = bytes.iter().filter(|byte| !b" :\n".contains(byte)).copied().collect();
        let is_digit = |byte: u8| byte.is_ascii_hexdigit();
        let mut out = Vec::new();
        for run in digits.split(|byte| !is_digit(*byte)).filter(|run| run.len() >= 12) {
            let pairs = run[shift..].chunks_exact(2).map(|pair| std::str::from_utf8(pair).unwrap());
            out.extend(pairs.map(|pair| u8::from_str_radix(pair, 16).unwrap()));
            out.push(b'\n');
        }
        all.push(out);
    }
    all
}

/// Texts up to this length are decoded twice over: samples and logs are; of a whole page once is enough.
const TWICE_MAX: usize = 20_000;

fn leaked_secret(bytes: &[u8]) -> Option<String> {
    leaked(bytes, &HIDDEN)
}

/// The first of the texts that are hidden of which half or more can be read in these bytes, however encoded.
pub(crate) fn leaked(bytes: &[u8], hidden: &[&str]) -> Option<String> {
    let pieces = hidden.iter().flat_map(|hidden| hidden.as_bytes().windows(hidden.len().div_ceil(2).max(6)));
    let pieces: Vec<&[u8]> = pieces.collect();
    let mut begins = vec![false; 1 << 16];
    pieces.iter().for_each(|piece| begins[usize::from(piece[0]) << 8 | usize::from(piece[1])] = true);
    let find = |reading: &[u8]| {
        let mut pairs = reading.windows(2).enumerate();
        let found = pairs.find_map(|(at, pair)| {
            let may_be = begins[usize::from(pair[0]) << 8 | usize::from(pair[1])];
            pieces.iter().find(|piece| may_be && reading[at..].starts_with(piece))
        });
        found.map(|piece| String::from_utf8_lossy(piece).into_owned())
    };
    readings(bytes).iter().find_map(|reading| {
        let again = if bytes.len() <= TWICE_MAX { readings(reading) } else { Vec::new() };
        find(reading).or_else(|| again.iter().find_map(|reading| find(reading)))
    })
}

/// A file with everything in it that is packed.
pub(crate) fn unpacked(path: &Path) -> Vec<Vec<u8>> {
    let bytes = std::fs::read(path).unwrap();
    let mut all = Vec::new();
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("docx") => {
            let mut archive = zip::ZipArchive::new(std::io::Cursor::new(&bytes)).unwrap();
            for index in 0..archive.len() {
                let mut inner = Vec::new();
                archive.by_index(index).unwrap().read_to_end(&mut inner).unwrap();
                all.push(inner);
            }
        }
        Some("pdf") => {
            let mark = b"stream\n";
            let starts = (0..bytes.len()).filter(|&at| bytes[at..].starts_with(mark));
            for at in starts {
                let mut inner = Vec::new();
                let _ = flate2::read::ZlibDecoder::new(&bytes[at + mark.len()..]).read_to_end(&mut inner);
                all.push(inner);
            }
        }
        _ => all.push(bytes),
    }
    all
}

fn assert_silent(place: &Place, run: &str) {
    let folder = place.path().join(run);
    let found = files(&folder);
    assert!(found.iter().any(|path| path.ends_with("logs/talker.log")), "{found:?}");
    for path in found.iter().filter(|path| path.extension().is_none_or(|extension| extension != "parquet")) {
        for bytes in unpacked(path) {
            assert_eq!(leaked_secret(&bytes), None, "{}", path.display());
        }
    }
    // Tables are packed: their rows are read as any reader of the folder would.
    let run = record::Run::open(&folder).unwrap();
    let notes: Vec<String> = run.notes().unwrap().map(|note| note.unwrap().text).collect();
    let events: Vec<String> = run.events().unwrap().into_iter().map(|event| event.text).collect();
    assert!(notes.len() >= CODES.len(), "{notes:#?}");
    for text in notes.iter().chain(&events) {
        assert_eq!(leaked_secret(text.as_bytes()), None, "{text}");
    }
}

fn assert_screen_is_silent(ran: &Ran) {
    assert_eq!(leaked_secret(ran.stdout.as_bytes()), None, "{}", ran.stdout);
    assert_eq!(leaked_secret(ran.stderr.as_bytes()), None, "{}", ran.stderr);
}

#[test]
fn the_search_finds_what_is_hidden() {
    for code in CODES {
        assert!(
            leaked_secret(encode(code, "x kEy-9f8e7d/6c5b4a+32=1 y").as_bytes()).is_some() || code == "list",
            "{code}"
        );
    }
    assert!(leaked_secret(b"kEy-9f8e7d/6").is_some() && leaked_secret(b"nothing of the kind").is_none());
}

#[test]
fn no_secret_gets_out_of_a_run_its_reports_or_a_trial() {
    let place = Place::new();
    prepare(&place);
    let ran = place.loadproof_with(&["check", "study.yaml", "--once"], &SECRETS);
    assert!([0, 1].contains(&ran.code), "{ran:#?}");
    assert!(ran.stdout.contains("‹kept out›") && ran.stderr.contains("study::written-secret"), "{ran:#?}");
    assert_screen_is_silent(&ran);
    let ran = place.loadproof_with(&["run", "study.yaml", "--out", "run"], &SECRETS);
    assert!([0, 1, 3].contains(&ran.code), "{ran:#?}");
    assert_screen_is_silent(&ran);
    assert_silent(&place, "run");
    let log = std::fs::read_to_string(place.path().join("run/logs/talker.log")).unwrap();
    assert!(log.contains("plain ‹kept out›\n") && log.contains("again ‹kept out›\n"), "{log}");
    assert!(!log.contains("9   f   8") && !log.contains("39 66 38"), "a dump: {log}");
    let study = std::fs::read_to_string(place.path().join("run/evidence/study.yaml")).unwrap();
    assert!(study.contains("$(secret.KEY)") && study.contains("secret: true"), "{study}");
    for name in ["report.docx", "report.pdf", "report.nl.html"] {
        assert!(files(&place.path().join("run")).iter().any(|path| path.ends_with(name)), "{name}");
    }
}

#[test]
fn a_killed_run_leaves_no_secret_behind() {
    let place = Place::new();
    prepare(&place);
    let long = study(parrot())
        .replace("used: { load: { users: 1, count: 3 }", "used: { load: { users: 1, hold: 10m, pacing: 100ms }");
    place.file("study.yaml", &long);
    let log = place.path().join("run/logs/talker.log");
    let mut child = std::process::Command::new(e2e::program("loadproof"))
        .args(["run", "study.yaml", "--out", "run"])
        .current_dir(place.path())
        .envs(SECRETS)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let says = |text: &str| std::fs::read_to_string(&log).is_ok_and(|log| log.contains(text));
    let is_spoken = until(120, || says("spoken") && says("again"));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(is_spoken);
    // Nobody reads for loadproof any more, and the instance still ends in its own way.
    assert!(until(60, || says("last ‹kept out›")), "{:?}", std::fs::read_to_string(&log));
    let log = std::fs::read(&log).unwrap();
    let without_ticket = String::from_utf8(log).unwrap().replace("ticket-Zebra-4711-b", "");
    assert_eq!(leaked_secret(without_ticket.as_bytes()), None, "{without_ticket}");
    place.file("run/logs/talker.log", &without_ticket);
    let ran = place.loadproof(&["report", "run", "--format", "html"]);
    assert_screen_is_silent(&ran);
    for path in files(&place.path().join("run")) {
        for bytes in unpacked(&path) {
            assert_eq!(leaked_secret(&bytes), None, "{}", path.display());
        }
    }
}

#[test]
fn the_last_words_of_an_instance_that_does_not_start_are_clean() {
    let place = Place::new();
    prepare(&place);
    let dies = study(parrot()).replace("talker: { start: 'sh talk.sh", "talker: { start: 'sh die.sh $(port)");
    place.file("study.yaml", &dies.replace("ready: none, env", "ready: /health, env"));
    place.file(
        "die.sh",
        "echo \"wrong $KEY\"; printf '%s' \"$KEY\" | base64 >&2; printf '%s' \"half of $KEY\"; exit 3\n",
    );
    for arguments in [&["run", "study.yaml", "--out", "run"][..], &["check", "study.yaml", "--once"]] {
        let ran = place.loadproof_with(arguments, &SECRETS);
        assert_eq!(ran.code, 3, "{ran:#?}");
        assert!(ran.stderr.contains("wrong ‹kept out›") && ran.stderr.contains("half of ‹kept out›"), "{ran:#?}");
        assert_screen_is_silent(&ran);
    }
    // An address that cannot be used is told without what it holds.
    let store = [SECRETS[0], SECRETS[1], ("STORE", "oracle://lab:mango-Tapir-77@127.0.0.1/lab")];
    let ran = place.loadproof_with(&["check", "study.yaml"], &store);
    assert_eq!(ran.code, 2, "{ran:#?}");
    assert_screen_is_silent(&ran);
}

/// What a failed check found is shortened: wherever the cut falls within an encoded secret, no half of it stays.
#[test]
fn a_secret_goes_wherever_what_a_check_found_is_shortened() {
    let secret = "corr3ct-h0rse+batt/ery=9&<x>\"q";
    let coded: String = secret.chars().map(|c| format!("\\u{:04x}", u32::from(c))).collect();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let body = coded.clone();
    // Ends with the test's process; each path says how much stands before the secret.
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (Ok(mut stream), body) = (stream, body.clone()) else { continue };
            std::thread::spawn(move || {
                let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
                while let Some(first) = lines.next() {
                    let before: usize = first.split(['/', ' ']).find_map(|word| word.parse().ok()).unwrap_or(0);
                    if lines.by_ref().find(|line| line.is_empty()).is_none() {
                        return;
                    }
                    let text = format!("{}{body}", "x".repeat(before));
                    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", text.len());
                    if stream.write_all((head + &text).as_bytes()).is_err() {
                        return;
                    }
                }
            });
        }
    });
    let place = Place::new();
    place.file("key", secret);
    let names: Vec<String> = (0..20).map(|number| format!("at{number}")).collect();
    let exchange = |(number, name): (usize, &String)| {
        let url = format!("http://{address}/{}", 90 + 8 * number);
        let header = if number == 0 { ", headers: { x-key: $(secret.KEY) }" } else { "" };
        format!("  {name}: {{ http.get: {{ url: \"{url}\"{header} }}, check: [ body contains zzz ], timeout: 5s }}\n")
    };
    let exchanges: String = names.iter().enumerate().map(exchange).collect();
    let study = format!(
        "study: Shortened\nsystem: {{ name: echo }}\nsecrets: {{ KEY: {{ file: key }} }}\nexchanges:\n{exchanges}scenarios:\n  one: {{ load: {{ arrivals: 1/s, hold: 2s }}, run: [{}] }}\n",
        names.join(", ")
    );
    place.file("study.yaml", &study);
    let ran = place.loadproof(&["check", "study.yaml", "--once"]);
    let all = format!("{}{}", ran.stdout, ran.stderr);
    assert!(all.matches("does not hold, found").count() == names.len(), "{ran:#?}");
    // Six characters are the least piece that is looked for.
    assert!(!all.contains(&coded[..6 * 6]), "{all}");
    assert!(all.contains("‹kept out›"), "{all}");
}
