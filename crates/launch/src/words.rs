//! A command as words, without a shell.

/// The word of a command that becomes one `--fault name=value` for each fault of the instance.
pub(crate) const FAULTS: &str = "$(faults)";

/// Splits a command into words at white space, as a POSIX shell would: `'…'` keeps everything, `"…"` keeps all but
/// `\"` and `\\`, a backslash keeps the character after it. Nothing else has a meaning: no pipes, no `&`, no `*`.
///
/// `$(…)` stays whole, spaces included, since it is filled in afterwards, word by word: a value with spaces in it
/// therefore stays one word, and cannot become an option of its own.
///
/// # Errors
/// One sentence, when a quote or a `$(` is never closed, or when there is no word at all.
pub(crate) fn split(command: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    // `None` between words; `''` is a word without letters.
    let mut word: Option<String> = None;
    let mut rest = command.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            c if c.is_whitespace() => words.extend(word.take()),
            '\'' => single_quoted(&mut rest, word.get_or_insert_default())?,
            '"' => double_quoted(&mut rest, word.get_or_insert_default())?,
            '\\' => match rest.next() {
                Some(kept) => word.get_or_insert_default().push(kept),
                None => return Err("ends with a single backslash; write `\\\\` for the character itself".to_owned()),
            },
            c => plain(c, &mut rest, word.get_or_insert_default())?,
        }
    }
    words.extend(word);
    if words.is_empty() { Err("is empty; write the program and its arguments".to_owned()) } else { Ok(words) }
}

type Rest<'a> = std::iter::Peekable<std::str::Chars<'a>>;

fn single_quoted(rest: &mut Rest<'_>, word: &mut String) -> Result<(), String> {
    for c in rest.by_ref() {
        if c == '\'' {
            return Ok(());
        }
        word.push(c);
    }
    Err("has a `'` that is never closed".to_owned())
}

fn double_quoted(rest: &mut Rest<'_>, word: &mut String) -> Result<(), String> {
    while let Some(c) = rest.next() {
        match c {
            '"' => return Ok(()),
            '\\' if matches!(rest.peek(), Some('"' | '\\')) => word.extend(rest.next()),
            c => plain(c, rest, word)?,
        }
    }
    Err("has a `\"` that is never closed".to_owned())
}

/// One character, or a whole `$(…)`. `$$(` is the way to write `$(` itself and opens nothing.
fn plain(c: char, rest: &mut Rest<'_>, word: &mut String) -> Result<(), String> {
    let opens = c == '$' && rest.peek() == Some(&'(') && !word.ends_with('$');
    word.push(c);
    if !opens {
        return Ok(());
    }
    let mut depth = 0usize;
    for c in rest.by_ref() {
        word.push(c);
        match c {
            '(' => depth += 1,
            ')' if depth == 1 => return Ok(()),
            ')' => depth -= 1,
            _ => {}
        }
    }
    Err("has a `$(` that is never closed; write `$$(` for the two characters themselves".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words(command: &str) -> Vec<String> {
        split(command).unwrap()
    }

    #[test]
    fn words_are_those_of_a_posix_shell() {
        // Compared by hand with `sh -c 'printf "<%s>" …'`.
        for (command, expected) in [
            ("a  b\tc\n", vec!["a", "b", "c"]),
            (r#"a 'b c' "d e""#, vec!["a", "b c", "d e"]),
            (r#"a'b'"c"d"#, vec!["abcd"]),
            (r#"a '' """#, vec!["a", "", ""]),
            (r"a b\ c \'d", vec!["a", "b c", "'d"]),
            (r#"'a\b' "a\b" "a\"b\\""#, vec![r"a\b", r"a\b", r#"a"b\"#]),
            ("a | b > c & *", vec!["a", "|", "b", ">", "c", "&", "*"]),
        ] {
            assert_eq!(words(command), expected, "{command}");
        }
    }

    #[test]
    fn a_variable_stays_whole() {
        assert_eq!(
            words("run --n $(streams * average) $(faults)"),
            ["run", "--n", "$(streams * average)", "$(faults)"]
        );
        assert_eq!(words(r#"sh -c "echo $(a (b c)) d""#), ["sh", "-c", "echo $(a (b c)) d"]);
        assert_eq!(words("a $$(b c)"), ["a", "$$(b", "c)"]);
    }

    #[test]
    fn what_is_never_closed_is_refused() {
        for (command, part) in
            [("a 'b", "`'`"), ("a \"b", "`\"`"), ("a $(b", "`$(`"), ("a \\", "backslash"), (" \t", "empty")]
        {
            let message = split(command).unwrap_err();
            assert!(message.contains(part), "{command}: {message}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_split_or_refused(text in "[ a'\"\\\\$()\\n]{0,40}") {
            if let Ok(words) = split(&text) {
                prop_assert!(!words.is_empty());
            }
        }

        #[test]
        fn quoted_words_come_back(original in prop::collection::vec("[a-z \"\\\\|&*]{0,8}", 1..6)) {
            let command = original.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" ");
            prop_assert_eq!(split(&command).unwrap(), original);
        }
    }
}
