//! The logs of instances, after what the study keeps out was cut from them.

use contract::KeptOut;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

/// Longer lines are looked at in pieces; a value across two of them would not be seen.
const LINE_BYTES_MAX: u64 = 1 << 20;

/// Cuts the values from every log in a folder. Returns the files in which that could not be done.
pub(crate) fn keep_out(folder: &Path, kept_out: &KeptOut) -> Vec<PathBuf> {
    if kept_out.is_empty() {
        return Vec::new();
    }
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    files.filter(|path| path.is_file() && rewrite(path, kept_out).is_err()).collect()
}

/// Line by line into a file beside it, which then takes its name.
fn rewrite(path: &Path, kept_out: &KeptOut) -> io::Result<()> {
    let beside = path.with_extension("kept-out");
    let mut log = BufReader::new(File::open(path)?);
    let mut clean = BufWriter::new(File::create(&beside)?);
    let mut line = Vec::new();
    while log.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut line)? > 0 {
        // What is no UTF-8 stays as it is, unless something in its line has to go.
        let text = String::from_utf8_lossy(&line);
        let cut = kept_out.cut(&text);
        clean.write_all(if *cut == *text { &line } else { cut.as_bytes() })?;
        line.clear();
    }
    clean.into_inner()?.sync_all()?;
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
        std::fs::write(&log, b"GET /q?user=anna%40example.org\n\xff\xfe raw\nlast anna@example.org").unwrap();
        let kept_out = KeptOut::of([&b"anna@example.org"[..]]);
        assert_eq!(keep_out(&folder, &kept_out), Vec::<PathBuf>::new());
        let expected =
            ["GET /q?user=‹kept out›\n".as_bytes(), b"\xff\xfe raw\n", "last ‹kept out›".as_bytes()].concat();
        assert_eq!(std::fs::read(&log).unwrap(), expected);
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
        assert!(keep_out(&folder.join("none"), &kept_out).is_empty());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
