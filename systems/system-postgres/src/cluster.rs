//! The files of a server: how they come about, and who may connect.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use system_common::Lifetime;
use system_common::server::{FolderOptions, Guard, Owner, Prepared, run_tool};

use crate::options::Options;
use crate::programs::Programs;

/// The folder of the cluster that was asked for, or of a new one; `None` if the process was told to end meanwhile.
///
/// # Errors
/// The folder holds something else, a cluster of another version, or one that cannot be reached; or a program of the
/// server fails, with what it says.
pub(crate) fn prepare(
    options: &Options,
    programs: &Programs,
    owner: &Owner,
    guard: &mut Guard,
    lifetime: &Lifetime,
) -> Result<Option<PathBuf>> {
    let wanted = FolderOptions {
        path: &options.server.data,
        is_kept: options.server.keep,
        marker: "PG_VERSION",
        data: "cluster of PostgreSQL",
        program: "system-postgres",
    };
    match wanted.prepare(owner, guard)? {
        Prepared::Taken(folder) => {
            same_version(&folder, programs)?;
            Ok(Some(folder))
        }
        Prepared::Made(folder) => Ok(make(&folder, options, programs, owner, guard, lifetime)?.map(|()| folder)),
    }
}

/// A cluster of an earlier run can only be used by the same major version.
fn same_version(folder: &Path, programs: &Programs) -> Result<()> {
    let version = std::fs::read_to_string(folder.join("PG_VERSION")).unwrap_or_default();
    let major = programs.major()?;
    if version.trim() != major.to_string() {
        bail!(
            "`{}` is a cluster of PostgreSQL {}, and the server here is {major}; name another folder with `--data`",
            folder.display(),
            version.trim()
        );
    }
    Ok(())
}

fn make(
    folder: &Path,
    options: &Options,
    programs: &Programs,
    owner: &Owner,
    guard: &mut Guard,
    lifetime: &Lifetime,
) -> Result<Option<()>> {
    let mut initdb = owner.command(&programs.path("initdb"), folder);
    // A crash during the making means making it again, so nothing has to be on disk before the server starts.
    initdb.args(["--username=postgres", "--auth=reject", "--no-locale", "--encoding=UTF8", "--no-sync", "--pgdata"]);
    initdb.arg(folder);
    if run_tool("initdb", initdb, "", guard, lifetime)?.is_none() {
        return Ok(None);
    }
    let (role, database) = (&options.server.role, &options.server.database);
    // Only this rule: the superuser `postgres` cannot connect at all, from nowhere.
    let rules = format!("host {database} {role} 127.0.0.1/32 trust\n");
    let path = folder.join("pg_hba.conf");
    std::fs::write(&path, rules).with_context(|| format!("cannot write `{}`", path.display()))?;
    // Without a connection, as the server's own user: one command a line.
    let commands =
        format!("CREATE ROLE {role} LOGIN\nGRANT pg_monitor TO {role}\nCREATE DATABASE {database} OWNER {role}\n");
    let mut single = owner.command(&programs.path("postgres"), folder);
    single.args(["--single", "-F", "-D"]).arg(folder).arg("postgres");
    // Single-user mode ends well whatever its commands came to; its words tell.
    run_tool("postgres --single", single, &commands, guard, lifetime)
}
