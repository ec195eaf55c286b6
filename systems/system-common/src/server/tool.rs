//! Programs that make a server's files. They run before there is a server to watch over, and must not outlive the
//! supervisor any more than the server itself.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{Command, Output, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process_group};

use super::Guard;
use crate::Lifetime;

/// Between two looks at whether the process was told to end.
const PAUSE: Duration = Duration::from_millis(20);

/// Runs a program of the server's to its end, with this on its standard input; `None` if the process was told to end
/// meanwhile, and the program with it. Blocks.
///
/// The program gets a process group of its own, since a script that is killed leaves its children behind.
///
/// # Errors
/// It cannot be started or it failed, with its last words.
pub fn run_tool(
    name: &str,
    mut command: Command,
    input: &str,
    guard: &mut Guard,
    lifetime: &Lifetime,
) -> Result<Option<()>> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = command.spawn().with_context(|| format!("cannot start `{name}`"))?;
    let group = Pid::from_child(&child);
    let told = guard.end_group_at_end(child.id());
    let (sender, ended) = channel();
    let input = input.to_owned();
    let wait = move || {
        // One that ends without reading has words of its own for why.
        if let Some(mut pipe) = child.stdin.take() {
            let _ = pipe.write_all(input.as_bytes());
        }
        let _ = sender.send(child.wait_with_output());
    };
    let waiter = std::thread::Builder::new().name("tool".to_owned()).spawn(wait);
    let waiter = waiter.with_context(|| format!("cannot wait for `{name}`")).and(told);
    if waiter.is_err() || lifetime.has_ended() {
        let _ = kill_process_group(group, Signal::KILL);
        return waiter.map(|()| None);
    }
    loop {
        match ended.recv_timeout(PAUSE) {
            Ok(output) => {
                let output = output.with_context(|| format!("`{name}` broke off"))?;
                return succeeded(name, &output).map(Some);
            }
            Err(RecvTimeoutError::Timeout) if !lifetime.has_ended() => {}
            Err(_) => {
                let _ = kill_process_group(group, Signal::KILL);
                // Its files are removed next, and it must not write to them any more.
                let _ = ended.recv();
                return Ok(None);
            }
        }
    }
}

/// Whether a program of the server's did what it should. Some end well whatever their work came to, so their words on
/// standard error count too.
fn succeeded(name: &str, output: &Output) -> Result<()> {
    let words = String::from_utf8_lossy(&output.stderr);
    if output.status.success() && !["ERROR:", "FATAL:", "PANIC:"].iter().any(|word| words.contains(word)) {
        return Ok(());
    }
    let last: Vec<_> = words.lines().rev().take(5).collect();
    let last: Vec<_> = last.into_iter().rev().collect();
    bail!("`{name}` failed ({}):\n  {}", output.status, last.join("\n  "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_in_the_words_is_a_failure_whatever_the_status() {
        let output = |program: &str, words: &str| {
            let line = format!("echo '{words}' >&2; {program}");
            Command::new("sh").args(["-c", &line]).output().unwrap()
        };
        assert!(succeeded("x", &output("true", "fine")).is_ok());
        assert!(succeeded("x", &output("true", "ERROR:  no such role")).is_err());
        let message = succeeded("x", &output("exit 3", "no space left")).unwrap_err().to_string();
        assert_eq!(message, "`x` failed (exit status: 3):\n  no space left");
    }
}
