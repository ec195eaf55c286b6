//! Envelopes as callers write them, by other hands than the program's.

#![allow(clippy::unwrap_used, reason = "tests; outside of test functions the linter does not know it")]

use testkit::program::Process;

pub(crate) const HEADERS: [(&str, &str); 2] = [("content-type", "text/xml; charset=utf-8"), ("soapaction", "\"\"")];

const SOAP: &str = "http://schemas.xmlsoap.org/soap/envelope/";
const WSSE: &str = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd";
const WSU: &str = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd";
const MEDCOM: &str = "http://www.medcom.dk/dgws/2006/04/dgws-1.0.xsd";
const MINLOG: &str = "http://nsi.dk/minlog/2012/05/24/";
const REGISTRATION: &str = "urn:loadproof:auditlog:registration:1";
const WST: &str = "http://docs.oasis-open.org/ws-sx/ws-trust/200512";

/// A lookup with all its headers; a test changes what it is about.
#[derive(Clone)]
pub(crate) struct Ask {
    pub(crate) assertion: String,
    pub(crate) timestamp: String,
    pub(crate) linking: String,
    pub(crate) body: String,
}

impl Ask {
    /// About a citizen, with further elements in the question.
    pub(crate) fn citizen(assertion: &str, id: &str, more: &str) -> Self {
        Self::new(assertion, "ListLogStatementsRequest", &format!("<m:cprNR>{id}</m:cprNR>{more}"))
    }

    /// What a helper did.
    pub(crate) fn helper(assertion: &str, id: &str) -> Self {
        let body = format!("<m:medhjaelperID>{id}</m:medhjaelperID>");
        Self::new(assertion, "ListLogStatementsOnBehalfOfRequest", &body)
    }

    /// A registration of these ids, each about a citizen of its own.
    pub(crate) fn register(assertion: &str, ids: &[u32]) -> Self {
        let one = |id: &u32| {
            let citizen = registered_citizen(*id);
            format!(
                "<r:Registration id=\"{id}\"><r:regKode>Opslag</r:regKode><r:cprNrBorger>{citizen}</r:cprNrBorger>\
                 <r:bruger>0101500001</r:bruger><r:ansvarlig>00001</r:ansvarlig>\
                 <r:brugerOrganisation NameFormat=\"medcom:cvrnumber\">12345678</r:brugerOrganisation>\
                 <r:system>FMK</r:system><r:handling>registered {id}</r:handling><r:sessionsId>s{id}</r:sessionsId>\
                 <r:tidspunkt>2026-11-02T10:00:00Z</r:tidspunkt></r:Registration>"
            )
        };
        let all: String = ids.iter().map(one).collect();
        let body = format!("<r:RegisterRequest xmlns:r=\"{REGISTRATION}\">{all}</r:RegisterRequest>");
        Self { body, ..Self::new(assertion, "", "") }
    }

    fn new(assertion: &str, name: &str, inner: &str) -> Self {
        Self {
            assertion: assertion.to_owned(),
            timestamp: timestamp("2026-01-01T00:00:00Z", "2199-01-01T00:00:00Z"),
            linking: "<d:FlowID>flow-1</d:FlowID><d:MessageID>ask-1</d:MessageID>".to_owned(),
            body: format!("<m:{name} xmlns:m=\"{MINLOG}\">{inner}</m:{name}>"),
        }
    }

    pub(crate) fn text(&self) -> String {
        let Self { assertion, timestamp, linking, body } = self;
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<s:Envelope xmlns:s=\"{SOAP}\"><s:Header><w:Security \
             xmlns:w=\"{WSSE}\" s:mustUnderstand=\"1\">{timestamp}{assertion}</w:Security><d:Header \
             xmlns:d=\"{MEDCOM}\"><d:SecurityLevel>3</d:SecurityLevel><d:Linking>{linking}</d:Linking></d:Header>\
             </s:Header><s:Body>{body}</s:Body></s:Envelope>"
        )
    }
}

/// Whom a registration is about: nobody of the store that tests fill.
pub(crate) fn registered_citizen(id: u32) -> String {
    format!("{:02}{:02}9{:05}", id % 28 + 1, id % 12 + 1, id)
}

pub(crate) fn timestamp(created: &str, expires: &str) -> String {
    format!(
        "<u:Timestamp xmlns:u=\"{WSU}\"><u:Created>{created}</u:Created><u:Expires>{expires}</u:Expires></u:Timestamp>"
    )
}

/// A request for an assertion.
pub(crate) fn sign_in_text(user: &str, password: &str) -> String {
    format!(
        "<s:Envelope xmlns:s=\"{SOAP}\"><s:Header><w:Security xmlns:w=\"{WSSE}\"><w:UsernameToken><w:Username>{user}\
         </w:Username><w:Password>{password}</w:Password></w:UsernameToken></w:Security></s:Header><s:Body>\
         <t:RequestSecurityToken xmlns:t=\"{WST}\"><t:RequestType>{WST}/Issue</t:RequestType>\
         </t:RequestSecurityToken></s:Body></s:Envelope>"
    )
}

/// An assertion, cut out of the answer as it stands there.
pub(crate) fn sign_in(token: &Process) -> String {
    let answer = super::post(token, "/sts", sign_in_text("lab", "secret"));
    assert_eq!(answer.status, 200, "{answer:?}");
    let start = answer.body.find("<saml:Assertion").unwrap();
    let end = answer.body.find("</saml:Assertion>").unwrap() + "</saml:Assertion>".len();
    answer.body[start..end].to_owned()
}
