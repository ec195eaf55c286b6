//! The command line.

use std::path::PathBuf;

use clap::Parser;
use system_common::server::{ServerOptions, setting, size};

/// A private PostgreSQL for one run: loopback only, its data gone with it
#[derive(Parser, Debug)]
#[command(name = "system-postgres", version)]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) server: ServerOptions,
    /// Most connections at a time
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(5..=10_000))]
    pub(crate) max_connections: u32,
    /// Memory for pages of tables and indexes
    #[arg(long, default_value = "256MB", value_parser = size)]
    pub(crate) shared_buffers: String,
    /// Any other setting of the server; can be given several times
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = own_setting)]
    pub(crate) settings: Vec<(String, String)>,
    /// Folder of `postgres` and `initdb` [default: $LOADPROOF_POSTGRES_BIN, else looked for]
    #[arg(long, value_name = "PATH")]
    pub(crate) bin_dir: Option<PathBuf>,
}

/// Settings that this program gives itself.
const OWN: &[&str] = &["listen_addresses", "port", "unix_socket_directories", "data_directory", "hba_file"];

fn own_setting(text: &str) -> Result<(String, String), String> {
    setting(text, OWN, "synchronous_commit=off")
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;
    use std::time::Duration;

    #[test]
    fn the_command_line_is_sound() {
        Options::command().debug_assert();
        let line = "system-postgres --port 8080 --sql-port 5433 --data scratch/postgres --max-connections 50 \
                    --shared-buffers 64MB --set synchronous_commit=off --restart-after 3s --fault crash=at:30s --fault stall=37s/4s";
        let options = Options::try_parse_from(line.split_whitespace()).unwrap();
        assert_eq!(options.server.restart_after, Some(Duration::from_secs(3)));
        assert_eq!(options.settings, [("synchronous_commit".to_owned(), "off".to_owned())]);
    }

    #[test]
    fn what_cannot_be_is_refused_with_what_can() {
        let message = |more: &str| {
            let line = format!("system-postgres --data x {more}");
            Options::try_parse_from(line.split(' ')).unwrap_err().to_string()
        };
        assert!(message("--shared-buffers 256").contains("`256` is not a size; write a whole number of `kB`"));
        assert!(message("--set fsync").contains("write `NAME=VALUE`"));
        assert!(message("--set listen_addresses=*").contains("`listen_addresses` is not free here"));
        assert!(message("--role Lab;DROP").contains("is not a plain name"));
    }
}
