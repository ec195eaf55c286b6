//! The event loop: one thread, one epoll, one heap of due times.

use std::cell::RefCell;
use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::num::NonZeroU64;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::rc::Rc;

use rustix::buffer::spare_capacity;
use rustix::event::{Timespec, epoll};

use crate::answer::Answer;
use crate::clock::Clock;
use crate::connection::Connection;
use crate::counters::{Counters, Lateness};
use crate::lifetime;
use crate::options::ServerOptions;
use crate::request::Head;
use crate::sequence::SequenceLog;
use crate::slots::{SlotId, Slots};
use crate::timeline::Timeline;
use crate::units::SECOND_NS;

/// One load request, just read to its last byte.
#[derive(Debug)]
pub struct Arrival<'a> {
    /// Counts all load requests of the target from 0, in the order of arrival.
    pub number: u64,
    /// When its last byte had been read, in nanoseconds of the target's clock; never falls from number to number.
    pub arrival_ns: u64,
    /// Counts the load requests of this connection from 1.
    pub on_connection: u64,
    pub head: &'a Head,
    /// Its body, empty unless the service keeps bodies.
    pub body: Vec<u8>,
}

/// What a service makes of an arrival.
pub struct Plan {
    /// When the answer is to be sent, in nanoseconds of the target's clock; at once when that has passed.
    pub due_ns: u64,
    /// How long the request is served, for the log; waiting is not part of it.
    pub service_ns: u64,
    /// An interim answer (1xx) that is sent at once.
    pub interim: Option<u16>,
    pub answer: Answer,
}

/// What makes one target different from the others.
pub trait Service {
    /// Whether the bodies of requests are wanted; they are skipped otherwise.
    fn keeps_bodies(&self) -> bool {
        false
    }

    /// Decides about one arrival. Called in the order of `number`, once for each.
    fn arrive(&mut self, arrival: Arrival<'_>) -> Plan;

    /// Counters of the service itself, for `/counters`.
    fn counters(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }
}

const LISTENER: u64 = u64::MAX;
const SIGNAL: u64 = u64::MAX - 1;
const PARENT: u64 = u64::MAX - 2;

/// Connections that may wait to be accepted; a burst of thousands must not meet a full queue, whose
/// cost for the client is a SYN sent again a second later.
const BACKLOG: i32 = 4096;

/// Events taken from the kernel at once.
const EVENTS: usize = 64;

/// Due answers sent before arrivals are looked at again. Each send costs 5 to 10 µs, and an arrival that
/// waits for it is stamped late; after a freeze hundreds of answers are due at once.
const BURST: usize = 8;

/// Time between two rounds of housekeeping, and slots looked at in one: short rounds disturb no answer.
const TICK_NS: u64 = SECOND_NS / 20;
const SLOTS_A_TICK: usize = 512;

/// Bytes read at once.
const SCRATCH: usize = 64 * 1024;

/// A target's server, bound to 127.0.0.1.
pub struct Server<S> {
    pub(crate) program: &'static str,
    pub(crate) service: S,
    pub(crate) options: ServerOptions,
    pub(crate) clock: Clock,
    pub(crate) epoll: OwnedFd,
    pub(crate) connections: Slots<Connection>,
    pub(crate) timeline: Timeline,
    pub(crate) counters: Counters,
    pub(crate) lateness: Lateness,
    pub(crate) log: Rc<RefCell<SequenceLog>>,
    pub(crate) scratch: Vec<u8>,
    /// Connections with work left that no event will announce.
    pub(crate) revisit: Vec<SlotId>,
    listener: TcpListener,
    /// False while descriptors are used up; the listener is then not watched, or it would wake us without end.
    accepts: bool,
    signals: UnixStream,
    /// Kept open for as long as it is watched.
    parent: Option<OwnedFd>,
    next_tick_ns: u64,
    tick_slot: usize,
}

impl<S: Service> Server<S> {
    /// Binds the port and prepares everything; serves nothing yet.
    ///
    /// # Errors
    /// The port is taken, descriptors are used up, or the parent named in the environment is gone.
    pub fn bind(program: &'static str, service: S, options: ServerOptions) -> io::Result<Self> {
        raise_descriptor_limit();
        // The default slack of 50 µs would make every answer that much late.
        rustix::thread::set_current_timer_slack(NonZeroU64::new(1))?;
        let server = Server {
            program,
            service,
            clock: Clock::start(),
            epoll: epoll::create(epoll::CreateFlags::CLOEXEC)?,
            connections: Slots::new(),
            timeline: Timeline::default(),
            counters: Counters::default(),
            lateness: Lateness::default(),
            log: Rc::new(RefCell::new(SequenceLog::with_limit(options.sequence_limit))),
            scratch: vec![0; SCRATCH],
            revisit: Vec::new(),
            listener: listen(options.port)?,
            accepts: true,
            signals: lifetime::signal_descriptor()?,
            parent: lifetime::parent_descriptor().map_err(io::Error::other)?,
            next_tick_ns: TICK_NS,
            tick_slot: 0,
            options,
        };
        server.watch(&server.listener, LISTENER)?;
        server.watch(&server.signals, SIGNAL)?;
        if let Some(parent) = &server.parent {
            server.watch(parent, PARENT)?;
        }
        Ok(server)
    }

    /// Where clients find it.
    pub fn address(&self) -> SocketAddr {
        // The address of a bound socket can be asked for as long as it lives.
        self.listener.local_addr().expect("invariant: the listener is bound")
    }

    /// Serves until a signal, the end of the parent, or the time given with `--exit-after`.
    ///
    /// # Errors
    /// Only what makes serving impossible: epoll itself fails.
    pub fn run(mut self) -> io::Result<()> {
        let mut events = Vec::with_capacity(EVENTS);
        loop {
            self.send_due();
            let now_ns = self.clock.now_ns();
            if now_ns >= self.options.exit_after_ns {
                eprintln!("ended after the time given with `--exit-after`");
                return Ok(());
            }
            if now_ns >= self.next_tick_ns {
                self.next_tick_ns = now_ns + TICK_NS;
                self.tick(now_ns);
            }
            let wait = timespec(self.wait_ns(now_ns));
            events.clear();
            match epoll::wait(&self.epoll, spare_capacity(&mut events), Some(&wait)) {
                Ok(_) => {}
                Err(rustix::io::Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            }
            for event in &events {
                match event.data.u64() {
                    LISTENER => self.accept(),
                    SIGNAL | PARENT => return Ok(()),
                    id => self.on_event(SlotId(id), event.flags),
                }
            }
            for id in std::mem::take(&mut self.revisit) {
                self.on_event(id, epoll::EventFlags::IN);
            }
        }
    }

    /// How long to sleep: until a little before the next answer is due, and not over a tick.
    fn wait_ns(&self, now_ns: u64) -> u64 {
        if !self.revisit.is_empty() {
            return 0;
        }
        let wake_ns = match self.timeline.next_ns() {
            Some(due_ns) => due_ns.saturating_sub(self.options.spin_ns).min(self.next_tick_ns),
            None => self.next_tick_ns,
        };
        wake_ns.min(self.options.exit_after_ns).saturating_sub(now_ns)
    }

    /// Sends answers whose time has come, a few at a time.
    fn send_due(&mut self) {
        for _ in 0..BURST {
            let Some((_, number, id)) = self.timeline.pop_due(self.clock.now_ns()) else { return };
            self.on_due(id, number);
        }
    }

    fn accept(&mut self) {
        // Bounded, so that a flood of connections leaves room for answers; the rest is announced again.
        for _ in 0..EVENTS {
            match self.listener.accept() {
                Ok((stream, _)) => self.open(stream),
                Err(error) if is_out_of_descriptors(&error) => {
                    self.counters.accept_pauses += 1;
                    self.accepts = false;
                    let _ = epoll::delete(&self.epoll, &self.listener);
                    return;
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                // A client that left before it was accepted; others may wait.
                Err(_) => {}
            }
        }
    }

    fn open(&mut self, stream: TcpStream) {
        self.counters.accepted += 1;
        // Without TCP_NODELAY a second small segment waits for the client's acknowledgement, up to 40 ms.
        let ready = stream.set_nonblocking(true).and_then(|()| stream.set_nodelay(true));
        let session = ready.and_then(|()| (self.options.sessions)());
        let Ok(session) = session else { return };
        let id = self.connections.insert(Box::new(Connection::new(stream, session)));
        let Some(connection) = self.connections.take(id) else { return };
        let data = epoll::EventData::new_u64(id.0);
        match epoll::add(&self.epoll, &connection.stream, data, connection.interest) {
            Ok(()) => self.connections.put_back(id, connection),
            Err(_) => self.drop_connection(id, connection),
        }
    }

    /// Looks at some connections for requests that take too long and goodbyes that nobody answers.
    fn tick(&mut self, now_ns: u64) {
        let timeout_ns = self.options.request_timeout_ns;
        let count = self.connections.slot_count();
        for _ in 0..SLOTS_A_TICK.min(count) {
            self.tick_slot = (self.tick_slot + 1) % count;
            let overdue = self.connections.id_if(self.tick_slot, |connection| {
                connection.linger_until_ns.is_some_and(|until_ns| until_ns <= now_ns)
                    || connection.partial_since_ns.is_some_and(|since_ns| since_ns + timeout_ns <= now_ns)
            });
            if let Some(id) = overdue {
                self.on_overdue(id);
            }
        }
        if !self.accepts {
            self.accepts = self.watch(&self.listener, LISTENER).is_ok();
        }
    }

    fn watch(&self, source: impl AsFd, data: u64) -> io::Result<()> {
        Ok(epoll::add(&self.epoll, source, epoll::EventData::new_u64(data), epoll::EventFlags::IN)?)
    }
}

fn listen(port: u16) -> io::Result<TcpListener> {
    use rustix::net;
    let flags = net::SocketFlags::NONBLOCK | net::SocketFlags::CLOEXEC;
    let socket = net::socket_with(net::AddressFamily::INET, net::SocketType::STREAM, flags, None)?;
    // A target on a fixed port must start again while old connections are in TIME_WAIT.
    net::sockopt::set_socket_reuseaddr(&socket, true)?;
    let address = SocketAddr::from(([127, 0, 0, 1], port));
    net::bind(&socket, &address)
        .map_err(|error| io::Error::other(format!("`{address}` cannot be bound: {error}; try `--port 0`")))?;
    net::listen(&socket, BACKLOG)?;
    Ok(TcpListener::from(socket))
}

/// Raises the soft limit of descriptors to the hard one; with less, fewer connections are accepted.
fn raise_descriptor_limit() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    let _ = setrlimit(Resource::Nofile, limit);
}

fn is_out_of_descriptors(error: &io::Error) -> bool {
    use rustix::io::Errno;
    [Errno::MFILE, Errno::NFILE, Errno::NOBUFS, Errno::NOMEM]
        .iter()
        .any(|errno| error.raw_os_error() == Some(errno.raw_os_error()))
}

fn timespec(ns: u64) -> Timespec {
    // Both parts are small: a wait is at most a tick.
    Timespec { tv_sec: (ns / SECOND_NS) as i64, tv_nsec: (ns % SECOND_NS) as _ }
}
