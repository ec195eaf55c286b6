//! The request that opens a connection which is then held: where it goes, and what of it the study writes.
//!
//! Drivers of held connections share it. What each calls its mistakes, and what it adds to the request, it says itself.

mod request;

use crate::{Target, TlsSettings, Url};
use contract::{BuildContext, Destination, Failure, Keys, Mistake, Mistakes, Node, Piece, Template};
use request::Fit;
pub use request::{Request, Unrenderable};

/// One of the places where connections go.
#[derive(Clone, Debug, PartialEq)]
pub struct Endpoint {
    /// Host as the study has it, without brackets.
    pub host: String,
    pub port: u16,
    /// None where TLS is not spoken.
    pub tls: Option<TlsSettings>,
}

impl Endpoint {
    /// Finds its address, for HTTP/1.1.
    ///
    /// # Errors
    /// A host without an address, certificates that cannot be used.
    pub fn target(&self) -> Result<Target, Failure> {
        Target::find(&self.host, self.port, self.tls.as_ref(), b"http/1.1")
    }

    /// Where this exchange goes, by way of the endpoint of that index: each session has a connection of its own.
    pub fn destination(&self, exchange: u16, index: usize) -> Destination {
        let Self { host, port, tls } = self;
        let (host, port, is_tls) = (host.clone(), *port, tls.is_some());
        Destination { exchange, link: index as u16, sharing: 1, host, port, is_tls }
    }

    /// Its place among those known, where each stands once.
    pub fn index_in(self, endpoints: &mut Vec<Self>) -> usize {
        endpoints.iter().position(|known| *known == self).unwrap_or_else(|| {
            endpoints.push(self);
            endpoints.len() - 1
        })
    }
}

/// What a driver calls its mistakes, and what it adds to the request.
#[derive(Clone, Copy)]
pub struct Form<'a> {
    /// Its own names of the schemes without and with TLS; `http` and `https` are understood, too.
    pub schemes: [&'static str; 2],
    /// The code of a URL that is not understood.
    pub bad_url: &'static str,
    /// The code of a header that cannot be sent.
    pub bad_header: &'static str,
    /// The code of two authorizations.
    pub two_authorizations: &'static str,
    /// Headers with their values that the study may write otherwise.
    pub defaults: &'a [(&'a str, &'a str)],
    /// Adds what the study may not.
    pub own: &'a dyn Fn(&mut Request),
    /// Whether a header, its name in lower case, is one of those.
    pub is_own: &'a dyn Fn(&str) -> bool,
    /// What to do instead of writing one of those.
    pub hint: &'a str,
}

impl Form<'_> {
    /// Reads a URL.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn url(&self, node: &Node, context: &BuildContext<'_>) -> Result<Url, Mistake> {
        let template = context.compile(node, "`url`")?;
        let [plain, secure] = self.schemes;
        let label = format!("write `{plain}://host:port/path`");
        let mut pieces = template.pieces;
        if let Some(Piece::Fixed(first)) = pieces.first_mut() {
            let text = String::from_utf8_lossy(first).into_owned();
            let scheme = text.split("://").next().unwrap_or_default().to_ascii_lowercase();
            let http = match scheme.as_str() {
                "http" => "http",
                "https" => "https",
                known if known == plain => "http",
                known if known == secure => "https",
                _ => {
                    let what = format!("the URL `{text}` begins neither with `{plain}://` nor with `{secure}://`");
                    return Err(Mistake::at(node.place, self.bad_url, what).label(label));
                }
            };
            *first = format!("{http}{}", &text[scheme.len()..]).into_bytes().into();
        }
        Url::read(&Template { pieces }, node.place).map_err(|mistake| match mistake.code {
            "http::bad-url" => Mistake { code: self.bad_url, label: Some(label), ..mistake },
            _ => mistake,
        })
    }

    /// Reads the keys `headers` and `bearer`, and makes a request of GET of them. What the study writes itself takes the
    /// place of what is sent otherwise; nothing leaves it out.
    pub fn request(
        &self,
        url: Option<&Url>,
        keys: &mut Keys<'_>,
        context: &mut BuildContext<'_>,
        mistakes: &mut Mistakes,
    ) -> Request {
        let mut request = Request::default();
        request.fixed(b"GET ");
        if let Some(url) = url {
            request.template(&url.target, Fit::Target, context).expect("invariant: a target is encoded, never refused");
        }
        request.fixed(b" HTTP/1.1\r\n");
        let written = keys.take("headers").map_or(&[][..], |node| entries(node, mistakes));
        let is_written =
            |name: &str| written.iter().any(|(key, _)| key.text().is_some_and(|key| key.eq_ignore_ascii_case(name)));
        let host = url.map_or("", |url| &url.authority);
        let agent = concat!("loadproof/", env!("CARGO_PKG_VERSION"));
        let defaults = [("Host", host), ("User-Agent", agent)];
        for (name, value) in defaults.iter().chain(self.defaults).filter(|(name, _)| !is_written(name)) {
            request.fixed(format!("{name}: {value}\r\n").as_bytes());
        }
        (self.own)(&mut request);
        if let Some((name, value)) = context.trace_header().filter(|(name, _)| !is_written(name)) {
            request.fixed(format!("{name}: ").as_bytes());
            request.template(&value, Fit::Header, context).expect("invariant: a traceparent has no control characters");
            request.fixed(b"\r\n");
        }
        if let Some(node) = keys.take("bearer") {
            if is_written("authorization") {
                let what = "only one of `bearer` and the header `authorization` can be sent";
                mistakes.push(Mistake::at(node.place, self.two_authorizations, what).label("remove one of them"));
            }
            request.fixed(b"Authorization: Bearer ");
            self.value(&mut request, node, "`bearer`", context, mistakes);
            request.fixed(b"\r\n");
        }
        for (name, value) in written {
            self.header(&mut request, name, value, context, mistakes);
        }
        request.fixed(b"\r\n");
        request
    }

    fn header(
        &self,
        request: &mut Request,
        name: &Node,
        text: &Node,
        context: &mut BuildContext<'_>,
        mistakes: &mut Mistakes,
    ) {
        let word = name.text().unwrap_or_default();
        let bad = |what: String, hint: &str| Mistake::at(name.place, self.bad_header, what).hint(hint);
        if !is_token(word) {
            let what = format!("`{}` cannot name a header", word.escape_debug());
            return mistakes.push(bad(what, "names are letters, digits and `-`, without slots"));
        }
        if (self.is_own)(&word.to_ascii_lowercase()) {
            return mistakes.push(bad(format!("the header `{word}` is the driver's own"), self.hint));
        }
        if text.is_missing() {
            return;
        }
        request.fixed(format!("{word}: ").as_bytes());
        self.value(request, text, &format!("header `{word}`"), context, mistakes);
        request.fixed(b"\r\n");
    }

    fn value(
        &self,
        request: &mut Request,
        node: &Node,
        what: &str,
        context: &mut BuildContext<'_>,
        mistakes: &mut Mistakes,
    ) {
        let Some(template) = mistakes.keep(context.compile(node, what)) else { return };
        if let Err(Unrenderable::ControlInHeader) = request.template(&template, Fit::Header, context) {
            let what = format!("{what} holds a line break or control character");
            let mistake = Mistake::at(node.place, self.bad_header, what);
            mistakes.push(mistake.hint("a header is one line of visible characters"));
        }
    }
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

/// Whether a word is a token of RFC 9110, section 5.6.2, as the names of headers are.
pub fn is_token(word: &str) -> bool {
    let is_one = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !word.is_empty() && word.bytes().all(is_one)
}
