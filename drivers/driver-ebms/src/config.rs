//! The driver's part of a study: `ebms.ping` and `ebms.message`.

mod payload;
mod routes;

use crate::agreement;
use crate::exchange::{Endpoint, Exchange, Kind, Within};
use crate::signature::Signer;
use clock::Clock;
use contract::{AFTERWARDS, BuildContext, Keys, Mistake, Mistakes, Node, Piece, Settings, Template, suggestion};
use http_wire::{TlsSettings, Url};
use routes::RouteInputs;
pub(crate) use routes::not_a_party;
use std::collections::HashMap;

/// Keys of `ebms.ping`.
pub(crate) const PING: &[&str] =
    &["to", "agreements", "cpa", "from", "party", "reply_at", "conversation", "time_to_live", "tls"];
/// Keys of `ebms.message`.
pub(crate) const MESSAGE: &[&str] = &[
    "to",
    "agreements",
    "cpa",
    "from",
    "party",
    "reply_at",
    "conversation",
    "time_to_live",
    "tls",
    "action",
    "service",
    "profile",
    "payload",
    "reply",
    "sign",
];

/// What a profile of Digikoppeling has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Profile {
    pub(crate) name: &'static str,
    pub(crate) is_reliable: bool,
    pub(crate) is_signed: bool,
}

const PROFILES: [Profile; 4] = [
    Profile { name: "osb-be", is_reliable: false, is_signed: false },
    Profile { name: "osb-rm", is_reliable: true, is_signed: false },
    Profile { name: "osb-be-s", is_reliable: false, is_signed: true },
    Profile { name: "osb-rm-s", is_reliable: true, is_signed: true },
];

/// Their names, for the published schema.
pub(crate) const PROFILE_NAMES: [&str; 4] = [PROFILES[0].name, PROFILES[1].name, PROFILES[2].name, PROFILES[3].name];

/// Reads one exchange's settings. Everything that is wrong is kept in `mistakes`.
pub(crate) fn exchange(
    settings: &Settings,
    endpoints: &mut Vec<Endpoint>,
    context: &mut BuildContext<'_>,
    mistakes: &mut Mistakes,
) -> Option<Exchange> {
    let kind = if settings.operation == "ping" { Kind::Ping } else { Kind::Message };
    let mut keys = Keys::of(&settings.node, format!("exchange `{}`", settings.exchange), mistakes);
    let to = keys.take("to").map(|node| mistakes.keep(url(node, context)));
    let files = keys.need("agreements", mistakes);
    let agreements = files.and_then(|node| agreement::load(node, context, Clock::system().wall(), mistakes));
    let texts = Texts::read(&mut keys, context, mistakes);
    keys.take("reply_at").and_then(|node| mistakes.keep(listener(node, context)));
    let time_to_live = keys.take("time_to_live").and_then(|node| mistakes.keep(node.as_duration("`time_to_live`")));
    let tls = TlsSettings::read(keys.take("tls"), context, mistakes);
    let boundary = format!("loadproof-{:016x}", context.nonce());
    let wanted = if kind == Kind::Message {
        MessageSettings::read(&mut keys, &boundary, context, mistakes)
    } else {
        MessageSettings::default()
    };
    keys.finish(mistakes);
    let compiled = match extract::Compiled::new(&settings.checks, &settings.captures, context) {
        Ok(compiled) => compiled,
        Err(more) => {
            mistakes.extend(more);
            return None;
        }
    };
    let (agreements, texts) = (agreements?, texts?);
    let to = match to {
        Some(url) => Some(url?),
        None => None,
    };
    let making = RouteInputs { kind, to, tls: &tls, wanted: &wanted, settings, boundary: &boundary };
    let routes = making.routes(&agreements, endpoints);
    let by_id: HashMap<Vec<u8>, usize> =
        agreements.iter().enumerate().map(|(index, it)| (it.id.clone().into_bytes(), index)).collect();
    let mut used = routes::used(&agreements, &by_id, &routes, &texts, &settings.node, context, mistakes);
    if used.is_empty() {
        used = (0..routes.len()).filter(|index| routes[*index].is_ok()).collect();
    }
    let exchange = Exchange {
        kind,
        agreement: context.keep(texts.cpa.0),
        from: context.keep(texts.from.0),
        party: texts.party.map(|(template, _)| context.keep(template)),
        conversation: texts.conversation.map(|(template, _)| context.keep(template)),
        now: context.keep(Template { pieces: vec![Piece::Now] }),
        time_to_live,
        agreements,
        by_id,
        routes,
        used,
        payload: wanted.payload,
        boundary,
        answer: wanted.reply,
        within: Within {
            acknowledged: settings.within.get("acknowledged").copied(),
            reply: settings.within.get("reply").copied().unwrap_or(settings.timeout),
            error: settings.within.get(AFTERWARDS).copied(),
        },
        compiled,
        timeout: settings.timeout,
        reuse: settings.reuse,
        signer: wanted.signer,
    };
    check_listener(&exchange, settings, mistakes);
    Some(exchange)
}

/// A text with the node that it stands in.
pub(crate) type Compiled<'a> = (Template, &'a Node);

/// The texts that say who sends to whom.
pub(crate) struct Texts<'a> {
    pub(crate) cpa: Compiled<'a>,
    pub(crate) from: Compiled<'a>,
    pub(crate) party: Option<Compiled<'a>>,
    pub(crate) conversation: Option<Compiled<'a>>,
}

impl<'a> Texts<'a> {
    fn read(keys: &mut Keys<'a>, context: &BuildContext<'_>, mistakes: &mut Mistakes) -> Option<Self> {
        let cpa = compiled_text(keys.need("cpa", mistakes), "`cpa`", context, mistakes);
        let from = compiled_text(keys.need("from", mistakes), "`from`", context, mistakes);
        let party = compiled_text(keys.take("party"), "`party`", context, mistakes);
        let conversation = compiled_text(keys.take("conversation"), "`conversation`", context, mistakes);
        Some(Self { cpa: cpa?, from: from?, party, conversation })
    }
}

fn compiled_text<'a>(
    node: Option<&'a Node>,
    what: &str,
    context: &BuildContext<'_>,
    mistakes: &mut Mistakes,
) -> Option<Compiled<'a>> {
    let node = node?;
    mistakes.keep(context.compile(node, what)).map(|template| (template, node))
}

/// A reply on a connection of its own needs a listener.
fn check_listener(exchange: &Exchange, settings: &Settings, mistakes: &mut Mistakes) {
    let needs =
        exchange.used_routes().any(|route| exchange.later_legs(route).any(|leg| !route.asks.is_synchronous || leg > 1));
    if !needs || settings.node.get("reply_at").is_some() {
        return;
    }
    let name = &settings.exchange;
    let what = format!("replies to `{name}` come on connections of their own, and `reply_at` does not say where");
    mistakes.push(
        Mistake::at(settings.node.place, "ebms::reply-nowhere", what)
            .label("add `reply_at: NAME`, the name of a listener")
            .hint(
                "declare it: `listeners: { NAME: http }`; the agreement's `Endpoint` is then `$(listeners.NAME.url)`",
            ),
    );
}

/// What only a business message has.
#[derive(Default)]
pub(crate) struct MessageSettings {
    pub(crate) action: Option<String>,
    pub(crate) service: Option<String>,
    pub(crate) profile: Option<Profile>,
    pub(crate) payload: Vec<crate::exchange::Payload>,
    pub(crate) reply: Option<String>,
    pub(crate) signer: Option<Signer>,
    /// Whether the settings for signing are there, right or wrong.
    pub(crate) has_sign: bool,
}

impl MessageSettings {
    fn read(keys: &mut Keys<'_>, boundary: &str, context: &mut BuildContext<'_>, mistakes: &mut Mistakes) -> Self {
        let text = |node: Option<&Node>, what: &str, mistakes: &mut Mistakes| {
            node.and_then(|node| mistakes.keep(context.text(node, what)))
        };
        let action = text(keys.need("action", mistakes), "`action`", mistakes);
        let service = text(keys.take("service"), "`service`", mistakes);
        let reply = text(keys.take("reply"), "`reply`", mistakes);
        let profile = keys.take("profile").and_then(|node| mistakes.keep(profile(node, context)));
        let sign = keys.take("sign");
        let signer = sign.and_then(|node| Signer::read(node, context, mistakes));
        let payload = keys.take("payload").map(|node| payload::read(node, boundary, context, mistakes));
        Self { action, service, profile, payload: payload.unwrap_or_default(), reply, signer, has_sign: sign.is_some() }
    }
}

fn url(node: &Node, context: &BuildContext<'_>) -> Result<Url, Mistake> {
    // Every message of a route goes the same way, so the path is fixed, too.
    let text = context.text(node, "`to`")?;
    Url::read(&Template::fixed(text.into_bytes()), node.place)
}

/// The name of a listener, which the study must have.
fn listener(node: &Node, context: &BuildContext<'_>) -> Result<(), Mistake> {
    let name = node.as_text("`reply_at`")?;
    context.compile_text(&format!("$(listeners.{name}.url)"), node).map(|_| ())
}

fn profile(node: &Node, context: &BuildContext<'_>) -> Result<Profile, Mistake> {
    let name = context.text(node, "`profile`")?;
    if let Some(found) = PROFILES.iter().find(|known| known.name == name) {
        return Ok(*found);
    }
    if name.ends_with("-e") {
        let what = format!("the encrypted profile `{name}` is out of scope: nothing is encrypted beyond TLS");
        return Err(Mistake::at(node.place, "ebms::encrypted", what).label("write `osb-rm-s`, or `osb-be-s`"));
    }
    let mistake = Mistake::at(node.place, "study::unknown-word", format!("there is no profile `{name}`"));
    let known = || PROFILES.iter().map(|profile| profile.name);
    let hint = format!("possible are {}", known().collect::<Vec<_>>().join(", "));
    Err(match suggestion(&name, known()) {
        Some(near) => mistake.label(format!("did you mean `{near}`?")),
        None => mistake,
    }
    .hint(hint))
}
