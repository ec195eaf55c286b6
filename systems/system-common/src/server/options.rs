//! Flags that every private server has.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::{duration, plain_name};
use crate::ServiceOptions;

/// Flags of a private server: its service, where the database listens and keeps its files, who may use it, whether it
/// comes back.
#[derive(Args, Clone, Debug)]
pub struct ServerOptions {
    /// Those that every service has.
    #[command(flatten)]
    pub service: ServiceOptions,
    /// Port of the database on 127.0.0.1; 0 takes a free one, which is printed
    #[arg(long, default_value_t = 0)]
    pub sql_port: u16,
    /// Folder of the database's files: a new or empty one is removed at the end, one that holds a database is kept
    #[arg(long, value_name = "PATH")]
    pub data: PathBuf,
    /// Keep the files; a folder that is there already is always kept
    #[arg(long)]
    pub keep: bool,
    /// The one role that can connect, without a password, from this machine
    #[arg(long, default_value = "lab", value_parser = plain_name)]
    pub role: String,
    /// Its database
    #[arg(long, default_value = "lab", value_parser = plain_name)]
    pub database: String,
    /// Start the server again on the same files when it has ended, so long after: when the fault `crash` or anybody else
    /// has killed it
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub restart_after: Option<Duration>,
}
