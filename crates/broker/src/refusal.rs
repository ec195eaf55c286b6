//! Why a server cannot be used, in plain words, with what to type.

use crate::connection::Server;
use crate::login::Login;
use async_nats::rustls::{AlertDescription, CertificateError, Error as TlsError};
use async_nats::{ConnectError, ConnectErrorKind};
use std::error::Error;
use std::fmt::Display;
use std::io;

/// Letters of what a server says: it may say anything.
const LETTERS_MAX: usize = 200;

/// What became of the first connection.
pub(crate) fn in_words(error: &ConnectError, server: &Server) -> String {
    let address = &server.address;
    if let Some(error) = tls_error(error) {
        return tls(error, server);
    }
    match error.kind() {
        ConnectErrorKind::AuthorizationViolation => not_let_in(server),
        ConnectErrorKind::Authentication => "the seed in the file behind `--nats-creds` is damaged: it does not fit \
                                             its checksum; take the file as `nsc` or `nk` wrote it"
            .into(),
        ConnectErrorKind::ServerParse => format!("`{address}` is not the address of a server: {}", told(error)),
        ConnectErrorKind::TimedOut => format!(
            "the NATS server at `{address}` does not answer; is it another kind of server, or one that wants TLS from \
             the first byte (`handshake_first`), which is not spoken here?"
        ),
        _ => format!(
            "no NATS server can be used at `{address}`: {}; start one with `nats-server -js`, or name another with \
             `--nats`",
            told(error)
        ),
    }
}

/// What a server, or the system, says: one line of bounded length.
pub(crate) fn told(error: &dyn Display) -> String {
    error.to_string().chars().map(|c| if c.is_control() { ' ' } else { c }).take(LETTERS_MAX).collect()
}

/// The mistake of TLS among what led to an error. What an [`io::Error`] carries is not what it names as its source.
fn tls_error<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a TlsError> {
    if let Some(found) = error.downcast_ref::<TlsError>() {
        return Some(found);
    }
    if let Some(carried) = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        return tls_error(carried);
    }
    error.source().and_then(tls_error)
}

fn tls(error: &TlsError, server: &Server) -> String {
    let address = &server.address;
    match error {
        TlsError::InvalidCertificate(error) => certificate(error, server),
        TlsError::InvalidMessage(_) => format!(
            "what answers at `{address}` does not speak TLS; encrypt it (`tls {{ cert_file, key_file }}` in its \
             configuration), or write `nats://` without `--nats-ca`, with `--nats-plain` where nobody else can listen"
        ),
        TlsError::AlertReceived(alert) => not_certified(*alert, server),
        other => format!("no TLS comes about with the NATS server at `{address}`: {}", told(other)),
    }
}

fn certificate(error: &CertificateError, server: &Server) -> String {
    let address = &server.address;
    match error {
        CertificateError::UnknownIssuer | CertificateError::BadSignature => match &server.authorities {
            Some(file) => format!(
                "the certificate of the NATS server at `{address}` was not signed by an authority in `{}`; name the file \
                 with its own authority's certificate: `--nats-ca FILE`",
                file.display()
            ),
            None => format!(
                "the NATS server at `{address}` is encrypted, and nobody who is trusted here signed its certificate; \
                 name the file with its authority's certificate: `--nats-ca FILE`"
            ),
        },
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => format!(
            "the certificate of the NATS server at `{address}` has expired; give the server a new one, or check this \
             machine's clock (`date`)"
        ),
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => format!(
            "the certificate of the NATS server at `{address}` is not valid yet; check this machine's clock (`date`) and \
             the server's"
        ),
        CertificateError::NotValidForNameContext { presented, .. } => format!(
            "the certificate of the NATS server at `{address}` is for other names: {}; write one of them behind `--nats`",
            told(&if presented.is_empty() { "it has none".to_owned() } else { presented.join(", ") })
        ),
        CertificateError::NotValidForName => format!(
            "the certificate of the NATS server at `{address}` is for another name; write that name behind `--nats`"
        ),
        other => format!("the certificate of the NATS server at `{address}` is refused: {}", told(other)),
    }
}

/// The server wants to know this side by a certificate.
fn not_certified(alert: AlertDescription, server: &Server) -> String {
    let address = &server.address;
    match &server.identity {
        None => format!(
            "the NATS server at `{address}` wants a certificate of this side ({alert:?}); name it and its key: \
             `--nats-cert FILE --nats-key FILE`"
        ),
        Some(identity) => format!(
            "the NATS server at `{address}` refuses the certificate in `{}` ({alert:?}); name one that has not expired, \
             and was signed by an authority in the server's `ca_file`",
            identity.certificate.display()
        ),
    }
}

fn not_let_in(server: &Server) -> String {
    let address = &server.address;
    let what = match &server.login {
        Login::Nobody => {
            "asks who is there; name a file of credentials with `--nats-creds FILE`, or a user before the host \
             (`--nats tls://NAME@HOST`), whose password is in `LOADPROOF_NATS_PASSWORD` or in the file that `LOADPROOF_NATS_PASSWORD_FILE` names"
        }
        Login::Credentials(_) => {
            "does not let in the user of the file behind `--nats-creds`: it does not know the user's account, or the \
             user was revoked or has expired; make new credentials with `nsc generate creds`"
        }
        Login::Seed(_) => {
            "does not know the key in the file behind `--nats-creds`; add its public key to the users of the server"
        }
        Login::Password { .. } => {
            "does not let in the user before the host behind `--nats` with the password in `LOADPROOF_NATS_PASSWORD` or \
             `LOADPROOF_NATS_PASSWORD_FILE`; look at the `users` of its configuration"
        }
    };
    format!("the NATS server at `{address}` {what}")
}
