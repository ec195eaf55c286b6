//! Certificates for servers and clients of one test.
#![allow(clippy::unwrap_used, reason = "tests of real processes stop at what is missing")]

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyUsagePurpose, date_time_ymd};

/// Who vouches for servers and clients.
pub struct Authority {
    issuer: Issuer<'static, rcgen::KeyPair>,
    /// Its own certificate.
    pub pem: String,
}

/// A certificate and its key, as PEM.
pub struct Certified {
    pub certificate: String,
    pub key: String,
}

impl Authority {
    /// One that nobody else has.
    pub fn create() -> Self {
        let mut own = CertificateParams::new(Vec::new()).unwrap();
        own.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        own.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        own.distinguished_name.push(DnType::CommonName, "authority of a test");
        let key = rcgen::KeyPair::generate().unwrap();
        let pem = own.self_signed(&key).unwrap().pem();
        Self { issuer: Issuer::new(own, key), pem }
    }

    /// A certificate for this name, which may have expired.
    pub fn certify(&self, name: &str, has_expired: bool) -> Certified {
        let mut leaf = CertificateParams::new(vec![name.to_owned()]).unwrap();
        leaf.distinguished_name.push(DnType::CommonName, name);
        if has_expired {
            (leaf.not_before, leaf.not_after) = (date_time_ymd(2019, 1, 1), date_time_ymd(2020, 1, 1));
        }
        let key = rcgen::KeyPair::generate().unwrap();
        Certified { certificate: leaf.signed_by(&key, &self.issuer).unwrap().pem(), key: key.serialize_pem() }
    }

    /// The files of a server for 127.0.0.1, under the names that `deploy/nats/server.conf` has for them.
    pub fn server(&self) -> Certified {
        self.certify("127.0.0.1", false)
    }
}
