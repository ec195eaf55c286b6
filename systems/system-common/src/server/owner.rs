//! As whom a server runs, and which folders that user can reach. A database does not run as root.

use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

/// A user of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
struct User {
    name: String,
    uid: u32,
    gid: u32,
}

/// As whom the server runs; `None` is the user that runs this program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner(Option<User>);

impl Owner {
    /// The user itself, or for root one of `users`, the best first. `server` is its name for messages.
    ///
    /// # Errors
    /// Root on a machine without any of them.
    pub fn choose(server: &str, users: &[&str]) -> Result<Self> {
        if !rustix::process::geteuid().is_root() {
            return Ok(Self(None));
        }
        let table = std::fs::read_to_string("/etc/passwd").context("cannot read `/etc/passwd`")?;
        match users.iter().find_map(|name| user(&table, name)) {
            Some(user) => Ok(Self(Some(user))),
            None => bail!(
                "{server} does not run as root, and there is neither a user `{}` to run it as; start this as another user",
                users.join("` nor `")
            ),
        }
    }

    /// The user that runs this program, root or not: for servers that do not mind.
    pub fn same() -> Self {
        Self(None)
    }

    /// Makes a command run as this user, in a folder that it can reach and that takes its temporary files: in one that
    /// is shared, two servers that start at the same moment would take each other's away. Its words are those of no
    /// language, since some of them are looked for.
    pub fn command(&self, program: &Path, folder: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(folder).env("TMPDIR", folder).env("LC_ALL", "C");
        if let Some(User { uid, gid, .. }) = &self.0 {
            command.uid(*uid).gid(*gid);
        }
        command
    }

    /// Makes the folder this user's own.
    ///
    /// # Errors
    /// The folder is missing, or the system refuses.
    pub fn take(&self, path: &Path) -> Result<()> {
        let Some(User { name, uid, gid }) = &self.0 else { return Ok(()) };
        chown(path, Some(*uid), Some(*gid)).with_context(|| format!("cannot give `{}` to `{name}`", path.display()))
    }

    /// The first folder above `path` that this user cannot enter. Where this program runs as the user itself, the
    /// system says so soon enough.
    pub fn barrier(&self, path: &Path) -> Option<PathBuf> {
        let User { uid, gid, .. } = self.0.as_ref()?;
        let above: Vec<_> = path.ancestors().skip(1).collect();
        above.into_iter().rev().filter(|folder| !folder.as_os_str().is_empty()).find_map(|folder| {
            let data = folder.metadata().ok()?;
            let enter = if data.uid() == *uid {
                0o100
            } else if data.gid() == *gid {
                0o010
            } else {
                0o001
            };
            (data.mode() & enter == 0).then(|| folder.to_owned())
        })
    }

    /// Its name, for messages.
    pub fn name(&self) -> &str {
        self.0.as_ref().map_or("the user that started it", |user| &user.name)
    }
}

/// A line of passwd(5): `name:password:uid:gid:…`.
fn user(table: &str, name: &str) -> Option<User> {
    let line = table.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    let mut fields = line.split(':').skip(1);
    let uid = fields.next()?.parse().ok().filter(|uid| *uid != 0)?;
    Some(User { name: name.to_owned(), uid, gid: fields.next()?.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    const TABLE: &str = "root:x:0:0:root:/root:/bin/bash\npostgresql:x:7:7::/:/bin/false\npostgres:x:101:104:,,,:/var/lib/postgresql:/bin/bash\n";

    #[test]
    fn users_are_found_by_their_whole_name_and_root_never() {
        assert_eq!(user(TABLE, "postgres"), Some(User { name: "postgres".into(), uid: 101, gid: 104 }));
        assert_eq!(user(TABLE, "nobody"), None);
        assert_eq!(user(TABLE, "root"), None);
    }

    #[test]
    fn a_folder_that_others_cannot_enter_is_a_barrier_to_others_only() {
        let folder = tempfile::tempdir().unwrap();
        let (closed, data) = (folder.path().join("closed"), folder.path().join("closed/data"));
        std::fs::create_dir_all(&data).unwrap();
        let set = |path: &Path, mode| std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        set(folder.path(), 0o755);
        set(&closed, 0o700);
        let (uid, gid) = (closed.metadata().unwrap().uid(), closed.metadata().unwrap().gid());
        let as_user = |uid, gid| Owner(Some(User { name: "x".into(), uid, gid }));
        assert_eq!(as_user(uid + 1, gid + 1).barrier(&data), Some(closed.clone()));
        assert_eq!(as_user(uid, gid + 1).barrier(&data), None);
        set(&closed, 0o710);
        assert_eq!(as_user(uid + 1, gid).barrier(&data), None);
        assert_eq!(Owner(None).barrier(&data), None);
    }
}
