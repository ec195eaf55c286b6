//! A loadproof that serves the page.

use anyhow::{Context, Result, bail};
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

/// Until it says where the page is.
const STARTING: Duration = Duration::from_secs(60);
const LOOK: Duration = Duration::from_millis(100);

/// One command; ends with this value.
pub(super) struct Run {
    child: Child,
    /// Where the page is.
    pub(super) address: SocketAddr,
    /// What ends a run from it; empty where nothing does.
    pub(super) token: String,
    lines: Arc<Mutex<Vec<String>>>,
}

impl Run {
    /// Starts it, and waits until its page is served.
    ///
    /// # Errors
    /// A command that serves none.
    pub(super) fn start(loadproof: &Path, arguments: &[&str]) -> Result<Self> {
        let mut command = Command::new(loadproof);
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().with_context(|| format!("`{}` cannot be started", loadproof.display()))?;
        let lines = Arc::new(Mutex::new(Vec::new()));
        let (say, told) = mpsc::channel();
        if let Some(stderr) = child.stderr.take() {
            let kept = Arc::clone(&lines);
            std::thread::spawn(move || {
                for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                    if let Some(page) = page(&line) {
                        let _ = say.send(page);
                    }
                    kept.lock().unwrap_or_else(PoisonError::into_inner).push(line);
                }
            });
        }
        match told.recv_timeout(STARTING) {
            Ok((address, token)) => Ok(Self { child, address, token, lines }),
            Err(_) => {
                let _ = (child.kill(), child.wait());
                bail!("`loadproof {}` serves no page: {}", arguments.join(" "), said(&lines))
            }
        }
    }

    /// Its process.
    pub(super) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Waits for its end; how it ended.
    ///
    /// # Errors
    /// It does not end in time.
    pub(super) fn wait(&mut self, within: Duration) -> Result<Option<i32>> {
        let began = Instant::now();
        loop {
            if let Some(ended) = self.child.try_wait()? {
                return Ok(ended.code());
            }
            if began.elapsed() > within {
                bail!("loadproof has not ended after {} s: {}", within.as_secs(), said(&self.lines));
            }
            std::thread::sleep(LOOK);
        }
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        let _ = (self.child.kill(), self.child.wait());
    }
}

/// The last that it said.
fn said(lines: &Mutex<Vec<String>>) -> String {
    let lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
    lines[lines.len().saturating_sub(5)..].join(" / ")
}

/// Address and token in the line that says where the page is.
fn page(line: &str) -> Option<(SocketAddr, String)> {
    let url = line.strip_prefix("live page: http://")?.split_whitespace().next()?;
    let (address, token) = url.split_once('/')?;
    Some((address.parse().ok()?, token.trim_start_matches('#').to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_known_where_the_page_is() {
        let address = "127.0.0.1:40671".parse().unwrap();
        assert_eq!(page("live page: http://127.0.0.1:40671/#9f0a"), Some((address, "9f0a".to_owned())));
        assert_eq!(page("live page: http://127.0.0.1:40671/ (until Ctrl-C)"), Some((address, String::new())));
        for line in ["", "live page: http://lab/", "warning: live page: http://127.0.0.1:1/"] {
            assert_eq!(page(line), None, "{line}");
        }
    }
}
