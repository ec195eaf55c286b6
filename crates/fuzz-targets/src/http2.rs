//! A whole exchange of the driver, against a server that sends these bytes and closes: HTTP/2, and HTTP/1 on the way.

use clock::Clock;
use contract::{
    BuildContext, Cancel, Interest, Mistake, Name, Names, Node, Place, Recorder, Settings, Shape, Slot, Task,
};
use recorder::{Attach, ExchangeLayout, Layout, Shared};
use rustix::event::{PollFd, PollFlags, poll};
use std::cell::{LazyCell, RefCell};
use std::io::{self, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::rc::Rc;
use std::sync::Arc;
use terms::{Nanos, Outcome};

/// What a socket of the loopback takes without a reader.
const SENT_MAX: usize = 32 * 1024;
/// So often is a session called at most; it needs a handful of calls for what it is sent here.
const CALLS_MAX: usize = 2000;
/// What a server of HTTP/2 says first: settings, and that it has those of the client.
const GREETING: [u8; 18] = [0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0];

struct NoNames;

impl Names for NoNames {
    fn resolve(&self, name: &str, place: Place) -> Result<Name, Mistake> {
        Err(Mistake::at(place, "study::unknown-name", format!("`{name}` is not known")))
    }
}

/// Keeps the socket that a session asks for.
#[derive(Clone, Default)]
struct Kept(Rc<RefCell<Option<OwnedFd>>>);

impl Attach for Kept {
    fn attach(&mut self, _: u32, socket: BorrowedFd<'_>) -> io::Result<()> {
        *self.0.borrow_mut() = Some(socket.try_clone_to_owned()?);
        Ok(())
    }
}

thread_local! {
    static LISTENER: LazyCell<TcpListener> = LazyCell::new(|| TcpListener::bind("127.0.0.1:0").unwrap());
}

/// The first byte says which version is spoken, and whether the server greets.
pub(crate) fn exchange(data: &[u8]) {
    let Some((how, rest)) = data.split_first() else { return };
    let version = if how & 1 == 0 { "2" } else { "1.1" };
    let greeting: &[u8] = if how & 2 == 0 { &GREETING } else { &[] };
    let bytes = &rest[..rest.len().min(SENT_MAX)];
    LISTENER.with(|listener| {
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let outcome = carried_out(&url, version, listener, &[greeting, bytes]);
        // The server has closed: there is nothing left to wait for.
        assert!(outcome.is_some(), "the exchange does not end");
    });
}

fn carried_out(url: &str, version: &str, listener: &TcpListener, bytes: &[&[u8]]) -> Option<Outcome> {
    let kind = driver_http::HTTP;
    let settings = [settings(url, version)];
    let mut context = BuildContext::new(&NoNames, ".");
    let mut driver = (kind.build)(&settings, &mut context).unwrap();
    driver.set_up().unwrap();
    let shared = Shared { templates: context.into_templates(), ..Shared::default() };
    let legs = kind.exchanges.iter().find(|kind| kind.name == "get").unwrap().legs;
    let layout = Arc::new(Layout::new(vec![ExchangeLayout { legs, thresholds: Vec::new() }]));
    let kept = Kept::default();
    let mut recorder = Recorder::new(Clock::system(), Arc::new(shared), layout, Box::new(kept.clone()));
    recorder.add_slot(0);
    recorder.set_period(0, 0);
    recorder.enter(0);
    let mut session = driver.session(Slot { number: 0, user: 0 });
    let now = recorder.now();
    let task = Task {
        exchange: 0,
        serial: 0,
        row: 0,
        units: 1,
        intended: now,
        deadline: now + Nanos::from_secs(60),
        step: 0,
        stream: contract::NO_STREAM,
    };
    recorder.open(&task, Nanos::ZERO, false);
    let mut interest = session.begin(&task, &mut recorder);
    let mut server = None;
    for _ in 0..CALLS_MAX {
        if let Some(ended) = recorder.take_end(0) {
            assert!(matches!(interest, Interest::Idle | Interest::Gone), "{interest:?} after the end");
            drop(server);
            return Some(ended.outcome);
        }
        assert!(!matches!(interest, Interest::Idle | Interest::Gone), "{interest:?} with a leg open");
        if server.is_none() {
            server = Some(served(listener, bytes));
        } else if let Some(socket) = kept.0.borrow().as_ref() {
            let mut waits = [PollFd::new(socket, PollFlags::IN | PollFlags::OUT)];
            let _ = poll(&mut waits, None);
        }
        interest = session.ready(&mut recorder);
    }
    session.cancel(Cancel::Deadline, &mut recorder);
    None
}

/// The server's side of the connection: all is sent, and its end.
fn served(listener: &TcpListener, bytes: &[&[u8]]) -> TcpStream {
    let (mut stream, _) = listener.accept().unwrap();
    // Closed with a reset, it leaves no port waiting; thousands of exchanges a second would use up all of them.
    socket2::SockRef::from(&stream.as_fd()).set_linger(Some(std::time::Duration::ZERO)).unwrap();
    for piece in bytes {
        let _ = stream.write_all(piece);
    }
    let _ = stream.shutdown(std::net::Shutdown::Write);
    stream
}

fn settings(url: &str, version: &str) -> Settings {
    let text = |text: &str| Node::text_at(Place::default(), text);
    // A redirect back here would wait for a second answer; where redirects lead has a target of its own.
    let entries = [("url", url), ("version", version), ("follow", "no")].map(|(key, value)| (text(key), text(value)));
    let check = contract::read_check("header(x-a) != 1", Place::default(), &NoNames).unwrap();
    Settings {
        exchange: "x".into(),
        number: 0,
        operation: "get".into(),
        node: Node { place: Place::default(), shape: Shape::Map(entries.into()) },
        checks: vec![check],
        captures: Vec::new(),
        timeout: Nanos::from_secs(60),
        reuse: true,
        idle: None,
        retry: true,
        all_addresses: false,
        within: Default::default(),
        incoming: Default::default(),
    }
}
