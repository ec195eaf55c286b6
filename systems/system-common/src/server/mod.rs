//! A server of somebody else's, private to one run: made in a folder, started, watched over and taken away again.
//! `system-postgres`, `system-mariadb` and `system-kafka` are made of it.
//!
//! The server is the child of the supervisor, so that whoever watches the supervisor's process tree watches the server.
//! A [`Guard`] outlives a supervisor that is killed, by just as long as it takes to clean up.

mod folder;
mod guard;
mod options;
mod owner;
mod process;
mod processes;
mod supervise;
mod tool;

use std::net::{Ipv4Addr, TcpListener};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;

pub use folder::{FolderOptions, Prepared};
pub use guard::Guard;
pub use options::ServerOptions;
pub use owner::Owner;
pub use process::{Farewell, Server};
pub use supervise::{Books, Kind, supervise};
pub use tool::run_tool;

/// As [`run_program`](crate::run_program), for a supervisor: a process that it started as its [`Guard`] does that work
/// instead.
pub fn run_supervisor<O: Parser>(run: impl FnOnce(&O, Instant) -> anyhow::Result<ExitCode>) -> ExitCode {
    if guard::is_guard() {
        guard::run();
        return ExitCode::SUCCESS;
    }
    crate::run_program(ExitCode::FAILURE, run)
}

/// A port of 127.0.0.1 that was free a moment ago. Another program may take it before the server does; then
/// [`supervise`] asks for another one.
///
/// # Errors
/// There is none.
pub fn free_port() -> std::io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

/// A name that becomes part of SQL and of files of rules: of a role, a user or a database.
///
/// # Errors
/// Anything but a plain name.
pub fn plain_name(text: &str) -> Result<String, String> {
    let is_plain = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'_';
    if text.len() <= 63 && text.starts_with(|c: char| c.is_ascii_lowercase()) && text.bytes().all(is_plain) {
        Ok(text.to_owned())
    } else {
        Err(format!("`{text}` is not a plain name; write at most 63 of `a-z`, `0-9` and `_`, a letter first"))
    }
}

/// A size of memory, as PostgreSQL writes it; `kB` is 1024 bytes there.
///
/// # Errors
/// Anything but a whole number and one of the units.
pub fn size(text: &str) -> Result<String, String> {
    let unit = ["kB", "MB", "GB"].iter().find_map(|unit| text.strip_suffix(unit));
    match unit {
        Some(number) if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => Ok(text.to_owned()),
        _ => Err(format!("`{text}` is not a size; write a whole number of `kB`, `MB` or `GB`, such as `256MB`")),
    }
}

/// `NAME=VALUE` of a server's own setting; `own` are those that a private server chooses itself, `example` is one that
/// can be typed.
///
/// # Errors
/// No such form, or a name of `own`.
pub fn setting(text: &str, own: &[&str], example: &str) -> Result<(String, String), String> {
    let wrong = || format!("`{text}` is not a setting; write `NAME=VALUE`, such as `{example}`");
    let (name, value) = text.split_once('=').ok_or_else(wrong)?;
    let is_name = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, b'_' | b'.');
    if name.is_empty() || !name.bytes().all(is_name) {
        return Err(wrong());
    }
    if own.contains(&name) {
        return Err(format!("`{name}` is not free here: a private server chooses it itself"));
    }
    Ok((name.to_owned(), value.to_owned()))
}

/// A length of time with its unit, such as `3s`; at most a day.
///
/// # Errors
/// Anything else, with what is wrong.
pub fn duration(text: &str) -> Result<Duration, String> {
    crate::fault::duration(text).map_err(|why| format!("`{text}` cannot be: {why}; write for example `3s`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_sql_so_they_are_plain() {
        assert!(plain_name("inventory_2").is_ok());
        for name in ["", "2x", "a-b", "a; DROP", "Lab", &"x".repeat(64)] {
            assert!(plain_name(name).is_err(), "{name}");
        }
    }

    #[test]
    fn sizes_settings_and_times_say_what_they_could_be() {
        assert_eq!(size("64MB").as_deref(), Ok("64MB"));
        assert!(size("256").unwrap_err().starts_with("`256` is not a size; write a whole number of `kB`"));
        let one = |text: &str| setting(text, &["port"], "fsync=off");
        assert_eq!(one("work_mem=1=2"), Ok(("work_mem".to_owned(), "1=2".to_owned())));
        assert_eq!(one("fsync").unwrap_err(), "`fsync` is not a setting; write `NAME=VALUE`, such as `fsync=off`");
        assert!(one("Port=1").is_err() && one("=1").is_err());
        assert_eq!(one("port=1").unwrap_err(), "`port` is not free here: a private server chooses it itself");
        assert_eq!(duration("1500ms"), Ok(Duration::from_millis(1500)));
        assert_eq!(duration("3").unwrap_err(), "`3` cannot be: it is not a duration; write for example `3s`");
    }
}
