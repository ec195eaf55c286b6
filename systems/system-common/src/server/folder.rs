//! Where a server's files may lie: a new folder that goes with the run, or one of an earlier run that stays.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::{Guard, Owner};

/// Where data goes that the server's user could not reach at the place asked for.
const ELSEWHERE: &str = "/var/tmp";

/// The folder that is wanted.
pub struct FolderOptions<'a> {
    /// Folder asked for; made if it is missing.
    pub path: &'a Path,
    /// Whether the files stay when the program ends.
    pub is_kept: bool,
    /// The path in it that is there if it holds a server's data.
    pub marker: &'a str,
    /// What such data is called, such as `cluster of PostgreSQL`.
    pub data: &'a str,
    /// The program, which names a folder elsewhere.
    pub program: &'a str,
}

/// A folder that can be used.
#[derive(Debug)]
pub enum Prepared {
    /// It holds the data of an earlier run.
    Taken(PathBuf),
    /// It is new and empty, and the owner's.
    Made(PathBuf),
}

impl Prepared {
    /// Where it is, as an absolute path.
    pub fn path(&self) -> &Path {
        let (Self::Taken(path) | Self::Made(path)) = self;
        path
    }
}

impl FolderOptions<'_> {
    /// Finds the folder or makes it; one that does not stay is told to the guard.
    ///
    /// # Errors
    /// The folder holds something else, or cannot be made or reached.
    pub fn prepare(&self, owner: &Owner, guard: &mut Guard) -> Result<Prepared> {
        let asked = std::path::absolute(self.path)
            .with_context(|| format!("`{}` is not a path of a folder", self.path.display()))?;
        // The guard is told of folders by the line.
        if asked.as_os_str().as_encoded_bytes().contains(&b'\n') {
            bail!("a folder whose name has a line break cannot be used; name another with `--data`");
        }
        std::fs::create_dir_all(&asked).with_context(|| format!("cannot make the folder `{}`", asked.display()))?;
        guard.hold(lock(&asked)?);
        if asked.join(self.marker).exists() {
            return match owner.barrier(&asked) {
                Some(barrier) => bail!(
                    "`{}` cannot be reached by `{}`, as whom the server runs: type `chmod o+x {}`",
                    asked.display(),
                    owner.name(),
                    barrier.display()
                ),
                None => Ok(Prepared::Taken(asked)),
            };
        }
        if asked.read_dir().is_ok_and(|mut entries| entries.next().is_some()) {
            bail!("`{}` holds files, but no {}; name another folder with `--data`", asked.display(), self.data);
        }
        let folder = self.place(asked, owner)?;
        if !self.is_kept {
            guard.remove_at_end(&folder)?;
        }
        Ok(Prepared::Made(folder))
    }

    /// The folder asked for, or one elsewhere if the server's user could not reach it; made, and the user's own.
    fn place(&self, asked: PathBuf, owner: &Owner) -> Result<PathBuf> {
        let folder = match owner.barrier(&asked) {
            None => asked,
            Some(barrier) if self.is_kept => bail!(
                "`{}` cannot be reached by `{}`, as whom the server runs: type `chmod o+x {}`, or name another folder \
                 with `--data`",
                asked.display(),
                owner.name(),
                barrier.display()
            ),
            Some(barrier) => {
                let made = tempfile::Builder::new().prefix(&format!("{}-", self.program)).tempdir_in(ELSEWHERE);
                let made = made.with_context(|| format!("cannot make a folder in `{ELSEWHERE}`"))?.keep();
                eprintln!(
                    "`{}` cannot be entered by `{}`, as whom the server runs, so its data is in `{}` until the end",
                    barrier.display(),
                    owner.name(),
                    made.display()
                );
                // Empty, since data of this kind lies nowhere in it.
                let _ = std::fs::remove_dir(&asked);
                made
            }
        };
        owner.take(&folder)?;
        Ok(folder)
    }
}

/// Takes the folder for this process alone: two servers that are given the same one at the same moment would both find
/// it empty. The lock goes with the file that holds it.
fn lock(folder: &Path) -> Result<File> {
    let file = File::open(folder).with_context(|| format!("cannot open the folder `{}`", folder.display()))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => bail!(
            "`{}` is in use by another server that is private to its run; name another folder with `--data`",
            folder.display()
        ),
        Err(TryLockError::Error(error)) => {
            Err(error).with_context(|| format!("cannot lock the folder `{}`", folder.display()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_taken_once_until_it_is_let_go() {
        let folder = tempfile::tempdir().unwrap();
        let held = lock(folder.path()).unwrap();
        let message = lock(folder.path()).unwrap_err().to_string();
        assert!(message.contains("is in use by another server") && message.contains("`--data`"), "{message}");
        drop(held);
        assert!(lock(folder.path()).is_ok());
    }
}
