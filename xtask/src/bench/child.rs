//! Child processes: what they print, and what they cost.

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

/// One finished child.
#[derive(Clone, Debug)]
pub(super) struct Measured {
    /// The command as one would type it.
    pub(super) command: String,
    pub(super) stdout: String,
    pub(super) stderr: String,
    /// Processor time of the process with all its threads, seconds.
    pub(super) cpu_s: f64,
    /// From start to end, seconds.
    pub(super) wall_s: f64,
    /// Instructions in user mode, where `perf` may count them.
    pub(super) instructions: Option<u64>,
}

/// Runs a command to its end.
pub(super) fn measure(command: Command) -> Result<Measured> {
    let typed = typed(&command);
    let mut counted = with_perf(&command);
    let (mut command, is_counted) = match counted.take() {
        Some(command) => (command, true),
        None => (command, false),
    };
    let began = Instant::now();
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.with_context(|| format!("`{typed}` cannot be started"))?;
    let errors = drain(child.stderr.take());
    let stdout = drain(child.stdout.take()).join().unwrap_or_default();
    let stderr = errors.join().unwrap_or_default();
    let cpu_s = cpu_of_the_dead(&child)?;
    let wall_s = began.elapsed().as_secs_f64();
    child.wait().with_context(|| format!("`{typed}` cannot be waited for"))?;
    let instructions = if is_counted { instructions(&stderr) } else { None };
    Ok(Measured { command: typed, stdout, stderr, cpu_s, wall_s, instructions })
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
    let counts = ["stat", "-x,", "-e", "instructions:u", "--"];
    let trial = Command::new(&perf).args(counts).arg("true").output().ok()?;
    instructions(&String::from_utf8_lossy(&trial.stderr))?;
    let mut counted = Command::new(perf);
    counted.args(counts).arg(command.get_program()).args(command.get_args());
    Some(counted)
}

/// `123456,,instructions:u,…`; a machine that cannot count says `<not supported>` instead of a number.
fn instructions(stderr: &str) -> Option<u64> {
    let line = stderr.lines().find(|line| line.contains("instructions"))?;
    line.split(',').next()?.parse().ok()
}

/// Processor time of an ended child and of its own children, read while its entry is still there: exact, where asking
/// a living one would miss the end.
fn cpu_of_the_dead(child: &Child) -> Result<f64> {
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).context("a child has a process id")?;
    waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT).context("a child cannot be waited for")?;
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).context("`/proc` cannot be read")?;
    let ticks = ticks(&stat).context("`/proc/PID/stat` has another form than proc(5) says")?;
    Ok(ticks as f64 / rustix::param::clock_ticks_per_second() as f64)
}

/// Fields 14 to 17 of `/proc/PID/stat`: user and system time, own and of children that were waited for (proc(5)).
fn ticks(stat: &str) -> Option<u64> {
    // The second field is a name in brackets that may hold anything, brackets and blanks included.
    let (_, rest) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    fields.get(11..15)?.iter().map(|field| field.parse::<u64>().ok()).sum()
}

/// A program that the PATH leads to.
pub(super) fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|program| program.is_file())
}

/// The command as one would type it.
fn typed(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let words = std::iter::once(program).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

/// A known-answer target that answers at once; ends with this value.
pub(super) struct Target {
    child: Child,
    address: String,
}

impl Target {
    /// Starts it on a port that the system chooses.
    pub(super) fn start(program: &Path) -> Result<Self> {
        let mut child = Command::new(program)
            .args(["--service", "0ms", "--port", "0"])
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("`{}` cannot be started", program.display()))?;
        let mut line = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout).read_line(&mut line).context("the target says nothing")?;
        }
        match line.trim().strip_prefix("listening on ") {
            Some(address) => Ok(Self { child, address: address.to_owned() }),
            None => {
                let _ = child.kill();
                let _ = child.wait();
                bail!("the target does not say where it listens, but `{}`", line.trim())
            }
        }
    }

    /// Where it answers.
    pub(super) fn url(&self) -> String {
        format!("http://{}/", self.address)
    }
}

impl Drop for Target {
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
        let measured = measure(command).unwrap();
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
        assert_eq!(ticks(stat), Some(15));
        assert_eq!(ticks("42 (a) S 1"), None);
        assert_eq!(ticks(""), None);
    }

    #[test]
    fn instructions_are_a_number_or_nothing() {
        assert_eq!(instructions("x\n1234567,,instructions:u,1000,100.00,,\n"), Some(1_234_567));
        assert_eq!(instructions("<not supported>,,instructions:u,0,100.00,,\n"), None);
        assert_eq!(instructions(""), None);
    }
}
