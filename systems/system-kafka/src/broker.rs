//! How a broker is made, started and watched over.

use std::fmt::Write as _;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use ring::rand::{SecureRandom, SystemRandom};
use rustix::process::Signal;
use system_common::server::{
    Books, Farewell, FolderOptions, Guard, Kind, Owner, Prepared, Server, free_port, run_tool, supervise,
};
use system_common::{About, CrashBy, DelayAt, FaultKind, Lifetime, Service, runtime};

use crate::cluster::{Cluster, Wanted};
use crate::java::Kafka;
use crate::options::BrokerOptions;

pub(crate) const FAULTS: &[FaultKind] = &[FaultKind::Stall, FaultKind::Crash];

/// SIGTERM lets a broker write out what it knows of its files.
const FAREWELL: Farewell = &[(Signal::TERM, Duration::from_secs(8))];
/// Nobody reads files that go with the run, so there is nothing to write out.
const AT_ONCE: Farewell = &[];

/// Threads that block: questions about health.
pub(crate) const BLOCKING: usize = 4;
/// The one address that anybody connects to.
pub(crate) const HOST: &str = "127.0.0.1";
/// Arguments of the Java machine that makes the first files: it lives for a moment, and is not worth compiling well.
const BRIEFLY: &str = "-XX:TieredStopAtLevel=1";

/// Runs to the end. `born` is the start of the process.
pub(crate) fn run(options: &BrokerOptions, born: Instant) -> Result<ExitCode> {
    let kafka = Kafka::find(options.java.jars.as_deref())?;
    let runtime = runtime(BLOCKING)?;
    let code = runtime.block_on(async {
        let service = Service::new(about("broker", &kafka), &options.java.service, born)?;
        let mut guard = Guard::start()?;
        let kind = Broker { options, kafka, running: None };
        let code = supervise(kind, service, &mut guard, born, options.java.restart_after).await;
        guard.finish();
        code
    });
    // A question that a frozen broker never answers must not hold the end up.
    runtime.shutdown_timeout(Duration::from_millis(200));
    code
}

/// The version is Kafka's own: it is what a reader of a report asks for. It lives as long as the process.
pub(crate) fn about(module: &'static str, kafka: &Kafka) -> About {
    About {
        program: "system-kafka",
        module,
        version: Box::leak(format!("Apache Kafka {}", kafka.version).into_boxed_str()),
        routes: &[],
        faults: FAULTS,
        delay_at: DelayAt::Entry,
        crash_by: CrashBy::Program,
    }
}

/// This kind of server. Files and ports are known once it was started.
struct Broker<'a> {
    options: &'a BrokerOptions,
    kafka: Kafka,
    running: Option<Running>,
}

#[derive(Clone)]
struct Running {
    folder: PathBuf,
    port: u16,
    controller: u16,
    /// Id of the cluster, which its files have as well.
    cluster: String,
}

impl Running {
    fn address(&self) -> String {
        format!("{HOST}:{}", self.port)
    }
}

impl Broker<'_> {
    fn running(&self) -> &Running {
        self.running.as_ref().expect("invariant: a server is asked only once it was started")
    }

    /// Finds or makes the files and chooses ports, the first time; `None` if the process was told to end meanwhile.
    fn place(&mut self, owner: &Owner, guard: &mut Guard, lifetime: &Lifetime) -> Result<Option<Running>> {
        if let Some(running) = &self.running {
            return Ok(Some(running.clone()));
        }
        let wanted = FolderOptions {
            path: self.options.java.folder()?,
            is_kept: self.options.keep,
            marker: "data/meta.properties",
            data: "data of Kafka",
            program: "system-kafka",
        };
        let prepared = wanted.prepare(owner, guard)?;
        let port = match self.options.kafka_port {
            0 => free_port().context("there is no free port")?,
            port => port,
        };
        let controller = free_port().context("there is no free port")?;
        let folder = prepared.path().to_owned();
        let cluster = match prepared {
            Prepared::Taken(_) => known_cluster(&folder.join("data/meta.properties"))?,
            Prepared::Made(_) => drawn_cluster()?,
        };
        let running = Running { folder, port, controller, cluster };
        if matches!(prepared, Prepared::Made(_)) && self.format(&running, owner, guard, lifetime)?.is_none() {
            return Ok(None);
        }
        Ok(Some(self.running.insert(running).clone()))
    }

    fn format(&self, running: &Running, owner: &Owner, guard: &mut Guard, lifetime: &Lifetime) -> Result<Option<()>> {
        let properties = self.write(running)?;
        let mut command = self.kafka.command(owner, &running.folder, "128MB", BRIEFLY)?;
        command.args(["kafka.tools.StorageTool", "format", "-t", &running.cluster, "-c"]).arg(properties);
        run_tool("kafka.tools.StorageTool", command, "", guard, lifetime)
    }

    /// Writes the settings; a port may be another one than before.
    fn write(&self, running: &Running) -> Result<PathBuf> {
        let path = running.folder.join("server.properties");
        let text = properties(running, &self.options.settings);
        std::fs::write(&path, text).with_context(|| format!("cannot write `{}`", path.display()))?;
        Ok(path)
    }
}

impl Kind for Broker<'_> {
    type Database = Cluster;

    fn start(&mut self, guard: &mut Guard, lifetime: &Lifetime) -> Result<Option<Server>> {
        let owner = Owner::same();
        let Some(running) = self.place(&owner, guard, lifetime)? else { return Ok(None) };
        if lifetime.has_ended() {
            return Ok(None);
        }
        // A broker takes seconds to find out.
        if let Err(error) = TcpListener::bind((Ipv4Addr::LOCALHOST, running.port))
            && error.kind() == ErrorKind::AddrInUse
        {
            bail!("cannot listen on {}: Address already in use; choose another `--kafka-port`", running.address());
        }
        let properties = self.write(&running)?;
        let java = &self.options.java;
        let mut command = self.kafka.command(&owner, &running.folder, &java.heap, &java.java_options)?;
        command.arg("kafka.Kafka").arg(properties);
        let server = Server::start("kafka.Kafka", command, if self.options.keep { FAREWELL } else { AT_ONCE })?;
        guard.end_at_end(server.pid)?;
        Ok(Some(server))
    }

    fn ready(&self, server: &Server, books: &Arc<Books>, lifetime: &Lifetime) -> Result<Option<Arc<Cluster>>> {
        let running = self.running();
        let (address, data) = (running.address(), running.folder.join("data"));
        let wanted = Wanted {
            address: &address,
            cluster: &running.cluster,
            topics: &self.options.topics,
            data: &data,
            version: &self.kafka.version,
        };
        Cluster::wait(&wanted, server, books, lifetime)
    }

    /// The controller's port is nobody's business, and the broker's own was free before the start.
    fn choose_another_port(&mut self) -> Result<bool> {
        if let Some(running) = &mut self.running {
            running.controller = free_port().context("there is no free port")?;
            if self.options.kafka_port == 0 {
                running.port = free_port().context("there is no free port")?;
            }
        }
        Ok(true)
    }

    fn url(&self) -> String {
        format!("kafka://{}", self.running().address())
    }
}

/// The id of a new cluster: 128 bits as Kafka writes them.
fn drawn_cluster() -> Result<String> {
    let mut bytes = [0; 16];
    SystemRandom::new().fill(&mut bytes).map_err(|_| anyhow::anyhow!("the system has no random bytes"))?;
    // One that begins with `-` would be taken for a flag.
    bytes[0] &= 0x7F;
    Ok(BASE64_URL_SAFE_NO_PAD.encode(bytes))
}

/// The id that files of an earlier run have.
fn known_cluster(path: &Path) -> Result<String> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    let id = text.lines().find_map(|line| line.strip_prefix("cluster.id="));
    Ok(id.with_context(|| format!("`{}` does not say which cluster it is of", path.display()))?.trim().to_owned())
}

/// Settings of a cluster of one: broker and controller in one process, nothing replicated. The broker's session is left at nine
/// seconds: one that comes back is not let in before it is over, but on a busy machine a shorter one ends by itself.
fn properties(running: &Running, more: &[(String, String)]) -> String {
    let Running { folder, port, controller, .. } = running;
    let mut text = format!(
        "process.roles=broker,controller\n\
         node.id=1\n\
         controller.quorum.voters=1@{HOST}:{controller}\n\
         listeners=PLAINTEXT://{HOST}:{port},CONTROLLER://{HOST}:{controller}\n\
         advertised.listeners=PLAINTEXT://{HOST}:{port}\n\
         controller.listener.names=CONTROLLER\n\
         inter.broker.listener.name=PLAINTEXT\n\
         listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT\n\
         log.dirs={}\n\
         auto.create.topics.enable=false\n\
         offsets.topic.replication.factor=1\n\
         offsets.topic.num.partitions=1\n\
         transaction.state.log.replication.factor=1\n\
         transaction.state.log.min.isr=1\n\
         share.coordinator.state.topic.replication.factor=1\n\
         share.coordinator.state.topic.min.isr=1\n\
         group.initial.rebalance.delay.ms=0\n",
        folder.join("data").display()
    );
    // The last word on a setting counts.
    more.iter().for_each(|(name, value)| _ = writeln!(text, "{name}={value}"));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_clusters_are_drawn_and_read_again() {
        for _ in 0..200 {
            let id = drawn_cluster().unwrap();
            assert!(id.len() == 22 && !id.starts_with('-'), "{id}");
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("meta.properties");
        std::fs::write(&path, "#\nnode.id=1\ncluster.id=4L6g3nShT-eMCtK--X86sw\n").unwrap();
        assert_eq!(known_cluster(&path).unwrap(), "4L6g3nShT-eMCtK--X86sw");
        std::fs::write(&path, "node.id=1\n").unwrap();
        assert!(known_cluster(&path).is_err());
    }

    #[test]
    fn a_setting_of_the_study_comes_last() {
        let running = Running { folder: "/x".into(), port: 1, controller: 2, cluster: String::new() };
        let text = properties(&running, &[("group.initial.rebalance.delay.ms".to_owned(), "3000".to_owned())]);
        assert!(text.contains("listeners=PLAINTEXT://127.0.0.1:1,CONTROLLER://127.0.0.1:2\n"), "{text}");
        assert!(text.contains("log.dirs=/x/data\n") && text.ends_with("rebalance.delay.ms=3000\n"), "{text}");
    }
}
