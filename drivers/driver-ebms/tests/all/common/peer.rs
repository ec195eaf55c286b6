//! The other side: reads messages, answers as it is told.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Request {
    pub head: String,
    pub body: Vec<u8>,
}

impl Request {
    /// What stands between the tags of the first element of that name.
    pub fn element(&self, name: &str) -> String {
        let text = String::from_utf8_lossy(&self.body);
        let open = format!("<eb:{name}>");
        let start = text.find(&open).unwrap_or_else(|| panic!("no {name} in {text}")) + open.len();
        text[start..start + text[start..].find('<').unwrap()].to_owned()
    }

    pub fn id(&self) -> String {
        self.element("MessageId")
    }

    /// A signal in answer to it.
    pub fn signal(&self, action: &str) -> String {
        self.answer("urn:oasis:names:tc:ebxml-msg:service", action, "")
    }

    /// A message in answer to it; `more` goes into the SOAP header.
    pub fn answer(&self, service: &str, action: &str, more: &str) -> String {
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

    /// A message that says what is wrong.
    pub fn error(&self, code: &str) -> String {
        let list = format!(
            "<e:ErrorList e:version=\"2.0\" e:highestSeverity=\"Error\"><e:Error e:errorCode=\"{code}\" e:severity=\"Error\">\
             <e:Description xml:lang=\"en\">not so</e:Description></e:Error></e:ErrorList>"
        );
        self.answer("urn:oasis:names:tc:ebxml-msg:service", "MessageError", &list)
    }
}

/// A server on a port of its own.
pub struct Peer {
    pub address: SocketAddr,
    /// Every request, as it came.
    pub requests: Receiver<Request>,
}

impl Peer {
    /// Serves each connection on a thread of its own: `serve` gets the number of the request on this peer, counted from
    /// 0, and says what to send back; `None` closes the connection without an answer.
    pub fn start(serve: impl Fn(usize, &Request) -> Option<Vec<u8>> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (told, requests) = channel();
        let serve = std::sync::Arc::new((serve, std::sync::atomic::AtomicUsize::new(0)));
        std::thread::spawn(move || {
            while let Ok((mut stream, _)) = listener.accept() {
                let (serve, told) = (serve.clone(), told.clone());
                std::thread::spawn(move || {
                    while let Some(request) = read_request(&mut stream) {
                        let number = serve.1.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                        let answer = (serve.0)(number, &request);
                        if told.send(request).is_err() {
                            return;
                        }
                        match answer {
                            Some(answer) if stream.write_all(&answer).is_ok() => {}
                            _ => return,
                        }
                    }
                });
            }
        });
        Self { address, requests }
    }

    /// Answers every message with that.
    pub fn answering(answer: impl Into<Vec<u8>>) -> Self {
        let answer = answer.into();
        Self::start(move |_, _| Some(answer.clone()))
    }

    pub fn url(&self) -> String {
        format!("http://{}/ebms", self.address)
    }

    pub fn request(&self) -> Request {
        self.requests.recv_timeout(std::time::Duration::from_secs(60)).unwrap()
    }
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

/// Reads one request with a length; `None` at the end of the connection.
pub fn read_request(stream: &mut impl Read) -> Option<Request> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).ok()?;
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap();
    let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: ")).unwrap().parse().unwrap();
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    Some(Request { head, body })
}

/// An address where nobody listens, nor will: the port is held until the tests end, since one that was let go may be
/// another test's a moment later.
pub fn nobody() -> String {
    let held = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
    held.bind(&SocketAddr::from(([127, 0, 0, 1], 0)).into()).unwrap();
    let address = held.local_addr().unwrap().as_socket().unwrap();
    std::mem::forget(held);
    format!("http://{address}/")
}

pub fn reset(stream: TcpStream) {
    socket2::SockRef::from(&stream).set_linger(Some(std::time::Duration::ZERO)).unwrap();
}
