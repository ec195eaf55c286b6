//! The files of a server: how they come about, and who may connect.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, bail};
use system_common::server::{Guard, Owner, Prepared, Wanted, succeeded};

use crate::cli::Options;
use crate::programs::Programs;

/// The folder of the cluster that was asked for, or of a new one.
///
/// # Errors
/// The folder holds something else, a cluster of another version, or one that cannot be reached; or a program of the
/// server fails, with what it says.
pub(crate) fn prepare(options: &Options, programs: &Programs, owner: &Owner, guard: &mut Guard) -> Result<PathBuf> {
    let wanted = Wanted {
        path: &options.data,
        is_kept: options.keep,
        marker: "PG_VERSION",
        data: "cluster of PostgreSQL",
        program: "system-postgres",
    };
    match wanted.prepare(owner, guard)? {
        Prepared::Taken(folder) => {
            same_version(&folder, programs)?;
            Ok(folder)
        }
        Prepared::Made(folder) => {
            make(&folder, options, programs, owner)?;
            Ok(folder)
        }
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

fn make(folder: &Path, options: &Options, programs: &Programs, owner: &Owner) -> Result<()> {
    let mut initdb = owner.command(&programs.path("initdb"), folder);
    // A crash during the making means making it again, so nothing has to be on disk before the server starts.
    initdb.args(["--username=postgres", "--auth=reject", "--no-locale", "--encoding=UTF8", "--no-sync", "--pgdata"]);
    succeeded("initdb", &initdb.arg(folder).stdin(Stdio::null()).output().context("cannot start `initdb`")?)?;
    let (role, database) = (&options.role, &options.database);
    // Only this rule: the superuser `postgres` cannot connect at all, from nowhere.
    let rules = format!("host {database} {role} 127.0.0.1/32 trust\n");
    let path = folder.join("pg_hba.conf");
    std::fs::write(&path, rules).with_context(|| format!("cannot write `{}`", path.display()))?;
    // Without a connection, as the server's own user: one command a line.
    let commands =
        format!("CREATE ROLE {role} LOGIN\nGRANT pg_monitor TO {role}\nCREATE DATABASE {database} OWNER {role}\n");
    let mut single = owner.command(&programs.path("postgres"), folder);
    single.args(["--single", "-F", "-D"]).arg(folder).arg("postgres");
    let mut child = single
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("cannot start `postgres --single`")?;
    let pipe = child.stdin.take();
    let written = pipe.map_or(Ok(()), |mut pipe| pipe.write_all(commands.as_bytes()));
    let output = child.wait_with_output().context("`postgres --single` broke off")?;
    // Single-user mode ends well whatever its commands came to; its words tell.
    succeeded("postgres --single", &output)?;
    written.context("`postgres --single` took no commands")
}
