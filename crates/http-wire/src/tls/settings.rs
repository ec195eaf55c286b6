//! `tls: { ca, insecure, server_name, certificate, key }`.

use super::{TlsIdentity, TlsSettings};
use contract::{BuildContext, Keys, Mistake, Mistakes, Node};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use std::sync::Arc;

/// A file of certificates larger than this is something else; the system's own bundle has a quarter of it.
const PEM_BYTES_MAX: u64 = 1024 * 1024;

impl TlsSettings {
    /// Reads the settings; without a node they are those of every client.
    pub fn read(node: Option<&Node>, context: &BuildContext<'_>, mistakes: &mut Mistakes) -> Self {
        let mut settings = Self::default();
        let Some(node) = node else { return settings };
        let mut keys = Keys::of(node, "`tls`", mistakes);
        settings.ca = keys.take("ca").and_then(|node| mistakes.keep(certificates(node, "`ca`", context)));
        settings.is_insecure =
            keys.take("insecure").and_then(|node| mistakes.keep(node.as_bool("`insecure`"))).unwrap_or(false);
        settings.server_name = keys.take("server_name").and_then(|node| mistakes.keep(server_name(node, context)));
        let (certificate, key) = (keys.take("certificate"), keys.take("key"));
        keys.finish(mistakes);
        settings.identity = TlsIdentity::read(certificate, key, context, mistakes);
        settings
    }
}

impl TlsIdentity {
    /// Reads the two files; `None` if neither is named.
    pub fn read(
        certificate: Option<&Node>,
        key: Option<&Node>,
        context: &BuildContext<'_>,
        mistakes: &mut Mistakes,
    ) -> Option<Self> {
        let (certificate, key) = match (certificate, key) {
            (None, None) => return None,
            (Some(certificate), Some(key)) => (certificate, key),
            (Some(node), None) | (None, Some(node)) => {
                let what = "who says who he is needs both `certificate` and `key`";
                mistakes.push(
                    Mistake::at(node.place, "http::half-identity", what).label("add the other one, or remove it"),
                );
                return None;
            }
        };
        let certificates = mistakes.keep(certificates(certificate, "`certificate`", context));
        let key = mistakes.keep(private_key(key, context));
        Some(Self { certificates: certificates?, key: Arc::new(key?) })
    }
}

fn server_name(node: &Node, context: &BuildContext<'_>) -> Result<ServerName<'static>, Mistake> {
    let name = context.text(node, "`server_name`")?;
    ServerName::try_from(name.clone()).map_err(|_| {
        Mistake::at(node.place, "http::bad-server-name", format!("`{name}` is neither a host name nor an address"))
    })
}

fn certificates(node: &Node, what: &str, context: &BuildContext<'_>) -> Result<Vec<CertificateDer<'static>>, Mistake> {
    let (name, pem) = pem(node, what, "CERTIFICATE", context)?;
    let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&pem).collect();
    match read {
        Ok(certificates) if !certificates.is_empty() => Ok(certificates),
        Ok(_) => Err(wrong(node, what, &name, "CERTIFICATE", "holds no certificate")),
        Err(error) => Err(wrong(node, what, &name, "CERTIFICATE", &format!("is not PEM file: {error}"))),
    }
}

fn private_key(node: &Node, context: &BuildContext<'_>) -> Result<PrivateKeyDer<'static>, Mistake> {
    let (name, pem) = pem(node, "`key`", "PRIVATE KEY", context)?;
    PrivateKeyDer::from_pem_slice(&pem)
        .map_err(|error| wrong(node, "`key`", &name, "PRIVATE KEY", &format!("holds no private key: {error}")))
}

fn pem(node: &Node, what: &str, label: &str, context: &BuildContext<'_>) -> Result<(String, Vec<u8>), Mistake> {
    let name = context.text(node, what)?;
    let path = context.base().join(&name);
    let pem = contract::read_file(&path, PEM_BYTES_MAX).map_err(|why| wrong(node, what, &name, label, &why))?;
    Ok((name, pem))
}

fn wrong(node: &Node, what: &str, name: &str, label: &str, why: &str) -> Mistake {
    let code = if label == "CERTIFICATE" { "http::bad-ca" } else { "http::bad-key" };
    Mistake::at(node.place, code, format!("{what} `{name}` {why}"))
        .hint(format!("give a PEM file with `-----BEGIN {label}-----`, found from the study's folder"))
}
