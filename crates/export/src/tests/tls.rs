//! Receivers behind TLS: trusted, not trusted, and none.

use super::receivers::{LONG, SHORT, exported, request};
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use rustls_pki_types::PrivateKeyDer;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Who signs the certificates of receivers.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
}

impl Authority {
    fn create() -> Self {
        let mut own = CertificateParams::new(Vec::new()).unwrap();
        own.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        own.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        own.distinguished_name.push(DnType::CommonName, "authority of a test");
        let key = KeyPair::generate().unwrap();
        let pem = own.self_signed(&key).unwrap().pem();
        Self { issuer: Issuer::new(own, key), pem }
    }

    /// What a server of that name shows.
    fn config(&self, name: &str) -> Arc<ServerConfig> {
        let key = KeyPair::generate().unwrap();
        let leaf = CertificateParams::new(vec![name.to_owned()]).unwrap().signed_by(&key, &self.issuer).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
        let key = PrivateKeyDer::Pkcs8(key.serialize_der().into());
        Arc::new(builder.with_no_client_auth().with_single_cert(vec![leaf.der().clone()], key).unwrap())
    }
}

/// A receiver that takes everything, and how many connections and whole requests it has seen.
fn receiver(config: Arc<ServerConfig>) -> (SocketAddr, Arc<[AtomicUsize; 2]>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (address, seen) = (listener.local_addr().unwrap(), Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]));
    let own = seen.clone();
    std::thread::spawn(move || {
        for connection in listener.incoming() {
            let Ok(connection) = connection else { return };
            own[0].fetch_add(1, Ordering::SeqCst);
            let mut stream = StreamOwned::new(ServerConnection::new(config.clone()).unwrap(), connection);
            while request(&mut stream).is_some() {
                own[1].fetch_add(1, Ordering::SeqCst);
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").and_then(|()| stream.flush());
            }
        }
    });
    (address, seen)
}

#[test]
fn a_receiver_whose_authority_is_named_gets_every_second_over_one_connection() {
    let authority = Authority::create();
    let (address, seen) = receiver(authority.config("127.0.0.1"));
    let to = format!("otlp+https://{address}#ca=lab.pem&token=LAB");
    let (heard, line) = exported(&to, &authority.pem, LONG);
    assert!(line.ends_with("3 of 3 seconds delivered") && heard.is_empty(), "{line} {heard:?}");
    assert_eq!((seen[0].load(Ordering::SeqCst), seen[1].load(Ordering::SeqCst)), (1, 4));
}

#[test]
fn a_receiver_that_is_not_trusted_is_told_with_what_to_write_and_gets_nothing() {
    let (ours, other) = (Authority::create(), Authority::create());
    for (config, expected, hint) in [
        (other.config("127.0.0.1"), "TLS: nobody who is trusted here signed the server's certificate", "`#ca=FILE`"),
        (ours.config("lab.example"), "TLS: the server's certificate is not valid for 127.0.0.1", "lab.example"),
    ] {
        let (address, seen) = receiver(config);
        let (heard, line) = exported(&format!("influx+https://{address}/?db=x#ca=lab.pem&token=LAB"), &ours.pem, LONG);
        assert!(line.contains(&format!("0 of 3 seconds delivered, 3 lost: {expected}")), "{line}");
        assert!(line.contains(hint) && !line.contains("`tls:"), "{line}");
        assert_eq!(heard.len(), 1, "told once: {heard:?}");
        assert_eq!(seen[1].load(Ordering::SeqCst), 0, "neither figures nor the token go to a stranger");
    }
}

#[test]
fn plain_and_encrypted_receivers_are_told_apart() {
    let authority = Authority::create();
    let (encrypted, _) = receiver(authority.config("127.0.0.1"));
    let (_, line) = exported(&format!("prometheus+http://{encrypted}"), "", LONG);
    assert!(line.contains("speaks TLS: write `https`"), "{line}");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let plain = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for connection in listener.incoming() {
            let Ok(mut connection) = connection else { return };
            let _ = connection.read(&mut [0; 1024]);
            let _ = connection.write_all(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
        }
    });
    let (_, line) = exported(&format!("prometheus+https://{plain}#ca=lab.pem"), &authority.pem, LONG);
    assert!(line.contains("TLS: what answers does not speak TLS"), "{line}");
}

#[test]
fn a_greeting_that_never_ends_is_left_when_the_time_is_over() {
    let authority = Authority::create();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    // Connections are made by the system, and nobody ever answers.
    let (_, line) = exported(&format!("otlp+https://{address}#ca=lab.pem"), &authority.pem, SHORT);
    assert!(line.contains("0 of 3 seconds delivered, 3 lost"), "{line}");
    drop(listener);
}
