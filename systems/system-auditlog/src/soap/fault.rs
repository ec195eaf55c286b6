//! SOAP faults: what is told to whoever sent something that is not answered.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use serde_json::Value;
use system_common::xml::escape;

use super::{MEDCOM, SOAP, WSSE, WSU};

/// Why a call is not answered. It goes out with status 500, as SOAP 1.1 has it (section 6.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// `faultcode`, with the prefix `soap`, `wsse` or `wsu`.
    pub(crate) code: &'static str,
    /// The fault code of Den Gode Webservice, in the detail.
    pub(crate) medcom: &'static str,
    /// `faultstring`, for people.
    pub(crate) text: String,
}

impl Fault {
    fn new(code: &'static str, medcom: &'static str, text: impl Into<String>) -> Self {
        Self { code, medcom, text: text.into() }
    }

    /// What was sent cannot be read.
    pub(crate) fn syntax(text: impl Into<String>) -> Self {
        Self::new("soap:Client", "syntax_error", text)
    }

    /// An envelope of another version of SOAP.
    pub(crate) fn version() -> Self {
        Self::new("soap:VersionMismatch", "syntax_error", "the envelope is not one of SOAP 1.1")
    }

    /// A header that must be understood and is not.
    pub(crate) fn not_understood(name: &str) -> Self {
        Self::new("soap:MustUnderstand", "syntax_error", format!("the header `{name}` is not understood here"))
    }

    /// A header that must be there is not, or a part of it.
    pub(crate) fn missing(text: impl Into<String>) -> Self {
        Self::new("wsse:InvalidSecurity", "missing_required_header", text)
    }

    /// The assertion cannot be read, or is not one that is taken here.
    pub(crate) fn token(text: impl Into<String>) -> Self {
        Self::new("wsse:InvalidSecurityToken", "invalid_idcard", text)
    }

    /// The assertion is not the issuer's, or was changed.
    pub(crate) fn signature(text: impl Into<String>) -> Self {
        Self::new("wsse:FailedCheck", "invalid_signature", text)
    }

    /// The assertion is not valid at this moment.
    pub(crate) fn expired(text: impl Into<String>) -> Self {
        Self::new("wsse:FailedAuthentication", "expired_idcard", text)
    }

    /// Name and password are not right.
    pub(crate) fn password() -> Self {
        let text = "the name or the password is wrong";
        Self::new("wsse:FailedAuthentication", "invalid_username_password", text)
    }

    /// The message itself is too old.
    pub(crate) fn message_expired(text: impl Into<String>) -> Self {
        Self::new("wsu:MessageExpired", "syntax_error", text)
    }

    /// It is not the sender's fault.
    pub(crate) fn server(text: impl Into<String>) -> Self {
        Self::new("soap:Server", "processing_problem", text)
    }

    /// The whole envelope.
    pub(crate) fn envelope(&self) -> String {
        let mut out = String::with_capacity(900);
        out.push_str("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<soap:Envelope xmlns:soap=\"");
        for piece in [
            SOAP,
            "\" xmlns:wsse=\"",
            WSSE,
            "\" xmlns:wsu=\"",
            WSU,
            "\"><soap:Body><soap:Fault><faultcode>",
            self.code,
            "</faultcode><faultstring>",
        ] {
            out.push_str(piece);
        }
        escape(&self.text, &mut out);
        for piece in [
            "</faultstring><detail><medcom:FaultCode xmlns:medcom=\"",
            MEDCOM,
            "\">",
            self.medcom,
            "</medcom:FaultCode></detail></soap:Fault></soap:Body></soap:Envelope>\n",
        ] {
            out.push_str(piece);
        }
        out
    }
}

/// Faults that were answered with, by their code of Den Gode Webservice.
pub(crate) struct FaultCounts([(&'static str, AtomicU64); 6]);

impl FaultCounts {
    pub(crate) fn new() -> Self {
        let codes = [
            "syntax_error",
            "missing_required_header",
            "invalid_idcard",
            "invalid_signature",
            "expired_idcard",
            "processing_problem",
        ];
        Self(codes.map(|code| (code, AtomicU64::new(0))))
    }

    pub(crate) fn count(&self, fault: &Fault) {
        if let Some((_, count)) = self.0.iter().find(|(code, _)| *code == fault.medcom) {
            count.fetch_add(1, Relaxed);
        }
    }

    pub(crate) fn to_json(&self) -> Value {
        let counts = self.0.iter().map(|(code, count)| ((*code).to_owned(), count.load(Relaxed).into()));
        Value::Object(counts.collect())
    }
}
