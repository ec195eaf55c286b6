//! Words of JavaScript.

/// A word with the line on which it is.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) line: usize,
    /// Whether a line begins before it, which may end a statement.
    pub(super) is_first: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    Name(String),
    Number(f64),
    Text(String),
    /// Texts and, between them, the source of expressions.
    Template(Vec<String>, Vec<String>),
    Regex(String),
    Sign(&'static str),
}

const SIGNS: [&str; 55] = [
    ">>>=", "...", "===", "!==", "**=", "<<=", ">>=", ">>>", "&&=", "||=", "??=", "=>", "==", "!=", "<=", ">=", "&&",
    "||", "??", "?.", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<", ">>", "**", "{", "}", "(", ")",
    "[", "]", ";", ",", "<", ">", "+", "-", "*", "/", "%", "&", "|", "^", "!", "~", "?", ":",
];

/// Words of a script.
///
/// # Errors
/// What cannot be read, with its line.
pub(super) fn tokens(source: &str, first_line: usize) -> Result<Vec<Token>, String> {
    let chars: Vec<char> = source.chars().collect();
    let mut found: Vec<Token> = Vec::new();
    let (mut at, mut line, mut is_first) = (0, first_line, true);
    while at < chars.len() {
        let c = chars[at];
        let start_line = line;
        if c == '\n' {
            line += 1;
            is_first = true;
            at += 1;
            continue;
        }
        if c.is_whitespace() || c == '\u{feff}' {
            at += 1;
            continue;
        }
        if c == '/' && chars.get(at + 1) == Some(&'/') || (c == '#' && chars.get(at + 1) == Some(&'!')) {
            while at < chars.len() && chars[at] != '\n' {
                at += 1;
            }
            continue;
        }
        if c == '/' && chars.get(at + 1) == Some(&'*') {
            at += 2;
            while at < chars.len() && !(chars[at] == '*' && chars.get(at + 1) == Some(&'/')) {
                line += usize::from(chars[at] == '\n');
                at += 1;
            }
            at += 2;
            continue;
        }
        let wrong = |why: &str| format!("line {start_line}: {why}");
        let kind = if c.is_alphabetic() || c == '_' || c == '$' || c == '@' || c == '#' {
            let from = at;
            while chars.get(at).is_some_and(|c| c.is_alphanumeric() || "_$@#".contains(*c)) {
                at += 1;
            }
            Kind::Name(chars[from..at].iter().collect())
        } else if c.is_ascii_digit() || (c == '.' && chars.get(at + 1).is_some_and(char::is_ascii_digit)) {
            let from = at;
            while chars.get(at).is_some_and(|it| {
                it.is_ascii_alphanumeric()
                    || *it == '.'
                    || *it == '_'
                    || ("+-".contains(*it) && "eE".contains(chars[at - 1]) && !chars[from..at].contains(&'x'))
            }) {
                at += 1;
            }
            let text: String = chars[from..at].iter().filter(|c| **c != '_').collect();
            let hex = text
                .strip_prefix("0x")
                .or(text.strip_prefix("0X"))
                .and_then(|hex| u64::from_str_radix(hex, 16).ok())
                .map(|number| number as f64);
            Kind::Number(
                hex.or_else(|| text.trim_end_matches('n').parse().ok())
                    .ok_or_else(|| wrong("a number that is none"))?,
            )
        } else if c == '"' || c == '\'' {
            at += 1;
            let mut text = String::new();
            loop {
                let Some(&now) = chars.get(at) else { return Err(wrong("a text is not closed")) };
                at += 1;
                match now {
                    _ if now == c => break,
                    '\n' => return Err(wrong("a text is not closed")),
                    '\\' => escape(&chars, &mut at, &mut line, &mut text),
                    _ => text.push(now),
                }
            }
            Kind::Text(text)
        } else if c == '`' {
            at += 1;
            template(&chars, &mut at, &mut line).ok_or_else(|| wrong("a template is not closed"))?
        } else if c == '/' && may_be_regex(found.last()) {
            let from = at + 1;
            let mut in_class = false;
            at += 1;
            loop {
                match chars.get(at) {
                    None | Some('\n') => return Err(wrong("a pattern is not closed")),
                    Some('\\') => at += 1,
                    Some('[') => in_class = true,
                    Some(']') => in_class = false,
                    Some('/') if !in_class => break,
                    Some(_) => {}
                }
                at += 1;
            }
            let text = chars[from..at.min(chars.len())].iter().collect();
            at += 1;
            while chars.get(at).is_some_and(char::is_ascii_alphabetic) {
                at += 1;
            }
            Kind::Regex(text)
        } else if c == '=' && !matches!(chars.get(at + 1), Some('=' | '>')) {
            at += 1;
            Kind::Sign("=")
        } else if c == '.' && chars.get(at + 1) != Some(&'.') {
            at += 1;
            Kind::Sign(".")
        } else {
            let sign =
                SIGNS.iter().find(|sign| sign.chars().enumerate().all(|(index, c)| chars.get(at + index) == Some(&c)));
            let sign =
                sign.ok_or_else(|| wrong(&format!("`{}` is nothing that JavaScript has here", c.escape_default())))?;
            at += sign.len();
            Kind::Sign(sign)
        };
        found.push(Token { kind, line: start_line, is_first });
        is_first = false;
        if found.len() > 2_000_000 {
            return Err("it has more than 2,000,000 words".to_owned());
        }
    }
    Ok(found)
}

fn escape(chars: &[char], at: &mut usize, line: &mut usize, text: &mut String) {
    let Some(&c) = chars.get(*at) else { return };
    *at += 1;
    match c {
        'n' => text.push('\n'),
        't' => text.push('\t'),
        'r' => text.push('\r'),
        '0' => text.push('\0'),
        '\n' => *line += 1,
        'x' | 'u' => {
            let has_brace = chars.get(*at) == Some(&'{');
            *at += usize::from(has_brace);
            let most = if c == 'x' {
                2
            } else if has_brace {
                6
            } else {
                4
            };
            let mut code = 0;
            for _ in 0..most {
                let Some(digit) = chars.get(*at).and_then(|c| c.to_digit(16)) else { break };
                code = code * 16 + digit;
                *at += 1;
            }
            *at += usize::from(has_brace && chars.get(*at) == Some(&'}'));
            text.push(char::from_u32(code).unwrap_or('\u{fffd}'));
        }
        other => text.push(other),
    }
}

fn template(chars: &[char], at: &mut usize, line: &mut usize) -> Option<Kind> {
    let (mut texts, mut sources) = (vec![String::new()], Vec::new());
    loop {
        let c = *chars.get(*at)?;
        *at += 1;
        match c {
            '`' => return Some(Kind::Template(texts, sources)),
            '\\' => escape(chars, at, line, texts.last_mut()?),
            '$' if chars.get(*at) == Some(&'{') => {
                *at += 1;
                let from = *at;
                let mut depth = 1;
                while depth > 0 {
                    match chars.get(*at)? {
                        '{' => depth += 1,
                        '}' => depth -= 1,
                        '`' => {
                            *at += 1;
                            template(chars, at, line)?;
                            continue;
                        }
                        '\n' => *line += 1,
                        _ => {}
                    }
                    *at += 1;
                }
                sources.push(chars[from..*at - 1].iter().collect());
                texts.push(String::new());
            }
            _ => {
                *line += usize::from(c == '\n');
                texts.last_mut()?.push(c);
            }
        }
    }
}

/// Whether a `/` begins a pattern: it does where a value is expected.
fn may_be_regex(before: Option<&Token>) -> bool {
    match before.map(|token| &token.kind) {
        None => true,
        Some(Kind::Sign(sign)) => ![")", "]", "}"].contains(sign),
        Some(Kind::Name(name)) => ["return", "typeof", "case", "in", "of", "delete", "void"].contains(&name.as_str()),
        Some(_) => false,
    }
}
