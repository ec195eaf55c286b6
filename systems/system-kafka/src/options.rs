//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use axum::http::uri::Authority;
use clap::{Args, Parser, Subcommand};
use system_common::server::{duration, setting, size};
use system_common::{ServiceOptions, authority};

/// A private Apache Kafka for one run: loopback only, its data gone with it
#[derive(Parser, Debug)]
#[command(name = "system-kafka", version)]
pub(crate) struct Options {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// A cluster of one broker, which is its own controller
    Broker(BrokerOptions),
    /// MirrorMaker 2 from one cluster to another
    Mirror(MirrorOptions),
}

/// What both are started with.
#[derive(Args, Debug)]
pub(crate) struct JavaOptions {
    #[command(flatten)]
    pub(crate) service: ServiceOptions,
    /// Folder of its files: a new or empty one is removed at the end
    #[arg(long, value_name = "PATH")]
    pub(crate) data: PathBuf,
    /// Folder of Kafka's jars [default: $LOADPROOF_KAFKA, else `kafka` beside this program or above it]
    #[arg(long, value_name = "PATH")]
    pub(crate) jars: Option<PathBuf>,
    /// Largest heap of the Java machine
    #[arg(long, default_value = "512MB", value_parser = size)]
    pub(crate) heap: String,
    /// Further arguments of the Java machine, parted by blanks
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true, allow_hyphen_values = true)]
    pub(crate) java_options: String,
    /// Start it again on the same files when it has ended, so long after: when the fault `crash` or anybody else has
    /// killed it
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) restart_after: Option<Duration>,
}

#[derive(Args, Debug)]
pub(crate) struct BrokerOptions {
    #[command(flatten)]
    pub(crate) java: JavaOptions,
    /// Port of the broker on 127.0.0.1; 0 takes a free one, which is printed
    #[arg(long, default_value_t = 0)]
    pub(crate) kafka_port: u16,
    /// Topics that are made, with their numbers of partitions
    #[arg(long, value_name = "NAME:PARTITIONS,…", value_parser = topic, value_delimiter = ',')]
    pub(crate) topics: Vec<Topic>,
    /// Keep the files; a folder that is there already is always kept
    #[arg(long)]
    pub(crate) keep: bool,
    /// Any other setting of the broker; can be given several times
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = own_setting)]
    pub(crate) settings: Vec<(String, String)>,
}

#[derive(Args, Debug)]
pub(crate) struct MirrorOptions {
    #[command(flatten)]
    pub(crate) java: JavaOptions,
    /// Cluster that is read
    #[arg(long, value_name = "HOST:PORT", value_parser = authority)]
    pub(crate) from: Authority,
    /// Cluster that is written
    #[arg(long, value_name = "HOST:PORT", value_parser = authority)]
    pub(crate) to: Authority,
    /// Topics that are mirrored, under their own names
    #[arg(long, value_name = "NAME,…", value_parser = name, value_delimiter = ',', required = true)]
    pub(crate) topics: Vec<String>,
}

/// A topic that is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Topic {
    pub(crate) name: String,
    pub(crate) partitions: i32,
}

/// Most partitions of one topic here: each has files of its own.
const PARTITIONS_MAX: i32 = 1000;
/// As Kafka bounds names of topics.
const NAME_MAX: usize = 249;

/// A name of a topic, as Kafka allows it.
fn name(text: &str) -> Result<String, String> {
    let is_good = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
    if !text.is_empty() && text.len() <= NAME_MAX && text.bytes().all(is_good) && !matches!(text, "." | "..") {
        Ok(text.to_owned())
    } else {
        let shown: String = text.chars().take(64).collect();
        Err(format!("`{shown}` cannot be the name of a topic; write letters, digits, `.`, `-` or `_`"))
    }
}

fn topic(text: &str) -> Result<Topic, String> {
    let (known, partitions) = text.split_once(':').unwrap_or((text, "1"));
    let partitions = partitions.parse().ok().filter(|count| (1..=PARTITIONS_MAX).contains(count));
    let partitions = partitions.ok_or_else(|| {
        format!(
            "`{text}` is not a topic; write `NAME:PARTITIONS` with 1 to {PARTITIONS_MAX}, such as `registrations:12`"
        )
    })?;
    Ok(Topic { name: name(known)?, partitions })
}

/// Settings that this program gives itself.
const OWN: &[&str] = &[
    "advertised.listeners",
    "auto.create.topics.enable",
    "controller.listener.names",
    "controller.quorum.voters",
    "inter.broker.listener.name",
    "listener.security.protocol.map",
    "listeners",
    "log.dir",
    "log.dirs",
    "metadata.log.dir",
    "node.id",
    "process.roles",
];

fn own_setting(text: &str) -> Result<(String, String), String> {
    let (name, value) = setting(text, OWN, "log.segment.bytes=104857600")?;
    // Each is a line of a file.
    if value.contains(char::is_control) {
        return Err(format!("the value of `{name}` has a sign that cannot be written"));
    }
    Ok((name, value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        Options::command().debug_assert();
        for line in [
            "system-kafka broker --port 8080 --kafka-port 9092 --data x --topics registrations:12,audit --restart-after 3s \
             --fault crash=at:30s --set log.segment.bytes=1000000",
            "system-kafka mirror --from 127.0.0.1:9092 --to 127.0.0.1:9093 --topics a,b --data x --heap 384MB",
        ] {
            let read = Options::try_parse_from(line.split_whitespace());
            assert!(read.is_ok(), "{line}: {read:?}");
        }
    }

    #[test]
    fn what_cannot_be_is_refused_with_what_can() {
        let message = |more: &str| {
            let line = format!("system-kafka broker --data x {more}");
            Options::try_parse_from(line.split(' ')).unwrap_err().to_string()
        };
        assert!(message("--topics a:0").contains("such as `registrations:12`"));
        assert!(message("--topics a:1001").contains("1 to 1000"));
        assert!(message("--topics a/b:1").contains("cannot be the name of a topic"));
        assert!(message("--set listeners=x").contains("`listeners` is not free here"));
        assert!(message("--heap 1g").contains("is not a size"));
        assert_eq!(topic("a:12"), Ok(Topic { name: "a".to_owned(), partitions: 12 }));
    }
}
