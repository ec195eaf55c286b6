//! Child processes: what they print, and what they cost.

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

/// One finished child.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    /// The command as one would type it.
    pub(crate) command: String,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// Processor time of the process with all its threads, seconds.
    pub(crate) cpu_s: f64,
    /// The part of it in the kernel: what sockets cost whoever uses them.
    pub(crate) kernel_s: f64,
    /// From start to end, seconds.
    pub(crate) wall_s: f64,
    /// Where `perf` may count them.
    pub(crate) instructions: Option<Instructions>,
    /// Most memory that was resident at once, bytes.
    pub(crate) resident: u64,
    /// What was resident at moments since the start, seconds and bytes, in order.
    pub(crate) resident_over: Vec<(f64, u64)>,
}

/// Instructions of a process with all its threads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Instructions {
    pub(crate) user: u64,
    pub(crate) kernel: u64,
}

/// Runs a command to its end, on core `core` only where `taskset` is there.
pub(crate) fn measure(command: Command, core: Option<usize>) -> Result<Measured> {
    measure_beside(command, core, |_| ()).map(|(measured, ())| measured)
}

/// The same, with something beside it that is begun once there is a process: that number is handed to it.
pub(crate) fn measure_beside<T>(
    command: Command,
    core: Option<usize>,
    beside: impl FnOnce(u32) -> T,
) -> Result<(Measured, T)> {
    let typed = typed(&command);
    let pinned = pinned(command, core);
    let (mut command, is_counted) = match with_perf(&pinned) {
        Some(counted) => (counted, true),
        None => (pinned, false),
    };
    let began = Instant::now();
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.with_context(|| format!("`{typed}` cannot be started"))?;
    let resident = watch_memory(child.id());
    let errors = drain(child.stderr.take());
    let stdout = drain(child.stdout.take());
    let beside = beside(child.id());
    let stdout = stdout.join().unwrap_or_default();
    let stderr = errors.join().unwrap_or_default();
    let [user_s, kernel_s] = cpu_of_the_dead(&child)?;
    let wall_s = began.elapsed().as_secs_f64();
    child.wait().with_context(|| format!("`{typed}` cannot be waited for"))?;
    let (resident, resident_over) = resident.join().unwrap_or_default();
    let instructions = if is_counted { instructions(&stderr) } else { None };
    let cpu_s = user_s + kernel_s;
    let measured =
        Measured { command: typed, stdout, stderr, cpu_s, kernel_s, wall_s, instructions, resident, resident_over };
    Ok((measured, beside))
}

/// The command on one core.
pub(crate) fn pinned(command: Command, core: Option<usize>) -> Command {
    let (Some(core), Some(taskset)) = (core, on_path("taskset")) else { return command };
    let mut pinned = Command::new(taskset);
    pinned.args(["-c", &core.to_string()]).arg(command.get_program()).args(command.get_args());
    pinned
}

/// Looks at the memory of a process and its descendants until it ends: the most of it, and how it went on. The kernel keeps
/// the greatest value itself, so only what comes in the last look's shadow is missed.
fn watch_memory(root: u32) -> std::thread::JoinHandle<(u64, Vec<(f64, u64)>)> {
    std::thread::spawn(move || {
        let (mut most, mut over, began) = (0, Vec::new(), Instant::now());
        while let (Some(peak), Some(now)) = (memory_of(root, "VmHWM:"), memory_of(root, "VmRSS:")) {
            most = most.max(peak);
            let at = began.elapsed().as_secs_f64();
            if over.last().is_none_or(|(last, _)| at - last >= LOOK_S) {
                over.push((at, now));
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        (most, over)
    })
}

/// Seconds between two looks at memory that are kept.
const LOOK_S: f64 = 0.2;

/// The greatest value of a line of `/proc/PID/status` among a process and its descendants, bytes; none when it has ended.
pub(crate) fn memory_of(pid: u32, line: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    // One that ended and is not yet buried has no such line.
    let own = status.lines().find_map(|found| found.strip_prefix(line))?;
    let own = own.split_ascii_whitespace().next()?.parse::<u64>().ok()? * 1024;
    let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    let children = children.split_ascii_whitespace().filter_map(|child| memory_of(child.parse().ok()?, line));
    Some(children.max().map_or(own, |most| if is_wrapper(&status) { most } else { most.max(own) }))
}

/// The process that is measured, where `pid` may only carry it.
pub(crate) fn carried_by(pid: u32) -> Option<u32> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    if !is_wrapper(&status) {
        return Some(pid);
    }
    let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).ok()?;
    carried_by(children.split_ascii_whitespace().next()?.parse().ok()?)
}

/// Whether a process only carries the one that is measured.
fn is_wrapper(status: &str) -> bool {
    status.lines().next().is_some_and(|line| line.ends_with("\tperf") || line.ends_with("\ttaskset"))
}

/// Reads a pipe to its end on a thread of its own, so that neither pipe can fill up while the other is read.
fn drain(pipe: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What was read before an error is still worth showing.
            let _ = pipe.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// The command under `perf stat`, if this machine lets it count instructions.
fn with_perf(command: &Command) -> Option<Command> {
    let perf = on_path("perf")?;
    let counts = ["stat", "-x,", "-e", "instructions:u,instructions:k", "--"];
    let trial = Command::new(&perf).args(counts).arg("true").output().ok()?;
    instructions(&String::from_utf8_lossy(&trial.stderr))?;
    let mut counted = Command::new(perf);
    counted.args(counts).arg(command.get_program()).args(command.get_args());
    Some(counted)
}

/// `123456,,instructions:u,…`; a machine that cannot count says `<not supported>` instead of a number.
fn instructions(stderr: &str) -> Option<Instructions> {
    let count = |event: &str| {
        let line = stderr.lines().find(|line| line.contains(event))?;
        line.split(',').next()?.parse().ok()
    };
    Some(Instructions { user: count("instructions:u")?, kernel: count("instructions:k")? })
}

/// Processor time of an ended child and of its own children in user mode and in the kernel, seconds, read while its entry is
/// still there: exact, where asking a living one would miss the end.
fn cpu_of_the_dead(child: &Child) -> Result<[f64; 2]> {
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).context("a child has a process id")?;
    waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT).context("a child cannot be waited for")?;
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).context("`/proc` cannot be read")?;
    let ticks = ticks(&stat).context("`/proc/PID/stat` has another form than proc(5) says")?;
    Ok(ticks.map(|ticks| ticks as f64 / rustix::param::clock_ticks_per_second() as f64))
}

/// User and system time from `/proc/PID/stat`, with that of children that were waited for.
fn ticks(stat: &str) -> Option<[u64; 2]> {
    times(stat)
        .map(|[user, kernel, of_children, of_children_in_kernel]| [user + of_children, kernel + of_children_in_kernel])
}

/// Fields 14 to 17 of a `stat` of a process or a thread (proc(5)): user and system time, and those of children that the
/// process has waited for.
pub(crate) fn times(stat: &str) -> Option<[u64; 4]> {
    // The second field is a name in brackets that may hold anything, brackets and blanks included.
    let (_, rest) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    let at = |place: usize| fields.get(place)?.parse::<u64>().ok();
    Some([at(11)?, at(12)?, at(13)?, at(14)?])
}

/// A program that the PATH leads to.
pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|program| program.is_file())
}

/// The command as one would type it.
fn typed(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let words = std::iter::once(program).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

/// A server that loads are driven at; ends with this value.
pub(crate) struct Server {
    child: Child,
    address: String,
}

impl Server {
    /// Starts it on a port that the system chooses, on core `core` only where `taskset` is there.
    pub(crate) fn start(program: &Path, arguments: &[&str], core: Option<usize>) -> Result<Self> {
        let mut command = Command::new(program);
        command.args(arguments);
        let mut child = pinned(command, core)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("`{}` cannot be started", program.display()))?;
        let mut line = String::new();
        let mut stdout = child.stdout.take().map(BufReader::new);
        if let Some(stdout) = &mut stdout {
            stdout.read_line(&mut line).context("the server says nothing")?;
        }
        child.stdout = stdout.map(BufReader::into_inner);
        match line.trim().strip_prefix("listening on ") {
            Some(address) => Ok(Self { child, address: address.to_owned() }),
            None => {
                let _ = child.kill();
                let _ = child.wait();
                bail!("the server does not say where it listens, but `{}`", line.trim())
            }
        }
    }

    /// Where it answers.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Closes its standard input, and returns what it prints then.
    pub(crate) fn tell(mut self) -> String {
        drop(self.child.stdin.take());
        let mut told = String::new();
        if let Some(mut stdout) = self.child.stdout.take() {
            let _ = stdout.read_to_string(&mut told);
        }
        told
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_s_output_and_processor_time_are_read() {
        let mut command = Command::new("sh");
        command.args(["-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; echo out; echo err >&2"]);
        let measured = measure(command, None).unwrap();
        assert_eq!(measured.stdout, "out\n");
        assert!(measured.stderr.starts_with("err\n"));
        // How much depends on the machine; that it is counted at all does not: the loop takes several ticks.
        assert!(measured.cpu_s > 0.0 && measured.wall_s > 0.0, "{measured:?}");
        assert!(measured.command.starts_with("sh -c "));
    }

    #[test]
    fn times_are_found_behind_a_hostile_name() {
        // Fields as proc(5) numbers them; 14 to 17 are 7, 5, 2 and 1.
        let stat = "42 (a ) b (c) S 1 42 42 0 -1 4194304 100 0 0 0 7 5 2 1 20 0 3 0 100 1000 10";
        assert_eq!(ticks(stat), Some([7 + 2, 5 + 1]));
        assert_eq!(ticks("42 (a) S 1"), None);
        assert_eq!(ticks(""), None);
    }

    #[test]
    fn instructions_are_numbers_or_nothing() {
        let text = "x\n1234567,,instructions:u,1000,100.00,,\n89,,instructions:k,1000,100.00,,\n";
        assert_eq!(instructions(text), Some(Instructions { user: 1_234_567, kernel: 89 }));
        assert_eq!(instructions("<not supported>,,instructions:u,0,100.00,,\n"), None);
        assert_eq!(instructions(""), None);
    }

    #[test]
    fn memory_of_a_process_is_seen_and_of_none_is_not() {
        assert!(memory_of(std::process::id(), "VmHWM:").unwrap() > 100_000);
        assert_eq!(memory_of(u32::MAX, "VmHWM:"), None);
    }
}
