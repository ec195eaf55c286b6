//! A private MariaDB server of one test, by `system-mariadb`, which starts it again when it was killed.

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Opts, OptsBuilder};
use testkit::program::{Process, beside, command};

/// A server that is ready. Dropped, its supervisor is killed, and its guard cleans up.
pub(crate) struct Server(Process);

impl Server {
    pub(crate) fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let flags = "--buffer-pool 16MB --max-connections 20 --restart-after 1s --set innodb_io_capacity=321 \
                     --set thread_cache_size=0 --data";
        let mut command = command(beside("system-mariadb"), flags);
        command.arg(folder.path().join("data")).env("LOADPROOF_PARENT_PID", std::process::id().to_string());
        Self(Process::supervising(command).with(folder))
    }

    pub(crate) fn url(&self) -> String {
        self.0.url()
    }

    /// The server's process, as its supervisor tells it.
    pub(crate) fn pid(&self) -> i32 {
        self.0.server_pid() as i32
    }

    fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_raw(self.pid()).unwrap();
        rustix::process::kill_process(pid, signal).unwrap();
    }

    /// Ends the server as a crash does; its supervisor brings it back.
    pub(crate) fn kill(&self) {
        self.signal(rustix::process::Signal::KILL);
    }

    /// Stops the server where it is, or lets it go on.
    pub(crate) fn stand_still(&self, is_still: bool) {
        self.signal(if is_still { rustix::process::Signal::STOP } else { rustix::process::Signal::CONT });
        if is_still {
            crate::common::until_stopped(&clock::Clock::system(), self.pid() as u32);
        }
    }

    pub(crate) fn try_client(&self) -> Option<Client> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let options = OptsBuilder::from_opts(Opts::from_url(&self.url()).unwrap()).prefer_socket(Some(false));
        let options = options.max_allowed_packet(Some(1 << 24)).wait_timeout(Some(600));
        let connection = runtime.block_on(Conn::new(options)).ok()?;
        Some(Client { runtime, connection: Some(connection) })
    }

    pub(crate) fn client(&self) -> Client {
        self.try_client().expect("the server lets a client in")
    }
}

/// A client of the server, as the system under test is one.
pub(crate) struct Client {
    runtime: tokio::runtime::Runtime,
    connection: Option<Conn>,
}

impl Client {
    fn connection(&mut self) -> (&tokio::runtime::Runtime, &mut Conn) {
        (&self.runtime, self.connection.as_mut().unwrap())
    }

    pub(crate) fn run(&mut self, sql: &str) {
        let (runtime, connection) = self.connection();
        runtime.block_on(connection.query_drop(sql)).unwrap();
    }

    /// The first value of the first row.
    pub(crate) fn text(&mut self, sql: &str) -> String {
        let (runtime, connection) = self.connection();
        runtime.block_on(connection.query_first::<String, _>(sql)).unwrap().unwrap()
    }

    /// Sends a statement whose answer nobody waits for here.
    pub(crate) fn send(mut self, sql: &str) -> std::thread::JoinHandle<Self> {
        let sql = sql.to_owned();
        std::thread::spawn(move || {
            let (runtime, connection) = self.connection();
            let _ = runtime.block_on(connection.query_drop(sql));
            self
        })
    }
}
