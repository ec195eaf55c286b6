//! What went wrong with TLS, in plain words, with what to write.

use super::pinned::is_authority;
use rustls::{AlertDescription, CertificateError, Error};

/// What to write where a server is not trusted, in the words of whoever named it: each a part of a sentence.
#[derive(Clone, Copy, Debug)]
pub struct Remedies {
    /// Where nobody who is trusted signed its certificate.
    pub unknown: &'static str,
    /// Where it shows an authority's certificate that is not the one that was given.
    pub authority: &'static str,
    /// Where its certificate is for another name.
    pub name: &'static str,
    /// Where it wants to know who asks.
    pub identity: &'static str,
    /// Where it does not accept who asks.
    pub refused: &'static str,
    /// Where it does not speak TLS.
    pub plain: &'static str,
}

const OF_STUDIES: Remedies = Remedies {
    unknown: "write `tls: { ca: FILE }`, or `quick --ca FILE`, with its authority's certificate, or with the server's own \
              if it signed itself; `tls: { insecure: true }`, or `quick -k`, takes any",
    authority: "write `tls: { ca: FILE }`, or `quick --ca FILE`, with that very certificate; `tls: { insecure: true }`, or \
                `quick -k`, takes any",
    name: "write a name that is in its certificate in the URL, or as `tls: { server_name: NAME }` in a study",
    identity: "write `tls: { certificate: FILE, key: FILE }` in a study",
    refused: "look at `tls: { certificate, key }`",
    plain: "write `http://`, or the port on which it does",
};

/// One sentence, without a full stop, for servers that a study names.
pub fn in_words(error: &Error) -> String {
    in_words_with(error, &OF_STUDIES)
}

/// The same for servers that are named elsewhere.
pub fn in_words_with(error: &Error, remedies: &Remedies) -> String {
    match error {
        Error::InvalidCertificate(error) => certificate(error, remedies),
        Error::AlertReceived(alert) => refused(*alert, remedies),
        Error::InvalidMessage(_) => format!("what answers does not speak TLS; {}", remedies.plain),
        Error::PeerIncompatible(why) => {
            format!("the server and loadproof have no way of TLS in common, which is 1.2 or 1.3 here ({why:?})")
        }
        Error::NoCertificatesPresented => "the server showed no certificate".to_owned(),
        Error::PeerMisbehaved(why) => format!("the server breaks the rules of TLS ({why:?})"),
        other => other.to_string(),
    }
}

fn certificate(error: &CertificateError, remedies: &Remedies) -> String {
    let Remedies { unknown, authority, name, .. } = remedies;
    match error {
        // A signature that does not fit: an authority of the same name, with another key.
        CertificateError::UnknownIssuer | CertificateError::BadSignature => {
            format!("nobody who is trusted here signed the server's certificate; {unknown}")
        }
        error if is_authority(error) => {
            format!("the server shows an authority's certificate (`CA:TRUE`) that is not trusted as it is; {authority}")
        }
        CertificateError::NotValidForNameContext { expected, presented } if presented.is_empty() => format!(
            "the server's certificate names no host (it has no `subjectAltName`), so it is not valid for {}; make one \
             with `openssl req -x509 -addext \"subjectAltName=DNS:localhost,IP:127.0.0.1\"` and so on",
            expected.to_str()
        ),
        CertificateError::NotValidForNameContext { expected, presented } => format!(
            "the server's certificate is not valid for {}, only for {}; {name}",
            expected.to_str(),
            some(presented)
        ),
        CertificateError::NotValidForName => {
            format!("the server's certificate is for another name; {name}")
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "the server's certificate has expired; renew it, or check this machine's clock".to_owned()
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "the server's certificate is not valid yet; check this machine's clock and the server's".to_owned()
        }
        CertificateError::BadEncoding => "the server's certificate cannot be read".to_owned(),
        other => format!("the server's certificate is refused: {other}"),
    }
}

/// The first few names, bounded: a certificate can have thousands, and they are the server's to choose.
fn some(names: &[String]) -> String {
    const SHOWN: usize = 3;
    const LETTERS: usize = 60;
    // The library hands them over as `DnsName("shop.example")` and `IpAddress(10.0.0.1)`.
    let bare = |name: &String| -> String {
        let inner = name.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')')).unwrap_or(name);
        inner.trim_matches('"').escape_debug().take(LETTERS).collect()
    };
    let shown: Vec<String> = names.iter().take(SHOWN).map(bare).collect();
    let more = if names.len() > SHOWN { format!(" and {} more", names.len() - SHOWN) } else { String::new() };
    shown.join(", ") + &more
}

fn refused(alert: AlertDescription, remedies: &Remedies) -> String {
    let (why, remedy) = match alert {
        AlertDescription::CertificateRequired => ("it wants to know who asks", remedies.identity),
        AlertDescription::BadCertificate
        | AlertDescription::UnknownCA
        | AlertDescription::CertificateUnknown
        | AlertDescription::CertificateExpired
        | AlertDescription::UnsupportedCertificate
        | AlertDescription::AccessDenied => {
            ("it does not accept the certificate of ours, or misses one", remedies.refused)
        }
        AlertDescription::UnrecognisedName => ("it has no certificate for the name that is asked for", remedies.name),
        AlertDescription::NoApplicationProtocol => ("it does not speak the `version` of HTTP that is asked for", ""),
        AlertDescription::ProtocolVersion => ("it speaks neither TLS 1.2 nor 1.3", ""),
        AlertDescription::HandshakeFailure => ("it and loadproof have no cipher or version of TLS in common", ""),
        _ => ("it gives no other reason", ""),
    };
    let colon = if remedy.is_empty() { "" } else { ": " };
    format!("the server broke TLS off ({alert:?}): {why}{colon}{remedy}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_failure_says_what_to_write() {
        for (error, part) in [
            (Error::InvalidCertificate(CertificateError::UnknownIssuer), "`tls: { ca: FILE }`, or `quick --ca FILE`"),
            (Error::InvalidCertificate(CertificateError::UnknownIssuer), "`quick -k`, takes any"),
            (Error::InvalidCertificate(CertificateError::Expired), "expired"),
            (Error::InvalidMessage(rustls::InvalidMessage::InvalidContentType), "`http://`"),
            (Error::AlertReceived(AlertDescription::CertificateRequired), "certificate: FILE, key: FILE"),
            (Error::AlertReceived(AlertDescription::HandshakeFailure), "in common"),
        ] {
            assert!(in_words(&error).contains(part), "{error}: {}", in_words(&error));
        }
    }

    #[test]
    fn whoever_names_the_server_says_what_to_write() {
        let own = Remedies { unknown: "A", authority: "B", name: "C", identity: "D", refused: "E", plain: "F" };
        for (error, end) in [
            (Error::InvalidCertificate(CertificateError::BadSignature), "; A"),
            (Error::InvalidCertificate(CertificateError::NotValidForName), "; C"),
            (Error::AlertReceived(AlertDescription::CertificateRequired), ": D"),
            (Error::AlertReceived(AlertDescription::UnknownCA), ": E"),
            (Error::AlertReceived(AlertDescription::UnrecognisedName), ": C"),
            (Error::InvalidMessage(rustls::InvalidMessage::InvalidContentType), "; F"),
        ] {
            assert!(in_words_with(&error, &own).ends_with(end), "{error}: {}", in_words_with(&error, &own));
        }
    }

    #[test]
    fn the_names_of_a_certificate_are_shown_in_part() {
        let names = ["DnsName(\"shop.example\")", "IpAddress(10.0.0.1)"].map(str::to_owned);
        assert_eq!(some(&names), "shop.example, 10.0.0.1");
        let names: Vec<String> = (0..1000).map(|number| format!("{number}\n{}", "x".repeat(500))).collect();
        let shown = some(&names);
        assert!(shown.len() < 300 && shown.ends_with("and 997 more") && !shown.contains('\n'), "{shown}");
    }
}
