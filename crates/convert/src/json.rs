//! JSON to a [`Value`], bounded in depth; numbers keep their text. With names, a `$(name)` may stand where a value does.

use crate::value::Value;

/// Nothing is wrong with what is there.
const CUT_OFF: &str = "it ends in the middle, as if it had been cut off";

/// Lists and maps within each other.
const DEPTH_MAX: usize = 60;

/// Reads one value, and nothing behind it.
///
/// # Errors
/// What is wrong, with its line.
pub(crate) fn parse(text: &str) -> Result<Value, String> {
    whole(text, false)
}

/// As [`parse`], with `$(name)` alone as a value.
///
/// # Errors
/// As [`parse`].
pub(crate) fn parse_with_names(text: &str) -> Result<Value, String> {
    whole(text, true)
}

fn whole(text: &str, has_names: bool) -> Result<Value, String> {
    let mut reader = Reader { text, at: 0, has_names };
    let value = reader.value(0).and_then(|value| {
        reader.blanks();
        if reader.at == text.len() { Ok(value) } else { Err("something follows the end") }
    });
    value.map_err(|why| {
        reader.blanks();
        let why = if reader.at >= text.len() && why != "something follows the end" { CUT_OFF } else { why };
        let line = text.as_bytes().iter().take(reader.at).filter(|byte| **byte == b'\n').count() + 1;
        format!("line {line}: {why}")
    })
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    has_names: bool,
}

impl Reader<'_> {
    fn rest(&self) -> &[u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.rest().first().copied()
    }

    fn blanks(&mut self) {
        self.at += self.rest().iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    }

    fn takes(&mut self, byte: u8) -> bool {
        let is_there = self.peek() == Some(byte);
        self.at += usize::from(is_there);
        is_there
    }

    fn value(&mut self, depth: usize) -> Result<Value, &'static str> {
        if depth > DEPTH_MAX {
            return Err("lists and maps are nested too deep");
        }
        self.blanks();
        match self.peek() {
            Some(b'{') => self.map(depth),
            Some(b'[') => self.list(depth),
            Some(b'"') => self.string().map(Value::Text),
            Some(b'$') if self.has_names && self.rest().starts_with(b"$(") => {
                let end = crate::text::end_of_name(&self.text[self.at..]).ok_or("a name is not closed")?;
                let name = &self.text[self.at..self.at + end];
                self.at += end;
                Ok(Value::Number(name.to_owned()))
            }
            Some(_) => self.word(),
            None => Err(CUT_OFF),
        }
    }

    fn word(&mut self) -> Result<Value, &'static str> {
        let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || b"+-._".contains(*byte);
        let length = self.rest().iter().take_while(is_part).count();
        let word = &self.text[self.at..self.at + length];
        let value = match word {
            "null" => Value::Null,
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            _ if word.starts_with(|c: char| c.is_ascii_digit() || c == '-') && word.parse::<f64>().is_ok() => {
                Value::Number(word.to_owned())
            }
            _ => return Err("a value is expected"),
        };
        self.at += length;
        Ok(value)
    }

    fn list(&mut self, depth: usize) -> Result<Value, &'static str> {
        self.at += 1;
        let mut members = Vec::new();
        self.blanks();
        if self.takes(b']') {
            return Ok(Value::List(members));
        }
        loop {
            members.push(self.value(depth + 1)?);
            self.blanks();
            if self.takes(b']') {
                return Ok(Value::List(members));
            }
            if !self.takes(b',') {
                return Err("`,` or `]` is expected");
            }
        }
    }

    fn map(&mut self, depth: usize) -> Result<Value, &'static str> {
        self.at += 1;
        let mut entries = Vec::new();
        self.blanks();
        if self.takes(b'}') {
            return Ok(Value::Map(entries));
        }
        loop {
            self.blanks();
            if self.peek() != Some(b'"') {
                return Err("a key in quotes is expected");
            }
            let key = self.string()?;
            self.blanks();
            if !self.takes(b':') {
                return Err("`:` is expected");
            }
            let value = self.value(depth + 1)?;
            entries.push((key, value));
            self.blanks();
            if self.takes(b'}') {
                return Ok(Value::Map(entries));
            }
            if !self.takes(b',') {
                return Err("`,` or `}` is expected");
            }
        }
    }

    fn string(&mut self) -> Result<String, &'static str> {
        self.at += 1;
        let mut made = String::new();
        loop {
            let rest = &self.text[self.at..];
            let end = rest.find(['"', '\\']).ok_or(CUT_OFF)?;
            made.push_str(&rest[..end]);
            self.at += end + 1;
            if rest.as_bytes()[end] == b'"' {
                return Ok(made);
            }
            let escape = self.peek().ok_or(CUT_OFF)?;
            if !escape.is_ascii() {
                return Err("an unknown escape in a text");
            }
            self.at += 1;
            match escape {
                b'n' => made.push('\n'),
                b't' => made.push('\t'),
                b'r' => made.push('\r'),
                b'b' => made.push('\u{8}'),
                b'f' => made.push('\u{c}'),
                b'"' | b'\\' | b'/' => made.push(char::from(escape)),
                b'u' => {
                    let high = self.four()?;
                    let is_pair = (0xd800..0xdc00).contains(&high) && self.rest().starts_with(b"\\u");
                    let code = if is_pair {
                        self.at += 2;
                        let low = self.four()?;
                        0x1_0000 + ((high - 0xd800) << 10) + (low.wrapping_sub(0xdc00) & 0x3ff)
                    } else {
                        high
                    };
                    made.push(char::from_u32(code).unwrap_or('\u{fffd}'));
                }
                _ => return Err("an unknown escape in a text"),
            }
        }
    }

    fn four(&mut self) -> Result<u32, &'static str> {
        let digits = self.text.get(self.at..self.at + 4).ok_or("`\\u` needs four digits")?;
        let code = u32::from_str_radix(digits, 16).map_err(|_| "`\\u` needs four digits")?;
        self.at += 4;
        Ok(code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_and_numbers_are_kept() {
        let value = parse("{\"b\": 1.50, \"a\": [true, null, \"x\\u00e9\\ud83d\\ude00\\n\"]}").unwrap();
        assert_eq!(value.map()[0], ("b".to_owned(), Value::Number("1.50".to_owned())));
        assert_eq!(value.get("a").unwrap().list()[2], Value::Text("xé😀\n".to_owned()));
        let named = parse_with_names("{\"id\": $(id), \"n\": \"$(x)\"}").unwrap();
        assert_eq!(named.get("id"), Some(&Value::Number("$(id)".to_owned())));
    }

    #[test]
    fn what_is_no_json_is_told_with_its_line() {
        for text in ["", "{", "[1,]", "{\"a\" 1}", "\"x", "{\"a\":1} x", "$(x)", "\"\\q\"", "nul", "\"\\u12\"", "--1"] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert_eq!(parse("{\n\"a\": x}").unwrap_err(), "line 2: a value is expected");
        for text in ["{", "{\n", "{\"a\": [1, 2,\n", "{\"a\"", "{\"a\":", "{\"a\": \"b", "[1", "{\"a\": 1,\n"] {
            assert!(parse(text).unwrap_err().ends_with(CUT_OFF), "{text}: {:?}", parse(text));
        }
        assert_eq!(parse("{ x").unwrap_err(), "line 1: a key in quotes is expected");
        assert!(parse(&"[".repeat(100_000)).unwrap_err().contains("too deep"));
    }
}
