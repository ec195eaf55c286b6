//! Checks and captures as the study writes them: `json($.total) >= 1`, `body contains welcome`, `header(x-token)`.

use crate::{
    Check, Compare, Mistake, Names, Place, Probe, ScriptArgument, ScriptProbe, Template, Which, compile_template,
};
use terms::{Quantity, Unit};

const FORMS: &str = "`status = 200`, `json($.a) > 0`, `xpath(//a) = b`, `header(x) = y`, `header(x, 'pattern') = y`, `regex(…) = t`, \
                     `body contains t`, `size < 10kB`, `script(NAME.FUNCTION, body)`";

/// Words that a check or a capture may begin with; `script` only a check.
pub const PROBES: [&str; 8] = ["status", "body", "size", "json", "header", "regex", "xpath", "script"];

/// Longer symbols first, so that `<=` is not read as `<`.
const COMPARISONS: [(&str, Compare); 6] = [
    ("<=", Compare::AtMost),
    (">=", Compare::AtLeast),
    ("!=", Compare::NotEqual),
    ("=", Compare::Equal),
    ("<", Compare::Less),
    (">", Compare::Greater),
];

/// Reads one check. A probe without comparison asks only that something is found.
///
/// # Errors
/// What is not understood of it, with the forms that are possible; what `names` says of an unknown name.
pub fn read_check(text: &str, place: Place, names: &dyn Names) -> Result<Check, Mistake> {
    let (probe, rest) = probe(text, place, Some(names))?;
    let rest = rest.trim();
    let made = |compare, expected| Ok(Check { probe: probe.clone(), compare, expected, text: text.to_owned(), place });
    if rest.is_empty() {
        if matches!(probe, Probe::Status | Probe::Body | Probe::Size) {
            return Err(wrong(text, place, "it compares with nothing"));
        }
        // A script answers the question itself.
        if matches!(probe, Probe::Script(_)) {
            return made(Compare::Equal, Template::fixed(b"true".as_slice()));
        }
        return made(Compare::Contains, Template::default());
    }
    let (compare, expected) = comparison(rest).ok_or_else(|| {
        wrong(text, place, &format!("`{rest}` does not begin with a comparison: = != < <= > >= contains"))
    })?;
    if expected.is_empty() {
        return Err(wrong(text, place, "nothing follows the comparison; write \"\" for an empty text"));
    }
    let template = compile_template(unquoted(expected), place, names)?;
    let template = match (&probe, template.as_fixed()) {
        (Probe::Status, Some(fixed)) => status(fixed, text, place)?,
        (Probe::Size, Some(fixed)) => size(fixed, text, place)?,
        _ => template,
    };
    made(compare, template)
}

/// Reads where a capture looks.
///
/// # Errors
/// What is not understood of it, or that it compares with something.
pub fn read_probe(text: &str, place: Place) -> Result<Probe, Mistake> {
    let (probe, rest) = probe(text, place, None)?;
    if rest.trim().is_empty() {
        return Ok(probe);
    }
    Err(Mistake::at(place, "study::bad-capture", format!("the capture `{text}` has a comparison, `{}`", rest.trim()))
        .label("remove the comparison")
        .hint("write `name: json($.id)`, `xpath(//id)`, `header(x)`, `header(x, 'pattern')` or `regex(…)`"))
}

/// Reads where a capture looks, and which of the values there it takes: `json($.items[*].id, any)`.
///
/// # Errors
/// As [`read_probe`].
pub fn read_capture(text: &str, place: Place) -> Result<(Probe, Which), Mistake> {
    let probe = read_probe(text, place)?;
    let (Probe::Json(path) | Probe::Xpath { path, .. }) = &probe else { return Ok((probe, Which::First)) };
    for (word, pick) in [("any", Which::Any), ("all", Which::All)] {
        let (path, is_it) = without_word(path, word);
        if is_it {
            let probe = match &probe {
                Probe::Xpath { is_xml, .. } => {
                    let (path, is_said) = without_word(path, "xml");
                    Probe::Xpath { path: path.to_owned(), is_xml: *is_xml || is_said }
                }
                _ => Probe::Json(path.to_owned()),
            };
            return Ok((probe, pick));
        }
    }
    Ok((probe, Which::First))
}

/// A path without the word behind its last comma, if it is that one. No path ends in a word behind a comma.
fn without_word<'a>(path: &'a str, word: &str) -> (&'a str, bool) {
    match path.rsplit_once(',') {
        Some((path, last)) if last.trim() == word => (path.trim_end(), true),
        _ => (path, false),
    }
}

fn wrong(text: &str, place: Place, why: &str) -> Mistake {
    Mistake::at(place, "study::bad-check", format!("`{text}` is not understood: {why}"))
        .hint(format!("possible are {FORMS}"))
}

/// Reads `= 3` or `contains text`; what follows the comparison as written.
pub fn comparison(rest: &str) -> Option<(Compare, &str)> {
    if let Some(expected) = rest.strip_prefix("contains ") {
        return Some((Compare::Contains, expected.trim()));
    }
    // Whoever knows another language writes two.
    if rest.starts_with("==") {
        return None;
    }
    let (symbol, compare) = COMPARISONS.iter().find(|(symbol, _)| rest.starts_with(symbol))?;
    Some((*compare, rest[symbol.len()..].trim()))
}

/// A text in single or double quotes stands for what is between them.
pub fn unquoted(text: &str) -> &str {
    for quote in ['"', '\''] {
        if let Some(inner) = text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)) {
            return inner;
        }
    }
    text
}

/// The quotation mark in which a pattern can stand: one that it does not hold, or only behind a backslash.
pub fn quote_of(pattern: &str) -> char {
    let mut is_escaped = false;
    for c in pattern.chars() {
        if c == '\'' && !is_escaped {
            return '"';
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    '\''
}

fn status(fixed: &[u8], text: &str, place: Place) -> Result<Template, Mistake> {
    let number = std::str::from_utf8(fixed).ok().and_then(|number| number.parse::<u16>().ok());
    match number.filter(|number| (100..=999).contains(number)) {
        Some(number) => Ok(Template::fixed(number.to_string().into_bytes())),
        None => Err(wrong(text, place, "a status is a number from 100 to 999")),
    }
}

/// Sizes are compared as numbers of bytes.
fn size(fixed: &[u8], text: &str, place: Place) -> Result<Template, Mistake> {
    match std::str::from_utf8(fixed).ok().and_then(|size| Quantity::parse(size).ok()) {
        Some(Quantity { value, unit: Unit::Bytes }) if value >= 0.0 => {
            Ok(Template::fixed(format!("{}", value as u64).into_bytes()))
        }
        _ => Err(wrong(text, place, "a size has a unit: write `10kB` or `10000B`")),
    }
}

/// Reads where to look, and hands on what follows. Without `names` a script cannot be meant.
fn probe<'a>(text: &'a str, place: Place, names: Option<&dyn Names>) -> Result<(Probe, &'a str), Mistake> {
    let text = text.trim();
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    match word {
        "status" => return Ok((Probe::Status, rest)),
        "body" => return Ok((Probe::Body, rest)),
        "size" => return Ok((Probe::Size, rest)),
        _ if PROBES.contains(&word) => {}
        _ => return Err(wrong(text, place, &format!("`{word}` is not a part of an answer"))),
    }
    let Some((inner, rest)) = rest.trim_start().strip_prefix('(').and_then(|rest| argument(rest, word == "regex"))
    else {
        return Err(wrong(text, place, &format!("`{word}` needs an argument in brackets")));
    };
    let inner = inner.trim();
    if inner.is_empty() {
        return Err(wrong(text, place, &format!("`{word}()` says nothing")));
    }
    let probe = match word {
        "script" => match names {
            Some(names) => script(inner, text, place, names)?,
            None => {
                return Err(wrong(text, place, "a capture keeps what the answer has there")
                    .hint("capture that, and write `$(NAME.FUNCTION(capture))` where its value is used"));
            }
        },
        "json" if !inner.starts_with('$') => return Err(wrong(text, place, "a JSONPath begins with `$`")),
        "json" => Probe::Json(inner.to_owned()),
        "xpath" => {
            let (path, is_xml) = without_word(inner, "xml");
            if path.is_empty() {
                return Err(wrong(text, place, "`xpath()` says nothing"));
            }
            Probe::Xpath { path: path.to_owned(), is_xml }
        }
        "header" if inner.contains(',') => header_part(inner, text, place)?,
        "header" if !is_header_name(inner) => {
            let why =
                format!("`{inner}` cannot be the name of a header, which has letters, digits and `-`, and no spaces");
            return Err(wrong(text, place, &why));
        }
        "header" => Probe::Header(inner.to_ascii_lowercase()),
        _ => Probe::Regex(inner.to_owned()),
    };
    Ok((probe, rest))
}

/// `sign.is_valid, json($.items), $(secret.KEY)`: a function, and what it is given.
fn script(inner: &str, text: &str, place: Place, names: &dyn Names) -> Result<Probe, Mistake> {
    let mut members = split_arguments(inner).into_iter();
    let name = members.next().unwrap_or_default();
    let mut arguments = Vec::new();
    for member in members {
        arguments.push(script_argument(member, text, place, names)?);
    }
    let script = names.script(name, arguments.len(), place)?;
    Ok(Probe::Script(ScriptProbe { script, arguments }))
}

/// A part of the answer, or a text: in quotes, a number, or with names.
fn script_argument(member: &str, text: &str, place: Place, names: &dyn Names) -> Result<ScriptArgument, Mistake> {
    let unquoted = unquoted(member);
    let is_number = member.starts_with(|c: char| c.is_ascii_digit() || c == '-') && !member.contains(' ');
    if unquoted.len() < member.len() || member.starts_with("$(") || is_number {
        return compile_template(unquoted, place, names).map(ScriptArgument::Text);
    }
    match probe(member, place, None) {
        Ok((probe, rest)) if rest.trim().is_empty() => Ok(ScriptArgument::Of(probe)),
        _ => {
            let why = format!("`{member}` is neither a part of the answer nor a text in quotes");
            Err(wrong(text, place, &why).hint(
                "a script is given `status`, `header(x)`, `json($.a)`, `xpath(//a)`, `regex(…)`, `body`, `size`, 'texts', numbers and $(names)",
            ))
        }
    }
}

/// The members between commas that stand in no bracket and no quotes.
pub fn split_arguments(inner: &str) -> Vec<&str> {
    let (mut found, mut from, mut depth, mut quote) = (Vec::new(), 0, 0usize, None);
    for (index, c) in inner.char_indices() {
        match c {
            _ if quote == Some(c) => quote = None,
            _ if quote.is_some() => {}
            '"' | '\'' => quote = Some(c),
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                found.push(inner[from..index].trim());
                from = index + 1;
            }
            _ => {}
        }
    }
    let last = inner[from..].trim();
    if !(last.is_empty() && found.is_empty()) {
        found.push(last);
    }
    found
}

/// `location, 'code=([^&]+)'`: a header, and the pattern of the part that is meant.
fn header_part(inner: &str, text: &str, place: Place) -> Result<Probe, Mistake> {
    let (name, pattern) =
        inner.split_once(',').map(|(name, pattern)| (name.trim(), pattern.trim())).unwrap_or_default();
    if !is_header_name(name) || name.is_empty() {
        return Err(wrong(text, place, &format!("`{name}` cannot be the name of a header")));
    }
    match unquoted(pattern) {
        inner if inner.len() < pattern.len() && !inner.is_empty() => {
            Ok(Probe::HeaderPart { name: name.to_ascii_lowercase(), pattern: inner.to_owned() })
        }
        _ => {
            let why = "the pattern behind the header's name stands in quotes";
            Err(wrong(text, place, why).label("write `header(location, 'code=([^&]+)')`"))
        }
    }
}

/// A token (RFC 9110, section 5.6.2).
fn is_header_name(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// The argument up to its closing bracket, and what follows. Brackets in quotes do not count; in a regular expression
/// those behind a backslash or in a class do not.
fn argument(text: &str, is_regex: bool) -> Option<(&str, &str)> {
    let (mut depth, mut quote, mut in_class, mut skip) = (0usize, None, false, false);
    for (index, c) in text.char_indices() {
        if skip {
            skip = false;
            continue;
        }
        match c {
            '\\' => skip = true,
            _ if quote == Some(c) => quote = None,
            _ if quote.is_some() => {}
            ']' if is_regex => in_class = false,
            _ if in_class => {}
            '[' if is_regex => in_class = true,
            '"' | '\'' if !is_regex => quote = Some(c),
            '(' => depth += 1,
            ')' if depth == 0 => return Some((&text[..index], &text[index + 1..])),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Name;

    struct Nothing;

    impl Names for Nothing {
        fn resolve(&self, expression: &str, place: Place) -> Result<Name, Mistake> {
            match expression {
                "id" => Ok(Name::Text("7".into())),
                _ => Err(Mistake::at(place, "study::unknown-name", "unknown")),
            }
        }
    }

    fn read(text: &str) -> (Probe, Compare, String) {
        let check = read_check(text, Place::default(), &Nothing).unwrap();
        (check.probe, check.compare, String::from_utf8(check.expected.as_fixed().unwrap().to_vec()).unwrap())
    }

    fn xpath(path: &str, is_xml: bool) -> Probe {
        Probe::Xpath { path: path.into(), is_xml }
    }

    #[test]
    fn every_form_of_the_language_page_is_read() {
        for (text, probe, compare, expected) in [
            ("status = 200", Probe::Status, Compare::Equal, "200"),
            ("json($.a) > 0", Probe::Json("$.a".into()), Compare::Greater, "0"),
            ("json($[0].id) = $(id)", Probe::Json("$[0].id".into()), Compare::Equal, "7"),
            ("xpath(//a) = b", xpath("//a", false), Compare::Equal, "b"),
            ("xpath(//LogDataGroup)", xpath("//LogDataGroup", false), Compare::Contains, ""),
            ("xpath(//a[. = ')'], xml) contains x", xpath("//a[. = ')']", true), Compare::Contains, "x"),
            ("xpath(concat(//a, 'b, xml')) != ''", xpath("concat(//a, 'b, xml')", false), Compare::NotEqual, ""),
            ("header(X-Id) = y", Probe::Header("x-id".into()), Compare::Equal, "y"),
            (
                "header(Location, 'code=([^&)]+)') = y",
                Probe::HeaderPart { name: "location".into(), pattern: "code=([^&)]+)".into() },
                Compare::Equal,
                "y",
            ),
            ("body contains a = b", Probe::Body, Compare::Contains, "a = b"),
            ("body = \"\"", Probe::Body, Compare::Equal, ""),
            (r"regex(id=(\d+\)[)]?)) = 5", Probe::Regex(r"id=(\d+\)[)]?)".into()), Compare::Equal, "5"),
            ("size < 10kB", Probe::Size, Compare::Less, "10000"),
            (r#"json($[?@.a == ")"].b) != x"#, Probe::Json(r#"$[?@.a == ")"].b"#.into()), Compare::NotEqual, "x"),
        ] {
            assert_eq!(read(text), (probe, compare, expected.to_owned()), "{text}");
        }
    }

    #[test]
    fn the_pattern_of_a_header_reads_back_in_the_quotes_that_fit_it() {
        for pattern in ["code=([^&]+)", "it's", r#"a"b\'c"#, r"a\\", r#"say "x""#] {
            let quote = quote_of(pattern);
            let probe = Probe::HeaderPart { name: "location".into(), pattern: pattern.into() };
            let text = format!("header(location, {quote}{pattern}{quote})");
            assert_eq!(read_capture(&text, Place::default()), Ok((probe, Which::First)), "{text}");
        }
    }

    #[test]
    fn what_is_no_check_is_said() {
        for text in [
            "stauts = 200",
            "status",
            "status = ok",
            "json(a) = 1",
            "json($.a",
            "size < 10",
            "body ~ x",
            "json() = 1",
            "xpath() = 1",
            "xpath(, xml)",
            "status =",
            "header(bad name) = x",
            "header(x: y)",
            "header(location, code=(.+)) = x",
            "header(location, '') = x",
            "header(, 'a') = x",
            "header(a b, 'a') = x",
        ] {
            assert_eq!(read_check(text, Place::default(), &Nothing).unwrap_err().code, "study::bad-check", "{text}");
        }
        assert_eq!(read_probe("json($.a) = 3", Place::default()).unwrap_err().code, "study::bad-capture");
        assert_eq!(read_probe("json($.a)", Place::default()), Ok(Probe::Json("$.a".into())));
    }

    /// Knows one script, which takes two arguments.
    struct OneScript;

    struct Any;

    impl crate::Script for Any {
        fn name(&self) -> &str {
            "sign.is_valid"
        }

        fn call(&self, _: &[Vec<u8>], _: &mut Vec<u8>) -> Result<(), crate::Trouble> {
            Ok(())
        }
    }

    impl Names for OneScript {
        fn resolve(&self, expression: &str, place: Place) -> Result<Name, Mistake> {
            Nothing.resolve(expression, place)
        }

        fn script(&self, name: &str, count: usize, place: Place) -> Result<std::sync::Arc<dyn crate::Script>, Mistake> {
            match (name, count) {
                ("sign.is_valid", 2) => Ok(std::sync::Arc::new(Any)),
                _ => Err(Mistake::at(place, "study::unknown-function", "unknown")),
            }
        }
    }

    #[test]
    fn a_script_is_given_parts_of_the_answer_and_texts() {
        let of = |probe| ScriptArgument::Of(probe);
        let text = |text: &str| ScriptArgument::Text(Template::fixed(text.as_bytes()));
        for (written, arguments, compare, expected) in [
            (
                "script(sign.is_valid, json($['a,b'][0,1]), 'x, y')",
                [of(Probe::Json("$['a,b'][0,1]".into())), text("x, y")],
                Compare::Equal,
                "true",
            ),
            ("script( sign.is_valid , body, $(id) ) > 3", [of(Probe::Body), text("7")], Compare::Greater, "3"),
            (
                "script(sign.is_valid, header(etag, '\"(.)\"'), -1.5) != b",
                [of(Probe::HeaderPart { name: "etag".into(), pattern: "\"(.)\"".into() }), text("-1.5")],
                Compare::NotEqual,
                "b",
            ),
        ] {
            let check =
                read_check(written, Place::default(), &OneScript).unwrap_or_else(|m| panic!("{written}: {m:?}"));
            let Probe::Script(probe) = check.probe else { panic!("{written}") };
            assert_eq!((probe.arguments.as_slice(), check.compare), (&arguments[..], compare), "{written}");
            assert_eq!(check.expected.as_fixed(), Some(expected.as_bytes()), "{written}");
        }
        for (written, code) in [
            ("script(sign.is_valid, body)", "study::unknown-function"),
            ("script(sign.is_valid, body, other)", "study::bad-check"),
            ("script(sign.is_valid, body, script(sign.is_valid, body, 1))", "study::bad-check"),
            ("script(sign.is_valid, body = 3, 1)", "study::bad-check"),
            ("script(sign.is_valid, body, $(nobody))", "study::unknown-name"),
            ("script()", "study::bad-check"),
        ] {
            assert_eq!(read_check(written, Place::default(), &OneScript).unwrap_err().code, code, "{written}");
        }
        assert_eq!(
            read_probe("script(sign.is_valid, body, 1)", Place::default()).unwrap_err().code,
            "study::bad-check"
        );
    }

    #[test]
    fn a_capture_says_which_of_several_values_it_takes() {
        for (text, path, pick) in [
            ("json($.items[*].id)", "$.items[*].id", Which::First),
            ("json($.items[*].id, any)", "$.items[*].id", Which::Any),
            ("json( $['a','b'] ,all )", "$['a','b']", Which::All),
            ("json($['a', 'any'])", "$['a', 'any']", Which::First),
        ] {
            let found = read_capture(text, Place::default());
            assert_eq!(found, Ok((Probe::Json(path.to_owned()), pick)), "{text}");
        }
        for (text, probe, pick) in [
            ("xpath(//a)", xpath("//a", false), Which::First),
            ("xpath(//a, any)", xpath("//a", false), Which::Any),
            ("xpath(//a , xml)", xpath("//a", true), Which::First),
            ("xpath(//a, xml, all)", xpath("//a", true), Which::All),
            ("xpath(//a, all, xml)", xpath("//a", true), Which::All),
            ("xpath(//a[contains(., 'x, all')])", xpath("//a[contains(., 'x, all')]", false), Which::First),
        ] {
            assert_eq!(read_capture(text, Place::default()), Ok((probe, pick)), "{text}");
        }
        let regex = Ok((Probe::Regex("a, any".into()), Which::First));
        assert_eq!(read_capture("regex(a, any)", Place::default()), regex);
    }
}
