//! Trees of files laid out as `/sys/fs/cgroup` is, in version 1, 2 and both.

use super::*;

/// A machine's files under one folder.
pub(crate) struct Machine {
    folder: tempfile::TempDir,
}

impl Machine {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// Writes a file, with the folders above it.
    pub(crate) fn file(&self, path: &str, text: &str) -> &Self {
        let path = self.folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        self
    }

    pub(crate) fn tree(&self) -> Tree {
        Tree { root: self.folder.path().join("cgroup"), proc: self.folder.path().join("proc") }
    }

    /// Version 2 with one service below a slice that limits it.
    pub(crate) fn unified() -> Self {
        let machine = Self::new();
        machine
            .file("cgroup/cgroup.controllers", "cpu memory\n")
            .file("cgroup/cgroup.procs", "1\n")
            .file("cgroup/memory.stat", "anon 5\n")
            .file("cgroup/shop.slice/cgroup.controllers", "cpu memory")
            .file("cgroup/shop.slice/cgroup.type", "domain\n")
            .file("cgroup/shop.slice/cgroup.procs", "")
            .file("cgroup/shop.slice/memory.max", "1000\n")
            .file("cgroup/shop.slice/cpu.max", "50000 100000\n");
        for (name, text) in [
            ("cgroup.controllers", "cpu memory"),
            ("cgroup.type", "domain\n"),
            ("cgroup.procs", "4711\n"),
            ("cpu.max", "max 100000\n"),
            (
                "cpu.stat",
                "usage_usec 1500000\nuser_usec 1000000\nsystem_usec 500000\nnr_periods 20\nnr_throttled 5\nthrottled_usec 250000\n",
            ),
            ("memory.current", "800\n"),
            ("memory.max", "4096\n"),
            ("memory.stat", "anon 600\nfile 200\ninactive_file 150\n"),
            ("memory.events", "low 0\nhigh 0\nmax 7\noom 1\noom_kill 2\noom_group_kill 0\n"),
            ("memory.swap.current", "0\n"),
            ("memory.pressure", "some avg10=0.00 total=11\nfull avg10=0.00 total=12\n"),
            ("cpu.pressure", "some avg10=0.00 total=13\n"),
            ("io.stat", "8:0 rbytes=100 wbytes=20\n"),
            ("pids.current", "3\n"),
            ("pids.max", "max\n"),
        ] {
            machine.file(&format!("cgroup/shop.slice/shop.service/{name}"), text);
        }
        machine.file("proc/4711/cgroup", "0::/shop.slice/shop.service\n").file("proc/1/cgroup", "0::/\n");
        machine
    }
}

#[test]
fn version_2_with_limits_from_above() {
    let tree = Machine::unified().tree();
    assert!(tree.missing().is_some(), "its folder is gone with the machine");
    let machine = Machine::unified();
    let tree = machine.tree();
    assert_eq!(tree.missing(), None);
    let group = tree.of_process(4711).unwrap();
    let by_path = tree.at("shop.slice/shop.service").unwrap();
    assert_eq!(group.read(100.0), by_path.read(100.0));
    assert_eq!(by_path, tree.at(&tree.root.join("shop.slice/shop.service").display().to_string()).unwrap());
    let expected = Reading {
        cpu_s: Some(1.5),
        user_s: Some(1.0),
        system_s: Some(0.5),
        cpu_limit: Some(0.5),
        periods: Some(20),
        throttled_periods: Some(5),
        throttled_s: Some(0.25),
        memory: Some(800),
        inactive_file: Some(150),
        memory_limit: Some(1000),
        anonymous: Some(600),
        swap: Some(0),
        limit_hits: Some(7),
        oom_kills: Some(2),
        some_us: [Some(13), Some(11), None],
        full_us: [Some(12), None],
        tasks: Some(3),
        tasks_limit: None,
        disk: Some((100, 20)),
        network: None,
    };
    assert_eq!(group.read(100.0), expected);
    let why = tree.of_process(1).unwrap_err();
    assert!(why.contains("only in those at the top"), "{why}");
    assert!(tree.of_process(99).unwrap_err().contains("cannot be read"));
    assert!(tree.at("no/such").unwrap_err().contains("no control group `no/such`"));
}

#[test]
fn version_1_with_a_hierarchy_for_each_controller() {
    let machine = Machine::new();
    for top in ["cpu,cpuacct", "memory", "pids", "blkio"] {
        machine.file(&format!("cgroup/{top}/cgroup.procs"), "1\n").file(&format!("cgroup/{top}/release_agent"), "");
    }
    for (name, text) in [
        ("cpu,cpuacct/docker/a/cgroup.procs", "4711\n"),
        ("cpu,cpuacct/docker/a/cpuacct.usage", "1500000000\n"),
        ("cpu,cpuacct/docker/a/cpuacct.stat", "user 100\nsystem 50\n"),
        ("cpu,cpuacct/docker/a/cpu.stat", "nr_periods 20\nnr_throttled 5\nthrottled_time 250000000\n"),
        ("cpu,cpuacct/docker/a/cpu.cfs_quota_us", "-1\n"),
        ("cpu,cpuacct/docker/a/cpu.cfs_period_us", "100000\n"),
        ("cpu,cpuacct/docker/cpu.cfs_quota_us", "150000\n"),
        ("cpu,cpuacct/docker/cpu.cfs_period_us", "100000\n"),
        ("memory/docker/a/memory.usage_in_bytes", "800\n"),
        ("memory/docker/a/memory.limit_in_bytes", "9223372036854771712\n"),
        ("memory/docker/a/memory.stat", "rss 1\ntotal_rss 600\ntotal_inactive_file 150\ntotal_swap 4\n"),
        ("memory/docker/a/memory.failcnt", "7\n"),
        ("memory/docker/a/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n"),
        ("blkio/docker/a/blkio.throttle.io_service_bytes", "8:0 Read 100\n8:0 Write 20\nTotal 120\n"),
    ] {
        machine.file(&format!("cgroup/{name}"), text);
    }
    machine.file("proc/4711/cgroup", "4:pids:/\n3:cpu,cpuacct:/docker/a\n2:memory:/docker/a\n1:blkio:/docker/a\n");
    let tree = machine.tree();
    let group = tree.of_process(4711).unwrap();
    let expected = Reading {
        cpu_s: Some(1.5),
        user_s: Some(1.0),
        system_s: Some(0.5),
        cpu_limit: Some(1.5),
        periods: Some(20),
        throttled_periods: Some(5),
        throttled_s: Some(0.25),
        memory: Some(800),
        inactive_file: Some(150),
        anonymous: Some(600),
        swap: Some(4),
        limit_hits: Some(7),
        oom_kills: Some(2),
        disk: Some((100, 20)),
        ..Reading::default()
    };
    assert_eq!(group.read(100.0), expected, "its tasks are in the group of the whole machine");
    assert_eq!(group.folders().len(), 3, "{:?}", group.folders());
    assert!(group.shares(&group.clone()) && !group.shares(&Group::default()));
}

/// Inside a container the path is that of the host, and what is mounted is the container's own.
#[test]
fn a_container_that_sees_only_itself() {
    let machine = Machine::new();
    machine.file("cgroup/memory/cgroup.procs", "1\n4711\n").file("cgroup/memory/memory.usage_in_bytes", "800\n");
    machine.file("proc/4711/cgroup", "2:memory:/docker/a\n").file("proc/5/cgroup", "2:memory:/docker/b\n");
    let group = machine.tree().of_process(4711).unwrap();
    assert_eq!(group.read(100.0).memory, Some(800));
    assert!(machine.tree().of_process(5).is_err(), "a process that the group does not list is elsewhere");
}

#[test]
fn a_tree_without_groups_says_what_is_missing() {
    let machine = Machine::new();
    machine.file("cgroup/readme", "nothing\n");
    let missing = machine.tree().missing().unwrap();
    assert!(missing.contains("neither a file `cgroup.controllers` (version 2)"), "{missing}");
    assert_eq!(network_of(&machine.tree().proc, 1), None);
}
