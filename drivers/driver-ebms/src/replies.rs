//! What comes to the lab's listener: Pongs, acknowledgments, business answers, errors.

use crate::envelope::read::Soap;
use crate::exchange::Exchange;
use crate::verify::verify;
use crate::xml::escape_into;
use crate::{id, mime};
use contract::{Answer, Reply, ReplyHandler, RequestHead};
use std::sync::Arc;

/// Reads messages at a listener.
pub(crate) struct Replies {
    exchanges: Arc<Vec<Option<Exchange>>>,
    nonce: u64,
}

impl Replies {
    pub(crate) fn new(exchanges: Arc<Vec<Option<Exchange>>>, nonce: u64) -> Self {
        Self { exchanges, nonce }
    }
}

fn header<'a>(head: &RequestHead<'a>, name: &str) -> Option<&'a [u8]> {
    head.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim_ascii())
}

impl ReplyHandler for Replies {
    /// By `SOAPAction: "ebXML"`; some leave the quotes out.
    fn claims(&self, head: &RequestHead<'_>) -> bool {
        header(head, "soapaction").is_some_and(|action| matches!(action, b"\"ebXML\"" | b"ebXML"))
    }

    fn handle(&mut self, head: &RequestHead<'_>, body: &[u8], answer: &mut Answer) -> Reply {
        if head.method != "POST" {
            answer.status = 405;
            return Reply::Unknown;
        }
        let content_type = header(head, "content-type").unwrap_or_default();
        let read = mime::open(content_type, body).map_err(str::to_owned);
        let read = read.and_then(|opened| Soap::read(&opened.envelope).map(|soap| (soap, opened)).map_err(|why| why.0));
        let (message, opened) = match read {
            Ok((Soap::Message(message), opened)) => (message, opened),
            Ok((Soap::Fault(_), _)) => {
                // A fault belongs on the connection of what it is about; here nobody can tell what that is.
                answer.status = 204;
                return Reply::Unknown;
            }
            Err(why) => {
                fault(&why, answer);
                return Reply::Unknown;
            }
        };
        answer.status = 204;
        match verify(&message, &opened, &self.exchanges, self.nonce) {
            Some(found) => Reply::Match {
                leg: found.leg,
                key: id::of_leg(found.id.key, found.leg),
                number: 0,
                outcome: found.outcome,
                why: (!found.why.is_empty()).then(|| found.why.into()),
            },
            None => Reply::Unknown,
        }
    }
}

/// What is no message is told so, as SOAP 1.1 has it (section 6.2).
fn fault(why: &str, answer: &mut Answer) {
    answer.status = 500;
    answer.content_type = "text/xml; charset=UTF-8";
    answer.body =
        b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<soap:Envelope xmlns:soap=\"http://schemas.xmlsoap.org/soap/\
        envelope/\"><soap:Body><soap:Fault><faultcode>soap:Client</faultcode><faultstring>"
            .to_vec();
    escape_into(why.as_bytes(), &mut answer.body);
    answer.body.extend_from_slice(b"</faultstring></soap:Fault></soap:Body></soap:Envelope>");
}
