//! A WebSub hub (W3C Recommendation of January 2018): subscriptions with leases, questions whether they are meant, and
//! content that is published once and goes to all.

mod book;
mod counts;
mod courier;
mod deliver;
mod form;
mod redirect;
mod signature;
mod store;
mod verify;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Error, Result};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header};
use axum::routing::{get, post};
use bytes::Bytes;
use clap::Args;
use serde_json::{Map, Value, json};
use system_common::{Faults, Module, lasting, text, trusting};

use book::{Admission, Book, Content};
use counts::{Count, Counts};
use courier::{Address, Courier, Trouble};
use deliver::Event;
use redirect::Redirect;
use signature::Method;
use store::Store;
use verify::{Kind, Question};

/// Routes of the hub.
pub(crate) const ROUTES: &[&str] = &["POST /hub", "GET /topics/{topic}", "POST /publish", "POST /publish/{topic}"];

/// Largest content of an event, and of a form.
const CONTENT_BYTES_MAX: usize = 16 << 20;
const FORM_BYTES_MAX: usize = 16 << 10;
/// Longest topic and callback.
const NAME_BYTES_MAX: usize = 2048;
/// A secret is shorter (section 5.1 of the recommendation).
const SECRET_BYTES_END: usize = 200;
/// Events that may be under way to subscribers at once; one more is refused.
const DISTRIBUTING_MAX: u64 = 256;
/// By what a proxy in front says what it was spoken to by.
pub(crate) const SCHEME_HEADER: HeaderName = HeaderName::from_static("x-forwarded-proto");
/// How often leases that are over are looked for.
const SWEEP: Duration = Duration::from_millis(500);

/// Flags of a hub.
#[derive(Args, Clone, Debug)]
pub(crate) struct HubOptions {
    /// Where subscriptions are kept
    #[arg(long, value_name = "sqlite://FILE | mysql://USER@HOST:PORT/DATABASE", value_parser = store::address)]
    store: store::Address,
    /// Method of signatures
    #[arg(long, value_enum, default_value = "sha256")]
    signature: Method,
    /// Lease of a subscription whose request names none, and the longest that is granted
    #[arg(long, default_value = "10d", value_parser = lasting)]
    lease: Duration,
    /// Requests to callbacks that are under way at once
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=4096))]
    window: u16,
    /// Take callbacks with `https://`, whose certificates one of these authorities has signed (PEM)
    #[arg(long, value_name = "FILE")]
    callback_ca: Option<PathBuf>,
    /// Send requests for subscriptions on to another hub, by this status (307 or 308)
    #[arg(long, value_name = "STATUS=URL", value_parser = redirect::redirect)]
    redirect: Option<Redirect>,
    /// Leave hub and topic out of the headers of topics: what was published says them, or nothing does
    #[arg(long)]
    no_links: bool,
}

pub(crate) struct Hub {
    faults: Faults,
    lease: Duration,
    method: Method,
    book: Book,
    store: Store,
    courier: Courier,
    counts: Counts,
    /// Numbers that faults go by.
    deliveries: AtomicU64,
    verifications: AtomicU64,
    distributing: AtomicU64,
    redirect: Option<Redirect>,
    has_links: bool,
    /// Of its own address, where no proxy in front says another.
    scheme: &'static str,
    /// Whether it was told that a certificate is not trusted.
    has_warned: AtomicBool,
}

/// Nanoseconds since 1970: leases go on while the process is gone.
fn now_ns() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

impl Hub {
    /// Opens the store and goes on with the subscriptions in it. `is_tls`: its own address begins with `https://`.
    pub(crate) fn open(options: &HubOptions, faults: &Faults, is_tls: bool) -> Result<Arc<Self>> {
        let tls = options.callback_ca.as_deref().map(trusting).transpose().map_err(Error::msg)?;
        let (store, rows) = Store::open(&options.store)?;
        let book = Book::default();
        rows.iter().for_each(|row| _ = book.put(row));
        let hub = Arc::new(Self {
            faults: faults.clone(),
            lease: options.lease,
            method: options.signature,
            book,
            store,
            courier: Courier::new(options.window.into(), tls),
            counts: Counts::default(),
            deliveries: AtomicU64::new(0),
            verifications: AtomicU64::new(0),
            distributing: AtomicU64::new(0),
            redirect: options.redirect.clone(),
            has_links: !options.no_links,
            scheme: if is_tls { "https" } else { "http" },
            has_warned: AtomicBool::new(false),
        });
        tokio::spawn(Arc::clone(&hub).sweep());
        Ok(hub)
    }

    pub(crate) fn routes(self: &Arc<Self>) -> Router {
        Router::new()
            .route("/hub", post(at_hub))
            .route("/topics/{topic}", get(topic))
            .route("/publish", post(publish))
            .route("/publish/{topic}", post(publish_to))
            .with_state(Arc::clone(self))
    }

    /// One request to a callback. That its certificate is not trusted is counted, and told the first time.
    async fn call(
        &self,
        address: &Address,
        method: axum::http::Method,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<(StatusCode, Bytes), Trouble> {
        let answered = self.courier.send(address, method, headers, body).await;
        if let Err(Trouble { why, is_untrusted: true }) = &answered {
            self.counts.add(Count::Untrusted);
            if !self.has_warned.swap(true, Relaxed) {
                eprintln!("warning: the callback at https://{} is not trusted: {why}", address.server.authority);
            }
        }
        answered
    }

    /// Ends subscriptions whose lease is over.
    async fn sweep(self: Arc<Self>) {
        loop {
            tokio::time::sleep(SWEEP).await;
            for over in self.book.expired(now_ns()) {
                if self.book.remove(&over.topic, &over.callback) {
                    self.counts.add(Count::Expired);
                    self.store.delete(&over.topic, &over.callback).await;
                }
            }
        }
    }
}

impl Module for Hub {
    async fn health(&self) -> Result<(), String> {
        if self.store.is_well() { Ok(()) } else { Err("the store takes no subscriptions".to_owned()) }
    }

    fn counters(&self) -> Map<String, Value> {
        let mut all = self.counts.to_json();
        let (active, pending) = self.book.counts();
        all["subscriptions"]["active"] = active.into();
        all["subscriptions"]["pending"] = pending.into();
        all["events"]["distributing"] = self.distributing.load(Relaxed).into();
        all
    }

    fn identity(&self) -> Map<String, Value> {
        let signature = format!("{:?}", self.method).to_lowercase();
        let Value::Object(facts) = json!({ "signature": signature, "lease_s": self.lease.as_secs() }) else {
            return Map::new();
        };
        facts
    }
}

/// A refusal with its reason.
type Refusal = (StatusCode, &'static str);

fn answer(result: Result<Response<Body>, Refusal>) -> Response<Body> {
    result.unwrap_or_else(|(status, why)| text(status, format!("{why}\n")))
}

/// Requests of subscribers are forms; a publisher names its topic in the query, and content is the body.
async fn at_hub(State(hub): State<Arc<Hub>>, request: Request) -> Response<Body> {
    let query = form::read(request.uri().query().unwrap_or_default());
    if form::first(&query, "hub.mode") == Some("publish") {
        return answer(hub.publish(named(&query), request).await);
    }
    if let Some(redirect) = &hub.redirect {
        hub.counts.add(Count::Redirected);
        return redirect.answer();
    }
    answer(hub.subscribe(request).await)
}

async fn publish(State(hub): State<Arc<Hub>>, request: Request) -> Response<Body> {
    let query = form::read(request.uri().query().unwrap_or_default());
    let topic = named(&query).or_else(|| self_of(request.headers()));
    answer(hub.publish(topic, request).await)
}

async fn publish_to(State(hub): State<Arc<Hub>>, Path(topic): Path<String>, request: Request) -> Response<Body> {
    answer(hub.publish(Some(topic), request).await)
}

/// The topic that a query names.
fn named(query: &[(String, String)]) -> Option<String> {
    ["hub.topic", "hub.url", "topic"].iter().find_map(|name| form::first(query, name)).map(str::to_owned)
}

/// The topic of `Link: <…>; rel="self"`.
fn self_of(headers: &HeaderMap) -> Option<String> {
    let lines = headers.get_all(header::LINK).iter().filter_map(|value| value.to_str().ok());
    let links =
        lines.flat_map(|line| line.split(',')).filter_map(|link| link.trim().strip_prefix('<')?.split_once('>'));
    let is_self = |rest: &str| rest.split(';').any(|part| matches!(part.trim(), "rel=\"self\"" | "rel=self"));
    links.into_iter().find(|(_, rest)| is_self(rest)).map(|(topic, _)| topic.to_owned())
}

/// A topic is known by its name, or by the address at which this hub shows its content.
fn name_of(topic: &str) -> String {
    let path = topic.split_once("://").and_then(|(_, rest)| rest.split_once("/topics/")).map(|(_, name)| name);
    let decoded = path.map(|name| form::read(&format!("n={name}")));
    decoded.and_then(|fields| fields.into_iter().next()).map_or_else(|| topic.to_owned(), |(_, name)| name)
}

/// What content says of its hub and its topic.
fn link(origin: &str, topic: &str) -> String {
    format!("<{origin}/hub>; rel=\"hub\", <{topic}>; rel=\"self\"")
}

impl Hub {
    /// Scheme and host under which a request came.
    fn origin(&self, headers: &HeaderMap) -> String {
        let said = |name| headers.get(name).and_then(|value| value.to_str().ok());
        let scheme = said(SCHEME_HEADER).filter(|it| matches!(*it, "http" | "https")).unwrap_or(self.scheme);
        format!("{scheme}://{}", said(header::HOST).unwrap_or("localhost"))
    }

    async fn subscribe(self: &Arc<Self>, request: Request) -> Result<Response<Body>, Refusal> {
        let (head, body) = request.into_parts();
        let too_large = (StatusCode::PAYLOAD_TOO_LARGE, "a form has at most 16 KiB");
        let body = to_bytes(body, FORM_BYTES_MAX).await.map_err(|_| too_large)?;
        let fields = form::read(&String::from_utf8_lossy(&body));
        let field = |name| form::first(&fields, name).filter(|value| !value.is_empty());
        let bad = |why| (StatusCode::BAD_REQUEST, why);
        let hub_topic = field("hub.topic").filter(|topic| topic.len() <= NAME_BYTES_MAX);
        let hub_topic = hub_topic.ok_or(bad("`hub.topic` is missing, or longer than 2048 bytes"))?;
        let callback = field("hub.callback").filter(|callback| callback.len() <= NAME_BYTES_MAX);
        let callback = callback.ok_or(bad("`hub.callback` is missing, or longer than 2048 bytes"))?;
        let address =
            Address::of(callback).ok_or(bad("`hub.callback` is not an address with `http://` or `https://`"))?;
        if address.server.is_tls && !self.courier.speaks_tls() {
            return Err(bad("`hub.callback` has `https://`; start this hub with `--callback-ca FILE`"));
        }
        let (topic, callback) = (name_of(hub_topic), callback.to_owned());
        let is_short = |secret: &&str| secret.len() < SECRET_BYTES_END;
        let secret = field("hub.secret").map(|secret| Some(secret).filter(is_short).ok_or(()));
        let secret = secret.transpose().map_err(|()| bad("`hub.secret` has 200 bytes or more"))?;
        let link = link(&self.origin(&head.headers), hub_topic);
        HeaderValue::try_from(link.as_str()).map_err(|_| bad("`hub.topic` cannot stand in a header"))?;
        let kind = match field("hub.mode") {
            Some("unsubscribe") => Kind::Unsubscribe,
            Some("subscribe") => {
                let lease = field("hub.lease_seconds").map(|text| text.parse().ok().filter(|seconds| *seconds > 0));
                let wrong = bad("`hub.lease_seconds` is not a number of seconds above zero");
                let asked = lease.map_or(Ok(self.lease), |lease| lease.map(Duration::from_secs).ok_or(wrong))?;
                let faults = &self.faults.fan_out;
                let admission = self.book.admit(&topic, &callback, faults.refuse_above, faults.deny_above);
                match admission {
                    Admission::Full => {
                        self.counts.add(Count::Refused);
                        return Err((
                            StatusCode::SERVICE_UNAVAILABLE,
                            "there are as many subscriptions as there may be",
                        ));
                    }
                    Admission::Denied => Kind::Deny,
                    Admission::New | Admission::Renewal => Kind::Subscribe {
                        lease: asked.min(self.lease),
                        secret: secret.map(str::to_owned),
                        link,
                        is_renewal: admission == Admission::Renewal,
                    },
                }
            }
            _ => return Err(bad("`hub.mode` is neither `subscribe` nor `unsubscribe`, nor `publish` in the query")),
        };
        let hub_topic = hub_topic.to_owned();
        tokio::spawn(Arc::clone(self).question(Question { hub_topic, topic, callback, address, kind }));
        Ok(text(StatusCode::ACCEPTED, "you will be asked\n"))
    }

    async fn publish(self: &Arc<Self>, topic: Option<String>, request: Request) -> Result<Response<Body>, Refusal> {
        let topic = topic.filter(|topic| !topic.is_empty() && topic.len() <= NAME_BYTES_MAX);
        let topic = topic.ok_or((StatusCode::BAD_REQUEST, "no topic is named: add `?hub.topic=NAME`"))?;
        let (head, body) = request.into_parts();
        let too_large = (StatusCode::PAYLOAD_TOO_LARGE, "content has at most 16 MiB");
        let body = to_bytes(body, CONTENT_BYTES_MAX).await.map_err(|_| too_large)?;
        let content_type = head.headers.get(header::CONTENT_TYPE).cloned();
        let content_type = content_type.unwrap_or(HeaderValue::from_static("application/octet-stream"));
        let has_room = |under_way: u64| (under_way < DISTRIBUTING_MAX).then_some(under_way + 1);
        if self.distributing.fetch_update(Relaxed, Relaxed, has_room).is_err() {
            self.counts.add(Count::Overrun);
            return Err((StatusCode::SERVICE_UNAVAILABLE, "too many events are under way"));
        }
        let content = Content { body, content_type };
        let Some(to) = self.book.publish(&name_of(&topic), content.clone()) else {
            self.distributing.fetch_sub(1, Relaxed);
            return Err((StatusCode::SERVICE_UNAVAILABLE, "there are as many topics as there may be"));
        };
        self.counts.add(Count::Published);
        let all = format!("to {} subscribers\n", to.len());
        tokio::spawn(Arc::clone(self).distribute(Event::new(content), to));
        Ok(text(StatusCode::ACCEPTED, all))
    }
}

/// What was published last, with what a subscriber has to know (section 4 of the recommendation).
async fn topic(State(hub): State<Arc<Hub>>, Path(topic): Path<String>, headers: HeaderMap) -> Response<Body> {
    let origin = hub.origin(&headers);
    let mut path = String::new();
    form::append(&mut path, "t", &topic);
    let own = format!("{origin}/topics/{}", path.trim_start_matches("?t="));
    let mut answer = match hub.book.last(&topic) {
        Some(content) => {
            let mut answer = Response::new(Body::from(content.body));
            answer.headers_mut().insert(header::CONTENT_TYPE, content.content_type);
            answer
        }
        None => text(StatusCode::OK, ""),
    };
    if let Some(link) = HeaderValue::try_from(link(&origin, &own)).ok().filter(|_| hub.has_links) {
        answer.headers_mut().insert(header::LINK, link);
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_topic_has_one_name() {
        for (topic, name) in [
            ("orders", "orders"),
            ("http://127.0.0.1:8080/topics/orders", "orders"),
            ("http://127.0.0.1:8080/topics/a%20b", "a b"),
            ("http://other/orders", "http://other/orders"),
        ] {
            assert_eq!(name_of(topic), name);
        }
    }

    #[test]
    fn the_topic_of_a_publication_is_in_its_link() {
        let headers = |link: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::LINK, HeaderValue::from_static(link));
            headers
        };
        let found = |link| self_of(&headers(link));
        assert_eq!(found("<http://h/hub>; rel=\"hub\", <orders>; rel=\"self\"").as_deref(), Some("orders"));
        assert_eq!(found("<orders>; rel=self").as_deref(), Some("orders"));
        assert_eq!((found("<http://h/hub>; rel=\"hub\""), found("x"), found("<x")), (None, None, None));
    }
}
