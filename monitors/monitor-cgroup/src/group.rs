//! Where a group is, in version 1 and 2, and what its files say.

use crate::files::{self, cores, disk, disk_v1, groups, is_stacked, keyed, limit, number, read, waited_us};
use crate::reading::Reading;
use std::path::{Path, PathBuf};

/// Controllers of version 1 that are read; each may have a hierarchy of its own.
const CONTROLLERS: [&str; 5] = ["cpu", "cpuacct", "memory", "blkio", "pids"];
/// Groups above a group that limit it, too.
const ABOVE_MAX: usize = 64;

/// The tree of files in which groups are looked for. It is a parameter, so that tests have one of their own, and so that a
/// container can look at that of its host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tree {
    /// `/sys/fs/cgroup`.
    pub(crate) root: PathBuf,
    /// `/proc`.
    pub(crate) proc: PathBuf,
}

/// A folder of a group, and the top of its hierarchy.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Folder {
    top: PathBuf,
    path: PathBuf,
}

/// A group: its folder of version 2, and those of the controllers of version 1. Both exist side by side on machines that
/// were never moved over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Group {
    unified: Option<Folder>,
    controllers: Vec<(&'static str, Folder)>,
}

impl Tree {
    /// Top of the hierarchy of version 2, if there is one.
    fn unified(&self) -> Option<PathBuf> {
        let candidates = [self.root.clone(), self.root.join("unified")];
        candidates.into_iter().find(|top| top.join("cgroup.controllers").is_file())
    }

    /// Top of a controller of version 1; `named` as `/proc/PID/cgroup` has it, such as `cpu,cpuacct`.
    fn controller(&self, name: &str, named: &str) -> Option<PathBuf> {
        let candidates = [self.root.join(named), self.root.join(name)];
        candidates.into_iter().find(|top| top.join("cgroup.procs").is_file())
    }

    /// What is missing here, if no group at all can be read.
    pub(crate) fn missing(&self) -> Option<String> {
        let has_any = self.unified().is_some() || CONTROLLERS.iter().any(|name| self.controller(name, name).is_some());
        let root = self.root.display();
        (!has_any).then(|| {
            format!("`{root}` has no control groups: neither a file `cgroup.controllers` (version 2) nor a folder `memory` or `cpu` (version 1)")
        })
    }

    /// The group of a process.
    ///
    /// # Errors
    /// Why it has none of its own.
    pub(crate) fn of_process(&self, pid: u32) -> Result<Group, String> {
        let file = self.proc.join(pid.to_string()).join("cgroup");
        let text =
            std::fs::read_to_string(&file).map_err(|error| format!("`{}` cannot be read: {error}", file.display()))?;
        let mut group = Group::default();
        let place = |top: PathBuf, path: &str| {
            let folder = top.join(path.trim_start_matches('/'));
            // In a container, the path may be that of the host, and the top what belongs to the container.
            let path = if folder.is_dir() { folder } else { top.clone() };
            let is_inside = path != top || lists(&top, pid);
            (is_inside && !is_top_of_all(&path)).then_some(Folder { top, path })
        };
        for (controllers, path) in groups(&text) {
            if controllers.is_empty() {
                group.unified = self.unified().and_then(|top| place(top, path));
                continue;
            }
            let named = controllers.join(",");
            for name in CONTROLLERS.into_iter().filter(|name| controllers.contains(name)) {
                let folder = self.controller(name, &named).and_then(|top| place(top, path));
                group.controllers.extend(folder.map(|folder| (name, folder)));
            }
        }
        if group == Group::default() {
            return Err(format!(
                "process {pid} is in no control group of its own, only in those at the top, which hold the whole machine"
            ));
        }
        Ok(group)
    }

    /// The group with this path, below the top of each hierarchy.
    ///
    /// # Errors
    /// That it is nowhere.
    pub(crate) fn at(&self, path: &str) -> Result<Group, String> {
        let below = Path::new(path).strip_prefix(&self.root).ok().and_then(Path::to_str).unwrap_or(path);
        let below = below.trim_start_matches('/');
        let place = |top: PathBuf| {
            let path = top.join(below);
            // Two paths may lead to one group.
            let (top, path) = (top.canonicalize().ok()?, path.canonicalize().ok()?);
            path.join("cgroup.procs").is_file().then_some(Folder { top, path })
        };
        let controllers = CONTROLLERS.into_iter().filter_map(|name| {
            let folder = self.controller(name, name).and_then(place)?;
            Some((name, folder))
        });
        let group = Group { controllers: controllers.collect(), unified: self.unified().and_then(place) };
        if group == Group::default() {
            return Err(format!("`{}` has no control group `{below}`", self.root.display()));
        }
        Ok(group)
    }
}

/// Whether a group lists a process as its own.
fn lists(folder: &Path, pid: u32) -> bool {
    read(folder, "cgroup.procs").is_some_and(|text| text.lines().any(|line| line.trim().parse() == Ok(pid)))
}

/// Whether it is the group at the top of a machine, which holds everything. Version 2 has `cgroup.type` in all others,
/// version 1 `release_agent` in that one alone.
fn is_top_of_all(folder: &Path) -> bool {
    let is_unified = folder.join("cgroup.controllers").is_file();
    if is_unified { !folder.join("cgroup.type").is_file() } else { folder.join("release_agent").is_file() }
}

impl Group {
    /// Its folders, each once.
    pub(crate) fn folders(&self) -> Vec<String> {
        let mut folders: Vec<String> = Vec::new();
        for folder in self.unified.iter().chain(self.controllers.iter().map(|(_, folder)| folder)) {
            let shown = folder.path.display().to_string();
            if !folders.contains(&shown) {
                folders.push(shown);
            }
        }
        folders
    }

    fn folder(&self, controller: &str) -> Option<&Folder> {
        self.controllers.iter().find(|(name, _)| *name == controller).map(|(_, folder)| folder)
    }

    /// Whether one of its controllers' groups is one of the other's: then a figure of both is of the same processes.
    pub(crate) fn shares(&self, other: &Self) -> bool {
        let others = other.folders();
        self.folders().iter().any(|folder| others.contains(folder))
    }

    /// Everything that its files say now; nothing where the group is gone.
    pub(crate) fn read(&self, ticks_per_second: f64) -> Reading {
        let mut reading = Reading::default();
        if let Some(folder) = &self.unified {
            unified(folder, &mut reading);
        }
        let of = |name: &str| self.folder(name);
        if let Some(folder) = of("cpuacct") {
            processor(&folder.path, ticks_per_second, &mut reading);
        }
        if let Some(folder) = of("cpu") {
            quota(folder, &mut reading);
        }
        if let Some(folder) = of("memory") {
            memory(folder, &mut reading);
        }
        if let Some(folder) = of("blkio") {
            let read = ["blkio.throttle.io_service_bytes_recursive", "blkio.throttle.io_service_bytes"]
                .into_iter()
                .find_map(|name| read(&folder.path, name));
            reading.disk = read.map(|text| disk_v1(&text, &is_stacked)).or(reading.disk);
        }
        if let Some(folder) = of("pids") {
            tasks(folder, &mut reading);
        }
        reading
    }
}

impl Folder {
    /// The least limit of the group and those above it, by the file that has it.
    fn least<T: PartialOrd>(&self, of: impl Fn(&Path) -> Option<T>) -> Option<T> {
        let above = self.path.ancestors().take_while(|path| path.starts_with(&self.top)).take(ABOVE_MAX);
        above.filter_map(of).reduce(|least, other| if other < least { other } else { least })
    }

    fn number(&self, name: &str) -> Option<u64> {
        read(&self.path, name).and_then(|text| number(&text))
    }

    fn least_limit(&self, name: &str) -> Option<u64> {
        self.least(|path| limit(&read(path, name)?))
    }
}

fn seconds(microseconds: u64) -> f64 {
    microseconds as f64 / 1e6
}

fn unified(folder: &Folder, reading: &mut Reading) {
    let text = |name: &str| read(&folder.path, name).unwrap_or_default();
    let stat = text("cpu.stat");
    reading.cpu_s = keyed(&stat, "usage_usec").map(seconds);
    reading.user_s = keyed(&stat, "user_usec").map(seconds);
    reading.system_s = keyed(&stat, "system_usec").map(seconds);
    reading.periods = keyed(&stat, "nr_periods");
    reading.throttled_periods = keyed(&stat, "nr_throttled");
    reading.throttled_s = keyed(&stat, "throttled_usec").map(seconds);
    reading.cpu_limit = folder.least(|path| cores(&read(path, "cpu.max")?));
    reading.memory = folder.number("memory.current");
    reading.memory_limit = folder.least_limit("memory.max");
    reading.swap = folder.number("memory.swap.current");
    let stat = text("memory.stat");
    reading.inactive_file = keyed(&stat, "inactive_file");
    reading.anonymous = keyed(&stat, "anon");
    let events = text("memory.events");
    reading.limit_hits = keyed(&events, "max");
    reading.oom_kills = keyed(&events, "oom_kill");
    let [processor, memory, disks] = ["cpu.pressure", "memory.pressure", "io.pressure"].map(text);
    reading.some_us = [&processor, &memory, &disks].map(|text| waited_us(text, "some"));
    reading.full_us = [&memory, &disks].map(|text| waited_us(text, "full"));
    reading.disk = read(&folder.path, "io.stat").map(|text| disk(&text, &is_stacked));
    reading.tasks = folder.number("pids.current");
    reading.tasks_limit = folder.least_limit("pids.max");
}

fn processor(path: &Path, ticks_per_second: f64, reading: &mut Reading) {
    reading.cpu_s = read(path, "cpuacct.usage").and_then(|text| number(&text)).map(|nanos| nanos as f64 / 1e9);
    let stat = read(path, "cpuacct.stat").unwrap_or_default();
    let part = |key: &str| keyed(&stat, key).map(|ticks| ticks as f64 / ticks_per_second);
    (reading.user_s, reading.system_s) = (part("user"), part("system"));
}

fn quota(folder: &Folder, reading: &mut Reading) {
    let stat = read(&folder.path, "cpu.stat").unwrap_or_default();
    reading.periods = keyed(&stat, "nr_periods");
    reading.throttled_periods = keyed(&stat, "nr_throttled");
    reading.throttled_s = keyed(&stat, "throttled_time").map(|nanos| nanos as f64 / 1e9);
    reading.cpu_limit = folder.least(|path| {
        let (quota, period) = (read(path, "cpu.cfs_quota_us")?, read(path, "cpu.cfs_period_us")?);
        cores(&format!("{} {}", quota.trim(), period.trim()))
    });
}

fn memory(folder: &Folder, reading: &mut Reading) {
    reading.memory = folder.number("memory.usage_in_bytes");
    reading.memory_limit = folder.least_limit("memory.limit_in_bytes");
    let stat = read(&folder.path, "memory.stat").unwrap_or_default();
    // Those with `total_` count the groups below it, too, as `usage_in_bytes` does.
    reading.inactive_file = keyed(&stat, "total_inactive_file");
    reading.anonymous = keyed(&stat, "total_rss");
    reading.swap = keyed(&stat, "total_swap");
    reading.limit_hits = folder.number("memory.failcnt");
    reading.oom_kills = read(&folder.path, "memory.oom_control").and_then(|text| keyed(&text, "oom_kill"));
}

fn tasks(folder: &Folder, reading: &mut Reading) {
    reading.tasks = folder.number("pids.current");
    reading.tasks_limit = folder.least_limit("pids.max");
}

/// Bytes that a process's network has carried; `None` where its network is the machine's, or is not to be seen.
pub(crate) fn network_of(proc: &Path, pid: u32) -> Option<(u64, u64)> {
    let space = |pid: &str| std::fs::read_link(proc.join(pid).join("ns/net")).ok();
    let (own, other) = (space("self")?, space(&pid.to_string())?);
    (own != other)
        .then(|| read(&proc.join(pid.to_string()).join("net"), "dev"))
        .flatten()
        .and_then(|text| files::network(&text))
}

#[cfg(test)]
#[path = "group_tests.rs"]
mod tests;
