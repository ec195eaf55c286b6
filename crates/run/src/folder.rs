//! The folder of a run: made before anything is started, sealed by whatever means, and gone again when nothing was
//! measured.

use crate::error::RunError;
use crate::nodes::{Link, Trial, local};
use crate::prepare::Prepared;
use crate::{head, kept_out, logs};
use clock::Clock;
use record::{CeilingHead, Head, MeetingHead, RecordError, Writer};
use scrub::KeptOut;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use terms::iso;

/// What a run is asked for besides its study.
pub struct RunRequest {
    /// Its folder; by default one in `runs`, named after its time and `name`.
    pub out: Option<PathBuf>,
    /// Load threads; see [`Prepared::workers`].
    pub threads: Option<u16>,
    /// Name of the run after its time; fit for a folder.
    pub name: String,
    /// What the generator of this machine was found to send in time.
    pub ceiling: Option<CeilingHead>,
    /// What load nodes elsewhere are to try before the load.
    pub trial: Trial,
    /// Who calls nodes on other machines; by default load nodes are started on this one.
    pub call: Option<CallNodes>,
}

/// Calls so many load nodes, then nodes of these names, which only watch, for the run of this id; gives up when the last is
/// set.
pub type Call = dyn Fn(&str, u16, &[String], &AtomicBool) -> Result<Vec<Link>, String>;

/// How nodes on other machines are met.
pub struct CallNodes {
    /// Where what is stated is kept, for the run of this id: what has to be known to collect it later.
    pub meeting: Box<dyn Fn(&str) -> MeetingHead>,
    pub call: Box<Call>,
}

/// A run whose folder is there.
pub(crate) struct Opened {
    pub(crate) folder: Folder,
    pub(crate) head: Head,
    pub(crate) writer: Writer,
}

/// Makes the folder of a run that begins now, with what is known of it: of its load threads how many there are, and whether
/// they are elsewhere.
///
/// # Errors
/// A folder that is not empty, lies in other evidence, or cannot be written.
pub(crate) fn open(
    prepared: &Prepared,
    wanted: &RunRequest,
    (workers, is_elsewhere): (u16, bool),
    clock: &Clock,
) -> Result<Opened, RunError> {
    let wall_origin = clock.wall() - clock.now();
    let mut id = format!("{}-{}", iso::folder(wall_origin), wanted.name);
    if wanted.out.is_none() {
        id = not_taken(id, |name| Path::new("runs").join(name).exists());
    }
    let out = wanted.out.clone().unwrap_or_else(|| Path::new("runs").join(&id));
    // Only a load that goes on without this process can be collected.
    let call = wanted.call.as_ref().filter(|_| is_elsewhere);
    let meeting = call.map(|call| met_by_us((call.meeting)(&id), clock));
    let head = Head { ceiling: wanted.ceiling.clone(), meeting, ..head::head(prepared, id, wall_origin, workers) };
    let folder = Folder::look(&std::path::absolute(&out).unwrap_or(out));
    match record::create(&folder.path, &kept_out::head(&head, &prepared.kept_out), &prepared.study.effective) {
        Ok(writer) => Ok(Opened { folder, head, writer }),
        Err(error @ (RecordError::Exists { .. } | RecordError::WithinEvidence { .. })) => Err(error.into()),
        Err(error) => Err(folder.restore(error.into(), &prepared.kept_out)),
    }
}

/// With what this process is and what its clock shows, for whoever comes after it.
fn met_by_us(meeting: MeetingHead, clock: &Clock) -> MeetingHead {
    let (pid, host, boot) = (std::process::id(), local::host(), local::clock());
    let clock_offset_ns = (clock.now() - Clock::machine()).0;
    MeetingHead { pid, host, clock: boot, clock_offset_ns, ..meeting }
}

/// The id, or with a number behind it: two runs may begin in one second.
fn not_taken(id: String, is_there: impl Fn(&str) -> bool) -> String {
    let numbered = |number: u32| if number == 1 { id.clone() } else { format!("{id}-{number}") };
    (1..1000).map(numbered).find(|name| !is_there(name)).unwrap_or(id)
}

/// The place of a run's folder, as it was found.
pub(crate) struct Folder {
    path: PathBuf,
    was_there: bool,
}

impl Folder {
    /// Before anything is made there.
    pub(crate) fn look(path: &Path) -> Self {
        Self { path: path.to_owned(), was_there: path.exists() }
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Carries out a run in it. What was refused leaves the place as it was; what a defect ended is sealed.
    ///
    /// # Errors
    /// As `carry_out`; [`RunError::Unsealed`] when what a defect ended cannot be sealed.
    pub(crate) fn guard(
        &self,
        kept_out: &KeptOut,
        carry_out: impl FnOnce() -> Result<PathBuf, RunError>,
    ) -> Result<PathBuf, RunError> {
        match catch_unwind(AssertUnwindSafe(carry_out)) {
            Err(_) | Ok(Err(RunError::Broken { error: RecordError::Thread, .. })) => salvage(&self.path),
            Ok(done @ (Ok(_) | Err(RunError::Broken { .. }))) => done,
            Ok(Err(refused)) => Err(self.restore(refused, kept_out)),
        }
    }

    /// Makes it as it was, so that the next try can have the same folder. What instances wrote before the refusal is
    /// often the reason of it: their logs move beside the folder, and the error names the place.
    pub(crate) fn restore(&self, error: RunError, kept_out: &KeptOut) -> RunError {
        let logs = self.keep_logs(kept_out);
        // Only what a run makes: should anybody have put something else there meanwhile, it stays, and so does the folder.
        for made in ["evidence", "scratch", "logs"] {
            let _ = fs::remove_dir_all(self.path.join(made));
        }
        if !self.was_there {
            let _ = fs::remove_dir(&self.path);
        }
        match logs {
            Some(logs) => RunError::Logged { error: Box::new(error), logs },
            None => error,
        }
    }

    /// Moves logs in which there is anything to `OUT.refused`; to a name with a number where that is taken.
    fn keep_logs(&self, kept_out: &KeptOut) -> Option<PathBuf> {
        let logs = self.path.join("logs");
        logs::keep_out(&logs, kept_out);
        let has_text = |entry: fs::DirEntry| entry.metadata().is_ok_and(|file| file.len() > 0);
        if !fs::read_dir(&logs).ok()?.flatten().any(has_text) {
            return None;
        }
        let name = |number: u32| {
            let suffix = if number == 1 { ".refused".to_owned() } else { format!(".refused-{number}") };
            let mut name = self.path.as_os_str().to_owned();
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
fn salvage(out: &Path) -> Result<PathBuf, RunError> {
    let mut looks = 0;
    loop {
        match record::seal_killed(out) {
            Err(RecordError::StillRunning { .. }) if looks < LOOKS_MAX => {
                looks += 1;
                std::thread::park_timeout(PAUSE);
            }
            Ok(path) => return Ok(path),
            Err(error) => return Err(RunError::Unsealed { folder: out.to_owned(), error }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn two_runs_of_one_second_have_two_folders() {
        assert_eq!(not_taken("now-x".into(), |_| false), "now-x");
        assert_eq!(not_taken("now-x".into(), |name| ["now-x", "now-x-2"].contains(&name)), "now-x-3");
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
        assert_eq!(salvage(&out).map_err(|error| error.to_string()), Ok(out.clone()));
        assert!(record::Run::open(&out).unwrap().is_sealed());
        holding.join().unwrap();
        // Where there is nothing to seal, that is the message.
        assert!(matches!(salvage(&folder.join("none")), Err(RunError::Unsealed { .. })));
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_refused_run_leaves_its_logs_beside_a_free_place() {
        let folder = std::env::temp_dir().join(format!("loadproof-refused-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let out = folder.join("run");
        let place = Folder::look(&out);
        for expected in ["run.refused", "run.refused-2"] {
            made(&folder, "port taken by anna\n");
            let kept_out = KeptOut::default();
            kept_out.remember(b"anna");
            let error = place.restore(RunError::refused("not ready"), &kept_out);
            let text = error.to_string();
            assert!(text.starts_with("not ready\n") && text.contains(expected), "{text}");
            assert!(matches!(error, RunError::Logged { error, .. } if matches!(*error, RunError::Refused(_))));
            let log = fs::read_to_string(folder.join(expected).join("shop.log")).unwrap();
            assert!(log.contains("port taken") && !log.contains("anna"), "{log}");
            assert!(!out.exists());
        }
        // A folder of the user's own stays, and empty logs are worth no folder.
        fs::create_dir(&out).unwrap();
        let place = Folder::look(&out);
        made(&folder, "");
        let error = place.restore(RunError::refused("not ready"), &KeptOut::default());
        assert_eq!(error.to_string(), "not ready");
        assert_eq!(fs::read_dir(&out).unwrap().count(), 0);
        fs::remove_dir_all(&folder).unwrap();
    }
}
