//! What kind of file this is, by its name and how it begins.

use crate::kind::Kind;

/// Bytes of the beginning that are looked at.
pub(crate) const LOOKED_AT: usize = 64 << 10;

/// What a member of an archive is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    Kind(Kind),
    /// An archive of its own.
    Archive,
    Empty,
    /// None that is known.
    Unknown,
}

/// Tells the kind; `beginning` is unpacked, where it was packed with gzip.
pub(crate) fn kind(path: &str, beginning: &[u8]) -> Found {
    let text = beginning.strip_prefix(b"\xef\xbb\xbf").unwrap_or(beginning);
    if text.trim_ascii().is_empty() {
        return Found::Empty;
    }
    if is_archive(beginning) {
        return Found::Archive;
    }
    by_content(text).or_else(|| by_name(path, text)).map_or(Found::Unknown, Found::Kind)
}

/// Tar, zip, gzip, bzip2, xz, zstd, 7z.
fn is_archive(bytes: &[u8]) -> bool {
    let magics: [&[u8]; 6] =
        [b"PK\x03\x04", b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd", b"7z\xbc\xaf\x27\x1c"];
    bytes.get(257..262) == Some(b"ustar") || magics.iter().any(|magic| bytes.starts_with(magic))
}

fn by_content(text: &[u8]) -> Option<Kind> {
    let first = text.split(|byte| *byte == b'\n').map(without_controls).find(|line| !line.is_empty())?;
    let has =
        |line: &[u8], words: &[&str]| words.iter().all(|word| memchr::memmem::find(line, word.as_bytes()).is_some());
    let any_line = |words: &[&str]| text.split(|byte| *byte == b'\n').take(200).any(|line| has(line, words));
    let is_json = first.starts_with(b"{");
    Some(match () {
        () if is_binary_gatling(text) || first.starts_with(b"RUN\t") || first.starts_with(b"ASSERTION\t") => {
            Kind::Gatling
        }
        () if has(text, &["<testResults"]) => Kind::JtlXml,
        () if has(first, &["timeStamp", "elapsed"]) => Kind::Jtl,
        () if first.starts_with(b"metric_name,timestamp,metric_value") => Kind::K6Csv,
        () if is_json && has(first, &["\"metric\"", "\"type\""]) => Kind::K6Json,
        () if has(first, &["Timestamp,User Count,Type,Name"])
            || first.starts_with(b"Type,Name,Request Count")
            || first.starts_with(b"Method,Name,Error,Occurrences")
            || first.starts_with(b"Count,Message,Traceback") =>
        {
            Kind::Locust
        }
        () if has(text, &["#[Histogram log format version"]) || first.starts_with(b"\"StartTimestamp\"") => Kind::Hdr,
        () if has(text, &["Detailed Percentile spectrum:"]) => Kind::Wrk2,
        () if any_line(&["swpd", "free", "buff"]) => Kind::Vmstat,
        () if any_line(&["EU", "OU", "YGC"]) || any_line(&["S0 ", "S1 ", "YGC", "FGCT"]) => Kind::Jstat,
        () if any_line(&["CONTAINER", "CPU %"]) || (is_json && has(first, &["\"CPUPerc\""])) => Kind::DockerStats,
        () if any_line(&["# hostname;interval;timestamp"]) || is_sar(first, &any_line) => Kind::Sar,
        () if any_line(&["TOPIC", "PARTITION", "LAG"]) => Kind::KafkaGroups,
        () if is_json && has(text, &["\"sampleCount\"", "\"meanResTime\""]) => Kind::Summary,
        () if is_json && has(text, &["\"metrics\"", "\"http_req_duration\""]) => Kind::Summary,
        () if is_json && has(text, &["\"stats\"", "\"numberOfRequests\"", "\"percentiles1\""]) => Kind::Summary,
        () if has(text, &["summary =", "Avg:"]) => Kind::Summary,
        () if any_line(&["[gc", "] "]) || any_line(&["[GC "]) || any_line(&["[Full GC "]) => Kind::Gc,
        () if text.split(|byte| *byte == b'\n').take(200).any(is_collection) => Kind::Gc,
        () => return None,
    })
}

/// A line without white space around it, and without what moves a terminal's cursor before it: screens of `docker stats`
/// begin so.
fn without_controls(line: &[u8]) -> &[u8] {
    let mut rest = line.trim_ascii();
    while let Some(sequence) = rest.strip_prefix(b"\x1b[") {
        // A sequence ends with its first letter.
        let end = sequence.iter().position(u8::is_ascii_alphabetic).map_or(sequence.len(), |end| end + 1);
        rest = sequence[end..].trim_ascii_start();
    }
    rest
}

/// `[2026-11-26T10:58:00.123+0000][0.025s] GC(0) Pause …`: with decorations that name no level and no tags, nothing else
/// tells a log of collections.
fn is_collection(line: &[u8]) -> bool {
    let number = memchr::memmem::find(line, b"] GC(").map(|place| &line[place + 5..]);
    line.starts_with(b"[") && number.is_some_and(|number| number.first().is_some_and(u8::is_ascii_digit))
}

/// `iostat` and `pidstat` begin with the same line as `sar`.
fn is_sar(first: &[u8], any_line: &dyn Fn(&[&str]) -> bool) -> bool {
    let blocks: [&[&str]; 5] =
        [&["CPU", "%idle"], &["runq-sz", "ldavg-1"], &["kbmemfree"], &["IFACE", "/s"], &["DEV", "tps"]];
    first.starts_with(b"Linux ")
        && blocks.iter().any(|words| any_line(words))
        && !any_line(&["avg-cpu:"])
        && !any_line(&["PID", "Command"])
}

/// A run's head: a byte of zero, the length of a version, and the version. A file of zeros is what a crash leaves.
fn is_binary_gatling(bytes: &[u8]) -> bool {
    matches!(bytes, [0, 0, 0, 0, 1..=40, first, ..] if first.is_ascii_digit())
}

/// Of an access log nothing shows how it reads, but it is called so, or begins with a request.
fn by_name(path: &str, text: &[u8]) -> Option<Kind> {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let has_request =
        ["\"GET ", "\"POST ", "\"PUT "].iter().any(|word| memchr::memmem::find(text, word.as_bytes()).is_some());
    (name.contains("access") || has_request).then_some(Kind::AccessLog)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_told_by_how_files_begin() {
        for (text, expected) in [
            ("timeStamp,elapsed,label\n", Found::Kind(Kind::Jtl)),
            ("<?xml version=\"1.0\"?>\n<testResults version=\"1.2\">", Found::Kind(Kind::JtlXml)),
            ("{\"type\":\"Metric\",\"metric\":\"vus\"}\n", Found::Kind(Kind::K6Json)),
            ("procs ---memory--- ---swap--\n r  b   swpd   free   buff  cache\n", Found::Kind(Kind::Vmstat)),
            ("Timestamp S0C S1C EU OC OU YGC\n", Found::Kind(Kind::Jstat)),
            ("  S0     S1     E      O      M     CCS    YGC     YGCT     FGC    FGCT\n", Found::Kind(Kind::Jstat)),
            ("CONTAINER ID   NAME   CPU %   MEM USAGE / LIMIT\n", Found::Kind(Kind::DockerStats)),
            ("\nGROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG\n", Found::Kind(Kind::KafkaGroups)),
            ("[0.010s][info][gc] Using G1\n", Found::Kind(Kind::Gc)),
            (
                "[2026-11-26T10:58:00.123+0000][0.025s] Using G1\n[2026-11-26T10:58:01.123+0000][1.025s] GC(0) Pause Young\n",
                Found::Kind(Kind::Gc),
            ),
            ("[2026-11-26T10:58:00.123+0000] GC(0) Pause Young (Normal)\n", Found::Kind(Kind::Gc)),
            ("[0.025s] GC(0) Pause Young (Normal)\n", Found::Kind(Kind::Gc)),
            ("[25ms] GC(0) Pause Young (Normal)\n", Found::Kind(Kind::Gc)),
            ("[2026-11-26T10:58:00.123+0000][0.025s][17][18] GC(0) Pause Young\n", Found::Kind(Kind::Gc)),
            ("[main] GC(x) is a name of ours\n", Found::Unknown),
            ("\u{1b}[2J\u{1b}[H{\"BlockIO\":\"0B / 0B\",\"CPUPerc\":\"0.50%\"}\n", Found::Kind(Kind::DockerStats)),
            ("\u{1b}[H\n{\"BlockIO\":\"0B / 0B\",\"CPUPerc\":\"0.50%\"}\n", Found::Kind(Kind::DockerStats)),
            ("Linux 6 (a) \t11/26/26 \t_x86_64_\t(2 CPU)\n\n10:00:00 CPU %user %idle\n", Found::Kind(Kind::Sar)),
            ("Linux 6 (a) \t11/26/26 \t_x86_64_\t(2 CPU)\n\navg-cpu: %user %idle\n", Found::Unknown),
            ("RUN\tlab.Shop\tshop\t1\t \t3.9.5\n", Found::Kind(Kind::Gatling)),
            ("1 - - [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.1\" 200 5\n", Found::Kind(Kind::AccessLog)),
            ("{\"Total\":{\"sampleCount\":1,\"meanResTime\":2}}", Found::Kind(Kind::Summary)),
            ("{\"stats\":{\"numberOfRequests\":{},\"percentiles1\":{}}}", Found::Kind(Kind::Summary)),
            (" \n", Found::Empty),
            ("PK\x03\x04x", Found::Archive),
            ("hello\n", Found::Unknown),
            ("\0\0\0\0\u{6}3.13.5", Found::Kind(Kind::Gatling)),
            ("\0\0\0\0\0\0\0\0", Found::Unknown),
        ] {
            assert_eq!(kind("logs/x", text.as_bytes()), expected, "{text}");
        }
        assert_eq!(kind("access_log.1", b"- nothing known -\n"), Found::Kind(Kind::AccessLog));
    }
}
