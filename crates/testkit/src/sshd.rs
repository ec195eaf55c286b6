//! A server of ssh for one test: on loopback, with keys of its own, and without anything of the system's own service.

use clock::Clock;
use contract::{BuildContext, Machine, Mistakes, Monitor, MonitorKind, MonitorSettings, Watched};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use terms::Nanos;

/// How the client's configuration calls it.
pub const NAME: &str = "lab-machine";

/// A server at work; it ends with the value, and with it whatever runs over it.
pub struct Sshd {
    child: Child,
    folder: tempfile::TempDir,
    port: u16,
}

impl Sshd {
    /// Starts one and waits until it listens; `None`, with the reason on standard error, where there is no `sshd` or it
    /// does not start, as in a container that forbids it.
    pub fn start() -> Option<Self> {
        let Some(program) = program() else {
            eprintln!("skipped: `sshd` is not installed; type `apt-get install openssh-server`");
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let at = |name: &str| folder.path().join(name);
        for key in ["host_key", "user_key"] {
            let made = Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(at(key)).status();
            assert!(made.unwrap().success(), "ssh-keygen");
        }
        std::fs::copy(at("user_key.pub"), at("authorized_keys")).unwrap();
        let key = std::fs::read_to_string(at("host_key.pub")).unwrap();
        std::fs::write(at("known_hosts"), format!("[127.0.0.1]:{port} {key}")).unwrap();
        std::fs::write(at("no_hosts"), "").unwrap();
        let folder_name = folder.path().display();
        let server = format!(
            "Port {port}\nListenAddress 127.0.0.1\nHostKey {folder_name}/host_key\nPidFile none\nUsePAM no\n\
             AuthorizedKeysFile {folder_name}/authorized_keys\nStrictModes no\nPasswordAuthentication no\n\
             KbdInteractiveAuthentication no\nPermitRootLogin yes\nPrintMotd no\nLogLevel ERROR\n"
        );
        std::fs::write(at("sshd_config"), server).unwrap();
        let client = |key: &str, hosts: &str| {
            format!(
                "Host {NAME}\n  HostName 127.0.0.1\n  Port {port}\n  IdentityFile {folder_name}/{key}\n  IdentitiesOnly yes\n  \
                 IdentityAgent none\n  UserKnownHostsFile {folder_name}/{hosts}\n  GlobalKnownHostsFile /dev/null\n"
            )
        };
        std::fs::write(at("ssh_config"), client("user_key", "known_hosts")).unwrap();
        std::fs::write(at("stranger_config"), client("user_key", "no_hosts")).unwrap();
        std::fs::write(at("keyless_config"), client("host_key", "known_hosts")).unwrap();
        // Where root separates privileges; others have no need of it.
        let _ = std::fs::create_dir_all("/run/sshd");
        let mut command = Command::new(program);
        command.args(["-D", "-e", "-f"]).arg(at("sshd_config"));
        let child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        Self { child, folder, port }.listening()
    }

    fn listening(mut self) -> Option<Self> {
        let clock = Clock::system();
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            if self.child.try_wait().unwrap().is_some() || clock.now() > Nanos::from_secs(20) {
                let mut said = String::new();
                if let Some(mut stderr) = self.child.stderr.take() {
                    let _ = self.child.kill();
                    let _ = std::io::Read::read_to_string(&mut stderr, &mut said);
                }
                eprintln!("skipped: `sshd` does not start here: {}", said.trim());
                return None;
            }
            clock.sleep_until(clock.now() + Nanos::from_millis(20));
        }
        Some(self)
    }

    /// Connections to it that are established now.
    pub fn connections(&self) -> usize {
        let (table, port) = (std::fs::read_to_string("/proc/net/tcp").unwrap(), format!(":{:04X}", self.port));
        let is_one = |line: &&str| {
            let fields: Vec<&str> = line.split_ascii_whitespace().take(4).collect();
            // The server's end, established.
            fields.get(1).is_some_and(|local| local.ends_with(&port)) && fields.get(3) == Some(&"01")
        };
        table.lines().filter(is_one).count()
    }

    /// The client's configuration, in which the server is called [`NAME`].
    pub fn config(&self) -> PathBuf {
        self.folder.path().join("ssh_config")
    }

    /// The same for somebody who does not know the server's key.
    pub fn stranger_config(&self) -> PathBuf {
        self.folder.path().join("stranger_config")
    }

    /// The same for somebody whose key it does not know.
    pub fn keyless_config(&self) -> PathBuf {
        self.folder.path().join("keyless_config")
    }

    /// The server's machine, which is this one, as a study names it.
    pub fn machine(&self) -> Machine {
        Machine { host: NAME.to_owned(), config: Some(self.config()), ..Machine::default() }
    }

    /// A monitor of it with these settings; it has some seconds for a sample, which is enough on a busy machine.
    ///
    /// # Errors
    /// All mistakes in the settings.
    pub fn monitor(
        &self,
        kind: MonitorKind,
        entries: &[(&str, &str)],
        instances: &[Watched],
    ) -> Result<Box<dyn Monitor>, Mistakes> {
        let entries: Vec<_> = entries.iter().map(|(key, value)| (*key, crate::text(*value))).collect();
        let (name, node, instances) = (kind.name.to_owned(), crate::map(&entries), instances.to_vec());
        let settings = MonitorSettings { name, node, instances, on: Some(self.machine()), every: Nanos::from_secs(60) };
        (kind.build)(&settings, &mut BuildContext::new(&crate::NoNames, "."))
    }

    /// Cuts every connection; the server goes on and takes new ones.
    pub fn cut(&self) {
        for pid in children(self.child.id()) {
            let _ = Command::new("kill").args(["-9", &pid.to_string()]).status();
        }
    }
}

impl Drop for Sshd {
    fn drop(&mut self) {
        self.cut();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn program() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let places = std::env::split_paths(&path).chain([PathBuf::from("/usr/sbin"), PathBuf::from("/usr/local/sbin")]);
    places.map(|folder| folder.join("sshd")).find(|path| Path::is_file(path))
}

/// Processes whose parent this is, and theirs.
fn children(parent: u32) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let own = stat.rsplit_once(')').and_then(|(_, rest)| rest.split_ascii_whitespace().nth(1)?.parse().ok());
        if own == Some(parent) {
            found.push(pid);
        }
    }
    found
}
