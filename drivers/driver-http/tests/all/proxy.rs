//! Proxies: what they are asked, what comes through them, and what is stated when nothing does. The targets have names that
//! only a proxy can know.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::common::http2::Http2Server;
use crate::common::{mistakes, once, with};
use contract::{Node, Settings};
use driver_http::HTTP;
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::ServerConfig;
use rustls_pki_types::PrivateKeyDer;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::{Arc, Mutex};
use terms::Outcome;
use testkit::{Lab, Server, body_is, map, nobody, ok, read_request, text};

const NAME: &str = "shop.invalid";

/// Carries both ways until either side has ended.
fn relay(near: TcpStream, to: SocketAddr) {
    let far = TcpStream::connect(to).unwrap();
    far.set_nodelay(true).unwrap();
    let (mut from, mut into) = (near.try_clone().unwrap(), far.try_clone().unwrap());
    let back = std::thread::spawn(move || {
        let _ = std::io::copy(&mut from, &mut into);
        let _ = into.shutdown(Shutdown::Both);
    });
    let (mut from, mut into) = (far, near);
    let _ = std::io::copy(&mut from, &mut into);
    let _ = into.shutdown(Shutdown::Both);
    back.join().unwrap();
}

/// What a proxy was asked for.
type Asked = Arc<Mutex<Vec<String>>>;

fn http(to: SocketAddr) -> (Server, Asked) {
    let asked = Asked::default();
    let told = asked.clone();
    let server = Server::start(move |_, mut stream| {
        let Some(request) = read_request(&mut stream) else { return 0 };
        told.lock().unwrap().push(request.head);
        // Byte by byte, and with something behind it that is the target's already in the last piece.
        for byte in b"HTTP/1.1 200 Connection established\r\nVia: test\r\n\r\n" {
            stream.write_all(&[*byte]).unwrap();
        }
        relay(stream, to);
        1
    });
    (server, asked)
}

/// SOCKS 5; `secret` is user and password.
fn socks(to: SocketAddr, secret: Option<&'static str>) -> (Server, Asked) {
    let asked = Asked::default();
    let told = asked.clone();
    let server = Server::start(move |_, mut stream| {
        let mut take = |count: usize| {
            let mut bytes = vec![0; count];
            stream.read_exact(&mut bytes).map(|()| bytes).unwrap_or_default()
        };
        let [5, count] = take(2)[..] else { return 0 };
        let ways = take(count.into());
        let way = if secret.is_some() { 2 } else { 0 };
        if !ways.contains(&way) {
            stream.write_all(&[5, 255]).unwrap();
            return 0;
        }
        stream.write_all(&[5, way]).unwrap();
        let mut take = |count: usize| {
            let mut bytes = vec![0; count];
            stream.read_exact(&mut bytes).map(|()| bytes).unwrap_or_default()
        };
        if let Some(secret) = secret {
            let length = take(2)[1].into();
            let user = take(length);
            let length = take(1)[0].into();
            let said = [user, take(length)].join(&b':');
            stream.write_all(&[1, u8::from(said != secret.as_bytes())]).unwrap();
            if said != secret.as_bytes() {
                return 0;
            }
        }
        let mut take = |count: usize| {
            let mut bytes = vec![0; count];
            stream.read_exact(&mut bytes).map(|()| bytes).unwrap_or_default()
        };
        let head = take(5);
        assert_eq!(head[..4], [5, 1, 0, 3], "a name is for the proxy to know");
        let (name, port) = (take(head[4].into()), take(2));
        let port = u16::from_be_bytes([port[0], port[1]]);
        told.lock().unwrap().push(format!("{}:{port}", String::from_utf8(name).unwrap()));
        stream.write_all(&[5, 0, 0, 3, 1, b'x', 0, 0]).unwrap();
        relay(stream, to);
        1
    });
    (server, asked)
}

fn config() -> Arc<ServerConfig> {
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed(vec![NAME.to_owned()]).unwrap();
    let key = PrivateKeyDer::Pkcs8(signing_key.serialize_der().into());
    let builder = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    let mut config = builder.with_single_cert(vec![cert.der().clone()], key).unwrap();
    config.alpn_protocols = vec![b"h2".to_vec()];
    Arc::new(config)
}

fn by(proxy: &str, url: &str, more: &[(&str, Node)]) -> Settings {
    with("get", url, &[&[("proxy", text(proxy))], more].concat())
}

fn secure() -> [(&'static str, Node); 2] {
    [("tls", map(&[("insecure", text("true"))])), ("version", text("2"))]
}

#[test]
fn a_plain_request_goes_to_a_proxy_with_its_whole_address() {
    let proxy = Server::answering(ok("hello"));
    let login = map(&[("url", text(format!("http://{}", proxy.address))), ("basic", text("me:secret"))]);
    let url = format!("http://{NAME}:81/a?b=c");
    let settings = Settings { checks: vec![body_is("hello")], ..with("get", url, &[("proxy", login)]) };
    let mut lab = Lab::new(HTTP, &[settings]);
    for _ in 0..3 {
        assert_eq!(lab.run(0).outcome, Outcome::Ok);
        let head = proxy.request().head;
        let start = format!("GET http://{NAME}:81/a?b=c HTTP/1.1\r\nProxy-Authorization: Basic bWU6c2VjcmV0\r\n");
        assert!(head.starts_with(&start) && head.contains(&format!("Host: {NAME}:81\r\n")), "{head}");
    }
    assert_eq!(proxy.accepted(), 1, "the connection to the proxy is kept");
}

/// What was written for the proxy, with its password, is not sent to anybody else.
#[test]
fn a_request_without_a_proxy_is_its_own_after_one_that_went_by_way_of_a_proxy() {
    let (proxy, direct) = (Server::answering(ok("hello")), Server::answering(ok("there")));
    let login = map(&[("url", text(format!("http://{}", proxy.address))), ("basic", text("me:secret"))]);
    let proxied = with("get", format!("http://{NAME}/a"), &[("proxy", login)]);
    let plain = with("get", format!("http://{}/b", direct.address), &[]);
    let mut lab = Lab::new(HTTP, &[proxied, plain]);
    for _ in 0..3 {
        assert_eq!((lab.run(0).outcome, lab.run(1).outcome), (Outcome::Ok, Outcome::Ok));
        assert!(proxy.request().head.starts_with(&format!("GET http://{NAME}/a HTTP/1.1\r\n")));
        let head = direct.request().head;
        assert!(head.starts_with("GET /b HTTP/1.1\r\n") && !head.contains("Proxy-Authorization"), "{head}");
    }
}

#[test]
fn a_redirect_goes_by_way_of_the_proxy_too() {
    let proxy = Server::replying(|number, _, stream| {
        let answer = match number {
            0 => format!("HTTP/1.1 302 Found\r\nLocation: http://{NAME}/b\r\nContent-Length: 0\r\n\r\n"),
            _ => ok("there"),
        };
        stream.write_all(answer.as_bytes()).is_ok()
    });
    let seen = once(by(&format!("http://{}", proxy.address), &format!("http://{NAME}/a"), &[]));
    assert_eq!((seen.outcome, seen.bytes), (Outcome::Ok, 5), "{}", seen.note);
    assert!(proxy.request().head.starts_with(&format!("GET http://{NAME}/a HTTP/1.1\r\n")));
    assert!(proxy.request().head.starts_with(&format!("GET http://{NAME}/b HTTP/1.1\r\n")));
}

#[test]
fn tls_goes_through_a_tunnel_which_serves_many_exchanges() {
    let target = Http2Server::tls(config());
    let (connect, connected) = http(target.address);
    let (socks, named) = socks(target.address, None);
    for proxy in [format!("http://{}", connect.address), format!("socks5://{}", socks.address)] {
        let url = format!("https://{NAME}/large/3000000");
        let mut lab = Lab::new(HTTP, &[by(&proxy, &url, &secure())]);
        for _ in 0..5 {
            let seen = lab.run(0);
            assert_eq!((seen.outcome, seen.bytes), (Outcome::Ok, 3_000_000), "{proxy}: {}", seen.note);
        }
    }
    let asked = connected.lock().unwrap().join("|");
    assert!(asked.starts_with(&format!("CONNECT {NAME}:443 HTTP/1.1\r\nHost: {NAME}:443\r\n")), "{asked}");
    assert_eq!(*named.lock().unwrap(), [format!("{NAME}:443")]);
    assert_eq!((connect.accepted(), socks.accepted(), target.accepted()), (1, 1, 2));
}

#[test]
fn socks_carries_plain_requests_as_they_are() {
    let target = Server::answering(ok("hello"));
    let (proxy, asked) = socks(target.address, Some("me:secret"));
    let login = map(&[("url", text(format!("socks5://{}", proxy.address))), ("basic", text("me:secret"))]);
    let mut lab = Lab::new(HTTP, &[with("get", format!("http://{NAME}:81/a"), &[("proxy", login)])]);
    for _ in 0..3 {
        let seen = lab.run(0);
        assert_eq!((seen.outcome, seen.bytes), (Outcome::Ok, 5), "{}", seen.note);
        assert!(target.request().head.starts_with("GET /a HTTP/1.1\r\n"));
    }
    assert_eq!((*asked.lock().unwrap()).clone(), [format!("{NAME}:81")]);
    // HTTP/2 without TLS: the server's first bytes may come right behind the proxy's answer.
    let target = Http2Server::start(100);
    let (proxy, _) = socks(target.address, None);
    let seen = once(by(&format!("socks5://{}", proxy.address), &format!("http://{NAME}/"), &[("version", text("2"))]));
    assert_eq!((seen.outcome, seen.bytes), (Outcome::Ok, 5), "{}", seen.note);
}

#[test]
fn a_proxy_that_makes_no_connection_is_named_with_its_reason() {
    let https = format!("https://{NAME}/");
    let says = |answer: &'static [u8]| Server::closing_after(answer);
    for (answer, why) in [
        (&b"HTTP/1.1 407 Who\r\nContent-Length: 0\r\n\r\n"[..], "asks who wants it (407): write `proxy: { url, basic"),
        (b"HTTP/1.1 502 Bad Gateway\r\n\r\n", "answered 502 to CONNECT"),
        (b"SSH-2.0\r\n\r\n", "its answer is not HTTP"),
        (b"HTTP/1.1 200", "closed the connection without a whole answer"),
    ] {
        let proxy = says(answer);
        let seen = once(by(&format!("http://{}", proxy.address), &https, &[]));
        assert_eq!(seen.outcome, Outcome::Refused, "{}", seen.note);
        let start = format!("the proxy http://{} made no connection to {NAME}:443: ", proxy.address);
        assert!(seen.note.starts_with(&start) && seen.note.contains(why), "{}", seen.note);
    }
    for (answers, why) in [
        (&[5, 255][..], "that was not offered"),
        (&[5, 0, 5, 5, 0, 1, 0, 0, 0, 0, 0, 0], "the connection was refused"),
        (&[5, 0, 5, 2, 0, 1, 0, 0, 0, 0, 0, 0], "its rules do not allow it"),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "does not speak SOCKS 5"),
    ] {
        let proxy = Server::start(move |_, mut stream| {
            let _ = stream.read(&mut [0; 100]);
            let _ = stream.write_all(&answers[..2]);
            let _ = stream.read(&mut [0; 100]);
            let _ = stream.write_all(&answers[2..]);
            0
        });
        let seen = once(by(&format!("socks5://{}", proxy.address), &https, &[]));
        assert_eq!(seen.outcome, Outcome::Refused, "{}", seen.note);
        assert!(seen.note.contains(why), "{}", seen.note);
    }
    let nobody = nobody();
    let seen = once(by(&format!("http://{nobody}"), &https, &[]));
    assert_eq!(seen.outcome, Outcome::Refused);
    assert!(seen.note.starts_with(&format!("the proxy http://{nobody}: Connection refused")), "{}", seen.note);
    let silent = Server::start(|_, mut stream| stream.read_to_end(&mut Vec::new()).unwrap_or_default());
    let mut lab = Lab::new(HTTP, &[by(&format!("http://{}", silent.address), &https, &[])]);
    lab.deadline = terms::Nanos::from_millis(100);
    let seen = lab.run(0);
    assert_eq!(seen.outcome, Outcome::Timeout);
    assert!(seen.note.contains("the proxy was connected"), "{}", seen.note);
}

#[test]
fn mistakes_say_what_to_write() {
    for (proxy, version, code) in [
        (text("127.0.0.1:3128"), "1.1", "http::bad-proxy"),
        (text("http://me:secret@127.0.0.1:3128"), "1.1", "http::bad-proxy"),
        (text("http://127.0.0.1:3128"), "2", "http::bad-proxy"),
        (map(&[("url", text("http://127.0.0.1:3128")), ("basic", text("me"))]), "1.1", "http::bad-basic"),
        (map(&[("basic", text("me:x"))]), "1.1", "study::missing-key"),
    ] {
        let settings = with("get", format!("http://{NAME}/"), &[("proxy", proxy), ("version", text(version))]);
        let found = mistakes(settings);
        assert_eq!(found[0].code, code, "{found:?}");
        assert!(!format!("{found:?}").contains("secret@"), "{found:?}");
    }
}
