//! The one way through a supervisor's life: the server is made ready, then served about until somebody ends.

use std::pin::pin;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use serde_json::{Value, json};

use super::{Guard, Server};
use crate::{CRASH_STATUS, Lifetime, Module, Service, Stall};

/// Most times that a server is started again: one that cannot come back is not tried for ever.
const RESTARTS_MAX: u64 = 100;

/// Most ports that are tried at the first start. To lose one takes another program within milliseconds.
const PORTS_MAX: u32 = 10;

/// What a supervisor needs to know of a kind of server.
pub trait Kind {
    /// What is asked for its health, and tells what it is.
    type Database: Module;

    /// Makes the files if they are missing, and starts the server; `None` if the process was told to end meanwhile.
    /// Blocks, the first time for some seconds. It is called again to start the server again, with its files in place.
    ///
    /// # Errors
    /// What is missing or fails, with what to type.
    fn start(&mut self, guard: &mut Guard, lifetime: &Lifetime) -> Result<Option<Server>>;

    /// Waits until the server answers, and makes sure that it is the one that was started; `None` if the process was
    /// told to end first. Blocks.
    ///
    /// # Errors
    /// It ended, does not answer in time, or is another one.
    fn ready(&self, server: &Server, books: &Arc<Books>, lifetime: &Lifetime) -> Result<Option<Arc<Self::Database>>>;

    /// Somebody else has taken the port before the server did: chooses another one for the next start. Returns whether
    /// that may be, which it may not where a port was asked for.
    ///
    /// # Errors
    /// There is none.
    fn choose_another_port(&mut self) -> Result<bool>;

    /// How a client connects.
    fn url(&self) -> String;

    /// Routes beside those of every service.
    fn routes(&self, _database: &Arc<Self::Database>) -> axum::Router {
        axum::Router::new()
    }
}

/// What has happened to the server.
#[derive(Debug, Default)]
pub struct Books {
    pid: AtomicU32,
    stalls: AtomicU64,
    restarts: AtomicU64,
}

impl Books {
    /// The process id of the server that was started last.
    pub fn pid(&self) -> u32 {
        self.pid.load(Relaxed)
    }

    /// As `/counters` tells it: `pid`, `stalls`, `restarts`.
    pub fn to_json(&self) -> Value {
        json!({ "pid": self.pid(), "stalls": self.stalls.load(Relaxed), "restarts": self.restarts.load(Relaxed) })
    }
}

/// Starts a server and serves `/health`, `/version` and `/counters` about it until the process is told to end or the
/// server has ended. With `restart_after` a server that ended, by the fault `crash` or by any other hand, is started
/// again on the same files after that time; until it answers, `/health` says that it does not. `born` is the start of
/// the process, from which faults are counted.
///
/// # Errors
/// The server cannot be started or ended by itself.
pub async fn supervise<K: Kind>(
    mut kind: K,
    service: Service,
    guard: &mut Guard,
    born: Instant,
    restart_after: Option<Duration>,
) -> Result<ExitCode> {
    let lifetime = service.lifetime();
    let (mut crash, stall) = (service.faults().crash_at, service.faults().stall);
    let books = Arc::new(Books::default());
    let Some((mut server, database)) = first_start(&mut kind, guard, &lifetime, &books).await? else {
        return Ok(ExitCode::SUCCESS);
    };
    eprintln!("ready: {}", kind.url());
    let mut served = pin!(service.serve(kind.routes(&database), database));
    loop {
        tokio::select! {
            served = &mut served => {
                server.stop().await;
                served?;
                return Ok(ExitCode::SUCCESS);
            }
            how = server.ended() => match restart_after {
                None => bail!("the server ended by itself ({how}); its own words are above"),
                Some(_) => eprintln!("the server ended ({how})"),
            },
            () = at(born, crash) => {
                eprintln!("fault `crash`: the server is killed at the age of {:?}", crash.take().unwrap_or_default());
                server.kill();
                server.ended().await;
                if restart_after.is_none() {
                    return Ok(ExitCode::from(CRASH_STATUS));
                }
            }
            () = stalls(&server, &books, stall, born) => {}
        }
        let pause = restart_after.unwrap_or_default();
        tokio::select! {
            served = &mut served => return served.map(|()| ExitCode::SUCCESS).map_err(Into::into),
            () = tokio::time::sleep(pause) => {}
        }
        if books.restarts.fetch_add(1, Relaxed) >= RESTARTS_MAX {
            bail!("the server ended once more after {RESTARTS_MAX} restarts; its own words are above");
        }
        let Some(again) = tokio::task::block_in_place(|| kind.start(guard, &lifetime))? else {
            return Ok(ExitCode::SUCCESS);
        };
        server = again;
        books.pid.store(server.pid, Relaxed);
        eprintln!("the server is started again after {pause:?}, with process id {}", server.pid);
    }
}

/// Starts a server for the first time and waits until it answers; at another port if somebody else was faster, as long
/// as nobody knows of it. `None` if the process was told to end first.
async fn first_start<K: Kind>(
    kind: &mut K,
    guard: &mut Guard,
    lifetime: &Lifetime,
    books: &Arc<Books>,
) -> Result<Option<(Server, Arc<K::Database>)>> {
    let mut tries = 1;
    loop {
        // Blocks for some seconds before anything else runs on this thread.
        let Some(server) = tokio::task::block_in_place(|| kind.start(guard, lifetime))? else { return Ok(None) };
        books.pid.store(server.pid, Relaxed);
        match tokio::task::block_in_place(|| kind.ready(&server, books, lifetime)) {
            Ok(Some(database)) => return Ok(Some((server, database))),
            Ok(None) => {
                server.stop().await;
                return Ok(None);
            }
            Err(why) => {
                server.stop().await;
                if !server.has_lost_its_port() || tries >= PORTS_MAX || !kind.choose_another_port()? {
                    return Err(why);
                }
                tries += 1;
                eprintln!("another program was faster to take the port; another port is tried");
            }
        }
    }
}

/// Waits for this age; for ever if there is none.
async fn at(born: Instant, age: Option<Duration>) {
    match age {
        Some(age) => tokio::time::sleep_until((born + age).into()).await,
        None => std::future::pending().await,
    }
}

/// The fault `stall`: the whole server stands still, again and again. Never returns.
async fn stalls(server: &Server, books: &Books, stall: Option<Stall>, born: Instant) {
    let Some(stall) = stall else { return std::future::pending().await };
    let mut next = born;
    loop {
        next += stall.every;
        // One that would have begun before the server was ready is left out.
        if next < Instant::now() {
            continue;
        }
        tokio::time::sleep_until(next.into()).await;
        server.freeze();
        books.stalls.fetch_add(1, Relaxed);
        tokio::time::sleep_until((next + stall.length).into()).await;
        server.thaw();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::Farewell;
    use serde_json::Map;
    use std::process::Command;

    const FAREWELL: Farewell = &[];

    struct Fake;

    impl Module for Fake {
        async fn health(&self) -> Result<(), String> {
            Ok(())
        }

        fn counters(&self) -> Map<String, Value> {
            Map::new()
        }
    }

    /// A server whose port is taken the first times that it is started.
    struct Unlucky {
        taken: u32,
        starts: u32,
        is_free: bool,
    }

    impl Kind for Unlucky {
        type Database = Fake;

        fn start(&mut self, _: &mut Guard, _: &Lifetime) -> Result<Option<Server>> {
            self.starts += 1;
            let script = match self.starts <= self.taken {
                true => "echo 'cannot listen: Address already in use' >&2; exit 1",
                false => "exec sleep 600",
            };
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            Server::start("sh", command, FAREWELL).map(Some)
        }

        fn ready(&self, server: &Server, _: &Arc<Books>, _: &Lifetime) -> Result<Option<Arc<Fake>>> {
            if self.starts > self.taken {
                return Ok(Some(Arc::new(Fake)));
            }
            while server.end().is_none() {
                std::thread::sleep(Duration::from_millis(1));
            }
            bail!("the server ended")
        }

        fn choose_another_port(&mut self) -> Result<bool> {
            Ok(self.is_free)
        }

        fn url(&self) -> String {
            String::new()
        }
    }

    /// How many starts it took, and whether the last one went well.
    fn first(taken: u32, is_free: bool) -> (u32, bool) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        runtime.block_on(async {
            let mut kind = Unlucky { taken, starts: 0, is_free };
            let (mut guard, lifetime) = (Guard::start().unwrap(), Lifetime::watch(false).unwrap());
            let begun = first_start(&mut kind, &mut guard, &lifetime, &Arc::default()).await;
            let is_well = match begun {
                Ok(Some((server, _))) => {
                    server.stop().await;
                    true
                }
                _ => false,
            };
            (kind.starts, is_well)
        })
    }

    #[test]
    fn a_port_that_somebody_else_took_first_is_given_up_for_another() {
        assert_eq!(first(3, true), (4, true));
        assert_eq!(first(1, false), (1, false), "the port was asked for");
        assert_eq!(first(u32::MAX, true), (PORTS_MAX, false), "not for ever");
    }
}
