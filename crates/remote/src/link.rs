//! One process of `ssh`, and the pipes to it.

use crate::answer::{Coming, TooMuch, question};
use crate::said::Said;
use clock::Clock;
use contract::Machine;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_setfl};
use std::io::{ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use terms::Nanos;

/// Bytes that are read at once.
const CHUNK: usize = 64 * 1024;

/// Least wait; the kernel's timers are no finer on many machines.
const WAIT_MIN: Nanos = Nanos::MILLISECOND;

/// Options of `ssh` that stand above whatever its configuration says, and below what is written before them. It asks nobody
/// for anything, has a connection of its own that ends with it, forwards nothing, and notices a dead line within a quarter
/// of a minute.
pub(crate) const OPTIONS: [&str; 12] = [
    "-T",
    "-oBatchMode=yes",
    "-oConnectTimeout=10",
    "-oServerAliveInterval=5",
    "-oServerAliveCountMax=3",
    "-oControlMaster=no",
    "-oControlPath=none",
    "-oClearAllForwardings=yes",
    "-oForwardAgent=no",
    "-oForwardX11=no",
    "-oPermitLocalCommand=no",
    "-oEscapeChar=none",
];

/// What runs there, whatever the shell of the account is: it reads commands until its input ends.
const SHELL: &str = "exec sh";

/// First, whatever the account sets: plain texts, and the usual places of programs.
const GREETING: &str = "LC_ALL=C; export LC_ALL; PATH=$PATH:/usr/bin:/bin; export PATH";

/// A connection at work. Dropping it ends it on both sides.
pub(crate) struct Link {
    child: Child,
    to: ChildStdin,
    from: ChildStdout,
    said: Said,
    /// Whether it uses a connection that others use as well.
    is_shared: bool,
    coming: Coming,
    /// Number of the last question.
    asked: u64,
    /// When it was asked, as long as its answer has not come.
    since: Option<Nanos>,
}

/// What became of a wait.
pub(crate) enum Waited {
    Answer(String),
    NotYet,
    /// The connection is of no use any more: what `ssh` said last.
    Gone(String),
}

/// The arguments of `ssh` for a machine, over a connection that is there already where `shared` says which.
pub(crate) fn arguments(machine: &Machine, shared: Option<String>) -> Vec<String> {
    // Of two options of one name the first counts.
    let options = OPTIONS.iter().map(|option| (*option).to_owned());
    shared.into_iter().chain(options).chain(to(machine)).chain([SHELL.to_owned()]).collect()
}

/// Where it goes.
pub(crate) fn to(machine: &Machine) -> Vec<String> {
    let mut arguments = Vec::new();
    let mut option = |name: &str, value: Option<String>| {
        arguments.extend(value.into_iter().flat_map(|value| [name.to_owned(), value]));
    };
    option("-F", machine.config.as_ref().map(|path| path.display().to_string()));
    option("-l", machine.user.clone());
    option("-p", machine.port.map(|port| port.to_string()));
    arguments.extend(["--".to_owned(), machine.host.clone()]);
    arguments
}

impl Link {
    /// Starts `ssh`, or the shell of this machine, and asks the first question, which is answered as soon as there is a connection.
    ///
    /// # Errors
    /// A program that cannot be started.
    pub(crate) fn open(
        program: &Path,
        machine: &Machine,
        shared: Option<String>,
        clock: &Clock,
    ) -> std::io::Result<Self> {
        let is_shared = shared.is_some();
        let mut command = if machine.is_here { Command::new("sh") } else { Command::new(program) };
        command.args(if machine.is_here { Vec::new() } else { arguments(machine, shared) });
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // An interrupt at the terminal is for the run, which still takes its last samples.
        let mut child = command.process_group(0).spawn()?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(to), Some(from), Some(said)) = pipes else {
            return Err(std::io::Error::other("it has no pipes"));
        };
        for pipe in [to.as_fd(), from.as_fd()] {
            fcntl_setfl(pipe, OFlags::NONBLOCK)?;
        }
        let (said, coming) = (Said::new(said)?, Coming::default());
        let mut link = Self { child, to, from, said, is_shared, coming, asked: 0, since: None };
        link.ask(GREETING, clock.now());
        Ok(link)
    }

    /// Since when an answer is waited for; nothing else may be asked until it has come.
    pub(crate) fn since(&self) -> Option<Nanos> {
        self.since
    }

    /// Asks. That nobody reads it any more shows when the answer is waited for.
    pub(crate) fn ask(&mut self, command: &str, now: Nanos) {
        debug_assert!(self.since.is_none(), "one question at a time: the pipe has room for it");
        self.asked += 1;
        self.since = Some(now);
        let _ = self.to.write_all(question(self.asked, command).as_bytes()).and_then(|()| self.to.flush());
    }

    /// Waits for the answer until that moment.
    pub(crate) fn wait(&mut self, until: Nanos, clock: &Clock) -> Waited {
        loop {
            if let Some(answer) = self.coming.take(self.asked) {
                self.since = None;
                return Waited::Answer(answer);
            }
            let left = until - clock.now();
            if left <= Nanos::ZERO {
                return Waited::NotYet;
            }
            if let Err(why) = self.read(left.max(WAIT_MIN)) {
                return Waited::Gone(why);
            }
        }
    }

    /// Reads what comes within that time.
    fn read(&mut self, within: Nanos) -> Result<(), String> {
        let timeout = Timespec { tv_sec: within.0 / 1_000_000_000, tv_nsec: within.0 % 1_000_000_000 };
        let mut pipes = vec![PollFd::new(&self.from, PollFlags::IN)];
        pipes.extend(self.said.pipe().map(|said| PollFd::new(said, PollFlags::IN)));
        if poll(&mut pipes, Some(&timeout)).is_err() {
            // A signal: the caller looks at the time and waits again.
            return Ok(());
        }
        let is_ready: Vec<bool> = pipes.iter().map(|pipe| !pipe.revents().is_empty()).collect();
        let mut chunk = vec![0; CHUNK];
        if is_ready.get(1) == Some(&true) {
            self.said.listen(&mut chunk);
        }
        if is_ready.first() != Some(&true) {
            return Ok(());
        }
        match self.from.read(&mut chunk) {
            Ok(0) => Err(self.last_words()),
            Ok(count) => self.coming.add(&chunk[..count]).map_err(|TooMuch| TOO_MUCH.to_owned()),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => Ok(()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// What it said before it ended: it has closed its output.
    fn last_words(&mut self) -> String {
        let mut chunk = vec![0; CHUNK];
        self.said.listen(&mut chunk);
        let status = self.ended().and_then(|status| status.code());
        self.said.listen(&mut chunk);
        let words = self.said.words();
        match status {
            _ if !words.is_empty() => words,
            // Where that ends, it says nothing to those who use it.
            _ if self.is_shared => "the connection that its monitors share was lost".to_owned(),
            Some(code) => format!("`ssh` ended with exit code {code} and said nothing"),
            None => "the connection was closed".to_owned(),
        }
    }

    /// How it ended, within a moment; then it is killed.
    fn ended(&mut self) -> Option<ExitStatus> {
        let clock = Clock::system();
        while clock.now() < END_WITHIN {
            match self.child.try_wait() {
                Ok(None) => clock.sleep_until(clock.now() + Nanos::MILLISECOND),
                Ok(status) => return status,
                Err(_) => return None,
            }
        }
        let _ = self.child.kill();
        self.child.wait().ok()
    }
}

/// From the end of its output to its own end.
const END_WITHIN: Nanos = Nanos::from_millis(200);

/// What is stated where an answer has no end.
const TOO_MUCH: &str = "the answer is longer than 4 MiB";

impl Drop for Link {
    fn drop(&mut self) {
        // The other side reads the end of its input when the connection is gone.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
