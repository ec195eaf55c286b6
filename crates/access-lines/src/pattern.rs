//! The pattern of a line as Apache, Tomcat, Undertow and nginx write it, and lines read by it.

use crate::stamp::Stamp;

/// What a place of a line says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Field {
    /// Nothing that is measured.
    Other,
    Time(Stamp),
    /// `GET /path?query HTTP/1.1`.
    Request,
    Path,
    Status,
    Bytes,
    /// A duration, of so many a second; `None` where the server decides, as with `%D`.
    Duration(Option<f64>),
}

/// A piece of a pattern.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    Text(Vec<u8>),
    Field(Field),
}

/// A pattern, piece by piece as a line has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    pub pieces: Vec<Piece>,
}

/// Pieces of one pattern: no log has so many columns.
const PIECES_MAX: usize = 200;

/// Formats with a name, which a pattern may begin with.
pub const NAMED: [(&str, &str); 3] = [
    ("common", "%h %l %u %t \"%r\" %s %b"),
    ("combined", "%h %l %u %t \"%r\" %s %b \"%{Referer}i\" \"%{User-Agent}i\""),
    // What the reference systems write; their durations are milliseconds.
    ("reference", "%{iso}t %v \"%r\" %s %b %{ms}T %{x-request-id}i"),
];

impl Pattern {
    /// Reads a pattern: `%` directives, nginx's `$` variables, a name of [`NAMED`] in front.
    ///
    /// # Errors
    /// What is wrong, and what to do about it.
    pub fn read(text: &str) -> Result<Self, (String, String)> {
        let text = expanded(text);
        let mut pieces: Vec<Piece> = Vec::new();
        let mut rest = text.as_str();
        while let Some(first) = rest.chars().next() {
            let (piece, used) = match first {
                '%' => directive(&rest[1..]).map(|(piece, used)| (piece, used + 1))?,
                '$' => variable(&rest[1..])
                    .map_or((Piece::Text(vec![b'$']), 1), |(field, used)| (Piece::Field(field), used + 1)),
                _ => (Piece::Text(first.to_string().into_bytes()), first.len_utf8()),
            };
            rest = &rest[used..];
            match (pieces.last_mut(), piece) {
                (Some(Piece::Text(before)), Piece::Text(more)) => before.extend(more),
                (Some(Piece::Field(_)), Piece::Field(_)) => {
                    let why = "two fields of the pattern stand side by side, so that nobody can tell where one ends";
                    return Err((why.into(), "put a space or another sign between them, as the log has it".into()));
                }
                (_, piece) => pieces.push(piece),
            }
            if pieces.len() > PIECES_MAX {
                return Err((format!("the pattern has more than {PIECES_MAX} pieces"), "shorten it".into()));
            }
        }
        let pattern = Self { pieces: finest(pieces) };
        if pattern.has(|field| matches!(field, Field::Duration(_) | Field::Status | Field::Bytes)) {
            return Ok(pattern);
        }
        let hint =
            "write it as the server's configuration has it, such as `common %D` or `%h %l %u %t \"%r\" %s %b %D`";
        Err(("the pattern has neither a duration nor a status nor a size".into(), hint.into()))
    }

    fn fields(&self) -> impl Iterator<Item = Field> + '_ {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Field(field) => Some(*field),
            Piece::Text(_) => None,
        })
    }

    /// Whether a field is in it.
    pub fn has(&self, is_it: impl Fn(Field) -> bool) -> bool {
        self.fields().any(is_it)
    }

    /// The duration's scale: outer `None` without a duration, inner where the study has to say.
    pub fn duration(&self) -> Option<Option<f64>> {
        self.fields().find_map(|field| match field {
            Field::Duration(scale) => Some(scale),
            _ => None,
        })
    }

    /// How it writes moments.
    pub fn stamp(&self) -> Option<Stamp> {
        self.fields().find_map(|field| match field {
            Field::Time(stamp) => Some(stamp),
            _ => None,
        })
    }

    /// Takes a line apart; `each` gets the fields that say something. `None` where the line does not follow the pattern.
    pub fn take<'a>(&self, line: &'a [u8], mut each: impl FnMut(Field, &'a [u8]) -> Option<()>) -> Option<()> {
        let mut rest = line;
        for (index, piece) in self.pieces.iter().enumerate() {
            match piece {
                Piece::Text(text) => rest = rest.strip_prefix(text.as_slice())?,
                Piece::Field(field) => {
                    let is_quoted = index.checked_sub(1).is_some_and(|before| self.ends_in_quote(before));
                    let end = match self.pieces.get(index + 1) {
                        Some(Piece::Text(after)) => end_of(*field, rest, after, is_quoted)?,
                        _ => rest.len(),
                    };
                    each(*field, &rest[..end])?;
                    rest = &rest[end..];
                }
            }
        }
        rest.is_empty().then_some(())
    }

    fn ends_in_quote(&self, piece: usize) -> bool {
        matches!(&self.pieces[piece], Piece::Text(text) if text.last() == Some(&b'"'))
    }
}

/// A name in front is written out.
fn expanded(text: &str) -> String {
    let (first, rest) = text.split_once(' ').unwrap_or((text, ""));
    match NAMED.iter().find(|(name, _)| *name == first) {
        Some((_, pattern)) if rest.is_empty() => (*pattern).to_owned(),
        Some((_, pattern)) => format!("{pattern} {rest}"),
        None => text.to_owned(),
    }
}

/// Of two fields that say the same the finer or first one counts: `%D` before `%T`.
fn finest(mut pieces: Vec<Piece>) -> Vec<Piece> {
    let kind = |field: Field| std::mem::discriminant(&field);
    let mut kept: Vec<(usize, Field)> = Vec::new();
    for index in 0..pieces.len() {
        let Piece::Field(field) = pieces[index] else { continue };
        if field == Field::Other {
            continue;
        }
        let Some(place) = kept.iter().position(|(_, known)| kind(*known) == kind(field)) else {
            kept.push((index, field));
            continue;
        };
        let is_finer = matches!((kept[place].1, field), (Field::Duration(Some(1.0)), Field::Duration(other)) if other != Some(1.0));
        let left_out = if is_finer { std::mem::replace(&mut kept[place], (index, field)).0 } else { index };
        pieces[left_out] = Piece::Field(Field::Other);
    }
    pieces
}

/// What follows a `%`, and how many bytes it takes.
fn directive(text: &str) -> Result<(Piece, usize), (String, String)> {
    if text.starts_with('%') {
        return Ok((Piece::Text(vec![b'%']), 1));
    }
    // `%>s` is the last status; `%!200,304r` is written for some statuses only.
    let modified = text.len() - text.trim_start_matches(|c: char| "<>!,".contains(c) || c.is_ascii_digit()).len();
    let mut used = modified;
    let mut argument = None;
    if let Some(inner) = text[used..].strip_prefix('{') {
        let end = inner.find('}').ok_or_else(|| {
            ("the pattern has a `%{` without its `}`".to_owned(), "write `%{ms}T`, for example".to_owned())
        })?;
        argument = Some(&inner[..end]);
        used += end + 2;
    }
    let rest = &text[used..];
    if let Some(after) = rest.strip_prefix('^') {
        // Apache's directives of three signs, `%^FB`, `%^ti`.
        let letters: usize = after.chars().take(2).filter(char::is_ascii_alphabetic).count();
        return Ok((Piece::Field(Field::Other), used + 1 + letters));
    }
    match (rest.chars().next().filter(char::is_ascii_alphabetic), argument) {
        (Some(letter), argument) => Ok((Piece::Field(by_letter(letter, argument)?), used + 1)),
        // Undertow's `%{RESPONSE_TIME_MICROS}` and `%{i,Host}` have no letter.
        (None, Some(argument)) => Ok((Piece::Field(by_word(argument)), used)),
        (None, None) => {
            let shown: String = text.chars().take(8).collect();
            let what = format!("the pattern has a `%` that is followed by no letter: `%{}`", shown.escape_debug());
            Err((what, "write `%%` for a per cent sign".into()))
        }
    }
}

fn by_letter(letter: char, argument: Option<&str>) -> Result<Field, (String, String)> {
    Ok(match (letter, argument) {
        ('t', None) => Field::Time(Stamp::Common),
        ('t', Some(form)) => match form.trim_start_matches("begin:").trim_start_matches("end:") {
            "sec" => Field::Time(Stamp::Epoch(1.0)),
            "msec" => Field::Time(Stamp::Epoch(1e3)),
            "usec" => Field::Time(Stamp::Epoch(1e6)),
            // The part below a second, beside another field.
            "msec_frac" | "usec_frac" => Field::Other,
            _ => Field::Time(Stamp::Any),
        },
        ('r', None) => Field::Request,
        ('U', None) => Field::Path,
        ('s', None) => Field::Status,
        ('b' | 'B', None) => Field::Bytes,
        ('D', None) => Field::Duration(None),
        ('T', None | Some("s")) => Field::Duration(Some(1.0)),
        ('T', Some("ms")) => Field::Duration(Some(1e3)),
        ('T', Some("us")) => Field::Duration(Some(1e6)),
        ('T', Some("ns")) => Field::Duration(Some(1e9)),
        ('T', Some(unit)) => {
            let what = format!("`%{{{}}}T` has a unit that is not known", unit.escape_debug());
            return Err((what, "possible are `%{s}T`, `%{ms}T`, `%{us}T` and `%{ns}T`".into()));
        }
        _ => Field::Other,
    })
}

fn by_word(word: &str) -> Field {
    match word {
        "REQUEST_LINE" => Field::Request,
        "REQUEST_URL" | "REQUEST_PATH" => Field::Path,
        "RESPONSE_CODE" => Field::Status,
        "BYTES_SENT" => Field::Bytes,
        "RESPONSE_TIME" | "RESPONSE_TIME_MILLIS" => Field::Duration(Some(1e3)),
        "RESPONSE_TIME_MICROS" => Field::Duration(Some(1e6)),
        "RESPONSE_TIME_NANOS" => Field::Duration(Some(1e9)),
        "DATE_TIME" => Field::Time(Stamp::Common),
        _ if word.starts_with("time,") => Field::Time(Stamp::Any),
        _ => Field::Other,
    }
}

/// A variable of nginx after its `$`, and its length; `None` for a sign that stands for itself.
fn variable(text: &str) -> Option<(Field, usize)> {
    let length =
        text.bytes().take_while(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'_').count();
    let field = match &text[..length] {
        "" => return None,
        "time_local" => Field::Time(Stamp::Common),
        "time_iso8601" => Field::Time(Stamp::Any),
        "msec" => Field::Time(Stamp::Epoch(1.0)),
        "request" => Field::Request,
        "uri" | "request_uri" => Field::Path,
        "status" => Field::Status,
        "body_bytes_sent" | "bytes_sent" => Field::Bytes,
        "request_time" => Field::Duration(Some(1.0)),
        _ => Field::Other,
    };
    Some((field, length))
}

/// Where a field ends: before the text that follows it in the pattern.
fn end_of(field: Field, rest: &[u8], after: &[u8], is_quoted: bool) -> Option<usize> {
    match field {
        Field::Time(Stamp::Common) if rest.first() == Some(&b'[') => {
            return rest.iter().position(|byte| *byte == b']').map(|end| end + 1);
        }
        // A moment may have a space between date and time.
        Field::Time(Stamp::Any | Stamp::Common) => {
            let first = find(rest, after, 0)?;
            let is_moment = |end: usize| {
                let is_one = |text| Stamp::Any.read(text).is_some() || Stamp::Any.read_local(text).is_some();
                std::str::from_utf8(&rest[..end]).is_ok_and(is_one)
            };
            if is_moment(first) {
                return Some(first);
            }
            let second = find(rest, after, first + 1).filter(|second| is_moment(*second));
            return Some(second.unwrap_or(first));
        }
        _ => {}
    }
    let mut from = 0;
    loop {
        let end = find(rest, after, from)?;
        // In quotes, a quote that belongs to the value is written with a backslash before it.
        let backslashes = rest[..end].iter().rev().take_while(|byte| **byte == b'\\').count();
        if is_quoted && after.first() == Some(&b'"') && backslashes % 2 == 1 {
            from = end + 1;
            continue;
        }
        return Some(end);
    }
}

fn find(within: &[u8], what: &[u8], from: usize) -> Option<usize> {
    let first = *what.first()?;
    let mut at = from;
    loop {
        at += within.get(at..)?.iter().position(|byte| *byte == first)?;
        if within[at..].starts_with(what) {
            return Some(at);
        }
        at += 1;
    }
}
