//! `--export URL`: who is to have the metrics, and in which form.

use http_wire::TlsSettings;
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject;
use scrub::MARK;
use std::fmt;
use std::net::SocketAddr;
use std::path::Path;
use url::Url;

/// The forms of addresses, as they are shown to somebody who wrote another one.
const POSSIBLE: &str = "\
possible are
  otlp+http://127.0.0.1:4318                                     OpenTelemetry (OTLP over HTTP)
  prometheus+http://127.0.0.1:9090/api/v1/write                  Prometheus remote write
  influx+http://127.0.0.1:8086/api/v2/write?org=LAB&bucket=LOAD  InfluxDB
  scrape://127.0.0.1:9464                                        a page that Prometheus fetches
each but the last with `https`, too, with `#token=VARIABLE` or `#token-file=FILE` for a receiver that asks for a token, and
with `#ca=FILE` for one whose certificate an authority of your own has signed; `&` separates two of them";
/// Parameters of addresses in which services expect a secret.
const SECRET_NAMES: [&str; 9] =
    ["p", "password", "token", "access_token", "api_key", "apikey", "key", "secret", "auth"];
/// A token is a line, not a document.
const TOKEN_MAX: usize = 8 * 1024;
/// A file of certificates larger than this is something else; the system's own bundle has a quarter of it.
const CA_MAX: usize = 1024 * 1024;

/// What is written, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Otlp,
    RemoteWrite,
    Influx,
}

/// Who is to have the metrics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receiver {
    /// Its address without anything that could be secret.
    pub shown: String,
    pub(crate) way: Way,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Push(Push),
    Serve(SocketAddr),
}

/// Where to send, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Push {
    pub(crate) format: Format,
    pub(crate) is_tls: bool,
    /// Name or address, without the brackets of IPv6.
    pub(crate) host: String,
    pub(crate) port: u16,
    /// As the header `Host` has it.
    pub(crate) authority: String,
    /// Path and query.
    pub(crate) target: String,
    pub(crate) token: Option<Token>,
    /// Whom to trust instead of the authorities of the system.
    pub(crate) ca: Option<Vec<CertificateDer<'static>>>,
}

/// A secret that is never shown.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Token(pub(crate) String);

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MARK)
    }
}

impl Receiver {
    /// Whether it fetches: then nothing can be sent to it.
    pub fn fetches(&self) -> bool {
        matches!(self.way, Way::Serve(_))
    }

    /// What should be said before the run.
    pub fn warning(&self) -> Option<String> {
        let is_here = |host: &str| {
            host == "localhost" || host.parse().is_ok_and(|address: std::net::IpAddr| address.is_loopback())
        };
        match &self.way {
            Way::Push(push) if push.token.is_some() && !push.is_tls && !is_here(&push.host) => {
                Some(format!("the token for {} goes there unencrypted; write `https` if it can be had", self.shown))
            }
            Way::Serve(address) if !address.ip().is_loopback() => {
                Some(format!("whoever reaches {address} can read the names of the study and its figures"))
            }
            _ => None,
        }
    }
}

/// Where tokens and certificates come from.
pub struct Surroundings<'a> {
    /// The option that the address was written behind.
    pub option: &'a str,
    /// An environment variable.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    /// A file, at most so many bytes of which are read.
    pub file: &'a dyn Fn(&Path, usize) -> std::io::Result<String>,
}

/// Reads an address.
///
/// # Errors
/// What is wrong with it, and what is possible; no part of it that could be secret.
pub fn read(text: &str, surroundings: &Surroundings<'_>) -> Result<Receiver, String> {
    let option = surroundings.option;
    let wrong = |what: &str| format!("`{option} {}` {what}; {POSSIBLE}", without_secrets(text));
    let Some((scheme, _)) = text.split_once("://") else { return Err(wrong("is not the address of a receiver")) };
    if scheme == "scrape" {
        return serve(text).map_err(|what| wrong(&what));
    }
    let (format, path) = match scheme.split_once('+') {
        Some(("otlp", "http" | "https")) => (Format::Otlp, "/v1/metrics"),
        Some(("prometheus", "http" | "https")) => (Format::RemoteWrite, "/api/v1/write"),
        Some(("influx", "http" | "https")) => (Format::Influx, "/api/v2/write"),
        Some(("otlp", "grpc")) => {
            return Err(wrong("asks for OTLP over gRPC, which receivers offer beside HTTP on another port"));
        }
        _ => return Err(wrong("begins with nothing that is known")),
    };
    let plain = text.split_once('+').map_or(text, |(_, plain)| plain);
    let mut url = Url::parse(plain).map_err(|error| wrong(&format!("cannot be read as an address ({error})")))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(wrong(
            "holds a user or a password, which everybody sees who lists processes; write `#token=VARIABLE`",
        ));
    }
    if let Some((name, _)) = url.query_pairs().find(|(name, _)| SECRET_NAMES.contains(&&*name.to_ascii_lowercase())) {
        let what =
            format!("has `{name}` in its query, which everybody sees who lists processes; write `#token=VARIABLE`");
        return Err(wrong(&what));
    }
    if url.path() == "/" {
        url.set_path(path);
    }
    if format == Format::Influx {
        let has = |wanted: &str| url.query_pairs().any(|(name, value)| name == wanted && !value.is_empty());
        if !has("bucket") && !has("db") {
            return Err(wrong("says neither `bucket` nor `db`, so the server would not know where to put it"));
        }
        if url.query_pairs().any(|(name, value)| name == "precision" && value != "ns") {
            return Err(wrong("asks for another precision than `ns`"));
        }
    }
    // As it was written: in the address as it was read, letters of a file's name are coded.
    let behind = text.split_once('#').map_or("", |(_, behind)| behind);
    let Behind { token, ca } = Behind::read(behind, surroundings).map_err(|what| wrong(&what))?;
    let is_tls = url.scheme() == "https";
    if ca.is_some() && !is_tls {
        return Err(wrong("names with `ca` whom to trust, and does not ask for `https`"));
    }
    let host = url.host_str().unwrap_or_default().to_owned();
    let port = url.port_or_known_default().unwrap_or_default();
    if host.is_empty() || port == 0 {
        return Err(wrong("has no host, or port 0"));
    }
    let authority = url.port().map_or_else(|| host.clone(), |port| format!("{host}:{port}"));
    let target = url.query().map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path()));
    let shown = format!("{scheme}://{authority}{}", url.path());
    let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
    let push = Push { format, is_tls, host, port, authority, target, token, ca };
    Ok(Receiver { shown, way: Way::Push(push) })
}

fn serve(text: &str) -> Result<Receiver, String> {
    let rest = text.strip_prefix("scrape://").unwrap_or_default();
    let place = rest.strip_suffix("/metrics").or(rest.strip_suffix('/')).unwrap_or(rest);
    let address: SocketAddr = place.parse().map_err(|_| {
        "is not an address and port of this machine, such as `127.0.0.1:9464` or `[::1]:9464`".to_owned()
    })?;
    Ok(Receiver { shown: format!("scrape://{address}"), way: Way::Serve(address) })
}

/// What follows `#`, which no receiver is sent.
#[derive(Default)]
struct Behind {
    token: Option<Token>,
    ca: Option<Vec<CertificateDer<'static>>>,
}

impl Behind {
    fn read(fragment: &str, surroundings: &Surroundings<'_>) -> Result<Self, String> {
        let mut behind = Self::default();
        let file = |name: &str, most: usize| {
            (surroundings.file)(Path::new(name), most)
                .map_err(|error| format!("names the file `{name}`, which cannot be read: {error}"))
        };
        for part in fragment.split('&').filter(|part| !part.is_empty()) {
            let is_new = match part.split_once('=') {
                Some(("token", name)) if is_variable(name) => {
                    let text = (surroundings.variable)(name).filter(|text| !text.trim().is_empty());
                    let text =
                        text.ok_or_else(|| format!("names the environment variable `{name}`, which is not set"))?;
                    behind.token.replace(token(&text)?).is_none()
                }
                Some(("token-file", name)) if !name.is_empty() => {
                    behind.token.replace(token(&file(name, TOKEN_MAX)?)?).is_none()
                }
                Some(("ca", name)) if !name.is_empty() => {
                    let pem = file(name, CA_MAX)?;
                    behind.ca.replace(certificates(name, &pem)?).is_none()
                }
                _ => {
                    let what = "has behind `#` something else than `token=VARIABLE`, the name of an environment variable, \
                                `token-file=FILE` and `ca=FILE`";
                    return Err(what.to_owned());
                }
            };
            if !is_new {
                return Err("names two tokens, or `ca` twice".to_owned());
            }
        }
        Ok(behind)
    }
}

fn certificates(name: &str, pem: &str) -> Result<Vec<CertificateDer<'static>>, String> {
    if pem.len() > CA_MAX {
        return Err(format!("names the file `{name}` as `ca`, which is longer than {CA_MAX} bytes"));
    }
    let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem.as_bytes()).collect();
    match read {
        Ok(certificates) if !certificates.is_empty() => {
            let settings = TlsSettings { ca: Some(certificates.clone()), ..TlsSettings::default() };
            match settings.client_config(b"http/1.1") {
                Ok(_) => Ok(certificates),
                Err(_) => Err(format!("names the file `{name}` as `ca`, which holds no certificate that can be read")),
            }
        }
        _ => Err(format!("names the file `{name}` as `ca`, which is not PEM with `-----BEGIN CERTIFICATE-----`")),
    }
}

/// A token as it was found.
fn token(text: &str) -> Result<Token, String> {
    let text = text.trim();
    let is_line = !text.is_empty() && text.len() <= TOKEN_MAX && text.bytes().all(|byte| (b'!'..=b'~').contains(&byte));
    if is_line {
        Ok(Token(text.to_owned()))
    } else {
        Err("names a token that is not one word of printable ASCII".to_owned())
    }
}

fn is_variable(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// An address as somebody wrote it, without what may be a secret in it.
fn without_secrets(text: &str) -> String {
    let text = text.split(['?', '#']).next().unwrap_or_default();
    let text: String = text.chars().filter(|sign| !sign.is_control()).take(200).collect();
    match (text.split_once("://"), text.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, host))) => format!("{scheme}://{MARK}@{host}"),
        (None, Some((_, host))) => format!("{MARK}@{host}"),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_with(text: &str) -> Result<Receiver, String> {
        let variable = |name: &str| (name == "LAB_TOKEN").then(|| "hunter2-hunter2\n".to_owned());
        let file = |path: &Path, _: usize| match path.to_str() {
            Some("/run/secrets/lab") => Ok("hunter3-hunter3\n".to_owned()),
            Some("/run/secrets/lab ä.token") => Ok("hunter4-hunter4".to_owned()),
            Some("broken.pem") => Ok("-----BEGIN CERTIFICATE-----\nAAECAw==\n-----END CERTIFICATE-----\n".to_owned()),
            Some("long.pem") => Ok("x".repeat(CA_MAX + 1)),
            _ => Err(std::io::ErrorKind::NotFound.into()),
        };
        read(text, &Surroundings { option: "--export", variable: &variable, file: &file })
    }

    fn push(text: &str) -> Push {
        match read_with(text).unwrap().way {
            Way::Push(push) => push,
            Way::Serve(address) => panic!("{address}"),
        }
    }

    #[test]
    fn addresses_are_taken_apart() {
        let otlp = push("otlp+http://127.0.0.1:4318");
        assert_eq!((otlp.format, otlp.port, otlp.target.as_str()), (Format::Otlp, 4318, "/v1/metrics"));
        let write = push("prometheus+https://[::1]/api/v1/write#token=LAB_TOKEN");
        assert_eq!((write.host.as_str(), write.port, write.authority.as_str()), ("::1", 443, "[::1]"));
        assert_eq!(write.token, Some(Token("hunter2-hunter2".into())));
        let influx = push("influx+http://db:8086?org=a%20b&bucket=c#token-file=/run/secrets/lab");
        assert_eq!(influx.target, "/api/v2/write?org=a%20b&bucket=c");
        assert_eq!(influx.token, Some(Token("hunter3-hunter3".into())));
        assert!(!format!("{influx:?}").contains("hunter"));
        let named = push("influx+http://db:8086?db=c#token-file=/run/secrets/lab ä.token");
        assert_eq!(named.token, Some(Token("hunter4-hunter4".into())));
        let page = read_with("scrape://127.0.0.1:9464/metrics").unwrap();
        assert_eq!((page.shown.as_str(), page.warning()), ("scrape://127.0.0.1:9464", None));
        assert!(read_with("scrape://0.0.0.0:9464").unwrap().warning().is_some());
        let far = read_with("influx+http://db:8086?db=c#token=LAB_TOKEN").unwrap();
        assert!(far.warning().unwrap().contains("unencrypted"));
        assert_eq!(far.shown, "influx+http://db:8086/api/v2/write");
    }

    #[test]
    fn bad_addresses_are_refused_with_what_is_possible_and_without_their_secrets() {
        for text in [
            "",
            "127.0.0.1:4318",
            "http://127.0.0.1:4318/v1/metrics",
            "otlp+grpc://127.0.0.1:4317",
            "otlp+http://",
            "otlp+http://h:0/",
            "otlp+http://h:99999/",
            "otlp+http://lab:hunter2@h/",
            "otlp+ftp://lab:hunter2@h/",
            "hunter2@h",
            "prometheus+http://h/?token=hunter2",
            "influx+http://h:8086/write?db=x&u=lab&p=hunter2",
            "influx+http://h:8086/api/v2/write?org=x",
            "influx+http://h:8086/?bucket=b&precision=s",
            "otlp+http://h/#hunter2",
            "otlp+http://h/#token=NOT_SET",
            "otlp+http://h/#token-file=/nowhere",
            "otlp+https://h/#ca=broken.pem",
            "otlp+https://h/#token=LAB_TOKEN&token-file=/run/secrets/lab",
            "otlp+https://h/#ca=/nowhere",
            "otlp+https://h/#ca=/run/secrets/lab",
            "otlp+https://h/#ca=long.pem",
            "otlp+https://h/#ca=",
            "scrape://localhost:9464",
            "scrape://127.0.0.1",
            "scrape://lab:hunter2@127.0.0.1:1",
        ] {
            let told = read_with(text).unwrap_err();
            assert!(told.contains("otlp+http://127.0.0.1:4318") && !told.contains("hunter2"), "{text}: {told}");
        }
    }
}
