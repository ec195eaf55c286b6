//! The driver's part of a study: `thrift.publish`.

mod attribute;

use crate::binary::{BUNDLE_BYTES_MAX, EVENT_BYTES};
use crate::bundle::Recipe;
use crate::protocol::Protocol;
use crate::stream::{Part, Stream};
use attribute::Attribute;
use contract::{BuildContext, Keys, Mistake, Mistakes, Node, Settings};
use http_wire::{TlsSettings, Url};

/// Its keys.
pub(crate) const KEYS: &[&str] = &[
    "url",
    "sign_in",
    "define",
    "tls",
    "user",
    "password",
    "stream",
    "version",
    "meta",
    "correlation",
    "payload",
    "events",
    "seed",
];

/// Events of a bundle, and attributes of an event.
const EVENTS_MAX: u64 = 100_000;
const ATTRIBUTES_MAX: usize = 200;
/// As definitions bound names, and more than anybody reads.
const NAME_MAX: usize = 200;
const VERSION: &str = "1.0.0";

/// Somewhere that is connected to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Endpoint {
    pub(crate) protocol: Protocol,
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) tls: Option<TlsSettings>,
}

/// One exchange, ready to be carried out.
pub(crate) struct Exchange {
    /// Where events go.
    pub(crate) data: Endpoint,
    /// Where a session is got.
    pub(crate) sign_in: Endpoint,
    /// Where the stream is defined over Thrift, of events that go by another protocol.
    pub(crate) define: Option<Endpoint>,
    pub(crate) user: String,
    pub(crate) password: String,
    pub(crate) stream: Stream,
    pub(crate) recipe: Recipe,
}

/// Reads one exchange's settings. Everything that is wrong is kept in `mistakes`.
pub(crate) fn exchange(settings: &Settings, context: &BuildContext<'_>, mistakes: &mut Mistakes) -> Option<Exchange> {
    let before = mistakes.0.len();
    let mut keys = Keys::of(&settings.node, format!("exchange `{}`", settings.exchange), mistakes);
    let data = keys.need("url", mistakes).and_then(|node| mistakes.keep(url(node, "`url`", context)));
    let sign_in = keys.need("sign_in", mistakes).and_then(|node| mistakes.keep(url(node, "`sign_in`", context)));
    let define = keys.take("define").map(|node| mistakes.keep(define_url(node, data.as_ref(), context)));
    let tls_node = keys.take("tls");
    let tls = TlsSettings::read(tls_node, context, mistakes);
    let text = |node: &Node, what: &str| context.text(node, what);
    let user = keys.need("user", mistakes).and_then(|node| mistakes.keep(text(node, "`user`")));
    let password = keys.need("password", mistakes).and_then(|node| mistakes.keep(text(node, "`password`")));
    let name = keys.need("stream", mistakes).and_then(|node| mistakes.keep(name(node, "`stream`", context)));
    let version = keys.take("version").map_or(Some(VERSION.to_owned()), |node| mistakes.keep(text(node, "`version`")));
    let place = keys.place();
    let mut attributes = Vec::new();
    for part in Part::ALL {
        let Some(node) = keys.take(part.key()) else { continue };
        attributes.extend(attributes_of(node, part, context, mistakes));
    }
    let count = |node: &Node, what: &str, least, most| filled(node, context)?.as_count(what, least, most);
    let events = keys.take("events").map_or(Some(1), |node| mistakes.keep(count(node, "`events`", 1, EVENTS_MAX)));
    let seed = keys.take("seed").map_or(Some(1), |node| mistakes.keep(count(node, "`seed`", 0, u64::MAX)));
    keys.finish(mistakes);
    let define = define.map_or(Some(None), |read| read.map(Some));
    let is_secret = |(_, url): &(Protocol, Url)| url.is_tls;
    if let (Some(node), Some(data), Some(sign_in), Some(define)) = (tls_node, &data, &sign_in, &define)
        && ![Some(data), Some(sign_in), define.as_ref()].into_iter().flatten().any(is_secret)
    {
        let what = "`tls` is set, and no address begins with `thrifts://` or `binarys://`";
        mistakes.push(
            Mistake::at(node.place, "thrift::tls-without-thrifts", what)
                .label("remove it, or write `thrifts://` or `binarys://`"),
        );
    }
    if attributes.is_empty() && mistakes.0.len() == before {
        let what = "nothing says what an event is made of";
        mistakes.push(
            Mistake::at(place, "study::missing-key", what)
                .label("write `payload: { power: { double: { from: 0, to: 5 } } }`"),
        );
    }
    if attributes.len() > ATTRIBUTES_MAX {
        let what = format!("an event has {} attributes; at most {ATTRIBUTES_MAX} are possible", attributes.len());
        mistakes.push(Mistake::at(place, "study::too-large", what).label("leave some out"));
    }
    refuse_answers(settings, mistakes);
    if mistakes.0.len() > before {
        return None;
    }
    let endpoint = |(protocol, url): (Protocol, Url)| {
        let (host, port, tls) = (url.host, url.port, url.is_tls.then(|| tls.clone()));
        Endpoint { protocol, host, port, tls }
    };
    let (described, values) =
        attributes.into_iter().map(|(part, Attribute { name, kind, values })| ((part, name, kind), values)).unzip();
    let stream = Stream { name: name?, version: version?, attributes: described };
    let recipe = Recipe::new(&stream, values, events? as u32, seed?);
    let data = data?;
    if data.0 == Protocol::Binary {
        mistakes.keep(sayable(&recipe, place))?;
    }
    Some(Exchange {
        data: endpoint(data),
        sign_in: endpoint(sign_in?),
        define: define?.map(endpoint),
        user: user?,
        password: password?,
        stream,
        recipe,
    })
}

/// The same with the values of variables in it.
fn filled(node: &Node, context: &BuildContext<'_>) -> Result<Node, Mistake> {
    Ok(Node::text_at(node.place, context.text(node, "a number")?))
}

/// `thrift://host:port` or `binary://host:port`, with an `s` behind the protocol for TLS.
fn url(node: &Node, what: &str, context: &BuildContext<'_>) -> Result<(Protocol, Url), Mistake> {
    let text = context.text(node, what)?;
    let wrong = |why: String| {
        Mistake::at(node.place, "thrift::bad-url", why)
            .label("write `thrift://host:port` or `binary://host:port`, or `thrifts://` or `binarys://` for TLS")
    };
    let (scheme, rest) = text.split_once("://").unwrap_or(("thrift", &text));
    let (protocol, http) = match scheme {
        "thrift" | "tcp" | "http" => (Protocol::Thrift, "http"),
        "thrifts" | "ssl" | "https" => (Protocol::Thrift, "https"),
        "binary" => (Protocol::Binary, "http"),
        "binarys" => (Protocol::Binary, "https"),
        _ => return Err(wrong(format!("{what} is `{text}`, whose scheme is neither `thrift` nor `binary`"))),
    };
    if rest.contains(['/', '?', '#']) || rest.rsplit_once(':').is_none_or(|(_, port)| port.parse::<u16>().is_err()) {
        return Err(wrong(format!("{what} is `{text}`, which is not a host with a port")));
    }
    let template = contract::Template::fixed(format!("{http}://{rest}").as_bytes());
    let url = Url::read(&template, node.place).map_err(|mistake| wrong(format!("{what}: {}", mistake.message)))?;
    Ok((protocol, url))
}

/// Where the stream is defined, which is said only where events go by a protocol that cannot.
fn define_url(
    node: &Node,
    data: Option<&(Protocol, Url)>,
    context: &BuildContext<'_>,
) -> Result<(Protocol, Url), Mistake> {
    let read = url(node, "`define`", context)?;
    let wrong = |why: &str, label: &str| Err(Mistake::at(node.place, "thrift::define", why).label(label));
    match (read.0, data) {
        (Protocol::Binary, _) => {
            wrong("`define` is an address that cannot define streams", "write `thrift://host:port`")
        }
        (_, Some((Protocol::Thrift, _))) => {
            wrong("`define` is set, and the stream is defined at `url`, which is Thrift's", "remove it")
        }
        _ => Ok(read),
    }
}

/// The binary protocol says how long a bundle is by a signed number of 32 bits.
fn sayable(recipe: &Recipe, place: contract::Place) -> Result<(), Mistake> {
    let event = EVENT_BYTES + recipe.id.len() as u64 + recipe.most_bytes();
    if event.saturating_mul(recipe.events.into()) <= BUNDLE_BYTES_MAX {
        return Ok(());
    }
    let what = "a bundle can have more than 2 GB, which the receivers' own binary protocol has no length for";
    Err(Mistake::at(place, "study::too-large", what).label("write fewer `events`, or `most` of texts"))
}

fn name(node: &Node, what: &str, context: &BuildContext<'_>) -> Result<String, Mistake> {
    let text = context.text(node, what)?;
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-');
    if !text.is_empty() && text.len() <= NAME_MAX && text.chars().all(is_name) {
        return Ok(text);
    }
    let wrong = format!("{what} is `{}`, which is not a name", text.escape_debug());
    Err(Mistake::at(node.place, "thrift::name", wrong).label("letters, digits, `.`, `_` and `-`"))
}

fn attributes_of(
    node: &Node,
    part: Part,
    context: &BuildContext<'_>,
    mistakes: &mut Mistakes,
) -> Vec<(Part, Attribute)> {
    let Some(entries) = node.map() else {
        let what = format!("`{}` is {}, not a map of attributes", part.key(), node.what());
        mistakes.push(
            Mistake::at(node.place, "study::wrong-type", what)
                .label("write `{ power: { double: { from: 0, to: 5 } } }`"),
        );
        return Vec::new();
    };
    // One more than possible, so that too many are told of and no more are read.
    let entries = entries.iter().take(ATTRIBUTES_MAX + 1);
    let read = |(key, value): &(Node, Node)| {
        let name = mistakes.keep(name(key, "the name of an attribute", context));
        let attribute = attribute::read(value, context, mistakes);
        let (kind, values) = attribute?;
        Some((part, Attribute { name: name?, kind, values }))
    };
    entries.filter_map(read).collect()
}

/// A receiver answers with nothing that could be checked or kept.
fn refuse_answers(settings: &Settings, mistakes: &mut Mistakes) {
    if let Some(check) = settings.checks.first() {
        let what = format!("`{}` publishes, and the reply holds nothing to check", settings.exchange);
        mistakes.push(Mistake::at(check.place, "thrift::no-answer", what).label("remove the check"));
    }
    if !settings.captures.is_empty() {
        let what = format!("`{}` publishes, and the reply holds nothing to capture", settings.exchange);
        mistakes.push(Mistake::at(settings.node.place, "thrift::no-answer", what).label("remove `capture`"));
    }
}
