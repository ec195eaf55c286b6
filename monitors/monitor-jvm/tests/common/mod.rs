//! A real Java server and a monitor of it.
#![allow(unreachable_pub, reason = "shared by tests, each a crate of its own")]

use clock::Clock;
use contract::{Facts, Monitor, Samples, Watched};
use monitor_jvm::{JVM, METRICS};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use terms::Nanos;

/// Longest wait for something that must happen.
const PATIENCE: Duration = Duration::from_secs(60);

/// The server of `target-jvm`, started by itself; ended when dropped.
pub struct Server {
    child: Child,
    port: u16,
    /// Id of the Java process.
    pub pid: u32,
}

impl Server {
    /// Starts it with arguments of the machine; bytes of garbage and of leak a request, and kept from the start.
    pub fn start(machine: &[&str], garbage: u64, leak: u64, live: u64) -> Self {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../targets/target-jvm/java/HeapServer.java");
        let classes = Path::new(env!("CARGO_TARGET_TMPDIR")).join("heap-server");
        compile(&source, &classes);
        let child = Command::new("java")
            .args(machine)
            .arg("-Dsun.net.httpserver.nodelay=true")
            .args(["-cp", classes.to_str().unwrap(), "HeapServer", "0"])
            .args([garbage.to_string(), leak.to_string(), live.to_string()])
            .args(["4", "0", "0", ""])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let mut child = child.expect("`java` of a JDK is needed: `make parts` installs it");
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let port = line.trim_end().rsplit_once(':').map(|(_, port)| port.parse().unwrap());
        Self { pid: child.id(), port: port.expect("the server says where it listens"), child }
    }

    /// One question on a connection of its own; the answer's body.
    pub fn get(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").as_bytes()).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).unwrap()
    }

    /// So many requests, one after another.
    pub fn load(&self, requests: usize) {
        for _ in 0..requests {
            self.get("/work");
        }
    }

    /// Ends it now.
    pub fn end(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end();
    }
}

/// Compiles the server once for all tests, which may run at the same time.
fn compile(source: &Path, classes: &Path) {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let status = Command::new("javac").args(["-J-Xmx128m", "-proc:none", "-d"]).args([classes, source]).status();
        let status = status.expect("`javac` of a JDK is needed: `make parts` installs it");
        assert!(status.success());
    });
}

/// A number of a flat JSON text.
pub fn number(text: &str, name: &str) -> f64 {
    let after = text.split(&format!("\"{name}\":")).nth(1).unwrap_or_else(|| panic!("`{name}` is not in {text}"));
    after.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap()
}

/// A monitor at work.
pub struct Watching {
    monitor: Box<dyn Monitor>,
    samples: Samples,
}

/// What one sample told.
#[derive(Debug, Default)]
pub struct Sampled {
    values: Vec<(&'static str, f64)>,
    /// Kinds and sentences.
    pub events: Vec<(&'static str, String)>,
    /// Why there were no values.
    pub failure: Option<String>,
}

impl Sampled {
    /// The last value of a metric.
    pub fn of(&self, name: &str) -> Option<f64> {
        self.values.iter().rfind(|(known, _)| *known == name).map(|(_, value)| *value)
    }
}

impl Watching {
    /// Of one server, with settings of the monitor.
    pub fn of(server: &Server, settings: &[(&str, &str)]) -> Self {
        let shop = Watched { name: "shop".into(), pid: Some(server.pid), url: None };
        Self::by(testkit::monitor(JVM, settings, &[shop], Nanos::from_millis(250)).unwrap())
    }

    /// By a monitor that is built already.
    pub fn by(monitor: Box<dyn Monitor>) -> Self {
        Self { monitor, samples: Samples::default() }
    }

    /// One sample at this second of the run.
    pub fn sample(&mut self, second: f64) -> Sampled {
        let outcome = self.monitor.sample(Nanos::from_secs_f64(second), &mut self.samples);
        let (values, events) = self.samples.take();
        Sampled {
            values: values.iter().map(|one| (METRICS[usize::from(one.metric)].name, one.value)).collect(),
            events: events.into_iter().map(|(_, _, event)| (event.kind, event.text)).collect(),
            failure: outcome.err().map(|failure| failure.0),
        }
    }

    /// Samples until this metric has a value.
    pub fn sample_until(&mut self, metric: &str) -> Sampled {
        self.until(&|told| told.of(metric).is_some())
    }

    /// Samples until there is an event of this kind.
    pub fn sample_until_event(&mut self, kind: &str) -> Sampled {
        self.until(&|told| told.events.iter().any(|(known, _)| *known == kind))
    }

    fn until(&mut self, is_there: &dyn Fn(&Sampled) -> bool) -> Sampled {
        let clock = Clock::system();
        loop {
            let told = self.sample(clock.now().as_secs_f64() + 1.0);
            if is_there(&told) {
                return told;
            }
            assert!(clock.now().to_std() < PATIENCE, "it does not come; last: {told:?}");
            clock.sleep_until(clock.now() + Nanos::from_millis(50));
        }
    }

    /// Names and values of the facts of the one instance.
    pub fn facts(&mut self) -> Vec<(String, String)> {
        let mut facts = Facts::default();
        self.monitor.facts(&mut facts);
        facts.0.into_iter().map(|(_, name, value)| (name, value)).collect()
    }
}
