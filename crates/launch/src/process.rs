//! One process that was started: in a group of its own, and reaped in the end whatever happens.

use crate::keeper::{Keeping, LogKeeper, timespec};
use clock::Clock;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fd::OwnedFd;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, WaitIdStatus, kill_process, kill_process_group, pidfd_open, waitid,
};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::fs::OpenOptions;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use terms::Nanos;

/// The password of the server at which load nodes are met (`cli`): it is no business of the system.
const NOT_INHERITED: [&str; 2] = ["LOADPROOF_NATS_PASSWORD", "LOADPROOF_NATS_PASSWORD_FILE"];
/// Between two looks at whether a process group is empty.
const GROUP_PAUSE: Nanos = Nanos::from_millis(20);

/// Looks, [`GROUP_PAUSE`] apart, at whether a killed group is gone.
const KILL_LOOKS_MAX: u32 = 100;

/// What to start.
pub(crate) struct Recipe<'a> {
    pub(crate) program: PathBuf,
    pub(crate) arguments: &'a [String],
    pub(crate) environment: &'a [(String, String)],
    /// Processor cores; empty for all.
    pub(crate) cores: &'a [u32],
    /// Folder in which it starts.
    pub(crate) folder: &'a Path,
    /// File for what it writes, both ways.
    pub(crate) log: &'a Path,
    /// Who looks through that before it is written.
    pub(crate) keeper: Option<&'a LogKeeper>,
}

/// A started process. It stays unreaped until [`Process::end`], so that its id cannot pass to a stranger meanwhile.
pub(crate) struct Process {
    child: Child,
    pid: Pid,
    descriptor: OwnedFd,
    /// The process that keeps its log.
    keeper: Option<Keeping>,
    is_reaped: bool,
}

impl Process {
    /// Starts it.
    ///
    /// # Errors
    /// One sentence, such as a core that this machine does not have.
    pub(crate) fn start(recipe: &Recipe<'_>) -> Result<Self, String> {
        let log = |error| format!("its log `{}` cannot be written: {error}", recipe.log.display());
        let file = OpenOptions::new().create(true).append(true).open(recipe.log).map_err(log)?;
        let (out, err, keeper) = match recipe.keeper {
            Some(keeper) => {
                let (out, keeping) = keeper.start(file)?;
                (Stdio::from(out.try_clone().map_err(log)?), Stdio::from(out), Some(keeping))
            }
            None => (Stdio::from(file.try_clone().map_err(log)?), Stdio::from(file), None),
        };
        let mut command = Command::new(&recipe.program);
        command.args(recipe.arguments).current_dir(recipe.folder);
        // What it shows of its environment is kept in its log.
        NOT_INHERITED.iter().for_each(|name| _ = command.env_remove(name));
        command.envs(recipe.environment.iter().map(|(name, value)| (name, value)));
        // A group of its own: Ctrl-C reaches loadproof alone, which then ends the instances in order.
        command.stdin(Stdio::null()).stdout(out).stderr(err).process_group(0);
        let child = spawn_pinned(&mut command, recipe.cores)?;
        // The command holds the output open, for which the keeper would wait.
        drop(command);
        let pid = Pid::from_child(&child);
        match pidfd_open(pid, PidfdFlags::empty()) {
            Ok(descriptor) => Ok(Self { child, pid, descriptor, keeper, is_reaped: false }),
            Err(error) => {
                let mut child = child;
                let _ = child.kill();
                let _ = child.wait();
                Err(format!("cannot be watched: {error}"))
            }
        }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// How it ended, in words; `None` while it lives.
    pub(crate) fn exit(&self) -> Option<String> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        waitid(WaitId::Pid(self.pid), options).ok().flatten().map(|status| in_words(&status))
    }

    /// Waits until its log has what it wrote, at most a while.
    pub(crate) fn wait_for_log(&self) {
        if let Some(keeper) = &self.keeper {
            keeper.wait(self.exit().is_some());
        }
    }

    /// Waits until it ends, at most so long.
    pub(crate) fn wait(&self, at_most: Nanos) {
        // An interrupting signal ends the wait early; every caller looks again.
        let _ = poll(&mut [PollFd::new(&self.descriptor, PollFlags::IN)], Some(&timespec(at_most)));
    }

    /// Asks the group to end.
    pub(crate) fn ask_to_end(&self) {
        if !self.is_reaped {
            let _ = kill_process_group(self.pid, Signal::TERM);
        }
    }

    /// Ends it after [`Process::ask_to_end`]: waits for the whole group until `deadline`, then kills what is left, and
    /// reaps. Returns how it ended, and whether that was in time.
    pub(crate) fn end(&mut self, clock: &Clock, deadline: Nanos) -> (String, bool) {
        while self.exit().is_none() && clock.now() < deadline {
            self.wait(deadline - clock.now());
        }
        while !is_empty_but_for(self.pid) && clock.now() < deadline {
            clock.sleep_until((clock.now() + GROUP_PAUSE).min(deadline));
        }
        let is_in_time = self.exit().is_some();
        self.kill();
        let text = self.exit().unwrap_or_else(|| "ended in an unknown way".to_owned());
        self.reap();
        (text, is_in_time)
    }

    /// Kills the whole group at once and waits until it is gone; a member that the kernel does not let go, as one that
    /// waits for a broken disk, is not waited for longer than a while.
    fn kill(&mut self) {
        // The id is still ours, since nobody has reaped it.
        let _ = kill_process_group(self.pid, Signal::KILL);
        let _ = kill_process(self.pid, Signal::KILL);
        while self.exit().is_none() {
            self.wait(Nanos::SECOND);
        }
        for _ in 0..KILL_LOOKS_MAX {
            if is_empty_but_for(self.pid) {
                break;
            }
            let _ = poll(&mut [], Some(&timespec(GROUP_PAUSE)));
        }
    }

    fn reap(&mut self) {
        let _ = self.child.wait();
        self.is_reaped = true;
        if let Some(keeper) = &mut self.keeper {
            keeper.end();
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if !self.is_reaped {
            self.kill();
            self.reap();
        }
    }
}

/// Starts the command on some cores. A process inherits the cores of the thread that starts it, so a thread of its own
/// is pinned first: no moment passes in which the process runs elsewhere, as there would be when pinning it afterwards.
fn spawn_pinned(command: &mut Command, cores: &[u32]) -> Result<Child, String> {
    let not_started = |error: std::io::Error| format!("cannot be started: {error}");
    if cores.is_empty() {
        let child = command.spawn().map_err(not_started)?;
        weigh(&child);
        return Ok(child);
    }
    on_cores(cores, || {
        let child = command.spawn().map_err(not_started)?;
        weigh(&child);
        Ok(child)
    })
}

/// Whether a process can be pinned to these cores.
pub(crate) fn can_be_pinned(cores: &[u32]) -> Result<(), String> {
    if cores.is_empty() { Ok(()) } else { on_cores(cores, || Ok(())) }
}

/// Does something on a thread of its own that is pinned to some cores.
fn on_cores<T: Send>(cores: &[u32], what: impl FnOnce() -> Result<T, String> + Send) -> Result<T, String> {
    let mut set = CpuSet::new();
    for &core in cores {
        let core = core as usize;
        if core >= CpuSet::MAX_CPU {
            return Err(format!("cannot be pinned to core {core}: at most {} exist", CpuSet::MAX_CPU));
        }
        set.set(core);
    }
    let available = std::thread::available_parallelism().map_or(1, usize::from);
    let pinned = move || {
        let refused = |why: &dyn std::fmt::Display| {
            format!("cannot be pinned to cores {cores:?}: {why}; this machine has {available}, numbered from 0")
        };
        sched_setaffinity(None, &set).map_err(|error| refused(&error))?;
        // Of several cores the system takes those that it has, and says nothing of the others.
        let taken = sched_getaffinity(None).map_err(|error| refused(&error))?;
        match cores.iter().find(|core| !taken.is_set(**core as usize)) {
            Some(core) => Err(refused(&format_args!("core {core} cannot be used here"))),
            None => what(),
        }
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("pin".to_owned()).spawn_scoped(scope, pinned);
        let thread = thread.map_err(|error| format!("cannot be started: {error}"))?;
        thread.join().unwrap_or_else(|_| Err("cannot be started: the thread that starts it failed".to_owned()))
    })
}

/// Niceness of what is started. A full machine must make the system under test slow, never its measurement: load
/// threads keep three quarters of a core that they share with it, and take no more than they need.
pub const NICENESS: i32 = 5;

/// Weighs generator and target apart. Children of the child inherit it.
fn weigh(child: &Child) {
    let pid = rustix::process::Pid::from_child(child);
    // A process that has just ended has no priority; why it ended is told elsewhere.
    let _ = rustix::process::setpriority_process(Some(pid), NICENESS);
}

fn in_words(status: &WaitIdStatus) -> String {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => format!("ended with exit code {code}"),
        (None, Some(9)) => "was killed by signal 9 (by hand, or for lack of memory)".to_owned(),
        (None, Some(signal)) => format!("was ended by signal {signal}"),
        (None, None) => "ended in an unknown way".to_owned(),
    }
}

/// Whether the group has no living member besides its leader.
pub(crate) fn is_empty_but_for(leader: Pid) -> bool {
    let leader = leader.as_raw_pid();
    let group = |pid: u32| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        group_of(&stat)
    };
    !crate::alive::all().into_iter().any(|pid| i64::from(pid) != i64::from(leader) && group(pid) == Some(leader))
}

/// Process group of a living process (proc(5): field 5 of `stat`).
fn group_of(stat: &str) -> Option<i32> {
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    let is_alive = !matches!(fields.next()?, "Z" | "X");
    if is_alive { fields.nth(1)?.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell<'a>(arguments: &'a [String], log: &'a Path, cores: &'a [u32]) -> Recipe<'a> {
        Recipe {
            program: "/bin/sh".into(),
            arguments,
            environment: &[],
            cores,
            folder: Path::new("/"),
            log,
            keeper: None,
        }
    }

    fn script(text: &str) -> Vec<String> {
        vec!["-c".to_owned(), text.to_owned()]
    }

    #[test]
    fn the_group_is_asked_and_whoever_does_not_listen_is_killed() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        let clock = Clock::system();
        // The shell and its child both ignore the request to end.
        let arguments = script("trap '' TERM; sleep 60 & echo started; wait; wait");
        let mut process = Process::start(&shell(&arguments, &log, &[])).unwrap();
        while crate::log::tail(&log).is_empty() {
            process.wait(Nanos::from_millis(5));
        }
        assert_eq!(process.exit(), None);
        process.ask_to_end();
        let (text, is_in_time) = process.end(&clock, clock.now() + Nanos::from_millis(50));
        assert_eq!((text.as_str(), is_in_time), ("was killed by signal 9 (by hand, or for lack of memory)", false));
        assert!(is_empty_but_for(process.pid), "the child of the shell is gone too");
    }

    #[test]
    fn an_exit_code_is_told_and_stays_told_until_it_is_reaped() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        let arguments = script("exit 3");
        let mut process = Process::start(&shell(&arguments, &log, &[])).unwrap();
        process.wait(Nanos::from_secs(20));
        assert_eq!(process.exit().as_deref(), Some("ended with exit code 3"));
        assert_eq!(process.exit().as_deref(), Some("ended with exit code 3"));
        assert!(process.end(&Clock::system(), Nanos::ZERO).1);
    }

    #[test]
    fn what_it_writes_goes_through_its_keeper_and_is_there_when_it_has_ended() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        let keeper = LogKeeper {
            program: "/bin/sed".into(),
            arguments: vec!["s/hunter2/***/".to_owned()],
            opening: crate::Opening(b"opened\n".as_slice().into()),
        };
        let arguments = script("echo out hunter2; echo err hunter2 >&2");
        let recipe = Recipe { keeper: Some(&keeper), ..shell(&arguments, &log, &[]) };
        let mut process = Process::start(&recipe).unwrap();
        process.wait(Nanos::from_secs(20));
        process.wait_for_log();
        assert_eq!(crate::log::tail(&log), ["opened", "out ***", "err ***"]);
        process.end(&Clock::system(), Nanos::ZERO);
        let gone = LogKeeper { program: "/bin/false".into(), ..keeper.clone() };
        let long = LogKeeper { opening: crate::Opening(vec![b'x'; 1 << 20].into()), ..gone };
        let refused = Process::start(&Recipe { keeper: Some(&long), ..recipe }).err().unwrap();
        assert!(refused.starts_with("the process that keeps its log cannot be started"), "{refused}");
    }

    #[test]
    fn cores_are_inherited_and_unknown_ones_refused() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        let arguments = script("grep Cpus_allowed_list /proc/self/status");
        let process = Process::start(&shell(&arguments, &log, &[0])).unwrap();
        process.wait(Nanos::from_secs(20));
        assert_eq!(crate::log::tail(&log), ["Cpus_allowed_list:·0"]);
        let refused = |cores: &[u32]| Process::start(&shell(&arguments, &log, cores)).err().unwrap();
        assert!(refused(&[1000]).contains("numbered from 0"));
        assert!(refused(&[70_000]).contains("at most"));
    }
}
