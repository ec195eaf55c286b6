//! Texts of a group's files. Each takes a text, so that texts of real machines can be tried.
//!
//! Source: Linux, Documentation/admin-guide/cgroup-v2.rst, cgroup-v1/ and accounting/psi.rst.

use std::path::Path;

/// Limits from here on mean none: version 1 writes the greatest number of pages.
const NO_LIMIT: u64 = 1 << 60;
/// A file of a group is a few kilobytes; `io.stat` has a line a device.
const BYTES_MAX: usize = 256 * 1024;

/// A file of a group as text; `None` where it is missing or cannot be read.
pub(crate) fn read(folder: &Path, name: &str) -> Option<String> {
    use std::io::Read;
    let file = std::fs::File::open(folder.join(name)).ok()?;
    let mut text = String::new();
    file.take(BYTES_MAX as u64).read_to_string(&mut text).ok()?;
    Some(text)
}

/// A number that stands alone.
pub(crate) fn number(text: &str) -> Option<u64> {
    text.trim().parse().ok()
}

/// A limit; `None` for `max`, and for a number so large that it means none.
pub(crate) fn limit(text: &str) -> Option<u64> {
    number(text).filter(|limit| *limit < NO_LIMIT)
}

/// The number after a key, `usage_usec 123`.
pub(crate) fn keyed(text: &str, key: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix([' ', '\t'])?.trim().parse().ok())
}

/// Cores of `quota period` in microseconds; `None` where the quota is `max` or -1.
pub(crate) fn cores(text: &str) -> Option<f64> {
    let mut numbers = text.split_ascii_whitespace();
    let (quota, period) = (numbers.next()?.parse::<u64>().ok()?, numbers.next()?.parse::<u64>().ok()?);
    (period > 0).then(|| quota as f64 / period as f64)
}

/// Microseconds after `some` or `full` in a file of pressure.
pub(crate) fn waited_us(text: &str, which: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(which)?.strip_prefix(' '))?;
    line.split_ascii_whitespace().find_map(|word| word.strip_prefix("total="))?.parse().ok()
}

/// Bytes read and written, all devices together: `8:0 rbytes=1 wbytes=2 …`.
pub(crate) fn disk(text: &str, is_stacked: &dyn Fn(&str) -> bool) -> (u64, u64) {
    let of = |line: &str| {
        let number = |key: &str| line.split_ascii_whitespace().find_map(|word| word.strip_prefix(key)?.parse().ok());
        Some((line.split_ascii_whitespace().next()?.to_owned(), number("rbytes=")?, number("wbytes=")?))
    };
    sum_once(text.lines().filter_map(of), is_stacked)
}

/// The same of version 1: `8:0 Read 123`.
pub(crate) fn disk_v1(text: &str, is_stacked: &dyn Fn(&str) -> bool) -> (u64, u64) {
    let of = |line: &str| {
        let mut words = line.split_ascii_whitespace();
        let (device, which, bytes) = (words.next()?, words.next()?, words.next()?.parse::<u64>().ok()?);
        match which {
            "Read" => Some((device.to_owned(), bytes, 0)),
            "Write" => Some((device.to_owned(), 0, bytes)),
            _ => None,
        }
    };
    sum_once(text.lines().filter_map(of), is_stacked)
}

/// Bytes of devices, `8:0`, read and written. What goes through a volume that is stacked upon others (LVM, LUKS, md) has a
/// line there and again at the disks below, which count; where none of those is seen, the volume does.
pub(crate) fn sum_once(
    devices: impl Iterator<Item = (String, u64, u64)>,
    is_stacked: &dyn Fn(&str) -> bool,
) -> (u64, u64) {
    let (stacked, disks): (Vec<_>, Vec<_>) = devices.partition(|(device, ..)| is_stacked(device));
    let counted = if disks.is_empty() { stacked } else { disks };
    counted
        .into_iter()
        .fold((0, 0), |all, (_, read, written)| (u64::saturating_add(all.0, read), u64::saturating_add(all.1, written)))
}

/// Whether a block device of this machine, `253:0`, is stacked upon others.
pub(crate) fn is_stacked(device: &str) -> bool {
    let is_number = device.split(':').all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
    let below = is_number.then(|| std::fs::read_dir(format!("/sys/dev/block/{device}/slaves")).ok()).flatten();
    below.is_some_and(|mut below| below.next().is_some())
}

/// Bytes in and out of `/proc/PID/net/dev`, loopback left out.
pub(crate) fn network(text: &str) -> Option<(u64, u64)> {
    let mut sum = None;
    for line in text.lines() {
        let Some((name, rest)) = line.split_once(':') else { continue };
        let mut numbers = rest.split_ascii_whitespace().map(|word| word.parse::<u64>().ok());
        let (Some(received), Some(sent)) = (numbers.next().flatten(), numbers.nth(7).flatten()) else { continue };
        let (all_received, all_sent) = sum.unwrap_or((0_u64, 0_u64));
        if name.trim() == "lo" {
            sum = Some((all_received, all_sent));
        } else {
            sum = Some((all_received.saturating_add(received), all_sent.saturating_add(sent)));
        }
    }
    sum
}

/// Groups of a process, of `/proc/PID/cgroup`: controllers (none for version 2) and path.
pub(crate) fn groups(text: &str) -> Vec<(Vec<&str>, &str)> {
    let group = |line| {
        let mut parts = str::splitn(line, 3, ':');
        let (_, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
        // What lies above what can be seen from here, or is gone, is not a folder.
        let is_inside =
            path.starts_with('/') && path.split('/').all(|part| part != "..") && !path.ends_with(" (deleted)");
        let controllers = controllers.split(',').filter(|name| !name.is_empty()).collect();
        is_inside.then_some((controllers, path))
    };
    text.lines().filter_map(group).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn texts_of_real_groups() {
        assert_eq!((limit("max\n"), limit("536870912\n"), limit("9223372036854771712\n")), (None, Some(1 << 29), None));
        let stat = "usage_usec 1500000\nuser_usec 1000000\nsystem_usec 500000\nnr_periods 20\nnr_throttled 5\n";
        assert_eq!(
            (keyed(stat, "usage_usec"), keyed(stat, "nr_throttled"), keyed(stat, "usage")),
            (Some(1_500_000), Some(5), None)
        );
        assert_eq!(
            (cores("150000 100000\n"), cores("max 100000\n"), cores("-1 100000"), cores("5 0")),
            (Some(1.5), None, None, None)
        );
        let pressure =
            "some avg10=0.12 avg60=0.05 avg300=0.01 total=48151623\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=7\n";
        assert_eq!((waited_us(pressure, "some"), waited_us(pressure, "full")), (Some(48_151_623), Some(7)));
        let lines = "8:0 rbytes=100 wbytes=20 rios=1 wios=2 dbytes=0 dios=0\n8:16 rbytes=1 wbytes=2\n";
        assert_eq!(disk(lines, &|_| false), (101, 22));
        let lines = "8:0 Read 100\n8:0 Write 20\n8:0 Sync 5\n8:0 Total 120\n8:16 Read 1\nTotal 121\n";
        assert_eq!(disk_v1(lines, &|_| false), (101, 20));
        let dev = "Inter-|   Receive                                                |  Transmit\n \
            face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed\n    \
            lo: 500 5 0 0 0 0 0 0 500 5 0 0 0 0 0 0\n  eth0: 1000 10 0 0 0 0 0 0 2000 20 0 0 0 0 0 0\n";
        assert_eq!(network(dev), Some((1000, 2000)));
        assert_eq!(network("nothing"), None);
        let text = "5:cpu,cpuacct:/docker/a\n1:name=systemd:/x\n0::/docker/a\n3:memory:/../b\n2:pids:/c (deleted)\n";
        let expected = vec![(vec!["cpu", "cpuacct"], "/docker/a"), (vec!["name=systemd"], "/x"), (vec![], "/docker/a")];
        assert_eq!(groups(text), expected);
    }

    /// A volume of LVM upon LUKS upon a disk: the same 20 bytes stand there three times.
    #[test]
    fn what_goes_through_stacked_devices_is_counted_once() {
        let is_volume = |device: &str| device.starts_with("253:");
        let v2 = "259:0 rbytes=100 wbytes=20\n253:1 rbytes=100 wbytes=20\n253:0 rbytes=90 wbytes=20\n";
        assert_eq!(disk(v2, &is_volume), (100, 20));
        assert_eq!(disk("253:0 rbytes=90 wbytes=20\n", &is_volume), (90, 20), "the disk below is not seen");
        let v1 = "253:0 Read 90\n253:0 Write 20\n259:0 Read 100\n259:0 Write 20\n";
        assert_eq!(disk_v1(v1, &is_volume), (100, 20));
        assert!(!is_stacked("../../x") && !is_stacked("Total") && !is_stacked("999999:999999"));
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "[a-zR=:/.0-9,\\- \\n]{0,120}") {
            let _ = (number(&text), limit(&text), keyed(&text, "a"), cores(&text), waited_us(&text, "some"));
            let _ = (disk(&text, &|_| false), disk_v1(&text, &|_| true), network(&text));
            for (_, path) in groups(&text) {
                prop_assert!(path.starts_with('/') && path.split('/').all(|part| part != ".."));
            }
        }
    }
}
