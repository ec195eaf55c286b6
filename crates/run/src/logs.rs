//! The logs of instances: nothing that is kept out is written into them, also when the run is killed.

use launch::{LogKeeper, Opening};
use scrub::KeptOut;
use scrub::Stream;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::time::Duration;

/// The subcommand that keeps a log; for loadproof itself, not for people.
pub const KEEP_LOG: &str = "keep-log";

/// What is read of an instance at once.
const PIECE_BYTES: usize = 32 * 1024;
/// Pieces that may wait for being looked through. An instance never waits for its log: beyond this its output is lost,
/// and the log says how much.
const PIECES_MAX: usize = 1024;
/// Nothing came for so long: whole lines are passed on.
const QUIET: Duration = Duration::from_millis(100);

/// Who keeps the logs of a run's instances: this program, in a process of its own.
pub(crate) fn keeper(kept_out: &KeptOut) -> LogKeeper {
    LogKeeper {
        // Still this program when the file was replaced meanwhile.
        program: PathBuf::from("/proc/self/exe"),
        arguments: vec![KEEP_LOG.to_owned()],
        opening: Opening(kept_out.to_bytes().into()),
    }
}

/// What the subcommand does: reads what has to go, then the output of an instance to its end; writes its log.
///
/// # Errors
/// When `input` cannot be read. A log that cannot be written is none.
pub fn keep(input: &mut dyn Read, log: &mut (dyn Write + Send)) -> io::Result<()> {
    let kept_out = KeptOut::from_bytes(&mut *input)?;
    let (sender, receiver) = sync_channel(PIECES_MAX);
    let lost = AtomicU64::new(0);
    let lost = &lost;
    std::thread::scope(|scope| {
        scope.spawn(move || write(&receiver, kept_out, lost, log));
        read(input, sender, lost)
    })
}

fn read(input: &mut dyn Read, sender: SyncSender<Vec<u8>>, lost: &AtomicU64) -> io::Result<()> {
    loop {
        let mut piece = vec![0; PIECE_BYTES];
        let count = match input.read(&mut piece) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            other => other?,
        };
        if count == 0 {
            return Ok(());
        }
        piece.truncate(count);
        if let Err(TrySendError::Full(piece) | TrySendError::Disconnected(piece)) = sender.try_send(piece) {
            lost.fetch_add(piece.len() as u64, Ordering::Relaxed);
        }
    }
}

/// A disk that refuses costs the log, never the instance: what comes is read all the same.
fn write(pieces: &Receiver<Vec<u8>>, kept_out: KeptOut, lost: &AtomicU64, log: &mut dyn Write) {
    let (mut stream, mut out) = (Stream::new(kept_out), Vec::new());
    loop {
        let piece = pieces.recv_timeout(QUIET);
        let lost = lost.swap(0, Ordering::Relaxed);
        if lost > 0 {
            stream.finish(&mut out);
            let text = format!("\n‹{lost} bytes are not here: they came faster than they could be looked through›\n");
            out.extend_from_slice(text.as_bytes());
        }
        let is_end = match piece {
            Ok(piece) => {
                stream.push(&piece, &mut out);
                false
            }
            Err(RecvTimeoutError::Timeout) => {
                stream.settle(&mut out);
                false
            }
            Err(RecvTimeoutError::Disconnected) => {
                stream.finish(&mut out);
                true
            }
        };
        let _ = log.write_all(&out).and_then(|()| log.flush());
        out.clear();
        if is_end {
            return;
        }
    }
}

/// Cuts from every log in a folder what its keeper did not know: credentials that were captured during the run, and
/// values of very large data sets. Returns the files in which that could not be done.
pub(crate) fn keep_out(folder: &Path, kept_out: &KeptOut) -> Vec<PathBuf> {
    if kept_out.hands_over_all() && !kept_out.has_captured() {
        return Vec::new();
    }
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    files.filter(|path| path.is_file() && rewrite(path, kept_out).is_err()).collect()
}

/// Into a file beside it, which then takes its name.
fn rewrite(path: &Path, kept_out: &KeptOut) -> io::Result<()> {
    let beside = path.with_extension("kept-out");
    let mut log = File::open(path)?;
    // Whatever has that name goes: what was started writes here too, and a link would lead elsewhere.
    drop(std::fs::remove_file(&beside));
    let mut clean = File::create_new(&beside)?;
    let (mut stream, mut piece, mut out) = (Stream::new(kept_out.clone()), vec![0; PIECE_BYTES], Vec::new());
    loop {
        let count = log.read(&mut piece)?;
        match count {
            0 => stream.finish(&mut out),
            _ => stream.push(&piece[..count], &mut out),
        }
        clean.write_all(&out)?;
        out.clear();
        if count == 0 {
            break;
        }
    }
    clean.sync_all()?;
    std::fs::rename(&beside, path)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test")]
    use super::*;

    #[test]
    fn values_are_cut_from_logs_and_the_rest_stays() {
        let folder = std::env::temp_dir().join(format!("loadproof-logs-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let log = folder.join("shop.log");
        let victim = folder.with_extension("victim");
        std::fs::write(&victim, "mine").unwrap();
        std::os::unix::fs::symlink(&victim, log.with_extension("kept-out")).unwrap();
        std::fs::write(&log, b"GET /q?user=anna%40example.org\n\xff\xfe raw\nlast anna@example.org").unwrap();
        let kept_out = KeptOut::default();
        kept_out.remember(b"anna@example.org");
        assert_eq!(keep_out(&folder, &kept_out), Vec::<PathBuf>::new());
        let expected =
            ["GET /q?user=‹kept out›\n".as_bytes(), b"\xff\xfe raw\n", "last ‹kept out›".as_bytes()].concat();
        assert_eq!(std::fs::read(&log).unwrap(), expected);
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
        assert_eq!(std::fs::read(&victim).unwrap(), b"mine");
        std::fs::remove_file(&victim).unwrap();
        assert!(keep_out(&folder.join("none"), &kept_out).is_empty());
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn an_instance_never_waits_and_what_is_lost_is_told() {
        let (sender, receiver) = sync_channel(2);
        let lost = AtomicU64::new(0);
        read(&mut &vec![b'x'; 5 * PIECE_BYTES][..], sender, &lost).unwrap();
        let mut log = Vec::new();
        write(&receiver, KeptOut::default(), &lost, &mut log);
        let log = String::from_utf8(log).unwrap();
        assert!(log.contains(&format!("{} bytes are not here", 3 * PIECE_BYTES)), "{}", log.len());
        assert_eq!(log.matches('x').count(), 2 * PIECE_BYTES);
    }
}
