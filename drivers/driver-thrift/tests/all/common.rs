//! A receiver of events on the library `thrift`, so that whatever our hand-written frames say is read by code of others;
//! and what the tests of both protocols share: the exchange, certificates, a listener.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use contract::{Node, Settings};
use testkit::{exchange, map, text};
use thrift::protocol::{
    TBinaryInputProtocol, TBinaryOutputProtocol, TFieldIdentifier, TInputProtocol, TMessageIdentifier, TMessageType,
    TOutputProtocol, TStructIdentifier, TType,
};

type In = TBinaryInputProtocol<Box<dyn Read>>;
type Out = TBinaryOutputProtocol<Box<dyn Write>>;

/// Both halves of a connection of TLS.
#[derive(Clone)]
struct Secured(Arc<Mutex<rustls::StreamOwned<rustls::ServerConnection, TcpStream>>>);

impl Read for Secured {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0.lock().unwrap().read(into)
    }
}

impl Write for Secured {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.lock().unwrap().flush()
    }
}

/// What a bundle said.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Bundle {
    pub(crate) session: String,
    pub(crate) events: i32,
    pub(crate) ints: Vec<i32>,
    pub(crate) longs: Vec<i64>,
    pub(crate) doubles: Vec<f64>,
    pub(crate) bools: Vec<bool>,
    pub(crate) texts: Vec<String>,
}

/// What a receiver has seen, and how it answers.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) sign_ins: Vec<(String, String)>,
    pub(crate) definitions: Vec<String>,
    pub(crate) bundles: Vec<Bundle>,
    /// The field of the exception that a call of that name is answered with from now on.
    pub(crate) refuses: BTreeMap<&'static str, i16>,
    /// The connection is closed instead of an answer to the next bundle.
    pub(crate) hangs_up: bool,
    /// The next bundle is never answered.
    pub(crate) is_silent: bool,
}

pub(crate) struct Receiver {
    pub(crate) address: SocketAddr,
    pub(crate) seen: Arc<Mutex<Seen>>,
}

impl Receiver {
    pub(crate) fn start() -> Self {
        Self::secured(None)
    }

    /// One that speaks TLS, if that is stated how.
    pub(crate) fn secured(tls: Option<Arc<rustls::ServerConfig>>) -> Self {
        let seen = Arc::<Mutex<Seen>>::default();
        let shared = seen.clone();
        // A client that goes away ends it.
        let address = listening(move |stream| drop(serve(stream, tls.clone(), &shared)));
        Self { address, seen }
    }

    pub(crate) fn seen(&self) -> std::sync::MutexGuard<'_, Seen> {
        self.seen.lock().unwrap()
    }
}

/// Gives each connection to a thread of its own; where that is.
pub(crate) fn listening(serve: impl Fn(TcpStream) + Clone + Send + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let serve = serve.clone();
            std::thread::spawn(move || serve(stream));
        }
    });
    address
}

pub(crate) fn range(from: &str, to: &str) -> Node {
    map(&[("from", text(from)), ("to", text(to))])
}

/// A text of 150 bytes.
pub(crate) fn body() -> (&'static str, Node) {
    ("body", map(&[("string", map(&[("length", text("150B"))]))]))
}

/// Bundles of ten events with an attribute of each kind, the last of them these texts.
pub(crate) fn publishing(url: &str, sign_in: &str, texts: &[(&str, Node)], more: &[(&str, Node)]) -> Settings {
    let meta = map(&[("gateway", map(&[("string", testkit::list(&[text("east"), text("west")]))]))]);
    let mut payload = vec![
        ("house", map(&[("int", range("1", "40000"))])),
        ("reading", map(&[("long", text("number"))])),
        ("power", map(&[("double", range("0.5", "2.5"))])),
        ("ratio", map(&[("float", map(&[("mean", text("10")), ("deviation", text("0"))]))])),
        ("peak", map(&[("bool", text("100%"))])),
    ];
    payload.extend(texts.iter().cloned());
    let mut entries = vec![
        ("url", text(url)),
        ("sign_in", text(sign_in)),
        ("user", text("admin")),
        ("password", text("secret")),
        ("stream", text("smart_home")),
        ("meta", meta),
        ("payload", map(&payload)),
        ("events", text("10")),
    ];
    entries.extend(more.iter().cloned());
    exchange("publish", &entries)
}

/// A server's certificate for `localhost`, and the same as PEM.
pub(crate) fn certified() -> (Arc<rustls::ServerConfig>, String) {
    let certified = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let key = rustls_pki_types::PrivateKeyDer::try_from(certified.signing_key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = config.with_no_client_auth().with_single_cert(vec![certified.cert.der().clone()], key).unwrap();
    (Arc::new(config), certified.cert.pem())
}

/// What comes and what goes on a connection, in TLS if that is stated how.
pub(crate) fn halves(
    stream: TcpStream,
    tls: Option<Arc<rustls::ServerConfig>>,
) -> io::Result<(Box<dyn Read>, Box<dyn Write>)> {
    Ok(match tls {
        None => (Box::new(stream.try_clone()?), Box::new(io::BufWriter::new(stream))),
        Some(config) => {
            let connection = rustls::ServerConnection::new(config).unwrap();
            let both = Secured(Arc::new(Mutex::new(rustls::StreamOwned::new(connection, stream))));
            (Box::new(both.clone()), Box::new(io::BufWriter::new(both)))
        }
    })
}

fn serve(stream: TcpStream, tls: Option<Arc<rustls::ServerConfig>>, seen: &Mutex<Seen>) -> thrift::Result<()> {
    let (from, to) = halves(stream, tls)?;
    let (mut from, mut to) = (TBinaryInputProtocol::new(from, true), TBinaryOutputProtocol::new(to, true));
    loop {
        let call = from.read_message_begin()?;
        assert_eq!(call.message_type, TMessageType::Call);
        let texts = match call.name.as_str() {
            "publish" => {
                let bundle = bundle(&mut from)?;
                from.read_message_end()?;
                let mut seen = seen.lock().unwrap();
                if std::mem::take(&mut seen.hangs_up) {
                    return Ok(());
                }
                seen.bundles.push(bundle);
                if std::mem::take(&mut seen.is_silent) {
                    continue;
                }
                Vec::new()
            }
            _ => {
                let texts = texts(&mut from)?;
                from.read_message_end()?;
                texts
            }
        };
        answer(&mut to, &call, &texts, seen)?;
    }
}

fn answer(to: &mut Out, call: &TMessageIdentifier, texts: &[String], seen: &Mutex<Seen>) -> thrift::Result<()> {
    let refused = seen.lock().unwrap().refuses.get(call.name.as_str()).copied();
    to.write_message_begin(&TMessageIdentifier::new(&call.name, TMessageType::Reply, call.sequence_number))?;
    to.write_struct_begin(&TStructIdentifier::new("result"))?;
    if let Some(id) = refused {
        to.write_field_begin(&TFieldIdentifier::new("exception", TType::Struct, id))?;
        to.write_struct_begin(&TStructIdentifier::new("exception"))?;
        to.write_field_begin(&TFieldIdentifier::new("message", TType::String, 1))?;
        to.write_string("not today")?;
        to.write_field_end()?;
        to.write_field_stop()?;
        to.write_struct_end()?;
        to.write_field_end()?;
    } else if call.name != "publish" {
        let mut seen = seen.lock().unwrap();
        let text = match call.name.as_str() {
            "connect" => {
                seen.sign_ins.push((texts[0].clone(), texts[1].clone()));
                format!("session-{}", seen.sign_ins.len())
            }
            "defineStream" => {
                seen.definitions.push(texts[1].clone());
                "smart_home:1.0.0".to_owned()
            }
            other => panic!("{other} is called"),
        };
        to.write_field_begin(&TFieldIdentifier::new("success", TType::String, 0))?;
        to.write_string(&text)?;
        to.write_field_end()?;
    }
    to.write_field_stop()?;
    to.write_struct_end()?;
    to.write_message_end()?;
    to.flush()
}

/// Fields that are texts, by id from 1 on.
fn texts(from: &mut In) -> thrift::Result<Vec<String>> {
    let mut texts = Vec::new();
    fields(from, |from, _, id| {
        assert_eq!(usize::try_from(id).unwrap(), texts.len() + 1);
        texts.push(from.read_string()?);
        Ok(())
    })?;
    Ok(texts)
}

fn bundle(from: &mut In) -> thrift::Result<Bundle> {
    let mut bundle = Bundle::default();
    fields(from, |from, kind, id| {
        assert_eq!((kind, id), (TType::Struct, 1));
        fields(from, |from, _, id| {
            match id {
                1 => bundle.session = from.read_string()?,
                2 => bundle.events = from.read_i32()?,
                3 => bundle.ints = list(from, |from| from.read_i32())?,
                4 => bundle.longs = list(from, |from| from.read_i64())?,
                5 => bundle.doubles = list(from, |from| from.read_double())?,
                6 => bundle.bools = list(from, |from| from.read_bool())?,
                7 => bundle.texts = list(from, |from| from.read_string())?,
                other => panic!("a bundle has no field {other}"),
            }
            Ok(())
        })
    })?;
    Ok(bundle)
}

fn fields(from: &mut In, mut each: impl FnMut(&mut In, TType, i16) -> thrift::Result<()>) -> thrift::Result<()> {
    from.read_struct_begin()?;
    loop {
        let field = from.read_field_begin()?;
        if field.field_type == TType::Stop {
            break;
        }
        each(from, field.field_type, field.id.unwrap())?;
        from.read_field_end()?;
    }
    from.read_struct_end()
}

fn list<T>(from: &mut In, mut each: impl FnMut(&mut In) -> thrift::Result<T>) -> thrift::Result<Vec<T>> {
    let head = from.read_list_begin()?;
    let values = (0..head.size).map(|_| each(from)).collect::<thrift::Result<Vec<T>>>()?;
    from.read_list_end()?;
    Ok(values)
}
