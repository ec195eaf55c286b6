//! On which disk an instance keeps its data: of the files that it has open for writing, where most of their bytes lie.

use crate::facts;
use contract::FactKind;
use rustix::fs::{major, minor};
use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Descriptors looked at, of all processes of an instance together: a server may have ten thousand connections.
pub(crate) const DESCRIPTORS_MAX: usize = 20_000;
/// Characters kept of what firmware says.
const MODEL_CHARS_MAX: usize = 60;
/// Disks named below one that is made of others.
const PARTS_MAX: usize = 8;
/// Sectors of `/sys/…/size` have so many bytes whatever the disk's own have (Linux, `Documentation/ABI/stable/sysfs-block`).
const SECTOR_BYTES: u64 = 512;

/// A device by its numbers.
pub(crate) type Device = (u32, u32);

/// Texts of a disk's folder in `/sys`, apart from `partition`, which only a part of a disk has.
pub(crate) const TEXTS: [&str; 5] = ["dm/name", "device/model", "size", "queue/rotational", "queue/scheduler"];
/// The folder there that names the disks of which one is made.
pub(crate) const SLAVES: &str = "slaves";

/// One open descriptor of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Descriptor {
    pub(crate) pid: u32,
    pub(crate) number: u32,
}

impl Descriptor {
    /// The link to what it has open.
    pub(crate) fn link(self) -> String {
        format!("/proc/{}/fd/{}", self.pid, self.number)
    }

    /// The file that tells how it is open.
    pub(crate) fn info(self) -> String {
        format!("/proc/{}/fdinfo/{}", self.pid, self.number)
    }
}

/// Files that are open for writing: of each device their bytes, and one of them.
#[derive(Debug, Default)]
pub(crate) struct Written(BTreeMap<Device, (u64, Descriptor)>);

impl Written {
    /// Adds a descriptor if it counts: `info` is its file, `file` the device number and the size of a regular file.
    pub(crate) fn add(
        &mut self,
        descriptor: Descriptor,
        info: impl FnOnce() -> Option<String>,
        file: impl FnOnce() -> Option<(u64, u64)>,
    ) {
        // The standard streams go to whoever started the process.
        if descriptor.number <= 2 || !info().is_some_and(|text| is_written(&text)) {
            return;
        }
        let Some((device, bytes)) = file() else { return };
        let known = self.0.entry((major(device), minor(device))).or_insert((0, descriptor));
        known.0 = known.0.saturating_add(bytes);
    }

    /// The device on which most of the bytes lie, with a file there.
    pub(crate) fn most(self) -> Option<(Device, Descriptor)> {
        let most = self.0.into_iter().max_by_key(|(_, (bytes, _))| *bytes);
        most.map(|(device, (_, descriptor))| (device, descriptor))
    }
}

/// What is known of the disk on which these processes have their data; nothing where they write to no file, or where the
/// system does not say.
pub(crate) fn captured(pids: &[u32]) -> Vec<(FactKind, String)> {
    let mut written = Written::default();
    let mut left = DESCRIPTORS_MAX;
    for pid in pids {
        written_by(*pid, &mut left, &mut written);
    }
    let Some((device, descriptor)) = written.most() else { return Vec::new() };
    let file = std::fs::read_link(descriptor.link()).unwrap_or_default();
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let mount = mount_of(&mounts, device, &file);
    let folder = folder_of(device).or_else(|| {
        let number = std::fs::metadata(mount.as_ref()?.device_file()?).ok()?.rdev();
        folder_of((major(number), minor(number)))
    });
    let disk = folder.map(|folder| {
        let read = |name: &str| std::fs::read_to_string(folder.join(name)).ok();
        let list = |name: &str| {
            let entries = std::fs::read_dir(folder.join(name)).into_iter().flatten().flatten();
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
        };
        of_disk(&folder, &read, &list)
    });
    facts_of(disk, mount)
}

/// The facts of a disk, where there is one, and of the file system on it.
pub(crate) fn facts_of(disk: Option<Vec<(FactKind, String)>>, mount: Option<Mount>) -> Vec<(FactKind, String)> {
    let file_system = mount.map(|mount| (facts::FILE_SYSTEM, cleaned(&mount.kind)));
    disk.into_iter().flatten().chain(file_system).collect()
}

/// Adds the files that a process has open.
fn written_by(pid: u32, left: &mut usize, written: &mut Written) {
    let entries = std::fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    for entry in entries {
        if *left == 0 {
            return;
        }
        *left -= 1;
        let name = entry.file_name();
        let Some(number) = name.to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        let descriptor = Descriptor { pid, number };
        let info = || std::fs::read_to_string(descriptor.info()).ok();
        // Through the link, so that a file that was removed counts as long as it is open.
        let file = || std::fs::metadata(descriptor.link()).ok().filter(std::fs::Metadata::is_file);
        written.add(descriptor, info, || file().map(|file| (file.dev(), file.len())));
    }
}

/// Whether the `flags` of `/proc/PID/fdinfo/N`, octal as in open(2), allow writing.
fn is_written(fdinfo: &str) -> bool {
    let flags = fdinfo.lines().find_map(|line| line.strip_prefix("flags:"));
    flags.and_then(|flags| u64::from_str_radix(flags.trim(), 8).ok()).is_some_and(|flags| flags & 0o3 != 0)
}

/// Where a file system is mounted from.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Mount {
    kind: String,
    source: String,
}

impl Mount {
    /// The device that it is mounted from: a file system of several disks has a number of its own, and one of them as its
    /// source.
    pub(crate) fn device_file(&self) -> Option<&str> {
        Some(self.source.as_str()).filter(|source| source.starts_with("/dev/"))
    }
}

/// The mount that a file lies on: that of its device, else the last one on the way to it (proc(5): device in field 3,
/// mount point in field 5, after ` - ` type and source).
pub(crate) fn mount_of(mountinfo: &str, device: Device, file: &Path) -> Option<Mount> {
    let mut best: Option<((bool, usize), Mount)> = None;
    for line in mountinfo.lines() {
        let Some((fields, of)) = line.split_once(" - ") else { continue };
        let mut fields = fields.split(' ').skip(2);
        let (Some(number), Some(point)) = (fields.next(), fields.nth(1)) else { continue };
        let mut of = of.split(' ');
        let (Some(kind), Some(source)) = (of.next(), of.next()) else { continue };
        let is_it = number
            .split_once(':')
            .is_some_and(|(major, minor)| (major.parse().ok(), minor.parse().ok()) == (Some(device.0), Some(device.1)));
        // Blanks in names are written `\040`; such a mount is found by its device alone.
        let is_on_the_way = file.starts_with(point);
        let rank = (is_it, if is_on_the_way { point.len() } else { 0 });
        // Of two mounts at one place the later one hides the other.
        if (is_it || is_on_the_way) && best.as_ref().is_none_or(|(known, _)| *known <= rank) {
            best = Some((rank, Mount { kind: kind.to_owned(), source: source.to_owned() }));
        }
    }
    best.map(|(_, mount)| mount)
}

/// Folder of a block device in `/sys`; `None` for what is not a block device, such as memory or a network.
fn folder_of((major, minor): Device) -> Option<PathBuf> {
    std::fs::canonicalize(format!("/sys/dev/block/{major}:{minor}")).ok()
}

/// Facts of a block device, by its folder; a partition is of the disk in whose folder it lies. `read` has the text of a file,
/// and `list` the names in a folder, of paths below this one; those of the disk of a partition begin with `../`.
pub(crate) fn of_disk(
    folder: &Path,
    read: &dyn Fn(&str) -> Option<String>,
    list: &dyn Fn(&str) -> Vec<String>,
) -> Vec<(FactKind, String)> {
    let is_part = read("partition").is_some();
    let disk = folder.parent().filter(|_| is_part).unwrap_or(folder);
    let place = |path: &str| if is_part { format!("../{path}") } else { path.to_owned() };
    let name = |folder: &Path| folder.file_name().map(|name| cleaned(&name.to_string_lossy())).unwrap_or_default();
    let [mapped, model, size, rotational, scheduler] =
        TEXTS.map(|path| read(&place(path)).map(|text| cleaned(&text)).filter(|text| !text.is_empty()));
    let mut words = vec![name(folder)];
    if is_part {
        words[0] = format!("{} of {}", words[0], name(disk));
    }
    let mapped = mapped.map(|mapped| format!("`{mapped}`"));
    words.extend(mapped.into_iter().chain(model));
    let sectors = size.and_then(|text| text.parse::<u64>().ok());
    words.extend(sectors.map(|sectors| {
        let bytes = sectors.saturating_mul(SECTOR_BYTES) as f64;
        format!("{:.1} GiB", bytes / 1_073_741_824.0)
    }));
    let mut parts = list(&place(SLAVES));
    parts.sort();
    parts.truncate(PARTS_MAX);
    if !parts.is_empty() {
        let parts: Vec<String> = parts.iter().map(|part| cleaned(part)).collect();
        words.push(format!("on {}", parts.join(" and ")));
    }
    let mut found = vec![(facts::DISK, words.join(", "))];
    let kind = rotational.and_then(|text| match text.as_str() {
        "0" => Some(facts::STEADY),
        "1" => Some(facts::ROTATING),
        _ => None,
    });
    found.extend(kind.map(|kind| (facts::DISK_KIND, kind.to_owned())));
    found.extend(scheduler.map(|text| (facts::DISK_SCHEDULER, chosen(&text).to_owned())));
    found
}

/// Of `none [mq-deadline] kyber` the one in brackets; all of it where there is none.
fn chosen(text: &str) -> &str {
    let inside = text.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
    inside.map_or(text, |(chosen, _)| chosen)
}

/// A name or a line as it may be shown, whoever wrote it.
fn cleaned(text: &str) -> String {
    let shown: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MODEL_CHARS_MAX).collect();
    shown.trim().to_owned()
}

/// Reads texts and leaves the result.
#[cfg(feature = "fuzz")]
pub(crate) fn parsed(text: &str, mounts: &str) {
    let _ = (is_written(text), chosen(text).len() <= text.len());
    if let Some(mount) = mount_of(mounts, (8, 1), Path::new("/data/file")) {
        assert!(mounts.contains(&mount.kind) && mounts.contains(&mount.source), "{mount:?}");
    }
    of_disk(Path::new("/nowhere/sda/sda1"), &|_| Some(text.to_owned()), &|_| vec![text.to_owned()]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    const MOUNTS: &str = "\
22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard
31 27 8:17 / /data rw,noatime shared:5 - xfs /dev/sdb1 rw
33 31 0:44 /sub /data/tree rw - btrfs /dev/sdc rw
35 27 0:50 / /tmp rw - tmpfs tmpfs rw
36 27 0:51 / /tmp rw - tmpfs second rw
no line of it
";

    #[test]
    fn a_mount_is_that_of_the_device_or_the_last_on_the_way() {
        let of = |device: Device, file: &str| {
            mount_of(MOUNTS, device, Path::new(file)).map(|mount| (mount.kind, mount.source))
        };
        let is = |kind: &str, source: &str| Some((kind.to_owned(), source.to_owned()));
        assert_eq!(of((8, 17), "/data/store/ibdata1"), is("xfs", "/dev/sdb1"));
        assert_eq!(of((254, 0), "/database/x"), is("ext4", "/dev/vda"), "`/data` is not on the way to it");
        // A subvolume of btrfs has a number that no mount has.
        assert_eq!(of((0, 77), "/data/tree/x"), is("btrfs", "/dev/sdc"));
        assert_eq!(of((0, 99), "/tmp/x"), is("tmpfs", "second"), "the later one hides the other");
        assert_eq!(of((0, 99), "relative"), None);
        assert_eq!(mount_of("", (8, 1), Path::new("/")), None);
    }

    #[test]
    fn a_disk_says_model_size_kind_and_scheduler_also_of_a_partition() {
        let texts = |path: &str| {
            let text = match path {
                "/sys/block/sdb/sdb1/partition" => "1\n",
                "/sys/block/sdb/device/model" => "WDC WD10EZEX-08W\u{7}   \n",
                "/sys/block/sdb/size" => "1953525168\n",
                "/sys/block/sdb/queue/rotational" => "1\n",
                "/sys/block/sdb/queue/scheduler" => "none [mq-deadline] kyber\n",
                "/sys/block/vda/size" => "536870912\n",
                "/sys/block/vda/queue/rotational" => "0\n",
                "/sys/block/vda/queue/scheduler" => "none\n",
                "/sys/block/dm-0/dm/name" => "vg-data\n",
                _ => return None,
            };
            Some(text.to_owned())
        };
        let of = |folder: &str| {
            let whole = |path: &str| match path.strip_prefix("../") {
                Some(path) => format!("{}/{path}", folder.rsplit_once('/').unwrap().0),
                None => format!("{folder}/{path}"),
            };
            let list = |path: &str| match whole(path).as_str() {
                "/sys/block/dm-0/slaves" => vec!["sdc".to_owned(), "sda\n2".to_owned()],
                _ => Vec::new(),
            };
            let found = of_disk(Path::new(folder), &|path| texts(&whole(path)), &list);
            found.into_iter().map(|(kind, value)| (kind.name, value)).collect::<Vec<_>>()
        };
        let is = |facts: &[(&'static str, &str)]| {
            facts.iter().map(|(name, value)| (*name, (*value).to_owned())).collect::<Vec<_>>()
        };
        // 1953525168 sectors of 512 bytes: a disk that is sold as 1 TB.
        assert_eq!(
            of("/sys/block/sdb/sdb1"),
            is(&[
                ("disk", "sdb1 of sdb, WDC WD10EZEX-08W, 931.5 GiB"),
                ("kind of disk", facts::ROTATING),
                ("disk scheduler", "mq-deadline")
            ])
        );
        assert_eq!(
            of("/sys/block/vda"),
            is(&[("disk", "vda, 256.0 GiB"), ("kind of disk", facts::STEADY), ("disk scheduler", "none")])
        );
        assert_eq!(of("/sys/block/dm-0"), is(&[("disk", "dm-0, `vg-data`, on sda 2 and sdc")]));
        assert_eq!(of("/sys/block/loop9"), is(&[("disk", "loop9")]), "what nobody says is left out");
    }

    #[test]
    fn only_what_may_be_written_counts() {
        for (text, is) in [
            ("pos:\t0\nflags:\t0100000\nmnt_id:\t27\n", false),
            ("pos:\t0\nflags:\t0100001\n", true),
            ("pos:\t0\nflags:\t02100002\n", true),
            ("flags:\tnone\n", false),
            ("", false),
        ] {
            assert_eq!(is_written(text), is, "{text:?}");
        }
    }

    #[test]
    fn the_disk_of_this_process_is_that_of_the_file_that_it_writes() {
        let mut file = tempfile::tempfile_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        // Larger than whatever else the test program may have open.
        file.set_len(1 << 30).unwrap();
        file.write_all(b"data").unwrap();
        let device = file.metadata().unwrap().dev();
        let found = captured(&[std::process::id()]);
        let of = |kind: &FactKind| found.iter().find(|(known, _)| known == kind).map(|(_, value)| value.clone());
        let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap();
        let expected = mount_of(&mounts, (major(device), minor(device)), Path::new(env!("CARGO_MANIFEST_DIR")));
        assert_eq!(of(&facts::FILE_SYSTEM), expected.map(|mount| mount.kind));
        if let Some(folder) = folder_of((major(device), minor(device))) {
            let name = folder.file_name().unwrap().to_string_lossy().into_owned();
            assert!(of(&facts::DISK).is_some_and(|disk| disk.starts_with(&name)), "{found:?}");
        }
        assert!(captured(&[]).is_empty());
    }
}
