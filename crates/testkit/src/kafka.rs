//! For tests only: a broker of Apache Kafka in KRaft mode, one process, on loopback.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests of real processes stop at what is missing")]
#![allow(clippy::disallowed_methods, reason = "tests of real processes wait in real time")]

use clock::Clock;
use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};
use rdkafka::client::DefaultClientContext;
use rdkafka::config::ClientConfig;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use terms::Nanos;

/// No machine takes so long to start a broker, or to settle a group.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A running broker; ends with its value.
pub struct Broker {
    child: Child,
    address: String,
    _folder: tempfile::TempDir,
}

impl Drop for Broker {
    fn drop(&mut self) {
        self.kill();
    }
}

fn java(libs: &str) -> Command {
    let mut command = Command::new("java");
    command.args(["-Xmx384m", "-XX:+UseSerialGC", "-cp", &format!("{libs}/*")]).stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

impl Broker {
    /// Starts one from the jars that `LOADPROOF_KAFKA` names, with these topics and their numbers of partitions.
    ///
    /// # Panics
    /// If there are no jars, or it does not come up.
    pub fn start(topics: &[(&str, i32)]) -> Self {
        let libs = std::env::var("LOADPROOF_KAFKA").expect("LOADPROOF_KAFKA names the folder with Kafka's jars");
        let folder = tempfile::tempdir().unwrap();
        let free = || TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let (port, controller) = (free(), free());
        let properties = folder.path().join("server.properties");
        std::fs::write(&properties, properties_of(port, controller, folder.path())).unwrap();
        let properties = properties.display().to_string();
        let id = "4L6g3nShT-eMCtK--X86sw";
        let formatted =
            java(&libs).args(["kafka.tools.StorageTool", "format", "-t", id, "-c", &properties]).status().unwrap();
        assert!(formatted.success(), "the folder cannot be formatted");
        let child = java(&libs).args(["kafka.Kafka", &properties]).spawn().unwrap();
        let broker = Self { child, address: format!("127.0.0.1:{port}"), _folder: folder };
        broker.make(topics);
        broker
    }

    fn make(&self, topics: &[(&str, i32)]) {
        let admin: AdminClient<DefaultClientContext> = self.client().create().unwrap();
        let topics: Vec<NewTopic<'_>> = topics
            .iter()
            .map(|(name, partitions)| NewTopic::new(name, *partitions, TopicReplication::Fixed(1)))
            .collect();
        let clock = Clock::system();
        loop {
            let options = AdminOptions::new().request_timeout(Some(Duration::from_secs(5)));
            let made = futures_executor::block_on(admin.create_topics(&topics, &options));
            if made.is_ok_and(|results| results.iter().all(Result::is_ok)) {
                return;
            }
            let is_over = clock.now() > Nanos::from_secs(PATIENCE.as_secs() as i64);
            assert!(!is_over, "the broker never came up");
            clock.sleep_until(clock.now() + Nanos::from_millis(500));
        }
    }

    /// `127.0.0.1:9092`
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Settings of a client of it.
    pub fn client(&self) -> ClientConfig {
        let mut client = ClientConfig::new();
        client.set("bootstrap.servers", &self.address);
        client
    }

    /// Ends it without a word.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn properties_of(port: u16, controller: u16, folder: &Path) -> String {
    format!(
        "process.roles=broker,controller\nnode.id=1\ncontroller.quorum.voters=1@127.0.0.1:{controller}\n\
         listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}\n\
         advertised.listeners=PLAINTEXT://127.0.0.1:{port}\ncontroller.listener.names=CONTROLLER\n\
         inter.broker.listener.name=PLAINTEXT\n\
         listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT\nlog.dirs={}\n\
         offsets.topic.replication.factor=1\noffsets.topic.num.partitions=1\n\
         transaction.state.log.replication.factor=1\ntransaction.state.log.min.isr=1\n\
         share.coordinator.state.topic.replication.factor=1\nshare.coordinator.state.topic.min.isr=1\n\
         group.initial.rebalance.delay.ms=0\nauto.create.topics.enable=false\n",
        folder.join("data").display()
    )
}
