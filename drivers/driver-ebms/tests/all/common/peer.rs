//! The other side: messages that it gets, and what it makes of them.

use std::io::Write;
use testkit::{Request, Server};

/// A message in a request.
pub trait Message {
    /// What stands between the tags of the first element of that name.
    fn element(&self, name: &str) -> String;

    /// A message in answer to it; `more` goes into the SOAP header.
    fn answer(&self, service: &str, action: &str, more: &str) -> String;

    fn id(&self) -> String {
        self.element("MessageId")
    }

    /// A signal in answer to it.
    fn signal(&self, action: &str) -> String {
        self.answer("urn:oasis:names:tc:ebxml-msg:service", action, "")
    }

    /// A message that says what is wrong.
    fn error(&self, code: &str) -> String {
        let list = format!(
            "<e:ErrorList e:version=\"2.0\" e:highestSeverity=\"Error\"><e:Error e:errorCode=\"{code}\" e:severity=\"Error\">\
             <e:Description xml:lang=\"en\">not so</e:Description></e:Error></e:ErrorList>"
        );
        self.answer("urn:oasis:names:tc:ebxml-msg:service", "MessageError", &list)
    }
}

impl Message for Request {
    fn element(&self, name: &str) -> String {
        let text = self.text();
        let open = format!("<eb:{name}>");
        let start = text.find(&open).unwrap_or_else(|| panic!("no {name} in {text}")) + open.len();
        text[start..start + text[start..].find('<').unwrap()].to_owned()
    }

    fn answer(&self, service: &str, action: &str, more: &str) -> String {
        let (cpa, conversation, id) = (self.element("CPAId"), self.element("ConversationId"), self.id());
        format!(
            "<?xml version=\"1.0\"?><S:Envelope xmlns:S=\"http://schemas.xmlsoap.org/soap/envelope/\" \
             xmlns:e=\"http://www.oasis-open.org/committees/ebxml-msg/schema/msg-header-2_0.xsd\"><S:Header>\
             <e:MessageHeader e:version=\"2.0\" S:mustUnderstand=\"1\"><e:From><e:PartyId e:type=\"urn:osb:oin\">00000002\
             </e:PartyId></e:From><e:To><e:PartyId e:type=\"urn:osb:oin\">00000001</e:PartyId></e:To><e:CPAId>{cpa}</e:CPAId>\
             <e:ConversationId>{conversation}</e:ConversationId><e:Service>{service}</e:Service><e:Action>{action}</e:Action>\
             <e:MessageData><e:MessageId>reply@peer</e:MessageId><e:Timestamp>2026-11-21T10:00:00Z</e:Timestamp>\
             <e:RefToMessageId>{id}</e:RefToMessageId></e:MessageData></e:MessageHeader>{more}</S:Header><S:Body/></S:Envelope>"
        )
    }
}

/// A server of messages: `serve` gets the number of the request, from 0, and says what to send back; `None` closes the
/// connection without an answer.
pub fn peer(serve: impl Fn(usize, &Request) -> Option<Vec<u8>> + Send + Sync + 'static) -> Server {
    Server::replying(move |number, request, stream| {
        serve(number, request).is_some_and(|answer| stream.write_all(&answer).is_ok())
    })
}

pub const ACCEPTED: &str = "HTTP/1.1 204 No Content\r\n\r\n";

/// An HTTP answer with a body.
pub fn with_body(status: &str, content_type: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {length}\r\n\r\n{body}").into_bytes()
}

pub fn xml(body: &str) -> Vec<u8> {
    with_body("200 OK", "text/xml; charset=UTF-8", body)
}

pub fn fault(code: &str, text: &str) -> Vec<u8> {
    let body = format!(
        "<S:Envelope xmlns:S=\"http://schemas.xmlsoap.org/soap/envelope/\"><S:Body><S:Fault><faultcode>S:{code}</faultcode>\
         <faultstring>{text}</faultstring></S:Fault></S:Body></S:Envelope>"
    );
    with_body("500 Internal Server Error", "text/xml", &body)
}

/// The address of nobody.
pub fn nobody() -> String {
    format!("http://{}/", testkit::nobody())
}
