//! Words of commands, as bash reads them, or `cmd` of Windows.

/// A command: its words, and the line on which it begins.
#[derive(Debug, PartialEq)]
pub(crate) struct Command {
    pub(crate) words: Vec<String>,
    pub(crate) line: usize,
    /// Whether it holds something that a shell would put in, such as `$HOME`; those are written as `$(name)` already.
    pub(crate) variables: Vec<String>,
}

/// Whether the text is one for `cmd` of Windows: lines go on behind `^`, and quotes are escaped by it.
pub(crate) fn is_windows(text: &str) -> bool {
    text.lines().any(|line| line.trim_end().ends_with('^')) || text.contains("^\"")
}

/// Takes the carets of `cmd` away: `^\n` joins lines, `^"` is a quote, `^^` a caret.
pub(crate) fn without_carets(text: &str) -> String {
    let mut made = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '^' {
            made.push(c);
            continue;
        }
        match chars.peek() {
            Some('\r' | '\n') => {
                // Browsers write a line break within a text as `^` and two breaks.
                while chars.next_if(|c| *c == '\r').is_some() {}
                chars.next_if_eq(&'\n');
                made.push(' ');
            }
            Some(_) => made.extend(chars.next()),
            None => {}
        }
    }
    made
}

/// Words of all commands of a text. Ends of commands are ends of lines, `;`, `&`, `|`.
pub(crate) fn commands(text: &str, windows: bool) -> Vec<Command> {
    let mut reader = Reader { chars: text.chars().collect(), at: 0, line: 1, done: Vec::new(), open: None, windows };
    reader.all();
    reader.done
}

struct Reader {
    chars: Vec<char>,
    at: usize,
    line: usize,
    done: Vec<Command>,
    open: Option<Command>,
    windows: bool,
}

impl Reader {
    fn next(&mut self) -> Option<char> {
        let c = self.chars.get(self.at).copied()?;
        self.at += 1;
        self.line += usize::from(c == '\n');
        Some(c)
    }

    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn end(&mut self) {
        if let Some(command) = self.open.take().filter(|command| !command.words.is_empty()) {
            self.done.push(command);
        }
    }

    fn all(&mut self) {
        while let Some(c) = self.peek() {
            match c {
                '\n' => {
                    self.next();
                    self.end();
                }
                ';' | '&' | '|' if !self.windows || c == '&' => {
                    self.next();
                    self.end();
                }
                '\\' if !self.windows && matches!(self.chars.get(self.at + 1), Some('\n' | '\r')) => {
                    self.next();
                    while self.peek() == Some('\r') {
                        self.next();
                    }
                    self.next();
                }
                '#' if self.open.is_none() => {
                    while self.peek().is_some_and(|c| c != '\n') {
                        self.next();
                    }
                }
                '>' | '<' => {
                    // Where output goes is nothing that a study does: the word behind it is dropped.
                    self.next();
                    while matches!(self.peek(), Some(' ' | '>' | '&')) {
                        self.next();
                    }
                    let line = self.line;
                    let mut dropped = Command { words: Vec::new(), line, variables: Vec::new() };
                    self.word(&mut dropped);
                }
                c if c.is_whitespace() => {
                    self.next();
                }
                _ => {
                    let line = self.line;
                    let mut command =
                        self.open.take().unwrap_or(Command { words: Vec::new(), line, variables: Vec::new() });
                    self.word(&mut command);
                    self.open = Some(command);
                }
            }
        }
        self.end();
    }

    fn word(&mut self, command: &mut Command) {
        let mut word = String::new();
        while let Some(c) = self.peek() {
            match c {
                ';' | '&' | '|' | '>' | '<' if !self.windows => break,
                c if c.is_whitespace() => break,
                '\'' if !self.windows => {
                    self.next();
                    while let Some(c) = self.next().filter(|c| *c != '\'') {
                        plain(&mut word, c, self.peek());
                    }
                }
                '"' => {
                    self.next();
                    self.double(&mut word, command);
                }
                '$' if self.chars.get(self.at + 1) == Some(&'\'') && !self.windows => {
                    self.at += 2;
                    self.ansi(&mut word);
                }
                '$' if !self.windows => self.variable(&mut word, command),
                '\\' if !self.windows => {
                    self.next();
                    match self.next() {
                        Some('\n') | None => {}
                        Some('\r') => {
                            self.next();
                        }
                        Some(c) => plain(&mut word, c, self.peek()),
                    }
                }
                c => {
                    self.next();
                    plain(&mut word, c, self.peek());
                }
            }
        }
        command.words.push(word);
    }

    fn double(&mut self, word: &mut String, command: &mut Command) {
        while let Some(c) = self.peek() {
            match c {
                '"' if self.windows && self.chars.get(self.at + 1) == Some(&'"') => {
                    self.at += 2;
                    word.push('"');
                }
                '"' => {
                    self.next();
                    return;
                }
                '\\' => {
                    self.next();
                    match self.peek() {
                        Some(c @ ('"' | '\\')) => {
                            self.next();
                            word.push(c);
                        }
                        Some(c @ ('$' | '`')) if !self.windows => {
                            self.next();
                            plain(word, c, self.peek());
                        }
                        Some('\n') if !self.windows => {
                            self.next();
                        }
                        _ => word.push('\\'),
                    }
                }
                '$' if !self.windows => self.variable(word, command),
                c => {
                    self.next();
                    plain(word, c, self.peek());
                }
            }
        }
    }

    /// `$NAME` and `${NAME}` become `$(NAME)`; anything else a shell would put in stays and is reported.
    fn variable(&mut self, word: &mut String, command: &mut Command) {
        self.next();
        let has_brace = self.peek() == Some('{');
        let mut at = self.at + usize::from(has_brace);
        let from = at;
        while self.chars.get(at).is_some_and(|c| c.is_ascii_alphanumeric() || *c == '_') {
            at += 1;
        }
        let name: String = self.chars[from..at].iter().collect();
        if name.is_empty() || (has_brace && self.chars.get(at) != Some(&'}')) {
            if self.peek() == Some('(') || has_brace {
                command.variables.push(format!("${}", self.peek().unwrap_or_default()));
                word.push_str("$$");
            } else {
                word.push('$');
            }
            return;
        }
        self.at = at + usize::from(has_brace);
        word.push_str(&format!("$({name})"));
        command.variables.push(name);
    }

    /// `$'…'` of bash.
    fn ansi(&mut self, word: &mut String) {
        while let Some(c) = self.next() {
            if c == '\'' {
                return;
            }
            if c != '\\' {
                plain(word, c, self.peek());
                continue;
            }
            match self.next() {
                Some('n') => word.push('\n'),
                Some('t') => word.push('\t'),
                Some('r') => word.push('\r'),
                Some('u') => self.code(word, 4),
                Some('U') => self.code(word, 8),
                Some('x') => self.code(word, 2),
                Some('0') => word.push('\0'),
                Some(c) => plain(word, c, self.peek()),
                None => return,
            }
        }
    }

    fn code(&mut self, word: &mut String, digits: usize) {
        let mut code = 0u32;
        for _ in 0..digits {
            let Some(digit) = self.peek().and_then(|c| c.to_digit(16)) else { break };
            code = code.wrapping_mul(16) + digit;
            self.at += 1;
        }
        word.push(char::from_u32(code).unwrap_or('\u{fffd}'));
    }
}

/// A character that stands for itself: `$` before `(` is written so that it is not a name.
fn plain(word: &mut String, c: char, next: Option<char>) {
    word.push(c);
    if c == '$' && next == Some('(') {
        word.push('$');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<Vec<String>> {
        commands(text, false).into_iter().map(|command| command.words).collect()
    }

    #[test]
    fn words_are_those_of_bash() {
        assert_eq!(
            words("curl 'a b' \"c \\\"d\\\" $X\" \\\n  $'e\\n\\u0041\\'' f\\ g # no\n# all\ncurl h;curl i > out.txt"),
            [vec!["curl", "a b", "c \"d\" $(X)", "e\nA'", "f g", "#", "no"], vec!["curl", "h"], vec!["curl", "i"],]
        );
        assert_eq!(words("a '$(x)' \"${Y}\" '"), [["a", "$$(x)", "$(Y)", ""]]);
    }

    #[test]
    fn words_are_those_of_windows() {
        let text = "curl ^\"http://a/?x=1^&y=2^\" ^\r\n  -H ^\"a: ^\\^\"b^\\^\"^\"";
        assert!(is_windows(text));
        let found = commands(&without_carets(text), true);
        assert_eq!(found[0].words, ["curl", "http://a/?x=1&y=2", "-H", "a: \"b\""]);
    }
}
