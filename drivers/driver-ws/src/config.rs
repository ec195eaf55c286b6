//! The driver's part of a study: `ws.talk`.

mod checks;
mod head;
mod message;

use crate::frame::Opcode;
use checks::Checks;
use contract::{BuildContext, Keys, Mistake, Mistakes, Node, Settings, suggestion};
use extract::Compiled;
use http_wire::{Endpoint, Reconnect, Request, TlsSettings};
use terms::{Nanos, Unit};

/// Its keys.
pub(crate) const KEYS: &[&str] = &[
    "url",
    "headers",
    "bearer",
    "subprotocols",
    "compression",
    "tls",
    "message",
    "binary",
    "answer",
    "max_message",
    "ping",
    "reconnect",
];
/// Those of them that have one of a few words.
pub(crate) const WORDS: &[(&str, &[&str])] = &[("answer", &ANSWERS), ("compression", &COMPRESSIONS)];
const ANSWERS: [&str; 3] = ["echo", "answer", "none"];
const COMPRESSIONS: [&str; 2] = ["deflate", "none"];

/// Longest message that is read, unless `max_message` says otherwise. Each connection that reads one at the time holds as
/// much.
const MESSAGE_BYTES_DEFAULT: f64 = 1024.0 * 1024.0;
const MESSAGE_BYTES_MAX: f64 = 1024.0 * 1024.0 * 1024.0;
/// More often a ping is load of its own, and more rarely no connection needs one.
const PING_LEAST: Nanos = Nanos::from_millis(100);
const PING_MOST: Nanos = Nanos::from_secs(3600);

/// What ends a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answered {
    /// Its own echo, known by its content.
    Echo,
    /// The next message that comes.
    Next,
    /// Nothing: it ends when it is sent.
    Nothing,
}

/// What the content of an answer is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    /// What was sent.
    Sent,
    /// The same with its characters in reverse order.
    Reversed,
}

/// One exchange, ready to be carried out.
pub(crate) struct Exchange {
    /// What opens a connection.
    pub(crate) request: Request,
    /// Index of where it goes.
    pub(crate) endpoint: usize,
    /// What may be spoken on it, of which the server chooses one.
    pub(crate) subprotocols: Vec<String>,
    /// Whether compression is offered.
    pub(crate) compression: bool,
    /// Checks of the answer to the opening, and captures from it.
    pub(crate) opening: Compiled,
    /// Text or binary.
    pub(crate) opcode: Opcode,
    /// The template of a message.
    pub(crate) message: u16,
    pub(crate) answered: Answered,
    pub(crate) expected: Option<Expected>,
    /// Checks of the answer to a message, and captures from it.
    pub(crate) content: Compiled,
    /// Most bytes of a message that comes.
    pub(crate) message_max: u64,
    /// How often a ping is sent.
    pub(crate) ping: Option<Nanos>,
    /// Whether and how a connection that was lost is opened again.
    pub(crate) reconnect: Option<Reconnect>,
    /// How long an answer may take before it is missing.
    pub(crate) within: Nanos,
    /// How long opening again may take.
    pub(crate) opening_within: Nanos,
}

impl Exchange {
    /// Whether an answer is waited for.
    pub(crate) fn is_answered(&self) -> bool {
        self.answered != Answered::Nothing
    }
}

/// Reads one exchange's settings. Everything that is wrong is kept in `mistakes`.
pub(crate) fn exchange(
    settings: &Settings,
    endpoints: &mut Vec<Endpoint>,
    context: &mut BuildContext<'_>,
    mistakes: &mut Mistakes,
) -> Option<Exchange> {
    let mut keys = Keys::of(&settings.node, format!("exchange `{}`", settings.exchange), mistakes);
    let url = keys.need("url", mistakes).and_then(|node| mistakes.keep(head::url(node, context)));
    let tls = TlsSettings::read(keys.take("tls"), context, mistakes);
    let subprotocols =
        keys.take("subprotocols").map_or_else(Vec::new, |node| head::subprotocols(node, context, mistakes));
    let compression = keys.take("compression").and_then(|node| mistakes.keep(compression(node, context)));
    let compression = compression.unwrap_or(false);
    let request = head::read(url.as_ref(), (&subprotocols, compression), &mut keys, context, mistakes);
    let message = message::read(&mut keys, settings, context, mistakes);
    let checks = Checks::read(settings, context, mistakes);
    let word = keys.take("answer");
    let written = word.and_then(|node| mistakes.keep(answer(node, context)));
    let message_max =
        keys.take("max_message").map_or(Some(MESSAGE_BYTES_DEFAULT as u64), |node| mistakes.keep(message_max(node)));
    let ping = keys.take("ping").and_then(|node| mistakes.keep(ping(node)));
    let reconnect = keys.take("reconnect").and_then(|node| Reconnect::read(node, mistakes));
    keys.finish(mistakes);
    if let Some(node) = settings.node.get("tls").filter(|_| url.as_ref().is_some_and(|url| !url.is_tls)) {
        mistakes.push(
            Mistake::at(node.place, "ws::tls-without-wss", "`tls` is set, but the URL does not begin with `wss://`")
                .label("remove it, or write `wss://`"),
        );
    }
    if !settings.reuse {
        mistakes.push(
            Mistake::at(
                settings.node.place,
                "ws::held",
                "a held connection serves all its messages: `reuse: false` has no meaning",
            )
            .label("remove `connection`"),
        );
    }
    let Checks { opening, content, expected } = checks?;
    let looks = expected.is_some() || content.needs_body() || content.has_captures();
    let answered = written.unwrap_or(if expected.is_some() { Answered::Echo } else { Answered::Next });
    let place = word.map_or(settings.node.place, |node| node.place);
    if answered == Answered::Nothing && looks {
        mistakes.push(
            Mistake::at(
                place,
                "ws::no-answer",
                "`answer: none` waits for no answer, and `check` or `capture` looks into one",
            )
            .label("write `answer: answer`, or remove what looks into it"),
        );
    }
    let message = message?;
    let expected = expected.or((answered == Answered::Echo).then_some(Expected::Sent));
    message.check(answered, expected, place, mistakes);
    let (url, message_max) = (url?, message_max?);
    let endpoint = Endpoint { host: url.host, port: url.port, tls: url.is_tls.then_some(tls) };
    Some(Exchange {
        request,
        endpoint: endpoint.index_in(endpoints),
        subprotocols,
        compression,
        opening,
        opcode: message.opcode,
        message: context.keep(message.template),
        answered,
        expected,
        content,
        message_max,
        ping,
        reconnect,
        within: settings.within.get("answer").copied().unwrap_or(settings.timeout),
        opening_within: settings.within.get("connect").copied().unwrap_or(settings.timeout),
    })
}

fn answer(node: &Node, context: &BuildContext<'_>) -> Result<Answered, Mistake> {
    match context.text(node, "`answer`")?.as_str() {
        "echo" => Ok(Answered::Echo),
        "answer" => Ok(Answered::Next),
        "none" => Ok(Answered::Nothing),
        other => Err(unknown("answer", other, &ANSWERS, node)),
    }
}

/// Whether it is offered.
fn compression(node: &Node, context: &BuildContext<'_>) -> Result<bool, Mistake> {
    match context.text(node, "`compression`")?.as_str() {
        "deflate" => Ok(true),
        "none" => Ok(false),
        other => Err(unknown("compression", other, &COMPRESSIONS, node)),
    }
}

/// A word that a key may not have.
fn unknown(key: &str, word: &str, possible: &[&'static str], node: &Node) -> Mistake {
    let mistake = Mistake::at(node.place, "study::unknown-word", format!("`{key}` may not be `{word}`"))
        .hint(format!("possible are {}", possible.join(", ")));
    match suggestion(word, possible.iter().copied()) {
        Some(near) => mistake.label(format!("did you mean `{near}`?")),
        None => mistake,
    }
}

fn message_max(node: &Node) -> Result<u64, Mistake> {
    let read = node.as_quantity("`max_message`", &Unit::Bytes, "1MiB")?;
    if (1.0..=MESSAGE_BYTES_MAX).contains(&read.value) {
        return Ok(read.value as u64);
    }
    Err(Mistake::at(node.place, "study::out-of-range", format!("`max_message` is {read}, outside 1 B to 1 GiB"))
        .label("write a size such as `1MiB`"))
}

fn ping(node: &Node) -> Result<Nanos, Mistake> {
    let every = node.as_duration("`ping`")?;
    if (PING_LEAST..=PING_MOST).contains(&every) {
        return Ok(every);
    }
    Err(Mistake::at(node.place, "study::out-of-range", "`ping` is outside 100 ms to 1 h")
        .label("write a duration such as `30s`"))
}
