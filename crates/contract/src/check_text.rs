//! Checks and captures as the study writes them: `json($.total) >= 1`, `body contains welcome`, `header(x-token)`.

use crate::{Check, Compare, Mistake, Names, Place, Probe, Template, Which, compile_template};
use terms::{Quantity, Unit};

const FORMS: &str = "`status = 200`, `json($.a) > 0`, `header(x) = y`, `header(x, 'pattern') = y`, `regex(…) = t`, \
                     `body contains t`, `size < 10kB`";

/// Words that a check or a capture may begin with.
pub const PROBES: [&str; 7] = ["status", "body", "size", "json", "header", "regex", "xpath"];

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
    let (probe, rest) = probe(text, place)?;
    let rest = rest.trim();
    let made = |compare, expected| Ok(Check { probe: probe.clone(), compare, expected, text: text.to_owned(), place });
    if rest.is_empty() {
        if matches!(probe, Probe::Status | Probe::Body | Probe::Size) {
            return Err(wrong(text, place, "it compares with nothing"));
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
    let (probe, rest) = probe(text, place)?;
    if rest.trim().is_empty() {
        return Ok(probe);
    }
    Err(Mistake::at(place, "study::bad-capture", format!("the capture `{text}` has a comparison, `{}`", rest.trim()))
        .label("remove the comparison")
        .hint("write `name: json($.id)`, `header(x)`, `header(x, 'pattern')` or `regex(…)`"))
}

/// Reads where a capture looks, and which of the values there it takes: `json($.items[*].id, any)`.
///
/// # Errors
/// As [`read_probe`].
pub fn read_capture(text: &str, place: Place) -> Result<(Probe, Which), Mistake> {
    let probe = read_probe(text, place)?;
    // No path ends in a word behind a comma.
    let Probe::Json(path) = &probe else { return Ok((probe, Which::First)) };
    let pick = match path.rsplit_once(',').map(|(path, word)| (path, word.trim())) {
        Some((path, "any")) => Some((path, Which::Any)),
        Some((path, "all")) => Some((path, Which::All)),
        _ => None,
    };
    Ok(match pick {
        Some((path, pick)) => (Probe::Json(path.trim_end().to_owned()), pick),
        None => (probe, Which::First),
    })
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

fn probe(text: &str, place: Place) -> Result<(Probe, &str), Mistake> {
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
        "json" if !inner.starts_with('$') => return Err(wrong(text, place, "a JSONPath begins with `$`")),
        "json" => Probe::Json(inner.to_owned()),
        "xpath" => Probe::Xpath(inner.to_owned()),
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

    #[test]
    fn every_form_of_the_language_page_is_read() {
        for (text, probe, compare, expected) in [
            ("status = 200", Probe::Status, Compare::Equal, "200"),
            ("json($.a) > 0", Probe::Json("$.a".into()), Compare::Greater, "0"),
            ("json($[0].id) = $(id)", Probe::Json("$[0].id".into()), Compare::Equal, "7"),
            ("xpath(//a) = b", Probe::Xpath("//a".into()), Compare::Equal, "b"),
            ("xpath(//LogDataGroup)", Probe::Xpath("//LogDataGroup".into()), Compare::Contains, ""),
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
        let regex = Ok((Probe::Regex("a, any".into()), Which::First));
        assert_eq!(read_capture("regex(a, any)", Place::default()), regex);
    }
}
