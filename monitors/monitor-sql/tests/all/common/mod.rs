//! A private PostgreSQL server of one test, ended with it.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses its part")]

use clock::Clock;
use contract::{BuildContext, Mistake, Mistakes, Monitor, MonitorSettings, Name, Names, Node, Place, Samples};
use monitor_sql::SQL;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use terms::Nanos;
pub use testkit::{map, text};

/// What is known in `$(…)`.
pub struct Known;

impl Names for Known {
    fn resolve(&self, expression: &str, place: Place) -> Result<Name, Mistake> {
        match expression {
            "secret.STORE" => Ok(Name::Text("s3cr3t".into())),
            _ => Err(Mistake::at(place, "study::unknown-name", expression)),
        }
    }
}

pub fn texts(entries: &[(&str, &str)]) -> Node {
    map(&entries.iter().map(|(key, value)| (*key, text(*value))).collect::<Vec<_>>())
}

pub fn build(node: Node, every: Nanos) -> Result<Box<dyn Monitor>, Mistakes> {
    let settings = MonitorSettings { name: "database".into(), node, instances: Vec::new(), on: None, every };
    (SQL.build)(&settings, &mut BuildContext::new(&Known, "."))
}

/// A monitor of this address with these queries.
pub fn monitor(url: &str, values: &[(&str, &str)], every: Nanos) -> Box<dyn Monitor> {
    build(map(&[("url", text(url)), ("values", texts(values))]), every).unwrap()
}

/// Values of one sample by metric and instance.
pub struct Taken {
    pub values: Vec<(String, String, f64)>,
    pub events: Vec<(String, String)>,
}

impl Taken {
    pub fn of(out: &mut Samples, named: &[&str]) -> Self {
        let (values, events) = out.take();
        let name = |metric: u16| {
            let own = monitor_sql::METRICS.get(usize::from(metric)).map(|metric| metric.name);
            own.unwrap_or_else(|| named[usize::from(metric) - monitor_sql::METRICS.len()]).to_owned()
        };
        let value = |one: &contract::Sample| (name(one.metric), out.instance_name(one.instance).to_owned(), one.value);
        let values = values.iter().map(value).collect();
        Self { values, events: events.into_iter().map(|(_, _, event)| (event.kind.to_owned(), event.text)).collect() }
    }

    pub fn get(&self, metric: &str, instance: &str) -> Option<f64> {
        self.values.iter().find(|(m, i, _)| m == metric && i == instance).map(|(.., value)| *value)
    }

    pub fn own(&self, metric: &str) -> f64 {
        self.get(metric, "database").unwrap_or_else(|| panic!("no `{metric}` in {:?}", self.values))
    }

    pub fn kinds(&self) -> Vec<&str> {
        self.events.iter().map(|(kind, _)| kind.as_str()).collect()
    }
}

/// Whether it holds within a time that no machine needs; looks every 20 ms.
pub fn eventually(clock: &Clock, mut holds: impl FnMut() -> bool) -> bool {
    let until = clock.now() + Nanos::from_secs(60);
    while clock.now() < until {
        if holds() {
            return true;
        }
        clock.sleep_until(clock.now() + Nanos::from_millis(20));
    }
    false
}

/// Waits until no thread of a process runs any more: a signal to stop takes its time on a busy machine.
pub fn until_stopped(clock: &Clock, pid: u32) {
    let is_stopped = |task: std::fs::DirEntry| {
        let stat = std::fs::read_to_string(task.path().join("stat")).unwrap_or_default();
        stat.rsplit_once(") ").is_none_or(|(_, rest)| rest.starts_with(['T', 't', 'Z', 'X']))
    };
    assert!(eventually(clock, || {
        std::fs::read_dir(format!("/proc/{pid}/task")).unwrap().all(|task| task.is_ok_and(is_stopped))
    }));
}

/// The server that the tests of a process share, one after another: making one takes some seconds.
static SHARED: Mutex<Weak<Mutex<Server>>> = Mutex::new(Weak::new());

/// Runs a test on the server, alone and without what tests before have left. The last test ends the server.
pub fn with_server(test: impl FnOnce(&mut Server)) {
    let server = {
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        let known = shared.upgrade();
        known.unwrap_or_else(|| {
            let made = Arc::new(Mutex::new(Server::start()));
            *shared = Arc::downgrade(&made);
            made
        })
    };
    let mut server = server.lock().unwrap_or_else(PoisonError::into_inner);
    server.client().run("drop table if exists loan");
    let (clock, client) = (Clock::system(), server.client());
    assert!(eventually(&clock, || client.number(OTHERS) == 0), "clients of a test before stay");
    drop(client);
    test(&mut server);
}

const OTHERS: &str =
    "select count(*) from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()";

/// A server in a folder of its own.
pub struct Server {
    folder: tempfile::TempDir,
    pub port: u16,
    process: Option<Child>,
    clock: Clock,
}

/// Where the programs are: in Debian's folder of a version, else on the PATH.
fn program(name: &str) -> PathBuf {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let found = versions.map(|entry| entry.path().join("bin").join(name)).filter(|path| path.exists()).max();
    found.unwrap_or_else(|| PathBuf::from(name))
}

/// PostgreSQL refuses to run as root: it is then run as `postgres`.
fn command(name: &str) -> Command {
    if !rustix::process::getuid().is_root() {
        return Command::new(program(name));
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups"]).arg(program(name));
    command
}

const MISSING: &str = "this test needs PostgreSQL: type `apt-get install --no-install-recommends postgresql`";

impl Server {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        if rustix::process::getuid().is_root() {
            let owned = Command::new("chown").arg("postgres").arg(folder.path()).status();
            assert!(owned.is_ok_and(|status| status.success()), "{MISSING}");
        }
        let data = folder.path().join("data");
        let made = command("initdb")
            .args(["-A", "trust", "-U", "lab", "--no-locale", "-E", "UTF8", "--no-sync", "-D"])
            .arg(&data)
            .current_dir("/")
            .stdout(Stdio::null())
            .output();
        let made = made.unwrap_or_else(|error| panic!("{MISSING} ({error})"));
        assert!(made.status.success(), "{MISSING}\n{}", String::from_utf8_lossy(&made.stderr));
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut server = Self { folder, port, process: None, clock: Clock::system() };
        server.begin();
        server
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub fn begin(&mut self) {
        let log = std::fs::OpenOptions::new().create(true).append(true).open(self.folder.path().join("log")).unwrap();
        let settings = [
            "listen_addresses=127.0.0.1",
            "fsync=off",
            "shared_buffers=16MB",
            "max_connections=20",
            "autovacuum=off",
            &format!("unix_socket_directories={}", self.folder.path().display()),
        ]
        .map(|setting| format!("--{setting}"));
        let mut command = command("postgres");
        command.arg("-D").arg(self.data()).args(["-p", &self.port.to_string()]).args(settings).current_dir("/");
        self.process = Some(command.stdout(Stdio::null()).stderr(log).spawn().unwrap());
        let port = self.port;
        let answers = || Client::try_open(port).is_some();
        assert!(eventually(&self.clock, answers), "{}", self.log());
    }

    /// Ends it at once, as a crash does; what it wrote stays.
    pub fn crash(&mut self) {
        let Some(mut process) = self.process.take() else { return };
        // Immediate shutdown, so that no child outlives it.
        let pid = rustix::process::Pid::from_child(&process);
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::QUIT);
        let _ = process.wait();
    }

    /// Stops all its processes where they are, or lets them go on.
    pub fn stand_still(&self, is_still: bool) {
        let signal = if is_still { rustix::process::Signal::STOP } else { rustix::process::Signal::CONT };
        let own = self.pid();
        let children = std::fs::read_to_string(format!("/proc/{own}/task/{own}/children")).unwrap();
        let children = children.split_ascii_whitespace().map(|pid| pid.parse::<i32>().unwrap());
        for pid in std::iter::once(own as i32).chain(children) {
            let _ = rustix::process::kill_process(rustix::process::Pid::from_raw(pid).unwrap(), signal);
        }
        if is_still {
            until_stopped(&Clock::system(), own);
        }
    }

    pub fn pid(&self) -> u32 {
        self.process.as_ref().unwrap().id()
    }

    pub fn url(&self) -> String {
        format!("postgres://lab@127.0.0.1:{}/postgres", self.port)
    }

    pub fn client(&self) -> Client {
        Client::try_open(self.port).unwrap()
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.process.is_some() {
            // A stopped process takes no signal; a test that failed may have left it so.
            self.stand_still(false);
        }
        self.crash();
    }
}

/// A client of the server, as the system under test is one.
pub struct Client {
    runtime: tokio::runtime::Runtime,
    client: tokio_postgres::Client,
}

impl Client {
    fn try_open(port: u16) -> Option<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let url = format!("postgres://lab@127.0.0.1:{port}/postgres?application_name=shop");
        let (client, connection) = runtime.block_on(tokio_postgres::connect(&url, tokio_postgres::NoTls)).ok()?;
        runtime.spawn(connection);
        Some(Self { runtime, client })
    }

    pub fn run(&self, sql: &str) {
        self.runtime.block_on(self.client.batch_execute(sql)).unwrap();
    }

    pub fn number(&self, sql: &str) -> i64 {
        self.runtime.block_on(self.client.query_one(sql, &[])).unwrap().get(0)
    }

    /// Sends a statement whose answer nobody waits for here.
    pub fn send(self, sql: &str) -> std::thread::JoinHandle<Self> {
        let sql = sql.to_owned();
        std::thread::spawn(move || {
            let _ = self.runtime.block_on(self.client.batch_execute(&sql));
            self
        })
    }
}
