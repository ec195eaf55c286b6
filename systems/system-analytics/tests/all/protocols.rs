//! The receiver as a program, by both of its protocols: what one defines the other publishes to, both fill one table, and
//! what is no message of either ends its connection and nothing else.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use crate::common::{Client, PROGRAM, Receiver, Reply};
use rustls::pki_types::ServerName;
use testkit::program::{PATIENCE, command, wait_until};

const HOME: &str = r#"{"name":"home","version":"1.0.0","metaData":[{"name":"gateway","type":"STRING"}],
    "payloadData":[{"name":"house","type":"INT"},{"name":"power","type":"FLOAT"},{"name":"peak","type":"BOOL"}]}"#;

fn start() -> Receiver {
    Receiver::start(command(PROGRAM, "receive --password secret"))
}

/// A client of the receivers' own protocol, over whatever carries it.
struct Binary<S>(S);

impl Binary<TcpStream> {
    fn dial(address: &str) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Self(stream)
    }

    /// Whether the other side has closed the connection, without a word.
    fn ends(mut self) -> bool {
        matches!(self.0.read(&mut [0; 16]), Ok(0)) || self.0.write_all(&[0]).is_err()
    }
}

impl<S: Read + Write> Binary<S> {
    fn send(&mut self, kind: u8, rest: &[&[u8]]) {
        let rest = rest.concat();
        let length = u32::try_from(rest.len()).unwrap().to_be_bytes();
        self.0.write_all(&[&[kind], &length[..], &rest].concat()).unwrap();
    }

    fn take(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        self.0.read_exact(&mut bytes).unwrap();
        bytes
    }

    fn text(&mut self) -> String {
        let length = self.take(4);
        self.of(&length)
    }

    fn of(&mut self, length: &[u8]) -> String {
        let length = usize::try_from(i32::from_be_bytes(length.try_into().unwrap())).unwrap();
        String::from_utf8(self.take(length)).unwrap()
    }

    /// A session of `admin`.
    fn sign_in(&mut self) -> String {
        self.send(0, &[b"\0\0\0\x05\0\0\0\x06adminsecret"]);
        assert_eq!(self.take(1), [2]);
        self.text()
    }

    /// What is answered: none where it is done, otherwise class and message.
    fn answer(&mut self) -> Option<(String, String)> {
        match self.take(1)[0] {
            0 => None,
            1 => {
                let lengths = self.take(8);
                let (class, message) = lengths.split_at(4);
                Some((self.of(class), self.of(message)))
            }
            other => panic!("an answer begins with {other}"),
        }
    }

    /// Publishes so many events of that stream.
    fn publish(&mut self, session: &str, stream: &str, events: u8) -> Option<(String, String)> {
        let mut bundle = [text(session), vec![0, 0, 0, events]].concat();
        for house in 0..events {
            let values = [text("east"), vec![0, 0, 0, house], 0.5f32.to_be_bytes().to_vec(), vec![1]].concat();
            let event = [7i64.to_be_bytes().to_vec(), text(stream), values].concat();
            bundle.extend(u32::try_from(event.len()).unwrap().to_be_bytes());
            bundle.extend(event);
        }
        self.send(2, &[&bundle]);
        self.answer()
    }
}

fn text(text: &str) -> Vec<u8> {
    [&u32::try_from(text.len()).unwrap().to_be_bytes()[..], text.as_bytes()].concat()
}

fn is(class: &str, answer: &Option<(String, String)>) -> bool {
    answer.as_ref().is_some_and(|(found, _)| *found == format!("org.wso2.carbon.databridge.commons.exception.{class}"))
}

#[test]
fn what_thrift_defines_the_binary_protocol_publishes_to_and_a_session_counts_for_both() {
    let receiver = start();
    let mut binary = Binary::dial(&receiver.binary);
    let session = binary.sign_in();
    assert!(is("UndefinedEventTypeException", &binary.publish(&session, "home:1.0.0", 1)));
    let mut thrift = Client::dial(&receiver.data).unwrap();
    let defined = thrift.ask("defineStream", &[&session, HOME]).unwrap();
    assert_eq!(defined, Reply::Text("home:1.0.0".into()));
    // A session of Thrift, on the connection of another one.
    let other = Client::sign_in(&receiver).unwrap();
    assert_eq!((binary.publish(&session, "home:1.0.0", 3), binary.publish(&other, "home:1.0.0", 2)), (None, None));
    wait_until("all to be durable", || receiver.count("durable") == 5);
    assert_eq!((receiver.count("accepted"), receiver.count("refused")), (5, 1));
    let rows = receiver.search("HOME", 0, 10);
    assert_eq!(rows.len(), 5);
    for row in &rows {
        let values = &row["values"];
        assert_eq!((&row["timestamp"], &values["gateway"]), (&7.into(), &"east".into()), "{row:#}");
        assert_eq!((&values["power"], &values["peak"]), (&0.5.into(), &true.into()), "{row:#}");
    }
    let mut houses: Vec<_> = rows.iter().map(|row| row["values"]["house"].as_i64().unwrap()).collect();
    houses.sort_unstable();
    assert_eq!(houses, [0, 0, 1, 1, 2]);

    binary.send(1, &[&text(&session)]);
    assert_eq!(binary.answer(), None);
    assert!(is("SessionTimeoutException", &binary.publish(&session, "home:1.0.0", 1)));
    binary.send(0, &[b"\0\0\0\x05\0\0\0\x05adminwrong"]);
    assert!(is("AuthenticationException", &binary.answer()));
    assert_eq!(binary.publish(&other, "home:1.0.0", 1), None, "the connection is still good");
}

#[test]
fn clients_sign_in_over_tls_where_there_is_a_certificate() {
    let certified = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let [cert, key] = ["cert.pem", "key.pem"].map(|name| folder.path().join(name));
    std::fs::write(&cert, certified.cert.pem()).unwrap();
    std::fs::write(&key, certified.signing_key.serialize_pem()).unwrap();
    let flags = format!("receive --password secret --tls-cert {} --tls-key {}", cert.display(), key.display());
    let receiver = Receiver::start(command(PROGRAM, &flags));

    let mut roots = rustls::RootCertStore::empty();
    roots.add(certified.cert.der().clone()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = Arc::new(config.with_root_certificates(roots).with_no_client_auth());
    let secured = |stream: TcpStream| {
        let name = ServerName::try_from("localhost").unwrap();
        rustls::StreamOwned::new(rustls::ClientConnection::new(config.clone(), name).unwrap(), stream)
    };
    let session = Binary(secured(Binary::dial(&receiver.binary_sign_in).0)).sign_in();
    // The same over Thrift; events go beside it on the plain port with either session.
    let stream = Binary::dial(&receiver.sign_in).0;
    let over_thrift = Client::over(secured(stream)).ask("connect", &["admin", "secret"]).unwrap().text();
    let defined = Client::dial(&receiver.data).unwrap().ask("defineStream", &[&over_thrift, HOME]).unwrap();
    assert_eq!(defined.text(), "home:1.0.0");

    let mut thrift = Client::dial(&receiver.data).unwrap();
    thrift.ask("defineStream", &[&session, HOME]).unwrap().text();
    assert_eq!(Binary::dial(&receiver.binary).publish(&session, "home:1.0.0", 1), None, "without TLS beside it");
    // Who speaks no TLS there is not answered in the protocol.
    let mut plain = Binary::dial(&receiver.binary_sign_in);
    plain.send(0, &[b"\0\0\0\x05\0\0\0\x06adminsecret"]);
    let mut answer = [0];
    assert!(plain.0.read(&mut answer).unwrap_or(0) == 0 || answer == [21], "an alert of TLS at most: {answer:?}");
}

#[test]
fn strangers_halves_and_giants_do_no_harm() {
    let receiver = start();
    let mut good = Binary::dial(&receiver.binary);
    let session = good.sign_in();
    Client::dial(&receiver.data).unwrap().ask("defineStream", &[&session, HOME]).unwrap().text();
    for said in [
        &b"GET / HTTP/1.1\r\nhost: a\r\n\r\n"[..],
        b"\x80\x01\0\x01\0\0\0\x07connect\0\0\0\x01\0",
        b"\x02\x7f\xff\xff\xff",
        b"\x02\xff\xff\xff\xff",
        b"\0\x01\0\0\0",
        b"\x01\0\0\0\x04\x7f\xff\xff\xff",
    ] {
        let mut stranger = Binary::dial(&receiver.binary);
        stranger.0.write_all(said).unwrap();
        assert!(stranger.ends(), "{}", said.escape_ascii());
    }
    // Halves, and nothing after them: they wait, in the way of nobody.
    let halves: Vec<_> = (0..50)
        .map(|_| {
            let mut half = Binary::dial(&receiver.binary);
            half.0.write_all(b"\x02\x03\0\0\0\0\0\0\x05abc").unwrap();
            half
        })
        .collect();
    assert_eq!(good.publish(&session, "home:1.0.0", 3), None);
    drop(halves);
    // A bundle that says more than it has, or less, is refused whole.
    for (count, size) in [(2u8, 39u8), (1, 38), (1, 40), (0, 39)] {
        let event = [7i64.to_be_bytes().to_vec(), text("home:1.0.0"), text("east"), vec![0; 9]].concat();
        good.send(2, &[&text(&session), &[0, 0, 0, count, 0, 0, 0, size], &event]);
        assert!(is("MalformedEventException", &good.answer()), "{count} events, {size} bytes");
    }
    wait_until("all to be durable", || receiver.count("durable") == 3);
    assert_eq!((receiver.count("accepted"), receiver.count("refused")), (3, 4));
}

#[test]
fn streams_are_found_and_deleted_over_thrift() {
    let receiver = start();
    let session = Client::sign_in(&receiver).unwrap();
    let mut thrift = Client::dial(&receiver.data).unwrap();
    let mut ask = |method: &str, rest: &[&str]| thrift.ask(method, &[&[session.as_str()], rest].concat()).unwrap();
    let unknown = Reply::Refused(1, "no stream `home:1.0.0` is defined".into());
    assert_eq!(ask("findStreamId", &["home", "1.0.0"]), unknown);
    ask("defineStream", &[HOME]).text();
    assert_eq!(ask("findStreamId", &["home", "1.0.0"]), Reply::Text("home:1.0.0".into()));
    let mut binary = Binary::dial(&receiver.binary);
    assert_eq!(binary.publish(&session, "home:1.0.0", 2), None);
    wait_until("all to be durable", || receiver.count("durable") == 2);

    assert_eq!(ask("deleteStreamById", &["home:1.0.0"]), Reply::Bool(true));
    assert_eq!(ask("deleteStreamById", &["home:1.0.0"]), Reply::Bool(false));
    assert_eq!(ask("findStreamId", &["home", "1.0.0"]), unknown);
    assert!(is("UndefinedEventTypeException", &binary.publish(&session, "home:1.0.0", 1)));
    assert_eq!(receiver.search("HOME", 0, 10).len(), 2, "its rows are still found");
    // Its table has the form that it had.
    assert!(matches!(ask("defineStream", &[&HOME.replace("INT", "LONG")]), Reply::Refused(1, _)));
    ask("defineStream", &[HOME]).text();
    assert_eq!(binary.publish(&session, "home:1.0.0", 1), None);
    assert_eq!(ask("deleteStreamByNameVersion", &["home", "1.0.0"]), Reply::Bool(true));
    assert_eq!(ask("deleteStreamByNameVersion", &["other", "1.0.0"]), Reply::Bool(false));

    for (method, rest, id) in [
        ("findStreamId", &["home", "1.0.0"][..], 2),
        ("deleteStreamById", &["home:1.0.0"], 1),
        ("deleteStreamByNameVersion", &["home", "1.0.0"], 1),
    ] {
        let answer = thrift.ask(method, &[&["nobody"], rest].concat()).unwrap();
        let is_expired = matches!(&answer, Reply::Refused(found, why) if *found == id && why.contains("session"));
        assert!(is_expired, "{method}: {answer:?}");
    }
}
