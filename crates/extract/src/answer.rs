//! An answer as checks see it.

use crate::json::{self, NoJson};
use crate::xml::{Charset, Lent, NoXml, Tree};
use serde_json::Value;

/// Headers of an answer, looked up by name. `()` has none.
pub trait Headers {
    /// The value of the first header of that name; `name` is in lower case. White space around it is cut off.
    fn header(&self, name: &str) -> Option<&[u8]>;

    /// The value of the header of that name that comes as the `number`th, from 0.
    fn header_at(&self, name: &str, number: usize) -> Option<&[u8]> {
        if number == 0 { self.header(name) } else { None }
    }
}

impl Headers for () {
    fn header(&self, _: &str) -> Option<&[u8]> {
        None
    }
}

impl Headers for [(&str, &[u8])] {
    fn header(&self, name: &str) -> Option<&[u8]> {
        self.header_at(name, 0)
    }

    fn header_at(&self, name: &str, number: usize) -> Option<&[u8]> {
        let found = self.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name)).nth(number);
        found.map(|(_, value)| value.trim_ascii())
    }
}

/// A status, headers and a body. Its body is parsed as JSON and as XML at most once each, by the first probe that asks.
pub struct Answer<'a> {
    /// The protocol's status number.
    pub status: u16,
    pub headers: &'a dyn Headers,
    /// The body as far as it was kept.
    pub body: &'a [u8],
    /// Length of the whole body in bytes, also of what was not kept.
    pub size: u64,
    is_whole: bool,
    /// Whether the body came coded, so that `size` is not that of what it holds.
    is_decoded: bool,
    json: Json,
    xml: Xml,
    draw: u64,
}

enum Json {
    Unread,
    Read(Box<Value>),
    None(NoJson),
}

enum Xml {
    Unread,
    Read(Lent),
    None(NoXml),
}

impl<'a> Answer<'a> {
    /// An answer whose body was kept as `body` and had `size` bytes in all.
    pub fn new(status: u16, headers: &'a dyn Headers, body: &'a [u8], size: u64) -> Self {
        let is_whole = body.len() as u64 == size;
        Self { status, headers, body, size, is_whole, is_decoded: false, json: Json::Unread, xml: Xml::Unread, draw: 0 }
    }

    /// The same with a body that came coded, in `size` bytes, and is decoded here; `is_whole`, whether all of it is.
    #[must_use]
    pub fn with_content(self, body: &'a [u8], is_whole: bool) -> Self {
        Self { body, is_whole, is_decoded: true, ..self }
    }

    /// The same with the random number that captures of one value among several are drawn by.
    #[must_use]
    pub fn with_draw(self, draw: u64) -> Self {
        Self { draw, ..self }
    }

    /// Whether every byte of the body is at hand.
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    pub(crate) fn is_decoded(&self) -> bool {
        self.is_decoded
    }

    pub(crate) fn draw(&self) -> u64 {
        self.draw
    }

    /// The body as JSON, or why it is not at hand.
    pub(crate) fn json(&mut self) -> Result<&Value, NoJson> {
        if matches!(self.json, Json::Unread) {
            self.json = json::parse(self.body).map_or_else(Json::None, |value| Json::Read(Box::new(value)));
        }
        match &self.json {
            Json::Read(value) => Ok(value),
            Json::None(why) => Err(*why),
            Json::Unread => Err(NoJson::Text),
        }
    }

    /// The body as XML, or why it is not at hand.
    pub(crate) fn xml(&mut self) -> Result<Tree<'_>, &NoXml> {
        if matches!(self.xml, Xml::Unread) {
            let charset = self.headers.header("content-type").and_then(Charset::of);
            self.xml = Lent::read(self.body, charset).map_or_else(Xml::None, Xml::Read);
        }
        match &self.xml {
            Xml::Read(lent) => Ok(lent.over(self.body)),
            Xml::None(why) => Err(why),
            Xml::Unread => Err(&NoXml::UNREAD),
        }
    }
}
