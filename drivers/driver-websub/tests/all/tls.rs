//! A hub over `https://`: trusted, not trusted, and callbacks that are `https://` as well.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::common::{
    DELIVERY, PUBLISH, SUBSCRIBE, UNSUBSCRIBE, VERIFY, call, callback_of, deliver, due, ends, topic, verify,
};
use contract::Settings;
use driver_websub::WEBSUB;
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use rustls_pki_types::PrivateKeyDer;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use terms::{Nanos, Outcome};
use testkit::{Lab, Request, Server, Surroundings, map, text};

/// A hub with a certificate for 127.0.0.1, which takes whatever it is asked, and that certificate; what was asked.
fn hub() -> (String, Server, Receiver<Request>) {
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap();
    let key = PrivateKeyDer::Pkcs8(signing_key.serialize_der().into());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = Arc::new(builder.with_no_client_auth().with_single_cert(vec![cert.der().clone()], key).unwrap());
    let (sender, requests) = channel();
    let sender = Mutex::new(sender);
    let server = Server::start(move |_, stream: TcpStream| {
        let mut stream = StreamOwned::new(ServerConnection::new(config.clone()).unwrap(), stream);
        let mut count = 0;
        while let Some(request) = testkit::read_request(&mut stream) {
            let _ = sender.lock().unwrap().send(request);
            if stream.write_all(b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n").is_err() {
                break;
            }
            count += 1;
        }
        let _ = stream.read(&mut [0]);
        count
    });
    (cert.pem(), server, requests)
}

/// The next request that comes to the hub while the lab goes on.
fn next(lab: &mut Lab, requests: &Receiver<Request>) -> Request {
    let mut came = None;
    assert!(lab.until(|_| {
        came = came.take().or_else(|| requests.try_recv().ok());
        came.is_some()
    }));
    came.unwrap()
}

fn lab(folder: &Path, pem: Option<&str>, server: &Server) -> Lab {
    std::fs::write(folder.join("ca.pem"), pem.unwrap_or_default()).unwrap();
    let tls: Vec<_> = pem.iter().map(|_| ("ca", text("ca.pem"))).collect();
    let more = [
        ("tls", map(&tls)),
        ("unsubscribe", text("yes")),
        ("secret", text("s3cret")),
        ("callback", text("https://127.0.0.1:9/lab")),
    ];
    let settings = topic(format!("https://{}/hub", server.address), &more);
    let settings = Settings { timeout: Nanos::from_secs(15), ..settings };
    Lab::with(WEBSUB, &[settings], Surroundings { base: folder.into(), ..Surroundings::default() })
}

#[test]
fn all_that_a_hub_is_asked_goes_over_tls() {
    let (pem, server, requests) = hub();
    let folder = tempfile::tempdir().unwrap();
    let mut lab = lab(folder.path(), Some(&pem), &server);
    assert_eq!(lab.connect(0, 0), Outcome::Ok, "{}", lab.seen().note);
    let request = next(&mut lab, &requests);
    let form = String::from_utf8(request.body.clone()).unwrap();
    assert!(form.contains("hub.callback=https%3A%2F%2F127.0.0.1%3A9%2Flab%2Fwebsub%2F"), "{form}");
    let path = callback_of(&request);
    assert!(path.starts_with("/lab/websub/"), "{path}");
    verify(&mut lab, &path, "hub.challenge=x");
    due(&mut lab, 0, 0);
    assert_eq!(next(&mut lab, &requests).body, b"0 hello");
    let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, b"s3cret");
    let signature: String = ring::hmac::sign(&key, b"0 hello").as_ref().iter().map(|it| format!("{it:02x}")).collect();
    let signature = format!("sha256={signature}");
    assert_eq!(deliver(&mut lab, &path, &[("x-hub-signature", signature.as_bytes())], b"0 hello"), 204);
    // The hub's answer to the publication.
    let mut published = Vec::new();
    assert!(lab.until(|lab| {
        published.extend(lab.seen().legs);
        published.iter().any(|row| row.0 == PUBLISH)
    }));
    lab.say_farewell(0);
    assert!(next(&mut lab, &requests).body.starts_with(b"hub.mode=unsubscribe"));
    call(&mut lab, "GET", &format!("{path}?hub.mode=unsubscribe&hub.topic=orders&hub.challenge=x"), &[], b"");
    lab.settle();
    published.extend(lab.seen().legs);
    published.sort_by_key(|row| row.0);
    let expected = [DELIVERY, SUBSCRIBE, VERIFY, PUBLISH, UNSUBSCRIBE].map(|leg| (leg, Outcome::Ok, 1));
    assert_eq!(published, expected);
    lab.disconnect(0);
}

#[test]
fn a_hub_that_is_not_trusted_is_a_fault_and_nothing_is_asked() {
    let (_, server, requests) = hub();
    let folder = tempfile::tempdir().unwrap();
    let mut lab = lab(folder.path(), None, &server);
    assert_eq!(lab.connect(0, 0), Outcome::Fault);
    let seen = lab.seen();
    assert_eq!((ends(&seen, SUBSCRIBE), ends(&seen, VERIFY)), (vec![(Outcome::Fault, 1)], vec![(Outcome::Fault, 1)]));
    assert!(seen.note.contains("TLS: "), "{}", seen.note);
    assert!(requests.try_recv().is_err());
}
