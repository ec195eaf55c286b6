//! The driver's part of a study: `websub.topic`.

mod content;
mod head;

use crate::callback::Callbacks;
use crate::form;
use crate::request::Head;
use contract::{BuildContext, Failure, Keys, Mistake, Mistakes, Node, Settings, Template};
use head::Heads;
use http_wire::{Target, TlsSettings, Url};
use terms::Nanos;

/// Its keys.
pub(crate) const KEYS: &[&str] = &[
    "hub",
    "discover",
    "topic",
    "callback",
    "secret",
    "lease",
    "unsubscribe",
    "bearer",
    "headers",
    "tls",
    "publish",
    "body",
    "content_type",
];

/// A secret is below 200 bytes (section 5.1 of the recommendation).
const SECRET_BYTES_MAX: usize = 199;
const LEASE_LEAST: Nanos = Nanos::from_secs(1);
const LEASE_MOST: Nanos = Nanos::from_secs(10 * 365 * 86_400);

/// One exchange, ready to be carried out once its hub is known.
pub(crate) struct Exchange {
    /// What its requests are made of when the hub is known.
    draft: Draft,
    /// The topic, where it is to be asked for its hub.
    pub(crate) discovered_at: Option<(String, Url)>,
    /// What asks for a subscription, up to its form.
    pub(crate) subscribe: Head,
    /// Fields of that form which are the same for all.
    pub(crate) form: Vec<u8>,
    /// The same of what ends a subscription; none where that is not asked for.
    pub(crate) farewell: Option<Vec<u8>>,
    /// Where the hub is.
    pub(crate) hub_url: Url,
    /// Index of that.
    pub(crate) hub: usize,
    /// What publishes an event, up to its content.
    pub(crate) publish: Head,
    /// Index of where events are published.
    pub(crate) publisher: usize,
    /// The template of an event's content.
    pub(crate) content: u16,
    pub(crate) topic: Vec<u8>,
    /// Address of the listener.
    pub(crate) listener: String,
    pub(crate) secret: Option<Vec<u8>>,
    /// Whether the publisher's connection is kept.
    pub(crate) reuse: bool,
    /// How long each of these may take.
    pub(crate) within: Within,
}

/// What requests are made of, whatever hub they go to.
struct Draft {
    heads: Heads,
    tls: TlsSettings,
    secret: Option<Vec<u8>>,
    lease: Option<Nanos>,
    /// Where events are published; the hub, if there is none.
    publish: Option<Url>,
}

/// How long legs may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Within {
    pub(crate) delivery: Nanos,
    pub(crate) subscribe: Nanos,
    pub(crate) verify: Nanos,
    pub(crate) publish: Nanos,
    pub(crate) unsubscribe: Nanos,
}

impl Exchange {
    /// Its requests go to this hub, which knows the topic by this name.
    pub(crate) fn address(&mut self, hub: &Url, topic: &str, endpoints: &mut Vec<Endpoint>) {
        let Draft { heads, tls, secret, lease, publish } = &self.draft;
        let to_publish = publish.clone().unwrap_or_else(|| publishing_at(hub, topic));
        self.subscribe = heads.subscription(hub);
        self.publish = heads.publication(&to_publish, hub, topic);
        self.form = fields("subscribe", topic, secret.as_deref(), *lease);
        self.farewell = self.farewell.is_some().then(|| fields("unsubscribe", topic, None, None));
        self.hub_url = hub.clone();
        self.hub = index_of(Endpoint::of(hub, tls), endpoints);
        self.publisher = index_of(Endpoint::of(&to_publish, tls), endpoints);
        self.topic = topic.as_bytes().to_vec();
    }

    /// What asks for a subscription at another address than the hub's, up to its form.
    pub(crate) fn subscribe_at(&self, url: &Url) -> Head {
        self.draft.heads.subscription_at(url, !self.endpoint(&self.hub_url).is_at(&self.endpoint(url)))
    }

    /// Where that is.
    pub(crate) fn endpoint(&self, url: &Url) -> Endpoint {
        Endpoint::of(url, &self.draft.tls)
    }

    /// The form that asks for the subscription of this callback, or for its end.
    pub(crate) fn form_of(&self, is_farewell: bool, callbacks: &Callbacks, key: u128, into: &mut Vec<u8>) {
        into.extend_from_slice(self.farewell.as_ref().filter(|_| is_farewell).unwrap_or(&self.form));
        form::field(into, "hub.callback", callbacks.url(&self.listener, key).as_bytes());
    }
}

/// One of the places where requests go.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Endpoint {
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) tls: Option<TlsSettings>,
}

impl Endpoint {
    fn of(url: &Url, tls: &TlsSettings) -> Self {
        Self { host: url.host.clone(), port: url.port, tls: url.is_tls.then(|| tls.clone()) }
    }

    /// Whether both are the same place, whatever is trusted there.
    pub(crate) fn is_at(&self, other: &Self) -> bool {
        self.host.eq_ignore_ascii_case(&other.host)
            && (self.port, self.tls.is_some()) == (other.port, other.tls.is_some())
    }

    /// Finds its address.
    ///
    /// # Errors
    /// A host without an address, certificates that cannot be used.
    pub(crate) fn target(&self) -> Result<Target, Failure> {
        Target::find(&self.host, self.port, self.tls.as_ref(), b"http/1.1")
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
    let discovers = keys.take("discover").map(|node| mistakes.keep(yes_or_no(node, "discover")));
    let is_discovered = discovers == Some(Some(true));
    let hub_node = if is_discovered { keys.take("hub") } else { keys.need("hub", mistakes) };
    if let Some(node) = hub_node.filter(|_| is_discovered) {
        let what = "`hub` names the hub, and `discover: yes` asks the topic for it";
        mistakes.push(Mistake::at(node.place, "websub::two-hubs", what).label("remove one of them"));
    }
    let hub = hub_node.map(|node| mistakes.keep(url(node, "`hub`", context)));
    let topic_node = keys.need("topic", mistakes);
    let topic = topic_node.and_then(|node| mistakes.keep(topic(node, context)));
    let topic_url = topic_node.filter(|_| is_discovered).map(|node| mistakes.keep(url(node, "`topic`", context)));
    let listener = keys.need("callback", mistakes).and_then(|node| mistakes.keep(listener(node, context)));
    let secret = keys.take("secret").map(|node| mistakes.keep(secret(node, context)));
    let lease = keys.take("lease").map(|node| mistakes.keep(lease(node)));
    let unsubscribes = keys.take("unsubscribe").map(|node| mistakes.keep(yes_or_no(node, "unsubscribe")));
    let tls_node = keys.take("tls");
    let tls = TlsSettings::read(tls_node, context, mistakes);
    let publish = keys.take("publish").map(|node| mistakes.keep(url(node, "`publish`", context)));
    let content = content::read(&mut keys, settings, context, mistakes);
    let lines = head::Lines::read(&mut keys, context, mistakes);
    keys.finish(mistakes);
    refuse_checks(settings, mistakes);
    let (topic, listener, content) = (topic?, listener?, content?);
    let (secret, lease, publish, unsubscribes) = (flat(secret)?, flat(lease)?, flat(publish)?, flat(unsubscribes)?);
    let (hub, topic_url) = (flat(hub)?, flat(topic_url)?);
    // A hub that is discovered may have either.
    let is_plain = hub.iter().chain(&publish).all(|url| !url.is_tls) && !is_discovered;
    if let Some(node) = tls_node.filter(|_| is_plain) {
        let what = "`tls` is set, but neither `hub` nor `publish` begins with `https://`";
        mistakes
            .push(Mistake::at(node.place, "websub::tls-without-https", what).label("remove it, or write `https://`"));
    }
    let heads = lines.heads(context);
    let within = |leg: &str| settings.within.get(leg).copied().unwrap_or(settings.timeout);
    let mut exchange = Exchange {
        draft: Draft { heads, tls, secret: secret.clone(), lease, publish },
        discovered_at: topic_url.map(|url| (topic.clone(), url)),
        subscribe: Head::default(),
        form: Vec::new(),
        farewell: (unsubscribes == Some(true)).then(Vec::new),
        hub_url: Url::anywhere(),
        hub: 0,
        publish: Head::default(),
        publisher: 0,
        content: context.keep(content),
        topic: Vec::new(),
        listener,
        secret,
        reuse: settings.reuse,
        within: Within {
            delivery: within("delivery"),
            subscribe: within("subscribe"),
            verify: within("verify"),
            publish: within("publish"),
            unsubscribe: within("unsubscribe"),
        },
    };
    // Until the topic was asked it stands for its hub.
    let hub = hub.as_ref().or(exchange.discovered_at.as_ref().map(|(_, url)| url))?.clone();
    exchange.address(&hub, &topic, endpoints);
    Some(exchange)
}

/// What was not written is fine; what was written and cannot be is not.
fn flat<T>(read: Option<Option<T>>) -> Option<Option<T>> {
    read.map_or(Some(None), |read| read.map(Some))
}

/// Fields of the form but for the callback.
fn fields(mode: &str, topic: &str, secret: Option<&[u8]>, lease: Option<Nanos>) -> Vec<u8> {
    let mut form = Vec::new();
    form::field(&mut form, "hub.mode", mode.as_bytes());
    form::field(&mut form, "hub.topic", topic.as_bytes());
    if let Some(lease) = lease {
        form::field(&mut form, "hub.lease_seconds", lease.second().to_string().as_bytes());
    }
    if let Some(secret) = secret {
        form::field(&mut form, "hub.secret", secret);
    }
    form
}

/// How a hub takes an event itself: `hub.mode=publish`, with the content as the body.
fn publishing_at(hub: &Url, topic: &str) -> Url {
    let mut target = hub.target.as_fixed().unwrap_or(b"/").to_vec();
    target.push(if target.contains(&b'?') { b'&' } else { b'?' });
    target.extend_from_slice(b"hub.mode=publish");
    form::field(&mut target, "hub.topic", topic.as_bytes());
    Url { target: Template::fixed(target), ..hub.clone() }
}

/// Its place among those known, where each stands once.
fn index_of(endpoint: Endpoint, endpoints: &mut Vec<Endpoint>) -> usize {
    endpoints.iter().position(|known| *known == endpoint).unwrap_or_else(|| {
        endpoints.push(endpoint);
        endpoints.len() - 1
    })
}

fn url(node: &Node, what: &str, context: &BuildContext<'_>) -> Result<Url, Mistake> {
    let text = context.text(node, what)?;
    Url::read(&Template::fixed(text.into_bytes()), node.place)
        .map_err(|mistake| Mistake { code: "websub::bad-url", ..mistake })
}

fn topic(node: &Node, context: &BuildContext<'_>) -> Result<String, Mistake> {
    let topic = context.text(node, "`topic`")?;
    // It stands in a header of what is published.
    if topic.is_empty() || topic.chars().any(|c| c.is_control() || c == '<' || c == '>') {
        return Err(Mistake::at(
            node.place,
            "websub::bad-topic",
            "`topic` is empty, or holds `<`, `>` or a control character",
        )
        .label("write a name or a URL, such as `orders`"));
    }
    Ok(topic)
}

/// The name of a listener, or its address.
fn listener(node: &Node, context: &BuildContext<'_>) -> Result<String, Mistake> {
    let written = node.as_text("`callback`")?;
    let is_name = written.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    let text = if is_name { format!("$(listeners.{written}.url)") } else { written.to_owned() };
    let found = context.compile_text(&text, node)?;
    let address = found.as_fixed().map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    let is_fit =
        |url: &String| (url.starts_with("http://") || url.starts_with("https://")) && !url.contains(['?', '#']);
    address.filter(is_fit).ok_or_else(|| {
        Mistake::at(
            node.place,
            "websub::bad-callback",
            format!("`callback: {written}` is not the address of a listener"),
        )
        .label("write the name of a listener")
        .hint("add `listeners: { hook: http }` to the study, and write `callback: hook`")
    })
}

fn secret(node: &Node, context: &BuildContext<'_>) -> Result<Vec<u8>, Mistake> {
    let secret = context.text(node, "`secret`")?.into_bytes();
    if (1..=SECRET_BYTES_MAX).contains(&secret.len()) {
        return Ok(secret);
    }
    // The secret itself is not shown.
    Err(Mistake::at(node.place, "websub::bad-secret", format!("`secret` has {} bytes", secret.len()))
        .label("a secret has 1 to 199 bytes"))
}

fn lease(node: &Node) -> Result<Nanos, Mistake> {
    let lease = node.as_duration("`lease`")?;
    if (LEASE_LEAST..=LEASE_MOST).contains(&lease) {
        return Ok(lease);
    }
    Err(Mistake::at(node.place, "study::out-of-range", "`lease` is outside 1 s to 10 years")
        .label("write a duration such as `10m`"))
}

fn yes_or_no(node: &Node, key: &str) -> Result<bool, Mistake> {
    match node.as_text(&format!("`{key}`"))? {
        "yes" | "true" => Ok(true),
        "no" | "false" => Ok(false),
        other => {
            let what = format!("`{key}` may not be `{}`", other.escape_debug());
            Err(Mistake::at(node.place, "study::wrong-type", what).label("write `yes` or `no`"))
        }
    }
}

/// Content is compared with what was published as a whole, and nothing else comes.
fn refuse_checks(settings: &Settings, mistakes: &mut Mistakes) {
    let checks = settings.checks.iter().map(|check| check.place);
    let captures = settings.captures.iter().map(|capture| capture.place);
    for place in checks.chain(captures) {
        let what = "a delivery is compared with what was published, byte by byte; there is nothing else to look into";
        mistakes.push(Mistake::at(place, "websub::no-checks", what).label("remove it"));
    }
}
