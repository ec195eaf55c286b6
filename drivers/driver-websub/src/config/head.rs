//! The heads of the two requests that are sent: what the study writes of them, and what is the driver's own. Where a hub is
//! discovered, what depends on it is added when it is known.

use crate::request::{Head, is_fit};
use contract::{BuildContext, Keys, Mistake, Mistakes, Node, Piece, Template};
use http_wire::Url;

/// Headers that frame the body; writing them by hand would break it.
const OURS: [&str; 6] = ["connection", "content-length", "transfer-encoding", "te", "trailer", "upgrade"];
/// Headers that say who asks and whom: they go to no other server than the one that they were written for.
const PERSONAL: [&str; 3] = ["authorization", "cookie", "host"];
/// Type of an event's content where the study names none.
const CONTENT_TYPE: &str = "text/plain; charset=utf-8";

/// What there is of both heads before it is known where they go.
pub(crate) struct Heads {
    subscription: Head,
    /// The same without what says who asks.
    anonymous: Head,
    publication: Head,
    has_host: bool,
    has_agent: bool,
}

/// What the study writes of both heads.
pub(super) struct Lines {
    /// In the order in which they are sent, each that can be sent.
    written: Vec<(String, Template)>,
    content_type: Template,
}

impl Lines {
    /// Takes `bearer`, `headers` and `content_type`.
    pub(super) fn read(keys: &mut Keys<'_>, context: &BuildContext<'_>, mistakes: &mut Mistakes) -> Self {
        let mut written: Vec<(String, Template)> = Vec::new();
        for (name, value) in keys.take("headers").map_or(&[][..], |node| entries(node, mistakes)) {
            written.extend(mistakes.keep(header(name, value, context)));
        }
        if let Some(node) = keys.take("bearer") {
            if written.iter().any(|(name, _)| name.eq_ignore_ascii_case("authorization")) {
                let what = "only one of `bearer` and the header `authorization` can be sent";
                mistakes.push(Mistake::at(node.place, "websub::two-authorizations", what).label("remove one of them"));
            }
            let token = mistakes.keep(value(node, "`bearer`", context));
            let mut pieces = Template::fixed(*b"Bearer ").pieces;
            pieces.extend(token.into_iter().flat_map(|token| token.pieces));
            written.push(("Authorization".to_owned(), Template { pieces }));
        }
        if let Some((name, value)) = context.trace_header()
            && !written.iter().any(|(written, _)| written.eq_ignore_ascii_case(name))
        {
            written.push((name.to_owned(), value));
        }
        let content_type = keys.take("content_type").map(|node| mistakes.keep(value(node, "`content_type`", context)));
        let content_type = content_type.flatten().unwrap_or_else(|| Template::fixed(CONTENT_TYPE.as_bytes()));
        Self { written, content_type }
    }

    /// Both heads, as far as they do not depend on where they go.
    pub(super) fn heads(&self, context: &mut BuildContext<'_>) -> Heads {
        let is_written = |name: &str| self.written.iter().any(|(written, _)| written.eq_ignore_ascii_case(name));
        let (mut head, mut anonymous) = (Head::default(), Head::default());
        for (name, value) in &self.written {
            let mut line = Head::default();
            line.fixed(format!("{name}: ").as_bytes());
            put(&mut line, value, context);
            line.fixed(b"\r\n");
            head.add(&line);
            if !PERSONAL.iter().any(|it| name.eq_ignore_ascii_case(it)) {
                anonymous.add(&line);
            }
        }
        // The connection of a subscription serves no other request.
        let form = b"Content-Type: application/x-www-form-urlencoded\r\nConnection: close\r\n";
        let (subscription, anonymous) = (head.between(b"", form), anonymous.between(b"", form));
        head.fixed(b"Content-Type: ");
        put(&mut head, &self.content_type, context);
        head.fixed(b"\r\n");
        Heads {
            subscription,
            anonymous,
            publication: head,
            has_host: is_written("host"),
            has_agent: is_written("user-agent"),
        }
    }
}

impl Heads {
    /// The head of a request for a subscription.
    pub(super) fn subscription(&self, hub: &Url) -> Head {
        self.subscription.between(&self.begin(hub, self.has_host), b"")
    }

    /// The same at another address; `is_elsewhere`: of another server.
    pub(super) fn subscription_at(&self, url: &Url, is_elsewhere: bool) -> Head {
        match is_elsewhere {
            true => self.anonymous.between(&self.begin(url, false), b""),
            false => self.subscription(url),
        }
    }

    /// The head of a publication: as the recommendation has content that a hub distributes, it names hub and topic.
    pub(super) fn publication(&self, to: &Url, hub: &Url, topic: &str) -> Head {
        let scheme = if hub.is_tls { "https" } else { "http" };
        let target = String::from_utf8_lossy(hub.target.as_fixed().unwrap_or(b"/")).into_owned();
        let link = format!("Link: <{scheme}://{}{target}>; rel=\"hub\", <{topic}>; rel=\"self\"\r\n", hub.authority);
        self.publication.between(&self.begin(to, self.has_host), link.as_bytes())
    }

    fn begin(&self, to: &Url, has_host: bool) -> Vec<u8> {
        let mut head = [b"POST ", &*target(to), b" HTTP/1.1\r\n"].concat();
        if !has_host {
            head.extend_from_slice(format!("Host: {}\r\n", to.authority).as_bytes());
        }
        if !self.has_agent {
            head.extend_from_slice(concat!("User-Agent: loadproof/", env!("CARGO_PKG_VERSION"), "\r\n").as_bytes());
        }
        head
    }
}

/// Its path and query; what may not stand there is percent-encoded.
fn target(url: &Url) -> Vec<u8> {
    let mut target = Vec::new();
    for &byte in url.target.as_fixed().unwrap_or(b"/") {
        // RFC 3986: reserved and unreserved characters and `%`.
        match byte.is_ascii_alphanumeric() || b"-._~:/?[]@!$&'()*+,;=%".contains(&byte) {
            true => target.push(byte),
            false => target.extend_from_slice(format!("%{byte:02X}").as_bytes()),
        }
    }
    target
}

fn put(head: &mut Head, value: &Template, context: &mut BuildContext<'_>) {
    head.value(value, context).expect("invariant: what is kept is looked at before");
}

fn entries<'a>(node: &'a Node, mistakes: &mut Mistakes) -> &'a [(Node, Node)] {
    node.map().unwrap_or_else(|| {
        if !node.is_missing() {
            let what = format!("`headers` is {}, not a map", node.what());
            mistakes.push(Mistake::at(node.place, "study::wrong-type", what).label("write `{ name: value }`"));
        }
        &[]
    })
}

fn header(name: &Node, text: &Node, context: &BuildContext<'_>) -> Result<(String, Template), Mistake> {
    let word = name.text().unwrap_or_default();
    let bad = |what: String, hint: &str| Mistake::at(name.place, "websub::bad-header", what).hint(hint);
    // A token of RFC 9110, section 5.6.2.
    let is_one = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if word.is_empty() || !word.bytes().all(is_one) {
        let what = format!("`{}` cannot name a header", word.escape_debug());
        return Err(bad(what, "names are letters, digits and `-`, without slots"));
    }
    let lower = word.to_ascii_lowercase();
    if OURS.contains(&lower.as_str()) || lower == "link" || lower == "content-type" {
        let what = format!("the header `{word}` is the driver's own");
        return Err(bad(what, "`content_type` says of what type an event's content is"));
    }
    Ok((word.to_owned(), value(text, &format!("header `{word}`"), context)?))
}

/// A value that can stand in a header, as far as that is known by now.
fn value(node: &Node, what: &str, context: &BuildContext<'_>) -> Result<Template, Mistake> {
    let template = context.compile(node, what)?;
    let is_unfit = |piece: &Piece| matches!(piece, Piece::Fixed(bytes) if !is_fit(bytes));
    if !template.pieces.iter().any(is_unfit) {
        return Ok(template);
    }
    let what = format!("{what} holds a line break or control character");
    Err(Mistake::at(node.place, "websub::bad-header", what).hint("a header is one line of visible characters"))
}
