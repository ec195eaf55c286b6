//! Limits of a process's control group, version 1 or 2: memory and processor time.

use std::path::{Path, PathBuf};

/// A limit from here on means none: version 1 writes the greatest number of pages.
const NO_LIMIT: u64 = 1 << 60;

/// Where a group is, and the file with its limit.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Group {
    mount: PathBuf,
    /// Path below the mount, without a leading `/`.
    path: String,
    file: &'static str,
}

/// The least memory limit of the process's group and the groups above it, bytes, with the folder that states it;
/// `None` when there is none below `machine`, the machine's memory.
pub(crate) fn memory_limit(pid: u32, machine: u64) -> Option<(u64, String)> {
    let groups = std::fs::read_to_string(format!("/proc/{pid}/cgroup")).ok()?;
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").ok()?;
    let limits = find(&groups, &mounts, &MEMORY).into_iter().flat_map(|group| limits(&group, &|_, text| limit(text)));
    limits.filter(|(limit, _)| *limit < machine).min_by_key(|(limit, _)| *limit)
}

/// The least processor time that the process's group and the groups above it may have, thousandths of a core, with the
/// folder that states it; `None` when there is no limit.
pub(crate) fn cpu_limit(pid: u32) -> Option<(u64, String)> {
    let groups = std::fs::read_to_string(format!("/proc/{pid}/cgroup")).ok()?;
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").ok()?;
    let read = |folder: &Path, text: &str| {
        // Version 1 has the period in a file of its own.
        let period = std::fs::read_to_string(folder.join("cpu.cfs_period_us")).unwrap_or_default();
        cores(text, &period)
    };
    let limits = find(&groups, &mounts, &PROCESSOR).into_iter().flat_map(|group| limits(&group, &read));
    limits.min_by_key(|(limit, _)| *limit)
}

/// Thousandths of a core from `quota period` (microseconds), or from a quota and the text of its period; `None` for
/// `max` and -1, which mean none.
fn cores(text: &str, period: &str) -> Option<u64> {
    let mut numbers = text.split_ascii_whitespace().chain(period.split_ascii_whitespace()).map(str::parse::<u64>);
    let (quota, period) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
    quota.checked_mul(1000)?.checked_div(period)
}

/// What limits something: its controller, and the file of a limit in version 2 and in version 1.
struct Limiter {
    controller: &'static str,
    files: [&'static str; 2],
}

const MEMORY: Limiter = Limiter { controller: "memory", files: ["memory.max", "memory.limit_in_bytes"] };
const PROCESSOR: Limiter = Limiter { controller: "cpu", files: ["cpu.max", "cpu.cfs_quota_us"] };

/// Limits of the group and all above it.
fn limits(group: &Group, read: &dyn Fn(&Path, &str) -> Option<u64>) -> Vec<(u64, String)> {
    let mut found = Vec::new();
    let mut path = Path::new(&group.path);
    loop {
        let folder = group.mount.join(path);
        let limit = std::fs::read_to_string(folder.join(group.file)).ok().and_then(|text| read(&folder, &text));
        found.extend(limit.map(|limit| (limit, folder.display().to_string())));
        match path.parent() {
            Some(parent) => path = parent,
            None => return found,
        }
    }
}

/// `max` or a number.
fn limit(text: &str) -> Option<u64> {
    text.trim().parse().ok().filter(|limit| *limit < NO_LIMIT)
}

/// The groups that can set this limit: of `/proc/PID/cgroup` (`number:controllers:path`) with their mounts of
/// `/proc/self/mountinfo` (proc(5): root in field 4, mount point in field 5, after ` - ` the type and its options).
fn find(groups: &str, mounts: &str, limiter: &Limiter) -> Vec<Group> {
    let mount = |line: &str| {
        let (fields, of) = line.split_once(" - ")?;
        let fields: Vec<_> = fields.split(' ').collect();
        let of: Vec<_> = of.split(' ').collect();
        let is_it = of.get(2)?.split(',').any(|option| option == limiter.controller);
        let version = match *of.first()? {
            "cgroup2" => 2,
            "cgroup" if is_it => 1,
            _ => return None,
        };
        Some((version, (*fields.get(3)?).to_owned(), PathBuf::from(fields.get(4)?)))
    };
    let mounts: Vec<_> = mounts.lines().filter_map(mount).collect();
    let group = |line: &str| {
        let mut parts = line.splitn(3, ':');
        let (number, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
        let (version, file) = match (number, controllers) {
            ("0", "") => (2, limiter.files[0]),
            (_, controllers) if controllers.split(',').any(|name| name == limiter.controller) => (1, limiter.files[1]),
            _ => return None,
        };
        let (_, root, mount) = mounts.iter().find(|(found, _, _)| *found == version)?;
        // Within a container the mount shows only what lies below its root.
        let path = path.strip_prefix(root.as_str()).filter(|_| root != "/").unwrap_or(path);
        let path = path.trim_start_matches('/').to_owned();
        let is_inside = path.split('/').all(|part| part != "..");
        is_inside.then(|| Group { mount: mount.clone(), path, file })
    };
    groups.lines().filter_map(group).collect()
}

/// Reads texts and leaves the result.
#[cfg(feature = "fuzz")]
pub(crate) fn parsed(groups: &str, mounts: &str) {
    for limiter in [&MEMORY, &PROCESSOR] {
        for group in find(groups, mounts, limiter) {
            assert!(!group.path.starts_with('/') && group.path.split('/').all(|part| part != ".."), "{group:?}");
        }
    }
    let _ = (limit(groups), cores(groups, mounts));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MOUNTS: &str = "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n\
        35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n\
        41 31 0:38 / /sys/fs/cgroup/unified rw,relatime shared:9 - cgroup2 cgroup2 rw\n";

    #[test]
    fn both_versions_are_found() {
        let groups = "8:pids:/\n4:memory:/jobs/shop\n0::/user.slice\n";
        let group = |mount: &str, path: &str, file| Group { mount: mount.into(), path: path.into(), file };
        let expected = [
            group("/sys/fs/cgroup/memory", "jobs/shop", "memory.limit_in_bytes"),
            group("/sys/fs/cgroup/unified", "user.slice", "memory.max"),
        ];
        assert_eq!(find(groups, MOUNTS, &MEMORY), expected);
        let time = find(groups, MOUNTS, &PROCESSOR);
        assert_eq!(time, [group("/sys/fs/cgroup/unified", "user.slice", "cpu.max")]);
        let inside = "41 31 0:38 /docker/abc /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
        assert_eq!(find("0::/docker/abc/shop\n", inside, &MEMORY), [group("/sys/fs/cgroup", "shop", "memory.max")]);
        assert!(find("0::/../../etc\n", MOUNTS, &MEMORY).is_empty());
    }

    #[test]
    fn no_limit_is_none() {
        assert_eq!(limit("max\n"), None);
        assert_eq!(limit("9223372036854771712\n"), None);
        assert_eq!(limit("536870912\n"), Some(512 << 20));
        // Both versions write microseconds: one and a half cores.
        assert_eq!((cores("150000 100000\n", ""), cores("75000\n", "50000\n")), (Some(1500), Some(1500)));
        assert_eq!((cores("max 100000\n", ""), cores("-1\n", "100000\n"), cores("5 0\n", "")), (None, None, None));
    }

    #[test]
    fn the_least_of_a_group_and_those_above_it_counts() {
        let folder = std::env::temp_dir().join(format!("loadproof-cgroup-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("a/b")).unwrap();
        std::fs::write(folder.join("a/memory.max"), "1000\n").unwrap();
        std::fs::write(folder.join("a/b/memory.max"), "max\n").unwrap();
        let group = Group { mount: folder.clone(), path: "a/b".into(), file: "memory.max" };
        let found = limits(&group, &|_, text| limit(text));
        assert_eq!(found, [(1000, folder.join("a").display().to_string())]);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(groups in "[0-9:/a-z.,\\n]{0,60}", mounts in "[0-9:/a-z \\-,\\n]{0,100}") {
            let _ = (find(&groups, &mounts, &MEMORY), cores(&groups, &mounts));
        }
    }
}
