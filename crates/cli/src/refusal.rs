//! What becomes of a run's folder when the run could not begin, or a defect ended it.

use crate::exit::Failed;
use crate::logs;
use contract::KeptOut;
use record::RecordError;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Why a run has no sealed folder to go on with.
pub(crate) enum Halt {
    /// Nothing was measured: the folder goes.
    Refused(Failed),
    /// What was measured is there, as far as the disk took it.
    Broken(RecordError),
}

impl<E: Into<Failed>> From<E> for Halt {
    fn from(error: E) -> Self {
        Self::Refused(error.into())
    }
}

/// The place of a run's folder, as it was found.
pub(crate) struct Untouched {
    out: PathBuf,
    was_there: bool,
}

impl Untouched {
    /// Before anything is made there.
    pub(crate) fn look(out: &Path) -> Self {
        Self { out: out.to_owned(), was_there: out.exists() }
    }

    /// Makes it as it was, so that the next try can have the same folder. What instances wrote before the refusal is
    /// often the reason of it: their logs move beside the folder, and the error names the place.
    pub(crate) fn restore(&self, failed: Failed, kept_out: &KeptOut) -> Failed {
        let mut text = format!("{:#}", failed.error);
        if let Some(logs) = self.keep_logs(kept_out) {
            text += &format!("\nthe logs of what was started are in `{}`", logs.display());
        }
        // Only what a run makes: should anybody have put something else there meanwhile, it stays, and so does the folder.
        for made in ["evidence", "scratch", "logs"] {
            let _ = fs::remove_dir_all(self.out.join(made));
        }
        if !self.was_there {
            let _ = fs::remove_dir(&self.out);
        }
        Failed { exit: failed.exit, error: anyhow::Error::msg(text) }
    }

    /// Moves logs in which there is anything to `OUT.refused`; to a name with a number where that is taken.
    fn keep_logs(&self, kept_out: &KeptOut) -> Option<PathBuf> {
        let logs = self.out.join("logs");
        logs::keep_out(&logs, kept_out);
        let has_text = |entry: fs::DirEntry| entry.metadata().is_ok_and(|file| file.len() > 0);
        if !fs::read_dir(&logs).ok()?.flatten().any(has_text) {
            return None;
        }
        let name = |number: u32| {
            let suffix = if number == 1 { ".refused".to_owned() } else { format!(".refused-{number}") };
            let mut name = self.out.as_os_str().to_owned();
            name.push(suffix);
            PathBuf::from(name)
        };
        let place = (1..1000).map(name).find(|name| !name.exists())?;
        fs::rename(&logs, &place).ok().map(|()| place)
    }
}

/// Looks, and time between them, until the threads that wrote a run have let go of its folder.
const LOOKS_MAX: u32 = 100;
const PAUSE: Duration = Duration::from_millis(100);

/// Seals what a run has measured that a defect ended.
///
/// # Errors
/// When that cannot be done either: the segments are there, and the message says how to go on.
pub(crate) fn salvage(out: &Path) -> Result<PathBuf, Failed> {
    let mut looks = 0;
    loop {
        match record::seal_killed(out) {
            Err(RecordError::StillRunning { .. }) if looks < LOOKS_MAX => {
                looks += 1;
                std::thread::park_timeout(PAUSE);
            }
            Ok(path) => return Ok(path),
            Err(error) => {
                let again = format!("what was measured is still there; type `loadproof report {}`", out.display());
                return Err(Failed::from(anyhow::anyhow!("{error}\n{again}")));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit::Exit;

    fn made(folder: &Path, log: &str) -> PathBuf {
        let out = folder.join("run");
        for name in ["evidence/load", "scratch", "logs"] {
            fs::create_dir_all(out.join(name)).unwrap();
        }
        fs::write(out.join("evidence/run.json"), "{}").unwrap();
        fs::write(out.join("logs/shop.log"), log).unwrap();
        out
    }

    #[test]
    fn what_a_defect_ended_is_sealed() {
        let folder = std::env::temp_dir().join(format!("loadproof-salvaged-{}", std::process::id()));
        let out = folder.join("run");
        let head = record::Head { schema: "loadproof/run/1".into(), ..record::Head::default() };
        let mut writer = record::create(&out, &head, "study: x\n").unwrap();
        writer.sync().unwrap();
        // Another thread still has it for a moment, as the recording thread would.
        let holding = std::thread::spawn(move || {
            std::thread::park_timeout(PAUSE * 3);
            drop(writer);
        });
        assert_eq!(salvage(&out).map_err(|failed| failed.error.to_string()), Ok(out.clone()));
        assert!(record::Run::open(&out).unwrap().is_sealed());
        holding.join().unwrap();
        // Where there is nothing to seal, that is the message.
        let failed = salvage(&folder.join("none")).unwrap_err();
        assert_eq!(failed.exit, Exit::Defect);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_refused_run_leaves_its_logs_beside_a_free_place() {
        let folder = std::env::temp_dir().join(format!("loadproof-refused-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let out = folder.join("run");
        let untouched = Untouched::look(&out);
        for expected in ["run.refused", "run.refused-2"] {
            made(&folder, "port taken by anna\n");
            let kept_out = KeptOut::default();
            kept_out.remember(b"anna");
            let failed = untouched.restore(Failed::because("not ready"), &kept_out);
            let text = failed.error.to_string();
            assert!(text.starts_with("not ready\n") && text.contains(expected), "{text}");
            assert_eq!(failed.exit, Exit::Wrong);
            let log = fs::read_to_string(folder.join(expected).join("shop.log")).unwrap();
            assert!(log.contains("port taken") && !log.contains("anna"), "{log}");
            assert!(!out.exists());
        }
        // A folder of the user's own stays, and empty logs are worth no folder.
        fs::create_dir(&out).unwrap();
        let untouched = Untouched::look(&out);
        made(&folder, "");
        let failed = untouched.restore(Failed::because("not ready"), &KeptOut::default());
        assert_eq!(failed.error.to_string(), "not ready");
        assert_eq!(fs::read_dir(&out).unwrap().count(), 0);
        fs::remove_dir_all(&folder).unwrap();
    }
}
