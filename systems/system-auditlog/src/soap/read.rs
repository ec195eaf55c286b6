//! Envelopes that come in, and the question in the body of a lookup.

use system_common::xml::{self, Bounds, Element};
use terms::Nanos;

use super::moment::{read as read_moment, stored as stored_moment};
use super::{Fault, MEDCOM, MINLOG, SOAP, WSSE, WSU};
use crate::store::{By, Query};

/// Entries of a page, at most.
const PAGE_MAX: u32 = 30;
/// Farthest page that can be asked for: far beyond what a citizen has.
const PAGES_MAX: u32 = 10_000;
/// Longest id of a flow or a message.
const ID_MAX: usize = 128;
/// How far the clock of a sender may be off.
pub(crate) const SKEW: Nanos = Nanos::from_secs(60);

/// An envelope whose headers and body have been found.
pub(crate) struct Envelope {
    root: Element,
}

impl Envelope {
    /// Reads an envelope of SOAP 1.1 whose headers are all understood.
    ///
    /// # Errors
    /// The fault to answer with.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, Fault> {
        Self::read_within(bytes, Bounds::USUAL)
    }

    /// The same within other bounds.
    ///
    /// # Errors
    /// The fault to answer with.
    pub(crate) fn read_within(bytes: &[u8], bounds: Bounds) -> Result<Self, Fault> {
        let root = xml::read_within(bytes, bounds).map_err(|error| Fault::syntax(error.to_string()))?;
        if &*root.name != "Envelope" {
            return Err(Fault::syntax("this is not a SOAP envelope"));
        }
        if &*root.namespace != SOAP {
            return Err(Fault::version());
        }
        let envelope = Self { root };
        let headers = envelope.root.child(SOAP, "Header").map_or(&[][..], |header| &header.children);
        let is_known = |header: &Element| header.is(WSSE, "Security") || header.is(MEDCOM, "Header");
        let must = |header: &Element| header.attribute(SOAP, "mustUnderstand") == Some("1");
        match headers.iter().find(|header| must(header) && !is_known(header)) {
            Some(header) => Err(Fault::not_understood(&header.name.chars().take(64).collect::<String>())),
            None => Ok(envelope),
        }
    }

    /// The one element of the body.
    pub(crate) fn body(&self) -> Result<&Element, Fault> {
        let body = self.root.child(SOAP, "Body").ok_or_else(|| Fault::syntax("the envelope has no body"))?;
        match body.children.as_slice() {
            [one] => Ok(one),
            _ => Err(Fault::syntax("the body does not hold exactly one element")),
        }
    }

    /// The header of WS-Security.
    pub(crate) fn security(&self) -> Result<&Element, Fault> {
        let header = self.root.child(SOAP, "Header");
        let mut all = header.into_iter().flat_map(|header| header.all(WSSE, "Security"));
        match (all.next(), all.next()) {
            (Some(security), None) => Ok(security),
            (None, _) => Err(Fault::missing("the header `wsse:Security` is missing")),
            (Some(_), Some(_)) => Err(Fault::missing("there is more than one header `wsse:Security`")),
        }
    }

    /// Checks the time stamp of the message: created, and not over, give or take [`SKEW`].
    pub(crate) fn check_age(&self, now: Nanos) -> Result<(), Fault> {
        let stamp = self.security()?.child(WSU, "Timestamp");
        let stamp = stamp.ok_or_else(|| Fault::missing("`wsu:Timestamp` is missing in `wsse:Security`"))?;
        let moment = |name: &str| {
            let text = stamp.child(WSU, name).map_or("", Element::text);
            read_moment(text).ok_or_else(|| Fault::syntax(format!("`wsu:{name}` is not a moment with its zone")))
        };
        let (created, expires) = (moment("Created")?, moment("Expires")?);
        if created > now + SKEW {
            return Err(Fault::message_expired("the message was created in the future"));
        }
        if now >= expires + SKEW {
            return Err(Fault::message_expired("the message has expired"));
        }
        Ok(())
    }

    /// Ids of the flow and of the message, from the header of Den Gode Webservice.
    pub(crate) fn linking(&self) -> Result<(&str, &str), Fault> {
        let header = self.root.child(SOAP, "Header").and_then(|header| header.child(MEDCOM, "Header"));
        let header = header.ok_or_else(|| Fault::missing("the header `medcom:Header` is missing"))?;
        let linking = header.child(MEDCOM, "Linking");
        let id = |name: &str| {
            let text = linking.and_then(|linking| linking.child(MEDCOM, name)).map_or("", Element::text);
            let is_good = !text.is_empty() && text.len() <= ID_MAX && text.bytes().all(|byte| byte.is_ascii_graphic());
            if is_good {
                Ok(text)
            } else {
                Err(Fault::missing(format!("`medcom:{name}` must have 1 to {ID_MAX} visible characters")))
            }
        };
        Ok((id("FlowID")?, id("MessageID")?))
    }
}

/// What a lookup asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Question {
    pub(crate) query: Query,
    /// From 1.
    pub(crate) page: u32,
}

/// Reads the question from the element in the body.
///
/// # Errors
/// The fault to answer with.
pub(crate) fn question(element: &Element) -> Result<Question, Fault> {
    let (by, name) = match &*element.name {
        _ if &*element.namespace != MINLOG => return Err(unknown(element)),
        "ListLogStatementsRequest" => (By::Citizen, "cprNR"),
        "ListLogStatementsOnBehalfOfRequest" => (By::Helper, "medhjaelperID"),
        _ => return Err(unknown(element)),
    };
    let known = [name, "fraDato", "tilDato", "side", "antalPrSide"];
    for (place, child) in element.children.iter().enumerate() {
        let is_known = &*child.namespace == MINLOG && known.contains(&&*child.name);
        if !is_known || element.children[..place].iter().any(|earlier| earlier.name == child.name) {
            let shown: String = child.name.chars().take(64).collect();
            return Err(Fault::syntax(format!("`{shown}` is not expected here; possible is each of {known:?} once")));
        }
    }
    let text = |name: &str| element.child(MINLOG, name).map(Element::text);
    let id = text(name).unwrap_or_default();
    if !is_id(id) {
        return Err(Fault::syntax(format!("`{name}` is not ten digits that begin with a day and a month")));
    }
    let moment = |name: &str, days: i64, without: &str| match text(name) {
        None => Ok(without.to_owned()),
        Some(text) => stored_moment(text, days)
            .ok_or_else(|| Fault::syntax(format!("`{name}` is neither a date nor a moment with its zone"))),
    };
    let number = |name: &str, without: u32, most: u32| match text(name) {
        None => Ok(without),
        Some(text) => text
            .parse()
            .ok()
            .filter(|number| (1..=most).contains(number))
            .ok_or_else(|| Fault::syntax(format!("`{name}` is not a whole number from 1 to {most}"))),
    };
    let (page, limit) = (number("side", 1, PAGES_MAX)?, number("antalPrSide", PAGE_MAX, PAGE_MAX)?);
    let query = Query {
        by,
        id: id.to_owned(),
        from: moment("fraDato", 0, "1000-01-01 00:00:00")?,
        // A last date belongs to what is asked for, with all of its day.
        until: moment("tilDato", 1, "9999-01-01 00:00:00")?,
        limit,
        offset: (page - 1) * limit,
    };
    Ok(Question { query, page })
}

fn unknown(element: &Element) -> Fault {
    let shown: String = element.name.chars().take(64).collect();
    Fault::syntax(format!(
        "there is no operation `{shown}`; possible are `ListLogStatementsRequest` and \
         `ListLogStatementsOnBehalfOfRequest` of `{MINLOG}`"
    ))
}

/// Ten digits, of which the first four are a day and a month.
pub(super) fn is_id(text: &str) -> bool {
    let number = |from: usize, to: usize| text.get(from..to).and_then(|digits| digits.parse::<u8>().ok()).unwrap_or(0);
    text.len() == 10
        && text.bytes().all(|byte| byte.is_ascii_digit())
        && (1..=31).contains(&number(0, 2))
        && (1..=12).contains(&number(2, 4))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ask(body: &str) -> Result<Question, Fault> {
        let text = format!("<s:Envelope xmlns:s=\"{SOAP}\"><s:Body>{body}</s:Body></s:Envelope>");
        question(Envelope::read(text.as_bytes())?.body()?)
    }

    fn citizen(inner: &str) -> String {
        format!("<ListLogStatementsRequest xmlns=\"{MINLOG}\">{inner}</ListLogStatementsRequest>")
    }

    #[test]
    fn a_question_has_a_page_and_a_span_of_time() {
        let plain = ask(&citizen("<cprNR>0101000001</cprNR>")).unwrap();
        assert_eq!((plain.query.by, plain.query.limit, plain.query.offset, plain.page), (By::Citizen, 30, 0, 1));
        let inner = "<cprNR> 3112000001 </cprNR><fraDato>2026-10-01</fraDato><tilDato>2026-10-31</tilDato><side>3</side><antalPrSide>10</antalPrSide>";
        let full = ask(&citizen(inner)).unwrap();
        assert_eq!(
            full.query,
            Query {
                by: By::Citizen,
                id: "3112000001".into(),
                from: "2026-10-01 00:00:00".into(),
                until: "2026-11-01 00:00:00".into(),
                limit: 10,
                offset: 20
            }
        );
        let helper = format!(
            "<m:ListLogStatementsOnBehalfOfRequest xmlns:m=\"{MINLOG}\"><m:medhjaelperID>0101500001</m:medhjaelperID>\
             </m:ListLogStatementsOnBehalfOfRequest>"
        );
        assert_eq!(ask(&helper).unwrap().query.by, By::Helper);
    }

    #[test]
    fn what_cannot_be_asked_is_told() {
        for (body, word) in [
            (citizen(""), "`cprNR` is not ten digits"),
            (citizen("<cprNR>3213000001</cprNR>"), "`cprNR` is not ten digits"),
            (citizen("<cprNR>010100000a</cprNR>"), "`cprNR` is not ten digits"),
            (citizen("<cprNR>0101000001</cprNR><cprNR>0101000001</cprNR>"), "`cprNR` is not expected here"),
            (citizen("<cprNR>0101000001</cprNR><side>0</side>"), "`side` is not a whole number"),
            (citizen("<cprNR>0101000001</cprNR><antalPrSide>31</antalPrSide>"), "from 1 to 30"),
            (citizen("<cprNR>0101000001</cprNR><fraDato>i går</fraDato>"), "`fraDato` is neither"),
            (citizen("<cprNR xmlns=\"\">0101000001</cprNR>"), "`cprNR` is not expected here"),
            ("<x/>".to_owned(), "there is no operation `x`"),
            (String::new(), "exactly one element"),
        ] {
            let fault = ask(&body).unwrap_err();
            assert!(fault.text.contains(word), "{body}: {fault:?}");
            assert_eq!((fault.code, fault.medcom), ("soap:Client", "syntax_error"));
        }
    }

    #[test]
    fn envelopes_of_others_are_refused() {
        let read = |text: &str| Envelope::read(text.as_bytes()).err().unwrap().code;
        let next = "http://www.w3.org/2003/05/soap-envelope";
        assert_eq!(read(&format!("<Envelope xmlns=\"{next}\"/>")), "soap:VersionMismatch");
        assert_eq!(read("<x/>"), "soap:Client");
        assert_eq!(read("<!DOCTYPE x><x/>"), "soap:Client");
        let must = format!(
            "<s:Envelope xmlns:s=\"{SOAP}\"><s:Header><x s:mustUnderstand=\"1\"/></s:Header><s:Body/></s:Envelope>"
        );
        assert_eq!(read(&must), "soap:MustUnderstand");
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = Envelope::read(&bytes).and_then(|envelope| question(envelope.body()?));
        }
    }
}
