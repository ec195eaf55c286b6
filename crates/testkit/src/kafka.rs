//! For tests only: a broker of Apache Kafka in KRaft mode, one process, on loopback.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests of real processes stop at what is missing")]
#![allow(clippy::disallowed_methods, reason = "tests of real processes wait in real time")]

use crate::authority::Authority;
use clock::Clock;
use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};
use rdkafka::client::DefaultClientContext;
use rdkafka::config::ClientConfig;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;
use terms::Nanos;

/// No machine takes so long to start a broker, or to settle a group.
pub const PATIENCE: Duration = Duration::from_secs(60);
/// Starts of a broker before a test gives up.
const STARTS_MAX: usize = 3;

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

/// Ways to a broker, as `127.0.0.1:9093`.
pub struct Doors {
    /// TLS, and nobody is asked who it is.
    pub tls: String,
    /// SASL without TLS.
    pub sasl: String,
    /// SASL within TLS.
    pub sasl_tls: String,
    /// Who vouches for the broker, in PEM.
    pub ca: PathBuf,
}

/// Of the users of [`Broker::guarded`].
pub const PASSWORD: &str = "kept-between-us";

/// A port that nobody listens on, below those that Linux gives to whoever connects (32768 and up): a broker takes seconds to
/// come to it, in which such a one is soon taken.
fn free_port() -> u16 {
    static ASKED: AtomicU16 = AtomicU16::new(0);
    // Tests of several programs run at once, each with places of its own to begin with.
    let first = std::process::id().wrapping_mul(101) % 12_000;
    loop {
        let port = 20_000 + (first as u16 + ASKED.fetch_add(1, Ordering::Relaxed)) % 12_000;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

/// The folder with Kafka's jars.
fn libs() -> String {
    if let Ok(libs) = std::env::var("LOADPROOF_KAFKA") {
        return libs;
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target"),
        |named| Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(named),
    );
    let libs = target.join("kafka");
    assert!(libs.is_dir(), "{} holds no jars of Kafka: type `make parts`", libs.display());
    libs.display().to_string()
}

fn java(libs: &str) -> Command {
    let mut command = Command::new("java");
    command.args(["-Xmx384m", "-XX:+UseSerialGC", "-cp", &format!("{libs}/*")]).stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

impl Broker {
    /// Starts one from the jars that `LOADPROOF_KAFKA` names, else from those that `make parts` brings to `target/kafka`, with
    /// these topics and their numbers of partitions.
    ///
    /// # Panics
    /// If there are no jars, or it does not come up.
    pub fn start(topics: &[(&str, i32)]) -> Self {
        Self::with(topics, |_| (String::new(), Vec::new()))
    }

    /// The same with doors at which whoever comes is asked who it is: `lab`, with the password [`PASSWORD`], may do
    /// everything, and `guest`, with the same, nothing.
    ///
    /// # Panics
    /// As [`Broker::start`].
    pub fn guarded(topics: &[(&str, i32)]) -> (Self, Doors) {
        let (authority, mut doors) = (Authority::create(), None);
        let broker = Self::with(topics, |folder| {
            let server = authority.server();
            let (ca, keys) = (folder.join("ca.pem"), folder.join("server.pem"));
            std::fs::write(&ca, &authority.pem).unwrap();
            std::fs::write(&keys, format!("{}{}", server.key, server.certificate)).unwrap();
            let [tls, sasl, sasl_tls] = [(); 3].map(|()| format!("127.0.0.1:{}", free_port()));
            let properties = guards_of([&tls, &sasl, &sasl_tls], &keys);
            doors = Some(Doors { tls, sasl, sasl_tls, ca });
            let scram = ["lab", "guest"].into_iter().flat_map(|user| {
                let word = move |kind: &str| format!("SCRAM-SHA-{kind}=[name={user},password={PASSWORD}]");
                ["256", "512"].into_iter().flat_map(move |kind| ["--add-scram".to_owned(), word(kind)])
            });
            (properties, scram.collect())
        });
        (broker, doors.unwrap())
    }

    /// `more`: further properties, and arguments for whoever formats its folder; asked again for each start.
    ///
    /// A port that was free may be taken before the broker listens on it: then the broker ends, and is started again with
    /// others.
    fn with(topics: &[(&str, i32)], mut more: impl FnMut(&Path) -> (String, Vec<String>)) -> Self {
        let libs = libs();
        for _ in 0..STARTS_MAX {
            let folder = tempfile::tempdir().unwrap();
            let (port, controller) = (free_port(), free_port());
            let (own, arguments) = more(folder.path());
            let properties = folder.path().join("server.properties");
            std::fs::write(&properties, properties_of((port, controller), folder.path(), &own)).unwrap();
            let properties = properties.display().to_string();
            let id = "4L6g3nShT-eMCtK--X86sw";
            let formatted = java(&libs)
                .args(["kafka.tools.StorageTool", "format", "-t", id, "-c", &properties])
                .args(&arguments)
                .status()
                .unwrap();
            assert!(formatted.success(), "the folder cannot be formatted");
            let child = java(&libs).args(["kafka.Kafka", &properties]).spawn().unwrap();
            let mut broker = Self { child, address: format!("127.0.0.1:{port}"), _folder: folder };
            if broker.make(topics) {
                return broker;
            }
        }
        panic!("the broker did not come up in {STARTS_MAX} starts");
    }

    /// Makes the topics as soon as the broker answers; `false` if it has ended.
    fn make(&mut self, topics: &[(&str, i32)]) -> bool {
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
                return true;
            }
            if self.child.try_wait().unwrap().is_some() {
                return false;
            }
            // On a machine at a load of fifty one minute was too short; one that lost a port may wait for ever.
            if clock.now() > Nanos::from_secs(2 * PATIENCE.as_secs() as i64) {
                return false;
            }
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

fn properties_of((port, controller): (u16, u16), folder: &Path, more: &str) -> String {
    // What is reported about listeners by `more` comes last, and counts.
    format!(
        "process.roles=broker,controller\nnode.id=1\ncontroller.quorum.voters=1@127.0.0.1:{controller}\n\
         listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}\n\
         advertised.listeners=PLAINTEXT://127.0.0.1:{port}\ncontroller.listener.names=CONTROLLER\n\
         inter.broker.listener.name=PLAINTEXT\n\
         listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT\nlog.dirs={}\n\
         offsets.topic.replication.factor=1\noffsets.topic.num.partitions=1\n\
         transaction.state.log.replication.factor=1\ntransaction.state.log.min.isr=1\n\
         share.coordinator.state.topic.replication.factor=1\nshare.coordinator.state.topic.min.isr=1\n\
         group.initial.rebalance.delay.ms=0\nauto.create.topics.enable=false\n{}",
        folder.join("data").display(),
        more.replace("$(own)", &format!("PLAINTEXT://127.0.0.1:{port}"))
            .replace("$(controller)", &controller.to_string())
    )
}

/// Properties of the doors of [`Broker::guarded`].
fn guards_of([tls, sasl, sasl_tls]: [&String; 3], keys: &Path) -> String {
    let doors = format!("$(own),SSL://{tls},SASL_PLAINTEXT://{sasl},SASL_SSL://{sasl_tls}");
    let plain = format!(
        "org.apache.kafka.common.security.plain.PlainLoginModule required user_lab=\"{PASSWORD}\" user_guest=\"{PASSWORD}\";"
    );
    let scram = "org.apache.kafka.common.security.scram.ScramLoginModule required;";
    let logins: String = ["sasl_plaintext", "sasl_ssl"]
        .map(|door| {
            format!(
                "listener.name.{door}.plain.sasl.jaas.config={plain}\n\
                 listener.name.{door}.scram-sha-256.sasl.jaas.config={scram}\n\
                 listener.name.{door}.scram-sha-512.sasl.jaas.config={scram}\n"
            )
        })
        .concat();
    format!(
        "listeners={doors},CONTROLLER://127.0.0.1:$(controller)\nadvertised.listeners={doors}\n\
         listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT,SASL_SSL:SASL_SSL\n\
         ssl.keystore.type=PEM\nssl.keystore.location={}\nssl.client.auth=none\n\
         sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512\n{logins}\
         authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer\n\
         super.users=User:ANONYMOUS;User:lab\nallow.everyone.if.no.acl.found=false\n",
        keys.display()
    )
}
