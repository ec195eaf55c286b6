//! What is stated where a prefix is not declared, or an element is there in another namespace than the one asked for.

use crate::probe::shown;
use crate::xpath::Namesake;
use contract::{Mistake, Place, suggestion};

/// Prefixes as documents and their authors usually write them, so that the line to type can be shown whole.
const USUAL: [(&str, &str); 18] = [
    ("ds", "http://www.w3.org/2000/09/xmldsig#"),
    ("eb", "http://www.oasis-open.org/committees/ebxml-msg/schema/msg-header-2_0.xsd"),
    ("env", "http://www.w3.org/2003/05/soap-envelope"),
    ("s", "http://schemas.xmlsoap.org/soap/envelope/"),
    ("saml", "urn:oasis:names:tc:SAML:2.0:assertion"),
    ("saml2", "urn:oasis:names:tc:SAML:2.0:assertion"),
    ("samlp", "urn:oasis:names:tc:SAML:2.0:protocol"),
    ("soap", "http://schemas.xmlsoap.org/soap/envelope/"),
    ("soap12", "http://www.w3.org/2003/05/soap-envelope"),
    ("soapenv", "http://schemas.xmlsoap.org/soap/envelope/"),
    ("wsa", "http://www.w3.org/2005/08/addressing"),
    ("wsse", "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd"),
    ("wst", "http://docs.oasis-open.org/ws-sx/ws-trust/200512"),
    ("wsu", "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd"),
    ("xenc", "http://www.w3.org/2001/04/xmlenc#"),
    ("xlink", "http://www.w3.org/1999/xlink"),
    ("xs", "http://www.w3.org/2001/XMLSchema"),
    ("xsi", "http://www.w3.org/2001/XMLSchema-instance"),
];

/// A prefix of an expression that the study does not declare.
pub(crate) fn undeclared(path: &str, at: usize, prefix: &str, place: Place, declared: &[(String, String)]) -> Mistake {
    let what = format!("`{}` uses the prefix `{prefix}` at character {}, which is not declared", shown(path), at + 1);
    let uri = USUAL.iter().find(|(known, _)| *known == prefix).map_or("urn:…", |(_, uri)| uri);
    let line = format!("`namespaces: {{ {prefix}: \"{uri}\" }}`");
    let mistake = Mistake::at(place, "study::unknown-prefix", what);
    if declared.is_empty() {
        return mistake.label(format!("declare it at the top of the study: {line}"));
    }
    let known: Vec<&str> = declared.iter().map(|(known, _)| known.as_str()).collect();
    let mistake = match suggestion(prefix, known.iter().copied()) {
        Some(near) => mistake.label(format!("did you mean `{near}`? Else declare it: {line}")),
        None => mistake.label(format!("declare it: {line}")),
    };
    mistake.hint(format!("declared are: {}", known.join(", ")))
}

/// What is stated where nothing was found, and a name that is asked for is there in another namespace.
pub(crate) fn other(namesake: &Namesake) -> String {
    let Namesake { name, asked, found } = namesake;
    let name = shown(name);
    let asked = match asked.as_str() {
        "" => "no namespace".to_owned(),
        uri => format!("the namespace `{}`", shown(uri)),
    };
    let found = match found.as_str() {
        "" => "none".to_owned(),
        uri => {
            let uri: String = uri.chars().take(200).flat_map(char::escape_debug).collect();
            return format!(
                "nothing there: `{name}` is asked for in {asked}, and is there in `{uri}`; declare that in `namespaces` \
                 and write its prefix before the name"
            );
        }
    };
    format!("nothing there: `{name}` is asked for in {asked}, and is there in {found}; write it without a prefix")
}
