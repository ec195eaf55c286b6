//! Commands of curl that a shell would run within something else: loops, conditions, functions, other commands. They are
//! not read, but found, so that the count of requests is right.

use super::curl::{OTHERS, QUIET, TAKES};
use super::shell::Command;
use crate::text::{names_in, short};

/// Long options that a word follows.
const LONG: [&str; 23] = [
    "--request",
    "--header",
    "--user-agent",
    "--referer",
    "--data",
    "--data-ascii",
    "--data-binary",
    "--data-raw",
    "--data-urlencode",
    "--json",
    "--form",
    "--form-string",
    "--user",
    "--oauth2-bearer",
    "--cookie",
    "--cacert",
    "--cert",
    "--key",
    "--proxy",
    "--socks5",
    "--max-time",
    "--connect-timeout",
    "--upload-file",
];

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Loop,
    Condition,
    Function,
    Group,
}

/// What is open where a command stands.
pub(super) struct Nest {
    open: Vec<Kind>,
    /// A text that is not of a shell may have `if` or `for` at the beginning of a line; what is never closed opens nothing.
    has_done: bool,
    has_fi: bool,
    has_esac: bool,
}

/// Requests that are found and not carried over.
pub(super) struct Hidden {
    /// As they stand in the command, without what may be a credential.
    pub(super) addresses: Vec<String>,
    pub(super) why: &'static str,
    pub(super) hint: &'static str,
}

impl Nest {
    pub(super) fn of(commands: &[Command]) -> Self {
        let has = |word: &str| commands.iter().any(|command| command.words.first().is_some_and(|first| first == word));
        Self { open: Vec::new(), has_done: has("done"), has_fi: has("fi"), has_esac: has("esac") }
    }

    /// Takes in the next command; requests that it holds where they are not read.
    pub(super) fn enter(&mut self, words: &[String]) -> Option<Hidden> {
        let mut at = 0;
        while let Some(word) = words.get(at) {
            match word.as_str() {
                "for" | "select" | "while" | "until" if self.has_done => self.open.push(Kind::Loop),
                "if" if self.has_fi => self.open.push(Kind::Condition),
                "case" if self.has_esac => self.open.push(Kind::Condition),
                "{" => self.open.push(Kind::Group),
                "}" => self.close(&[Kind::Group, Kind::Function]),
                "done" if self.has_done => self.close(&[Kind::Loop]),
                "fi" if self.has_fi => self.close(&[Kind::Condition]),
                "esac" if self.has_esac => self.close(&[Kind::Condition]),
                "do" | "then" | "else" | "elif" | "!" | "time" => {}
                "function" => {
                    self.open.push(Kind::Function);
                    at += 1 + usize::from(words.get(at + 2).is_some_and(|word| word == "{"));
                }
                name if name.ends_with("()") && name.len() > 2 => {
                    self.open.push(Kind::Function);
                    at += usize::from(words.get(at + 1).is_some_and(|word| word == "{"));
                }
                _ => break,
            }
            at += 1;
        }
        let words = flat(words);
        let program = words.iter().position(|word| is_curl(word))?;
        let is_prefix = |word: &String| {
            let is_assignment = word.contains('=') && !word.contains('/') && !word.contains('(');
            word == "$" || word == ">" || word == "sudo" || is_assignment
        };
        let is_plain = at == 0 && words[..program].iter().all(is_prefix) && bare(&words[program]) == words[program];
        let (why, hint) = match self.open.last() {
            Some(Kind::Loop) => (
                "it stands in a loop of a shell, which is not read",
                "write each request as a command of its own, or `times: N, run: […]` in the study",
            ),
            Some(Kind::Condition) => (
                "it stands under a condition of a shell, which is not read",
                "write it as a command of its own, or `if` in the study",
            ),
            Some(Kind::Function) => {
                ("it stands in a function of a shell, which is not read", "write it as a command of its own")
            }
            _ if is_plain => return None,
            _ => ("it is part of another command, which is not read", "write it as a command of its own"),
        };
        let addresses = addresses(&words[program + 1..]);
        (!addresses.is_empty()).then_some(Hidden { addresses, why, hint })
    }

    fn close(&mut self, kinds: &[Kind]) {
        if self.open.last().is_some_and(|last| kinds.contains(last)) {
            self.open.pop();
        }
    }
}

/// Words, and those within `$(curl …)` that stand in one word.
fn flat(words: &[String]) -> Vec<String> {
    let first = words.first().map(String::as_str).unwrap_or_default();
    let mut found = Vec::new();
    for word in words {
        let has_inner = !is_curl(first) && (word.contains("(curl ") || word.contains("`curl "));
        if has_inner {
            found.extend(word.split_whitespace().map(|part| part.trim_end_matches([')', '`', '"']).to_owned()));
        } else {
            found.push(word.clone());
        }
    }
    found
}

/// A word without what a shell may have before a program: `TOKEN=$(curl`.
fn bare(word: &str) -> &str {
    word.rsplit(['(', '`', '!']).next().unwrap_or(word)
}

fn is_curl(word: &str) -> bool {
    !word.contains("://") && ["curl", "curl.exe"].contains(&bare(word).rsplit('/').next().unwrap_or_default())
}

/// Addresses among the words behind `curl`.
fn addresses(words: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if word.starts_with('-') {
            let follows = if word.starts_with("--") {
                LONG.contains(&word.as_str())
                    || OTHERS.contains(&word.as_str())
                    || QUIET.iter().any(|(name, count)| name == word && *count > 0)
            } else {
                // In `-sXPOST` what follows the letter is its word; in `-sX` it is the next one.
                let letters = word.trim_start_matches('-');
                letters.find(|c| TAKES.contains(c)).is_some_and(|at| at + 1 == letters.len())
            };
            if follows {
                words.next();
            }
        } else if looks_like_address(word) {
            found.push(shown(word));
        }
    }
    found
}

pub(super) fn looks_like_address(word: &str) -> bool {
    let looks = word.contains("://")
        || word.contains('.')
        || word.contains('/')
        || word.starts_with("localhost")
        || word.starts_with("$(");
    looks && !word.contains(char::is_whitespace)
}

/// An address as the shell has it, without a query and a password, which may be credentials.
fn shown(word: &str) -> String {
    let mut text = word.to_owned();
    for name in names_in(word) {
        text = text.replace(&format!("$({name})"), &format!("${name}"));
    }
    let text = text.trim_end_matches([')', '`', '}']);
    let text = text.split('?').next().unwrap_or_default();
    let text = match (text.split_once("://"), text.split_once('@')) {
        (Some((scheme, rest)), Some(_)) => {
            let (front, path) =
                rest.split_once('/').map_or((rest, String::new()), |(front, path)| (front, format!("/{path}")));
            format!("{scheme}://{}{path}", front.rsplit('@').next().unwrap_or(front))
        }
        _ => text.to_owned(),
    };
    short(&text, 100)
}
