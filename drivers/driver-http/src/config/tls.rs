//! `tls: { ca, insecure, server_name }`.

use crate::tls::TlsSettings;
use contract::{Bench, Keys, Mistake, Mistakes, Node};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, ServerName};

/// A file of certificates larger than this is something else; the system's own bundle has a quarter of it.
const CA_BYTES_MAX: u64 = 1024 * 1024;

pub(super) fn read(node: Option<&Node>, bench: &Bench<'_>, mistakes: &mut Mistakes) -> TlsSettings {
    let mut settings = TlsSettings::default();
    let Some(node) = node else { return settings };
    let mut keys = Keys::of(node, "`tls`", mistakes);
    settings.ca = keys.take("ca").and_then(|node| mistakes.keep(certificates(node, bench)));
    settings.is_insecure =
        keys.take("insecure").and_then(|node| mistakes.keep(node.as_bool("`insecure`"))).unwrap_or(false);
    settings.server_name = keys.take("server_name").and_then(|node| mistakes.keep(server_name(node, bench)));
    keys.finish(mistakes);
    settings
}

fn server_name(node: &Node, bench: &Bench<'_>) -> Result<ServerName<'static>, Mistake> {
    let name = bench.text(node, "`server_name`")?;
    ServerName::try_from(name.clone()).map_err(|_| {
        Mistake::at(node.place, "http::bad-server-name", format!("`{name}` is neither a host name nor an address"))
    })
}

fn certificates(node: &Node, bench: &Bench<'_>) -> Result<Vec<CertificateDer<'static>>, Mistake> {
    let name = bench.text(node, "`ca`")?;
    let path = bench.base().join(&name);
    let wrong = |why: String| {
        Mistake::at(node.place, "http::bad-ca", format!("`ca` `{name}` {why}"))
            .hint("give a PEM file with `-----BEGIN CERTIFICATE-----`, found from the study's folder")
    };
    let size = std::fs::metadata(&path).map_err(|error| wrong(format!("cannot be read: {error}")))?.len();
    if size > CA_BYTES_MAX {
        return Err(wrong(format!("has {size} bytes; at most {CA_BYTES_MAX} are possible")));
    }
    let pem = std::fs::read(&path).map_err(|error| wrong(format!("cannot be read: {error}")))?;
    let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&pem).collect();
    match read {
        Ok(certificates) if !certificates.is_empty() => Ok(certificates),
        Ok(_) => Err(wrong("holds no certificate".into())),
        Err(error) => Err(wrong(format!("is no PEM file: {error}"))),
    }
}
