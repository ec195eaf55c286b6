//! How runs find nodes: nodes offer themselves to a group, and a run calls as many as it needs.

use crate::connection::{Connection, Server, check_name};
use crate::past::ordered;
use crate::refusal::told;
use crate::way::{End, kept_subjects, link, link_again, stream_name};
use async_nats::jetstream::stream;
use clock::Clock;
use futures_util::StreamExt;
use run::nodes::{LeftNode, Link};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use terms::Nanos;
use tokio::time::timeout;

/// Between two looks whether to wait on.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// Between two offers.
const OFFER_EVERY: Duration = Duration::from_millis(500);
/// How long a node may take to answer a call.
const ANSWERING: Duration = Duration::from_secs(5);
/// How long a node that would come waits for the others: some that do not answer are waited for meanwhile.
const WAITING: Duration = Duration::from_secs(30);
/// What is reported about a server that refuses, before what it says itself.
const NOT_DONE: &str = "the NATS server does not do what is asked";
/// What is kept of a run that nobody ended: long enough to collect it, short enough for a disk.
const KEPT: Duration = Duration::from_secs(48 * 3600);
/// Time after the last message in which one that is sent again is known.
const KNOWN_AGAIN: Duration = Duration::from_secs(120);

/// A node that offers itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Offer {
    /// Distinguishes it from all others.
    id: String,
    /// Its place among nodes that somebody numbered, such as a job of Kubernetes.
    index: Option<u32>,
    /// The name under which it only watches.
    #[serde(default)]
    name: Option<String>,
}

/// Nodes that a run needs.
#[derive(Clone, Copy, Debug)]
pub struct Needed<'a> {
    /// Load nodes.
    pub count: u16,
    /// Names of nodes that only watch.
    pub names: &'a [String],
}

/// A node that offers itself.
#[derive(Clone, Debug)]
pub enum Lends {
    /// For load, at its place among nodes that somebody numbered, if anybody did.
    Load(Option<u32>),
    /// For watching, under this name.
    Watching(String),
}

/// A call to a node.
#[derive(Debug, Serialize, Deserialize)]
struct Call {
    run: String,
    /// From 1.
    node: u16,
    /// All others are there, too. Before that it is only asked whether it would come.
    is_sure: bool,
}

/// The nodes of a run that began to take part.
pub struct Called {
    /// In the order of their numbers: load nodes, then those that only watch.
    pub links: Vec<Link>,
    at: Connection,
    run: String,
}

impl Called {
    /// The run is over and its record complete: what the server keeps of it is no longer needed.
    pub fn forget(self) {
        let context = self.at.jetstream();
        drop(self.links);
        let _ = self.at.wait(async { timeout(ANSWERING, context.delete_stream(stream_name(&self.run))).await });
    }
}

/// What the server keeps of a run whose conductor has died.
pub struct Left {
    /// In the order of their numbers.
    pub nodes: Vec<LeftNode>,
    at: Connection,
    run: String,
}

impl Left {
    /// All of it has been collected: the server need not keep it any longer.
    pub fn forget(self) {
        Called { links: Vec::new(), at: self.at, run: self.run }.forget();
    }
}

/// Name of the stream that keeps the messages of a run.
pub fn stream_of(run: &str) -> String {
    stream_name(run)
}

/// Finds what the server keeps of a run that had so many nodes, and nodes that still take part in it.
///
/// # Errors
/// A server that cannot be used, or that keeps nothing of this run.
pub fn take_up(server: &Server, run: &str, count: u16) -> Result<Left, String> {
    check_name(run)?;
    let at = Connection::open(server)?;
    let context = at.jetstream();
    let found = at.wait(async {
        let stream = timeout(ANSWERING, context.get_stream(stream_name(run)));
        at.unless_denied(stream).await
    })?;
    let found = found.map_err(|_| "no answer".to_owned()).and_then(|stream| stream.map_err(|error| error.to_string()));
    found.map_err(|why| {
        format!(
            "the NATS server at `{}` keeps nothing of the run `{run}`: {}. It keeps a run for {} hours, until it is \
             collected, and over a restart where it was started with `-sd FOLDER`",
            server.address,
            told(&why),
            KEPT.as_secs() / 3600
        )
    })?;
    let mut nodes = Vec::new();
    for node in 1..=count {
        nodes.push(LeftNode { orders: ordered(&at, run, node)?, link: link_again(&at, run, node)? });
    }
    Ok(Left { nodes, at, run: run.to_owned() })
}

/// A run that called this node.
pub struct Offered {
    pub link: Link,
    pub run: String,
    /// From 1.
    pub node: u16,
}

/// The server at which a run meets its nodes, found usable before anything else begins.
pub struct Meeting {
    at: Connection,
    server: Server,
}

impl Meeting {
    /// Makes sure that the server can be used by a run.
    ///
    /// # Errors
    /// Why it cannot be, and what to do.
    pub fn open(server: Server) -> Result<Self, String> {
        let at = Connection::open(&server)?;
        // Asked by hand: what older servers answer, the client's own question does not understand.
        let asked = at.wait(async {
            let request = timeout(ANSWERING, at.client.request("$JS.API.INFO", "".into()));
            at.unless_denied(request).await
        })?;
        let answer = asked.map_err(|_| "no answer".to_owned()).and_then(|answer| answer.map_err(|why| why.to_string()));
        answer.and_then(|answer| keeps_messages(&answer.payload)).map_err(|why| {
            format!(
                "the NATS server at `{}` keeps no messages for this user: {}; start it with `nats-server -js -sd FOLDER`, \
                 and let the user's account have JetStream",
                server.address,
                told(&why)
            )
        })?;
        Ok(Self { at, server })
    }

    /// Calls nodes of the group for a run; waits for them as long as `within`, or until it is interrupted.
    ///
    /// # Errors
    /// Why they cannot be had, and what to do.
    pub fn call(
        &self,
        run: &str,
        needed: Needed<'_>,
        within: Duration,
        interrupted: &AtomicBool,
    ) -> Result<Called, String> {
        check_name(run)?;
        let at = &self.at;
        let context = at.jetstream();
        let config = stream::Config {
            name: stream_name(run),
            subjects: kept_subjects(run),
            storage: stream::StorageType::File,
            max_age: KEPT,
            duplicate_window: KNOWN_AGAIN,
            // The server refuses a second stream of the name that says something else: two runs never share one.
            description: Some(at.client.new_inbox()),
            ..stream::Config::default()
        };
        at.wait(at.unless_denied(context.create_stream(config)))?.map_err(|error| {
            format!(
                "the NATS server does not keep the messages of this run: {}; give its JetStream room on a disk, and start \
                 no two runs of one name within a second",
                told(&error)
            )
        })?;
        let called = at.wait(gather(at, &self.server, run, needed, (within, interrupted)));
        let links = called.and_then(|()| {
            (1..=needed.all()).map(|node| link(at, run, node, End::Conductor)).collect::<Result<Vec<_>, _>>()
        });
        match links {
            Ok(links) => Ok(Called { links, at: at.clone(), run: run.to_owned() }),
            Err(why) => {
                let _ = at.wait(async { timeout(ANSWERING, context.delete_stream(stream_name(run))).await });
                Err(why)
            }
        }
    }
}

/// What a server says of its JetStream.
fn keeps_messages(answer: &[u8]) -> Result<(), String> {
    let answer: serde_json::Value = serde_json::from_slice(answer).map_err(|error| error.to_string())?;
    let refused = answer.pointer("/error/description");
    refused.map_or(Ok(()), |why| Err(why.as_str().map_or_else(|| why.to_string(), str::to_owned)))
}

impl Needed<'_> {
    /// So many load nodes, and nobody who only watches.
    pub fn load(count: u16) -> Self {
        Self { count, names: &[] }
    }

    fn all(&self) -> u16 {
        self.count.saturating_add(u16::try_from(self.names.len()).unwrap_or(u16::MAX))
    }
}

/// Those that offered themselves and are not known to be gone.
#[derive(Default)]
struct There(BTreeMap<(u32, String), Offer>);

impl There {
    fn key(offer: &Offer) -> (u32, String) {
        (offer.index.unwrap_or(u32::MAX), offer.id.clone())
    }

    /// Those that are needed: load nodes in the order of their places, then those of each name, of which there should be one.
    fn chosen(&self, needed: Needed<'_>) -> Vec<(u16, Offer)> {
        let load = self.0.values().filter(|offer| offer.name.is_none()).take(usize::from(needed.count));
        let load = load.enumerate().map(|(place, offer)| (place as u16 + 1, offer.clone()));
        let named = needed.names.iter().enumerate().flat_map(|(place, name)| {
            let number = needed.count + place as u16 + 1;
            let own = self.0.values().filter(move |offer| offer.name.as_ref() == Some(name));
            own.map(move |offer| (number, offer.clone()))
        });
        load.chain(named).collect()
    }

    /// What is still waited for; empty when all are there.
    fn missing(&self, server: &Server, needed: Needed<'_>, within_s: u64) -> Vec<String> {
        let (shown, group) = (&server.address, &server.group);
        let mut missing = Vec::new();
        let load = self.0.values().filter(|offer| offer.name.is_none()).count();
        if load < usize::from(needed.count) {
            let count = needed.count;
            missing.push(format!(
                "{load} of {count} load nodes offered themselves within {within_s} s; start more with `loadproof node --nats {shown} --group {group}`"
            ));
        }
        let is_there = |name: &String| self.0.values().any(|offer| offer.name.as_ref() == Some(name));
        for name in needed.names.iter().filter(|name| !is_there(name)) {
            missing.push(format!(
                "no node `{name}` offered itself within {within_s} s; start `loadproof node --nats {shown} --group {group} --name {name}` on the \
                 machine that it is to watch"
            ));
        }
        missing
    }
}

/// Waits until enough nodes offer themselves, and has them join in the order of their places.
async fn gather(
    at: &Connection,
    server: &Server,
    run: &str,
    needed: Needed<'_>,
    (within, interrupted): (Duration, &AtomicBool),
) -> Result<(), String> {
    let group = &server.group;
    let error = |error: &dyn std::fmt::Display| at.why(NOT_DONE, error);
    let mut offers = at.client.subscribe(format!("loadproof.{group}.offer")).await.map_err(|why| error(&why))?;
    let mut there = There::default();
    let clock = Clock::system();
    loop {
        loop {
            let missing = there.missing(server, needed, within.as_secs());
            if missing.is_empty() {
                break;
            }
            if interrupted.load(Ordering::Relaxed) {
                return Err("stopped by the operator while nodes were waited for".into());
            }
            if let Some(denied) = at.denied() {
                return Err(denied);
            }
            let offered = timeout(LOOK_EVERY, offers.next()).await;
            if offered.is_err() && clock.now() < Nanos::from(within) {
                continue;
            }
            let Ok(Some(message)) = offered else {
                return Err(missing.join("; and "));
            };
            if let Ok(offer) = serde_json::from_slice::<Offer>(&message.payload)
                && check_name(&offer.id).is_ok()
            {
                there.0.insert(There::key(&offer), offer);
            }
        }
        let chosen = there.chosen(needed);
        let mut lost = None;
        'asked: for is_sure in [false, true] {
            let mut before = 0;
            for (node, offer) in &chosen {
                let call = Call { run: run.to_owned(), node: *node, is_sure };
                let call = serde_json::to_vec(&call).map_err(|why| error(&why))?;
                let asked = at.client.request(format!("loadproof.{group}.call.{}", offer.id), call.into());
                if !matches!(timeout(ANSWERING, asked).await, Ok(Ok(_))) {
                    lost = Some((is_sure, offer.clone()));
                    break 'asked;
                }
                if let Some(name) = offer.name.as_ref().filter(|_| *node == before) {
                    return Err(format!(
                        "two nodes are called `{name}`, and nobody knows which machine is meant; end one of them, or give it \
                         another `--name`"
                    ));
                }
                before = *node;
            }
        }
        match lost {
            None => return Ok(()),
            // Gone, or taken by another run.
            Some((false, offer)) => drop(there.0.remove(&There::key(&offer))),
            Some((true, _)) => return Err("a node ended as the run began; type the command again".into()),
        }
    }
}

/// Offers this process to a group until a run calls it; `is_open` hears that the server can be used.
///
/// # Errors
/// A server that cannot be used.
pub fn offer(server: &Server, lends: &Lends, is_open: impl FnOnce()) -> Result<Offered, String> {
    let at = Connection::open(server)?;
    is_open();
    let id = format!("{}-{}", std::process::id(), at.client.new_inbox().replace(['.', '_'], "-"));
    let group = server.group.clone();
    let call = at.wait(async {
        let error = |error: &dyn std::fmt::Display| at.why(NOT_DONE, error);
        let subject = format!("loadproof.{group}.call.{id}");
        let mut calls = at.client.subscribe(subject).await.map_err(|why| error(&why))?;
        let (index, name) = match lends {
            Lends::Load(index) => (*index, None),
            Lends::Watching(name) => (None, Some(name.clone())),
        };
        let offer = serde_json::to_vec(&Offer { id: id.clone(), index, name }).map_err(|why| error(&why))?;
        // Whoever asked whether it would come, and until when that holds.
        let clock = Clock::system();
        let mut asked: Option<(String, Nanos)> = None;
        loop {
            if let Some(denied) = at.denied() {
                return Err(denied);
            }
            asked = asked.filter(|(_, until)| clock.now() < *until);
            if asked.is_none() {
                let _ = at.client.publish(format!("loadproof.{group}.offer"), offer.clone().into()).await;
            }
            match timeout(OFFER_EVERY, calls.next()).await {
                Ok(Some(message)) => {
                    let Ok(call) = serde_json::from_slice::<Call>(&message.payload) else { continue };
                    if asked.as_ref().is_some_and(|(run, _)| *run != call.run) {
                        continue;
                    }
                    if let Some(reply) = message.reply {
                        let _ = at.client.publish(reply, "here".into()).await;
                    }
                    if call.is_sure {
                        return Ok(call);
                    }
                    asked = Some((call.run, clock.now() + Nanos::from(WAITING)));
                }
                Ok(None) => return Err("the connection to the NATS server was closed".to_owned()),
                Err(_) => {}
            }
        }
    })?;
    let link = link(&at, &call.run, call.node, End::Node)?;
    Ok(Offered { link, run: call.run, node: call.node })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::Address;
    use crate::login::Login;

    fn offer(id: &str, index: Option<u32>, name: Option<&str>) -> Offer {
        Offer { id: id.into(), index, name: name.map(str::to_owned) }
    }

    #[test]
    fn load_nodes_come_first_and_a_name_is_of_one_machine() {
        let server = Server {
            address: Address::of("nats://127.0.0.1:4222").unwrap(),
            login: Login::Nobody,
            authorities: None,
            identity: None,
            may_be_plain: false,
            group: "lab".into(),
        };
        let names = ["db1".to_owned(), "web1".to_owned()];
        let needed = Needed { count: 1, names: &names };
        let mut there = There::default();
        let all = [offer("c", None, Some("db1")), offer("b", Some(0), None), offer("a", None, None)];
        for one in all {
            there.0.insert(There::key(&one), one);
        }
        let missing = there.missing(&server, needed, 60);
        assert!(missing.len() == 1 && missing[0].contains("--group lab --name web1"), "{missing:?}");
        let web = offer("d", None, Some("web1"));
        there.0.insert(There::key(&web), web);
        assert!(there.missing(&server, needed, 60).is_empty());
        let chosen = |there: &There| -> Vec<(u16, String)> {
            there.chosen(needed).into_iter().map(|(number, offer)| (number, offer.id)).collect()
        };
        assert_eq!(chosen(&there), [(1, "b".into()), (2, "c".into()), (3, "d".into())]);
        let other = offer("e", None, Some("db1"));
        there.0.insert(There::key(&other), other);
        assert_eq!(chosen(&there)[1..3], [(2, "c".into()), (2, "e".into())], "both are asked whether they are there");
        let none = Needed { count: 3, names: &[] };
        assert!(there.missing(&server, none, 60)[0].starts_with("2 of 3 load nodes"));
    }
}
