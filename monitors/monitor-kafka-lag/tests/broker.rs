//! Against a real broker: Apache Kafka in KRaft mode, one process, on loopback.
//!
//! `LOADPROOF_KAFKA=/path/to/libs cargo test -p monitor-kafka-lag --test broker -- --ignored`, where the folder holds the
//! jars of `org.apache.kafka:kafka_2.13:4.3.1` with all that they need (`mvn dependency:copy-dependencies`).
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests of real processes wait in real time")]

use contract::{Facts, Monitor, Samples};
use monitor_kafka_lag::{KAFKA_LAG, METRICS};
use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};
use rdkafka::client::DefaultClientContext;
use rdkafka::config::ClientConfig;
use rdkafka::consumer::{BaseConsumer, CommitMode, Consumer};
use rdkafka::producer::{BaseProducer, BaseRecord, Producer};
use std::collections::BTreeMap;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use terms::Nanos;

const TOPIC: &str = "registrations";
const PATIENCE: Duration = Duration::from_secs(60);

struct Broker {
    child: Child,
    address: String,
    _folder: tempfile::TempDir,
}

impl Drop for Broker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn java(libs: &str) -> Command {
    let mut command = Command::new("java");
    command.args(["-Xmx384m", "-XX:+UseSerialGC", "-cp", &format!("{libs}/*")]).stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

impl Broker {
    fn start() -> Self {
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
        Self { child, address: format!("127.0.0.1:{port}"), _folder: folder }
    }

    fn client(&self) -> ClientConfig {
        let mut client = ClientConfig::new();
        client.set("bootstrap.servers", &self.address);
        client
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

/// Values of one metric by instance.
fn sampled(monitor: &mut dyn Monitor, at: i64) -> BTreeMap<(String, &'static str), f64> {
    let mut out = Samples::default();
    monitor.sample(Nanos::from_secs(at), &mut out).unwrap();
    let names: Vec<_> = (0..100).map(|number| out.instance_name(number).to_owned()).collect();
    let values = out.take().0.into_iter();
    values
        .map(|sample| {
            ((names[sample.instance as usize].clone(), METRICS[usize::from(sample.metric)].name), sample.value)
        })
        .collect()
}

fn sum(values: &BTreeMap<(String, &'static str), f64>, metric: &str) -> f64 {
    values.iter().filter(|((_, name), value)| *name == metric && !value.is_nan()).map(|(_, value)| value).sum()
}

#[test]
#[ignore = "needs Apache Kafka: LOADPROOF_KAFKA=/path/to/libs"]
fn lag_members_and_the_work_of_each_host_are_what_was_done() {
    let broker = Broker::start();
    let admin: AdminClient<DefaultClientContext> = broker.client().create().unwrap();
    let topic = NewTopic::new(TOPIC, 12, TopicReplication::Fixed(1));
    let began = Instant::now();
    loop {
        let options = AdminOptions::new().request_timeout(Some(Duration::from_secs(5)));
        let made = futures_executor::block_on(admin.create_topics([&topic], &options));
        if made.is_ok_and(|results| results.iter().all(Result::is_ok)) {
            break;
        }
        assert!(began.elapsed() < PATIENCE, "the broker never came up");
        std::thread::sleep(Duration::from_millis(500));
    }
    let entries = [("broker", broker.address.as_str()), ("group", "store"), ("topics", TOPIC), ("hosts", "client")];
    let mut monitor = testkit::monitor(KAFKA_LAG, &entries, &[], Nanos::from_secs(5)).unwrap();
    monitor.ready().unwrap();

    // What was never committed is a gap.
    let producer: BaseProducer = broker.client().create().unwrap();
    for number in 0..3000 {
        let (key, body) = (format!("key-{number}"), format!("registration {number}"));
        producer.send(BaseRecord::to(TOPIC).key(&key).payload(&body)).unwrap();
    }
    producer.flush(PATIENCE).unwrap();
    let before = sampled(&mut *monitor, 1);
    assert_eq!(sum(&before, "produced"), 3000.0);
    assert!(before.iter().filter(|((_, name), _)| *name == "lag").all(|(_, value)| value.is_nan()), "{before:?}");

    // Two hosts with six members each; every member is told apart by its client id.
    let member = |host: &str, number: usize| -> BaseConsumer {
        let mut client = broker.client();
        client.set("group.id", "store").set("client.id", format!("{host}-{number}"));
        client.set("enable.auto.commit", "false").set("auto.offset.reset", "earliest");
        client.set("partition.assignment.strategy", "range");
        let consumer: BaseConsumer = client.create().unwrap();
        consumer.subscribe(&[TOPIC]).unwrap();
        consumer
    };
    let mut members: Vec<BaseConsumer> = (0..8).map(|number| member("docker01", number)).collect();
    members.extend((0..8).map(|number| member("docker02", number)));
    let mut read = 0;
    let began = Instant::now();
    // All have joined before anything is committed.
    while members.iter().filter(|one| one.assignment().is_ok_and(|list| list.count() > 0)).count() < 12 {
        assert!(began.elapsed() < PATIENCE, "the group never settled");
        members.iter().for_each(|one| drop(one.poll(Duration::from_millis(20))));
    }
    while read < 2000 {
        assert!(began.elapsed() < 2 * PATIENCE, "{read} were read");
        for one in &members {
            if let Some(Ok(message)) = one.poll(Duration::from_millis(5)) {
                one.commit_message(&message, CommitMode::Sync).unwrap();
                read += 1;
            }
        }
    }
    let after = sampled(&mut *monitor, 6);
    let committed = sum(&after, "consumed");
    assert!(committed >= 2000.0, "{after:?}");
    assert_eq!(sum(&after, "lag") + committed, 3000.0, "{after:?}");
    assert_eq!((sum(&after, "members"), sum(&after, "idle"), sum(&after, "assigned")), (16.0, 4.0, 12.0));
    assert_eq!(after[&("docker01".to_owned(), "members")], 8.0);
    let mut facts = Facts::default();
    monitor.facts(&mut facts);
    let fact = |name: &str| facts.0.iter().find(|(_, known, _)| known == name).map(|(.., value)| value.as_str());
    assert_eq!(fact("members of the group"), Some("16 on 2 hosts, 4 of them idle"));
    assert_eq!((fact("partitions"), fact("assignment strategy")), (Some("registrations: 12"), Some("range")));
}
