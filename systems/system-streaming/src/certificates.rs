//! Certificates to try TLS with: an authority, and a certificate that it has signed.

use std::path::Path;

use anyhow::{Context, Result};
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose};

/// Writes `ca.pem`, `certificate.pem` and `key.pem` into this folder. The key of the authority is kept nowhere.
///
/// # Errors
/// A host that can be in no certificate, a folder that cannot be written.
pub(crate) fn write(folder: &Path, hosts: &[String]) -> Result<()> {
    let (authority, certificate, key) = made(hosts).context("no certificate can be made")?;
    let written = || -> std::io::Result<()> {
        std::fs::create_dir_all(folder)?;
        std::fs::write(folder.join("ca.pem"), authority)?;
        std::fs::write(folder.join("certificate.pem"), certificate)?;
        std::fs::write(folder.join("key.pem"), key)
    };
    written().with_context(|| format!("`{}` cannot be written", folder.display()))
}

fn made(hosts: &[String]) -> Result<(String, String, String), rcgen::Error> {
    let mut authority = CertificateParams::new(Vec::new())?;
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    authority.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    authority.distinguished_name.push(DnType::CommonName, "system-streaming test authority");
    let authority_key = KeyPair::generate()?;
    let authority_pem = authority.self_signed(&authority_key)?.pem();
    let issuer = Issuer::new(authority, authority_key);
    let mut leaf = CertificateParams::new(hosts.to_vec())?;
    leaf.distinguished_name.push(DnType::CommonName, "system-streaming");
    let leaf_key = KeyPair::generate()?;
    let certificate = leaf.signed_by(&leaf_key, &issuer)?.pem();
    Ok((authority_pem, certificate, leaf_key.serialize_pem()))
}
