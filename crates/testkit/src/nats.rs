//! NATS servers for tests: at a free port of loopback, with certificates of an authority of their own, and with users.

mod listener;
mod operator;

pub use crate::authority::{Authority, Certified};
pub use listener::Listener;
pub use operator::Operator;

use clock::Clock;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use terms::Nanos;

/// A server at work, which is gone when dropped.
pub struct Nats {
    child: Child,
    host: String,
    port: u16,
    folder: tempfile::TempDir,
    has_config: bool,
    environment: Vec<(String, String)>,
}

impl Nats {
    /// As `nats-server -js` starts it: everybody may do everything.
    pub fn start() -> Self {
        Self::start_at("127.0.0.1")
    }

    /// The same at another address of this machine.
    pub fn start_at(host: &str) -> Self {
        Self::new(host, "", &[], &[])
    }

    /// With a configuration, the files that it names, and variables that it mentions. At what it listens is the command
    /// line's, and so is where it keeps messages, unless the configuration says that.
    pub fn configured(config: &str, files: &[(&str, &str)], environment: &[(&str, &str)]) -> Self {
        Self::new("127.0.0.1", config, files, environment)
    }

    fn new(host: &str, config: &str, files: &[(&str, &str)], environment: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files.iter().chain(&[("server.conf", config)]) {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let port = TcpListener::bind((host, 0)).unwrap().local_addr().unwrap().port();
        let environment: Vec<_> =
            environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let has_config = !config.is_empty();
        let child = spawn((host, port), folder.path(), has_config, &environment);
        Self { child, host: host.to_owned(), port, folder, has_config, environment }
    }

    /// Dies as a machine that fails, and comes back.
    pub fn die_and_come_back(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        pause(1000);
        self.child = spawn((&self.host, self.port), self.folder.path(), self.has_config, &self.environment);
    }

    /// Where it listens.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Its address, without encryption and without a user.
    pub fn url(&self) -> String {
        format!("nats://{}:{}", self.host, self.port)
    }

    /// What it wrote down.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }
}

impl Drop for Nats {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn spawn(at: (&str, u16), folder: &Path, has_config: bool, environment: &[(String, String)]) -> Child {
    let config = std::fs::read_to_string(folder.join("server.conf")).unwrap_or_default();
    let server = ["nats-server", "/usr/sbin/nats-server"].into_iter().find_map(|name| {
        let mut command = Command::new(name);
        command.args(["-a", at.0, "-p", &at.1.to_string(), "-l", "log"]).current_dir(folder);
        // Named twice is a mistake to the server, even where both say the same.
        command.args(if config.contains("store_dir") { &[][..] } else { &["-sd", "kept"] });
        command.args(if has_config { &["-c", "server.conf"][..] } else { &["-js"] });
        command.envs(environment.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().ok()
    });
    let mut child = server.expect("nats-server is installed (`make parts`)");
    let clock = Clock::system();
    while TcpStream::connect(at).is_err() {
        let has_ended = child.try_wait().unwrap().is_some();
        if has_ended || clock.now() > Nanos::from_secs(60) {
            let _ = child.kill();
            let said = child.wait_with_output().unwrap().stderr;
            let log = std::fs::read_to_string(folder.join("log")).unwrap_or_default();
            panic!("the server does not answer: {}{log}", String::from_utf8_lossy(&said));
        }
        pause(20);
    }
    child
}

fn pause(millis: i64) {
    let clock = Clock::system();
    clock.sleep_until(Nanos::from_millis(millis));
}

/// A file of `deploy/`.
pub fn deployed(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy").join(name)
}

/// A server as `deploy/nats` configures it, with these passwords of node and run. Only the folder is another in which it
/// keeps messages.
pub fn as_deployed(certified: &Certified, passwords: [&str; 2]) -> Nats {
    let read = |name: &str| std::fs::read_to_string(deployed("nats").join(name)).unwrap();
    let (config, users) = (read("server.conf"), read("users.conf"));
    assert!(config.contains("\"/var/lib/nats\""), "{config}");
    let config = config.replace("\"/var/lib/nats\"", "\"kept\"");
    let files = [("users.conf", users.as_str()), ("tls.crt", &certified.certificate), ("tls.key", &certified.key)];
    let environment = [("NODE_PASSWORD", passwords[0]), ("RUN_PASSWORD", passwords[1])];
    Nats::configured(&config, &files, &environment)
}
