//! The driver's part of a study: `sse.listen`.

mod checks;

use checks::Checks;
pub(crate) use checks::{SENT, SEQUENCE};
use contract::{BuildContext, Keys, Mistake, Mistakes, Node, Settings};
use extract::Compiled;
use http_wire::{Endpoint, Form, Reconnect, Request, TlsSettings};
use terms::{Nanos, Unit};

/// Its keys.
pub(crate) const KEYS: &[&str] = &["url", "headers", "bearer", "tls", "max_event", "reconnect"];

/// Longest event that is read, unless `max_event` says otherwise. Each connection that reads one at the time holds as much.
const EVENT_BYTES_DEFAULT: u64 = 1024 * 1024;
const EVENT_BYTES_MAX: f64 = 1024.0 * 1024.0 * 1024.0;
/// Headers that frame the request, or say how its connection is used.
const OURS: [&str; 6] = ["connection", "content-length", "transfer-encoding", "te", "trailer", "upgrade"];
/// What it resumes from. The driver's own where it opens connections again.
const LAST_EVENT_ID: &str = "last-event-id";

/// One exchange, ready to be carried out.
pub(crate) struct Exchange {
    /// What opens a connection.
    pub(crate) request: Request,
    /// Index of where it goes.
    pub(crate) endpoint: usize,
    /// Checks of the answer to the opening, and captures from it.
    pub(crate) opening: Compiled,
    /// Checks of an event, and captures from it.
    pub(crate) content: Compiled,
    /// Finds an event's number, as slot 0, and the time at which it was sent, as slot 1.
    pub(crate) incoming: Compiled,
    pub(crate) has_sequence: bool,
    pub(crate) has_sent: bool,
    /// Events a second that are expected on each connection.
    pub(crate) expect: Option<f64>,
    /// Most bytes of an event.
    pub(crate) event_max: u64,
    /// Whether and how a connection that was lost is opened again.
    pub(crate) reconnect: Option<Reconnect>,
    /// How long an event may take from when it is due before it is missing.
    pub(crate) within: Nanos,
    /// How long opening again may take.
    pub(crate) opening_within: Nanos,
}

impl Exchange {
    /// Whether anything looks into an event.
    pub(crate) fn looks(&self) -> bool {
        self.content.needs_body() || self.incoming.needs_body()
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
    let wanted = keys.take("reconnect");
    let reconnect = wanted.and_then(|node| Reconnect::read(node, mistakes));
    let form = Form {
        schemes: ["http", "https"],
        bad_url: "sse::bad-url",
        bad_header: "sse::bad-header",
        two_authorizations: "sse::two-authorizations",
        defaults: &[("Accept", "text/event-stream"), ("Cache-Control", "no-store")],
        own: &Request::own,
        is_own: &|name| OURS.contains(&name) || (name == LAST_EVENT_ID && wanted.is_some()),
        hint: "connections are held as they are; with `reconnect` the id of the last event is sent by itself",
    };
    let url = keys.need("url", mistakes).and_then(|node| mistakes.keep(form.url(node, context)));
    let tls = TlsSettings::read(keys.take("tls"), context, mistakes);
    let request = form.request(url.as_ref(), &mut keys, context, mistakes);
    let checks = Checks::read(settings, context, mistakes);
    let event_max = keys.take("max_event").map_or(Some(EVENT_BYTES_DEFAULT), |node| mistakes.keep(event_max(node)));
    keys.finish(mistakes);
    if let Some(node) = settings.node.get("tls").filter(|_| url.as_ref().is_some_and(|url| !url.is_tls)) {
        mistakes.push(
            Mistake::at(
                node.place,
                "sse::tls-without-https",
                "`tls` is set, but the URL does not begin with `https://`",
            )
            .label("remove it, or write `https://`"),
        );
    }
    if !settings.reuse {
        let what = "a held connection brings all its events: `reuse: false` has no meaning";
        mistakes.push(Mistake::at(settings.node.place, "sse::held", what).label("remove `connection`"));
    }
    let Checks { opening, content, incoming } = checks?;
    let (url, event_max) = (url?, event_max?);
    let endpoint = Endpoint { host: url.host, port: url.port, tls: url.is_tls.then_some(tls) };
    Some(Exchange {
        request,
        endpoint: endpoint.index_in(endpoints),
        opening,
        content,
        incoming,
        has_sequence: settings.incoming.sequence.is_some(),
        has_sent: settings.incoming.sent.is_some(),
        expect: settings.incoming.expect,
        event_max,
        reconnect,
        within: settings.within.get("event").copied().unwrap_or(settings.timeout),
        opening_within: settings.within.get("connect").copied().unwrap_or(settings.timeout),
    })
}

fn event_max(node: &Node) -> Result<u64, Mistake> {
    let read = node.as_quantity("`max_event`", &Unit::Bytes, "1MiB")?;
    if (1.0..=EVENT_BYTES_MAX).contains(&read.value) {
        return Ok(read.value as u64);
    }
    Err(Mistake::at(node.place, "study::out-of-range", format!("`max_event` is {read}, outside 1 B to 1 GiB"))
        .label("write a size such as `1MiB`"))
}
