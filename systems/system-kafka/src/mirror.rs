//! How MirrorMaker 2 is started and watched over.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::get;
use rustix::process::Signal;
use system_common::server::{Books, Farewell, FolderOptions, Guard, Kind, Owner, Server, supervise};
use system_common::{Lifetime, Service, runtime};

use crate::broker::{BLOCKING, about};
use crate::java::Kafka;
use crate::mirrored::{Mirrored, PROBE};
use crate::options::MirrorOptions;

/// It commits how far it has read when it is told to end.
const FAREWELL: Farewell = &[(Signal::TERM, Duration::from_secs(5))];

/// Runs to the end. `born` is the start of the process.
pub(crate) fn run(options: &MirrorOptions, born: Instant) -> Result<ExitCode> {
    let kafka = Kafka::find(options.java.jars.as_deref())?;
    let runtime = runtime(BLOCKING)?;
    let code = runtime.block_on(async {
        let service = Service::new(about("mirror", &kafka), &options.java.service, born)?;
        let mut guard = Guard::start()?;
        let kind = Mirror { options, kafka, folder: None };
        let code = supervise(kind, service, &mut guard, born, options.java.restart_after).await;
        guard.finish();
        code
    });
    runtime.shutdown_timeout(Duration::from_millis(200));
    code
}

/// This kind of server. Its folder is known once it was started.
struct Mirror<'a> {
    options: &'a MirrorOptions,
    kafka: Kafka,
    folder: Option<PathBuf>,
}

impl Mirror<'_> {
    fn place(&mut self, owner: &Owner, guard: &mut Guard) -> Result<PathBuf> {
        if let Some(folder) = &self.folder {
            return Ok(folder.clone());
        }
        let wanted = FolderOptions {
            path: self.options.java.folder()?,
            is_kept: false,
            marker: "mm2.properties",
            data: "settings of MirrorMaker",
            program: "system-kafka",
        };
        let folder = wanted.prepare(owner, guard)?.path().to_owned();
        Ok(self.folder.insert(folder).clone())
    }
}

impl Kind for Mirror<'_> {
    type Database = Mirrored;

    fn start(&mut self, guard: &mut Guard, lifetime: &Lifetime) -> Result<Option<Server>> {
        let owner = Owner::same();
        let folder = self.place(&owner, guard)?;
        if lifetime.has_ended() {
            return Ok(None);
        }
        // It looks for topics when it starts, so the probe has to be there.
        if Mirrored::prepare(self.options, lifetime)?.is_none() {
            return Ok(None);
        }
        let path = folder.join("mm2.properties");
        std::fs::write(&path, properties(self.options))
            .with_context(|| format!("cannot write `{}`", path.display()))?;
        let java = &self.options.java;
        let mut command = self.kafka.command(&owner, &folder, &java.heap, &java.java_options)?;
        command.arg("org.apache.kafka.connect.mirror.MirrorMaker").arg(path);
        let server = Server::start("org.apache.kafka.connect.mirror.MirrorMaker", command, FAREWELL)?;
        guard.end_at_end(server.pid)?;
        Ok(Some(server))
    }

    fn ready(&self, server: &Server, books: &Arc<Books>, lifetime: &Lifetime) -> Result<Option<Arc<Mirrored>>> {
        Mirrored::wait(self.options, &self.kafka.version, server, books, lifetime)
    }

    /// It listens nowhere.
    fn choose_another_port(&mut self) -> Result<bool> {
        Ok(false)
    }

    fn url(&self) -> String {
        format!("kafka://{} to kafka://{}", self.options.from, self.options.to)
    }

    fn routes(&self, mirrored: &Arc<Mirrored>) -> Router {
        Router::new().route("/metrics", get(page)).with_state(Arc::clone(mirrored))
    }
}

async fn page(State(mirrored): State<Arc<Mirrored>>) -> Result<String, (StatusCode, String)> {
    let asked = tokio::task::spawn_blocking(move || mirrored.page()).await;
    match asked {
        Ok(Ok(page)) => Ok(page),
        Ok(Err(error)) => Err((StatusCode::SERVICE_UNAVAILABLE, error.to_string())),
        Err(_) => Err((StatusCode::INTERNAL_SERVER_ERROR, "the question broke off".to_owned())),
    }
}

/// One way, topics under their own names, and a task for all of them. What is not mirrored is not asked for either.
fn properties(options: &MirrorOptions) -> String {
    let MirrorOptions { from, to, topics, .. } = options;
    let topics = topics.iter().map(String::as_str).chain([PROBE]).map(quoted).collect::<Vec<_>>().join(",");
    format!(
        "clusters=from,to\n\
         from.bootstrap.servers={from}\n\
         to.bootstrap.servers={to}\n\
         from->to.enabled=true\n\
         from->to.topics={topics}\n\
         to->from.enabled=false\n\
         replication.policy.class=org.apache.kafka.connect.mirror.IdentityReplicationPolicy\n\
         tasks.max=1\n\
         replication.factor=1\n\
         offset-syncs.topic.replication.factor=1\n\
         checkpoints.topic.replication.factor=1\n\
         heartbeats.topic.replication.factor=1\n\
         offset.storage.replication.factor=1\n\
         status.storage.replication.factor=1\n\
         config.storage.replication.factor=1\n\
         offset.storage.partitions=1\n\
         status.storage.partitions=1\n\
         emit.heartbeats.enabled=false\n\
         refresh.topics.interval.seconds=10\n\
         sync.topic.acls.enabled=false\n\
         sync.topic.configs.enabled=false\n\
         offset.flush.interval.ms=1000\n\
         dedicated.mode.enable.internal.rest=false\n"
    )
}

/// Topics are patterns there, and `.` is any sign.
fn quoted(topic: &str) -> String {
    topic.replace('.', "\\\\.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{Command, Options};
    use clap::Parser;

    #[test]
    fn topics_are_named_and_not_patterns() {
        let line = "system-kafka mirror --from 127.0.0.1:1 --to 127.0.0.1:2 --topics a.b,c --data x";
        let Command::Mirror(options) = Options::parse_from(line.split(' ')).command else { panic!("a mirror") };
        let text = properties(&options);
        assert!(text.contains("from->to.topics=a\\\\.b,c,loadproof-probe\n"), "{text}");
        assert!(text.contains("from.bootstrap.servers=127.0.0.1:1\nto.bootstrap.servers=127.0.0.1:2\n"), "{text}");
    }
}
