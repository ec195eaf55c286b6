//! Functions in `$(…)`: encodings, digests, signatures, random values, times.

mod html;
mod rsa;

use crate::names::Resolver;
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use contract::{
    Call, Function, Given, Mistake, Name, Names, Piece, Place, ScriptCall, Template, compile_template, split_arguments,
    suggestion,
};
use hmac::{Hmac, Mac};
use jiff::fmt::StdFmtWrite;
use jiff::fmt::strtime::BrokenDownTime;
use sha2::{Digest, Sha256, Sha384, Sha512};
use std::sync::{Arc, LazyLock};
use terms::{Nanos, Quantity, Unit, seed};

/// Calls within each other.
const DEPTH_MAX: usize = 8;
/// Characters of a random text.
const RANDOM_TEXT_MAX: u64 = 64 * 1024;
const LETTERS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// A function of the language.
struct Spec {
    name: &'static str,
    /// How it is written.
    form: &'static str,
    arguments: std::ops::RangeInclusive<usize>,
    /// Whether its value follows from its arguments alone.
    is_pure: bool,
    /// Whether its value is bytes, which are written as hexadecimal digits unless another function takes them.
    is_bytes: bool,
    function: Function,
}

const fn pure(name: &'static str, form: &'static str, count: usize, function: Function) -> Spec {
    Spec { name, form, arguments: count..=count, is_pure: true, is_bytes: false, function }
}

const fn digest(name: &'static str, form: &'static str, count: usize, function: Function) -> Spec {
    Spec { is_bytes: true, ..pure(name, form, count, function) }
}

static FUNCTIONS: [Spec; 23] = [
    pure("base64", "base64(x)", 1, |arguments, _, into| encoded(&STANDARD, &arguments[0], into)),
    pure("base64url", "base64url(x)", 1, |arguments, _, into| encoded(&URL_SAFE_NO_PAD, &arguments[0], into)),
    Spec {
        arguments: 0..=1,
        ..changing("epoch", "epoch(+1h)", |arguments, given, into| {
            moment(arguments.first(), given).is_some_and(|at| text(at.0.div_euclid(1_000_000_000), into))
        })
    },
    Spec {
        arguments: 0..=1,
        ..changing("epoch_ms", "epoch_ms(+1h)", |arguments, given, into| {
            moment(arguments.first(), given).is_some_and(|at| text(at.0.div_euclid(1_000_000), into))
        })
    },
    pure("hex", "hex(x)", 1, |arguments, _, into| hex(&arguments[0], into)),
    digest("hmac_sha256", "hmac_sha256(key, x)", 2, |arguments, _, into| {
        keyed(256, &arguments[0], &arguments[1], into)
    }),
    digest("hmac_sha384", "hmac_sha384(key, x)", 2, |arguments, _, into| {
        keyed(384, &arguments[0], &arguments[1], into)
    }),
    digest("hmac_sha512", "hmac_sha512(key, x)", 2, |arguments, _, into| {
        keyed(512, &arguments[0], &arguments[1], into)
    }),
    pure("html_decode", "html_decode(x)", 1, |arguments, _, into| html::decode(&arguments[0], into)),
    pure("join", "join(list, ', ')", 2, join),
    Spec { arguments: 2..=3, ..pure("jwt", "jwt(key, '{…}')", 2, jwt) },
    pure("length", "length(list)", 1, length),
    pure("lower", "lower(x)", 1, |arguments, _, into| cased(&arguments[0], str::to_lowercase, into)),
    changing("random", "random(1, 6)", random),
    Spec { arguments: 1..=1, ..changing("random_text", "random_text(12)", random_text) },
    digest("sha256", "sha256(x)", 1, |arguments, _, into| bytes(&Sha256::digest(&arguments[0]), into)),
    digest("sha384", "sha384(x)", 1, |arguments, _, into| bytes(&Sha384::digest(&arguments[0]), into)),
    digest("sha512", "sha512(x)", 1, |arguments, _, into| bytes(&Sha512::digest(&arguments[0]), into)),
    Spec { arguments: 1..=2, ..changing("time", "time('%Y-%m-%d', +1d)", time) },
    pure("upper", "upper(x)", 1, |arguments, _, into| cased(&arguments[0], str::to_uppercase, into)),
    pure("url", "url(x)", 1, |arguments, _, into| url(&arguments[0], into)),
    pure("url_decode", "url_decode(x)", 1, |arguments, _, into| url_decode(&arguments[0], into)),
    pure("xml", "xml(x)", 1, |arguments, _, into| xml(&arguments[0], into)),
];

const fn changing(name: &'static str, form: &'static str, function: Function) -> Spec {
    Spec { is_pure: false, ..pure(name, form, 2, function) }
}

fn find(name: &str) -> Option<&'static Spec> {
    FUNCTIONS.iter().find(|spec| spec.name == name)
}

/// How each function is written.
pub(crate) fn forms() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.iter().map(|spec| spec.form)
}

/// Reads a call; none where the expression is none.
///
/// # Errors
/// A function that is not known, wrong arguments, and what they name.
pub(super) fn call(resolver: &Resolver<'_>, expression: &str, place: Place) -> Result<Option<Name>, Mistake> {
    let Some((name, inner)) = parts(expression) else { return Ok(None) };
    if is_of_script(name) {
        return scripted(resolver, name, inner, place, 0).map(named).map(Some);
    }
    let Some(spec) = find(name) else {
        // `(a + b) * 2` is arithmetic.
        if name.is_empty() {
            return Ok(None);
        }
        return Err(unknown(name, place));
    };
    made(resolver, spec, inner, place, 0, false).map(named).map(Some)
}

fn named(piece: Piece) -> Name {
    match piece {
        Piece::Fixed(fixed) => match String::from_utf8(fixed.into_vec()) {
            Ok(text) => Name::Text(text),
            Err(bytes) => Name::Slot(Piece::Fixed(bytes.into_bytes().into())),
        },
        slot => Name::Slot(slot),
    }
}

/// `sign.make`: a function of a script.
fn is_of_script(name: &str) -> bool {
    name.contains('.') && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

/// The value of a script where it is known by now, else the call that makes it.
fn scripted(resolver: &Resolver<'_>, name: &str, inner: &str, place: Place, depth: usize) -> Result<Piece, Mistake> {
    let wrong = |why: String| Mistake::at(place, "study::bad-call", format!("`{name}({inner})` {why}"));
    if depth == DEPTH_MAX {
        return Err(wrong(format!("is inside more than {DEPTH_MAX} functions")));
    }
    let written = split_arguments(inner);
    let script = resolver.script(name, written.len(), place)?;
    let mut arguments = Vec::new();
    for text in written {
        arguments.push(argument(resolver, text, place, depth)?);
    }
    let fixed: Option<Vec<Vec<u8>>> = arguments.iter().map(|it| it.as_fixed().map(<[u8]>::to_vec)).collect();
    // Of an archived study no script is called.
    if let Some(fixed) = fixed.filter(|_| !resolver.secrets.is_ignored()) {
        let mut value = Vec::new();
        script.call(&fixed, &mut value).map_err(|trouble| wrong(format!("has no value: {}", trouble.text)))?;
        return Ok(Piece::Fixed(value.into()));
    }
    Ok(Piece::Script(Arc::new(ScriptCall { script, arguments })))
}

/// What scripts can call of these: all whose value follows from their arguments, and that Rhai does not have itself.
pub(crate) fn for_scripts() -> &'static [script::Native] {
    static ALL: LazyLock<Vec<script::Native>> = LazyLock::new(|| {
        let own = |spec: &&Spec| spec.is_pure && !["join", "length", "upper", "lower"].contains(&spec.name);
        let native = |spec: &Spec| script::Native {
            name: spec.name,
            arguments: spec.arguments.clone(),
            is_bytes: spec.is_bytes,
            function: spec.function,
        };
        FUNCTIONS.iter().filter(own).map(native).collect()
    });
    &ALL
}

/// `name(arguments)`, the whole of the expression.
fn parts(expression: &str) -> Option<(&str, &str)> {
    let at = expression.find('(')?;
    let name = expression[..at].trim_end();
    let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.".contains(&byte));
    let inner = expression[at + 1..].strip_suffix(')')?;
    // `(a) + (b)` begins with a bracket that closes before the end.
    let is_whole = contract::closing_bracket(&expression[at + 1..]).is_some_and(|end| end == inner.len());
    (is_name && is_whole).then_some((name, inner))
}

fn unknown(name: &str, place: Place) -> Mistake {
    let known: Vec<&str> = FUNCTIONS.iter().map(|spec| spec.name).chain(["text", "bytes"]).collect();
    let mistake = Mistake::at(place, "study::unknown-function", format!("`$(…)` has no function `{name}`"));
    let mistake = match suggestion(name, known) {
        Some(near) => mistake.label(format!("did you mean `{near}`?")),
        None => mistake,
    };
    mistake.hint(format!("possible are {}, text(500B), bytes(8kB)", forms().collect::<Vec<_>>().join(", ")))
}

/// The value where it is known by now, else the call that makes it.
fn made(
    resolver: &Resolver<'_>,
    spec: &'static Spec,
    inner: &str,
    place: Place,
    depth: usize,
    takes_bytes: bool,
) -> Result<Piece, Mistake> {
    let wrong = |why: String| {
        Mistake::at(place, "study::bad-call", format!("`{}({inner})` {why}", spec.name))
            .label(format!("write `$({})`", spec.form))
    };
    if depth == DEPTH_MAX {
        return Err(wrong(format!("is inside more than {DEPTH_MAX} functions")));
    }
    let written = split_arguments(inner);
    if !spec.arguments.contains(&written.len()) {
        let (least, most) = (*spec.arguments.start(), *spec.arguments.end());
        let range = if least == most { least.to_string() } else { format!("{least} to {most}") };
        let given = match written.len() {
            0 => "no argument".to_owned(),
            1 => "one argument".to_owned(),
            count => format!("{count} arguments"),
        };
        return Err(wrong(format!("has {given}, and `{}` takes {range}", spec.name)));
    }
    let mut arguments = Vec::new();
    for text in written {
        arguments.push(argument(resolver, text, place, depth)?);
    }
    let fixed: Option<Vec<Vec<u8>>> = arguments.iter().map(|it| it.as_fixed().map(<[u8]>::to_vec)).collect();
    if let Some(fixed) = &fixed {
        // Tried once with what is known: a wrong format or bound is found before anything starts.
        let mut value = Vec::new();
        if !(spec.function)(fixed, Given { draw: 0, now: Nanos::ZERO }, &mut value) {
            return Err(wrong("has no value: an argument is not what it takes".to_owned()));
        }
        if spec.is_pure {
            let mut text = Vec::new();
            if spec.is_bytes && !takes_bytes {
                hex(&value, &mut text);
                value = text;
            }
            return Ok(Piece::Fixed(value.into()));
        }
    }
    let piece = Piece::Call(Arc::new(Call { name: spec.name, function: spec.function, arguments }));
    if !spec.is_bytes || takes_bytes {
        return Ok(piece);
    }
    let arguments = vec![Template { pieces: vec![piece] }];
    Ok(Piece::Call(Arc::new(Call { name: "hex", function: |arguments, _, into| hex(&arguments[0], into), arguments })))
}

/// A text in quotes with names in it, a number, a time such as `+1h`, another call, or a name.
fn argument(resolver: &Resolver<'_>, text: &str, place: Place, depth: usize) -> Result<Template, Mistake> {
    let unquoted = contract::unquoted(text);
    if unquoted.len() < text.len() {
        return compile_template(unquoted, place, resolver);
    }
    let is_number = text.trim_start_matches(['+', '-']).starts_with(|c: char| c.is_ascii_digit());
    if is_number && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte)) {
        return Ok(Template::fixed(text.as_bytes()));
    }
    if let Some((name, inner)) = parts(text).filter(|(name, _)| is_of_script(name)) {
        return Ok(Template { pieces: vec![scripted(resolver, name, inner, place, depth + 1)?] });
    }
    if let Some((name, inner)) = parts(text)
        && let Some(spec) = find(name)
    {
        return Ok(Template { pieces: vec![made(resolver, spec, inner, place, depth + 1, true)?] });
    }
    Ok(match resolver.resolve(text, place)? {
        Name::Text(text) => Template::fixed(text.into_bytes()),
        Name::Slot(piece) => Template { pieces: vec![piece] },
    })
}

fn bytes(value: &[u8], into: &mut Vec<u8>) -> bool {
    into.extend_from_slice(value);
    true
}

fn text(value: impl std::fmt::Display, into: &mut Vec<u8>) -> bool {
    bytes(value.to_string().as_bytes(), into)
}

fn hex(value: &[u8], into: &mut Vec<u8>) -> bool {
    let digit = |nibble: u8| b"0123456789abcdef"[usize::from(nibble)];
    into.extend(value.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]));
    true
}

fn encoded(engine: &impl Engine, value: &[u8], into: &mut Vec<u8>) -> bool {
    bytes(engine.encode(value).as_bytes(), into)
}

/// RFC 3986: everything but unreserved characters is percent-encoded, as for one part of a path or a value of a query.
fn url(value: &[u8], into: &mut Vec<u8>) -> bool {
    for &byte in value {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            into.push(byte);
        } else {
            let digit = |nibble: u8| b"0123456789ABCDEF"[usize::from(nibble)];
            into.extend([b'%', digit(byte >> 4), digit(byte & 15)]);
        }
    }
    true
}

/// The reverse. A `%` without two digits behind it stays, as in what servers send; so does `+`, which only forms mean as a
/// blank.
fn url_decode(value: &[u8], into: &mut Vec<u8>) -> bool {
    let digit = |byte: Option<&u8>| (*byte? as char).to_digit(16).map(|digit| digit as u8);
    let mut at = 0;
    while let Some(&byte) = value.get(at) {
        match (byte, digit(value.get(at + 1)), digit(value.get(at + 2))) {
            (b'%', Some(high), Some(low)) => {
                into.push(high << 4 | low);
                at += 3;
            }
            _ => {
                into.push(byte);
                at += 1;
            }
        }
    }
    true
}

/// A text as XML writes it, between tags and between quotation marks. What may not stand in XML at all (section 2.2) is
/// replaced as what is not UTF-8 is.
fn xml(value: &[u8], into: &mut Vec<u8>) -> bool {
    for c in String::from_utf8_lossy(value).chars() {
        match c {
            '&' => into.extend_from_slice(b"&amp;"),
            '<' => into.extend_from_slice(b"&lt;"),
            '>' => into.extend_from_slice(b"&gt;"),
            '"' => into.extend_from_slice(b"&quot;"),
            '\'' => into.extend_from_slice(b"&apos;"),
            // As they stand a reader would make other white space of them.
            '\t' | '\n' | '\r' => into.extend_from_slice(format!("&#{};", u32::from(c)).as_bytes()),
            '\0'..'\u{20}' | '\u{fffe}' | '\u{ffff}' => into.extend_from_slice("\u{fffd}".as_bytes()),
            _ => into.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    true
}

fn cased(value: &[u8], of: fn(&str) -> String, into: &mut Vec<u8>) -> bool {
    bytes(of(&String::from_utf8_lossy(value)).as_bytes(), into)
}

fn keyed(size: u16, key: &[u8], value: &[u8], into: &mut Vec<u8>) -> bool {
    fn mac<M: Mac + hmac::digest::KeyInit>(key: &[u8], value: &[u8], into: &mut Vec<u8>) -> bool {
        let Ok(mut mac) = <M as Mac>::new_from_slice(key) else { return false };
        mac.update(value);
        bytes(&mac.finalize().into_bytes(), into)
    }
    match size {
        256 => mac::<Hmac<Sha256>>(key, value, into),
        384 => mac::<Hmac<Sha384>>(key, value, into),
        _ => mac::<Hmac<Sha512>>(key, value, into),
    }
}

/// RFC 7515, compact form, signed with a shared key, or with RSA by a private key.
fn jwt(arguments: &[Vec<u8>], _: Given, into: &mut Vec<u8>) -> bool {
    let name = arguments.get(2).map_or(&b"HS256"[..], Vec::as_slice);
    let size = match name {
        b"HS256" => Some(256),
        b"HS384" => Some(384),
        b"HS512" => Some(512),
        b"RS256" => None,
        _ => return false,
    };
    let claims = &arguments[1];
    if serde_json::from_slice::<serde_json::Map<String, serde_json::Value>>(claims).is_err() {
        return false;
    }
    let head = format!("{{\"alg\":\"{}\",\"typ\":\"JWT\"}}", String::from_utf8_lossy(name));
    let signed = format!("{}.{}", URL_SAFE_NO_PAD.encode(head), URL_SAFE_NO_PAD.encode(claims));
    let mut signature = Vec::new();
    let is_signed = match size {
        Some(size) => keyed(size, &arguments[0], signed.as_bytes(), &mut signature),
        None => rsa::sign(&arguments[0], signed.as_bytes(), &mut signature),
    };
    is_signed && bytes(signed.as_bytes(), into) && bytes(b".", into) && encoded(&URL_SAFE_NO_PAD, &signature, into)
}

fn whole(text: &[u8]) -> Option<i64> {
    std::str::from_utf8(text).ok()?.trim().parse().ok()
}

/// A whole number, both ends included.
fn random(arguments: &[Vec<u8>], given: Given, into: &mut Vec<u8>) -> bool {
    let (Some(least), Some(most)) = (whole(&arguments[0]), whole(&arguments[1])) else { return false };
    if least > most {
        return false;
    }
    let span = (i128::from(most) - i128::from(least) + 1) as u128;
    // Of 2^64 draws the last few would favour the small numbers: by less than one in 2^32 for spans up to 2^32.
    let offset = (u128::from(given.draw) * span) >> 64;
    text(i128::from(least) + offset as i128, into)
}

fn random_text(arguments: &[Vec<u8>], given: Given, into: &mut Vec<u8>) -> bool {
    let Some(length) = whole(&arguments[0]).and_then(|length| u64::try_from(length).ok()) else { return false };
    if length > RANDOM_TEXT_MAX {
        return false;
    }
    let letter = |index| LETTERS[((u128::from(seed::hash(given.draw, index)) * LETTERS.len() as u128) >> 64) as usize];
    into.extend((0..length).map(letter));
    true
}

/// Now, or so much later or earlier.
fn moment(offset: Option<&Vec<u8>>, given: Given) -> Option<Nanos> {
    let Some(offset) = offset else { return Some(given.now) };
    let text = std::str::from_utf8(offset).ok()?.trim();
    let (sign, length) = match text.strip_prefix('-') {
        Some(length) => (-1, length),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    match Quantity::parse(length).ok()? {
        Quantity { value, unit: Unit::Time } if value.abs() < 1e10 => {
            Some(given.now + Nanos::from_secs_f64(value) * sign)
        }
        _ => None,
    }
}

/// Coordinated universal time by a format of `strftime`.
fn time(arguments: &[Vec<u8>], given: Given, into: &mut Vec<u8>) -> bool {
    let Some(at) = moment(arguments.get(1), given) else { return false };
    let Ok(at) = jiff::Timestamp::from_nanosecond(i128::from(at.0)) else { return false };
    let Ok(format) = std::str::from_utf8(&arguments[0]) else { return false };
    let mut text = String::new();
    let written = BrokenDownTime::from(at).format(format, &mut StdFmtWrite(&mut text));
    written.is_ok() && bytes(text.as_bytes(), into)
}

fn members(list: &[u8]) -> Option<Vec<String>> {
    serde_json::from_slice(list).ok()
}

/// The members of a list that was captured with `all`.
fn join(arguments: &[Vec<u8>], _: Given, into: &mut Vec<u8>) -> bool {
    let separator = String::from_utf8_lossy(&arguments[1]);
    members(&arguments[0]).is_some_and(|members| text(members.join(&separator), into))
}

fn length(arguments: &[Vec<u8>], _: Given, into: &mut Vec<u8>) -> bool {
    members(&arguments[0]).is_some_and(|members| text(members.len(), into))
}

#[cfg(test)]
mod tests;
