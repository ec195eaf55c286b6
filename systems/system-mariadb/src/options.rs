//! The command line.

use std::path::PathBuf;

use clap::Parser;
use system_common::server::{ServerOptions, setting, size};

/// A private MariaDB for one run: loopback only, its data gone with it
#[derive(Parser, Debug)]
#[command(name = "system-mariadb", version)]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) server: ServerOptions,
    /// Most connections at a time
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(10..=10_000))]
    pub(crate) max_connections: u32,
    /// Memory for pages of tables and indexes
    #[arg(long, default_value = "256MB", value_parser = size)]
    pub(crate) buffer_pool: String,
    /// When a commit is on the disk: 1 before it is answered; 2 within a second, safe if only the server dies; 0 within
    /// a second
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(0..=2))]
    pub(crate) flush_log_at_commit: u8,
    /// Any other setting of the server; can be given several times
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = own_setting)]
    pub(crate) settings: Vec<(String, String)>,
    /// Folder of `mariadbd` [default: $LOADPROOF_MARIADB_BIN, else looked for]
    #[arg(long, value_name = "PATH")]
    pub(crate) bin_dir: Option<PathBuf>,
}

/// Settings that this program gives itself.
const OWN: &[&str] = &[
    "basedir",
    "bind_address",
    "datadir",
    "init_file",
    "innodb_flush_log_at_trx_commit",
    "log_error",
    "pid_file",
    "port",
    "socket",
    "tmpdir",
    "user",
];

fn own_setting(text: &str) -> Result<(String, String), String> {
    if text.starts_with("innodb_flush_log_at_trx_commit=") {
        return Err(
            "`innodb_flush_log_at_trx_commit` has a flag of its own: write `--flush-log-at-commit 2`".to_owned()
        );
    }
    setting(text, OWN, "innodb_io_capacity=1000")
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;
    use std::time::Duration;

    #[test]
    fn the_command_line_is_sound() {
        Options::command().debug_assert();
        let line = "system-mariadb --port 8080 --sql-port 3307 --data scratch/mariadb --max-connections 50 \
                    --buffer-pool 64MB --flush-log-at-commit 2 --set innodb_io_capacity=1000 --restart-after 3s \
                    --fault crash=at:30s --fault stall=37s/4s";
        let options = Options::try_parse_from(line.split_whitespace()).unwrap();
        assert_eq!(options.settings, [("innodb_io_capacity".to_owned(), "1000".to_owned())]);
        assert_eq!((options.flush_log_at_commit, options.server.restart_after), (2, Some(Duration::from_secs(3))));
    }

    #[test]
    fn what_cannot_be_is_refused_with_what_can() {
        let message = |more: &str| {
            let line = format!("system-mariadb --data x {more}");
            Options::try_parse_from(line.split(' ')).unwrap_err().to_string()
        };
        assert!(message("--buffer-pool 256M").contains("`256M` is not a size; write a whole number of `kB`"));
        assert!(message("--set log_bin").contains("write `NAME=VALUE`"));
        assert!(message("--set bind_address=*").contains("`bind_address` is not free here"));
        assert!(message("--set innodb_flush_log_at_trx_commit=2").contains("write `--flush-log-at-commit 2`"));
        assert!(message("--flush-log-at-commit 3").contains("3 is not in 0..=2"));
        assert!(message("--restart-after 3").contains("write for example `3s`"));
        assert!(message("--role Lab;DROP").contains("is not a plain name"));
    }
}
