//! Lines of an event stream, which end with LF, CR or both, and the fields in them.

/// The longest name of a field that is known.
pub(super) const NAME_MAX: usize = 5;

/// What a line says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field<'a> {
    Data(&'a [u8]),
    Event(&'a [u8]),
    Id(&'a [u8]),
    Retry(&'a [u8]),
    /// It begins with a colon, or is empty.
    Comment,
    Unknown,
}

impl<'a> Field<'a> {
    /// Of a whole line, without its end.
    pub(super) fn of(line: &'a [u8]) -> Self {
        let (name, value) = match line.iter().position(|&byte| byte == b':') {
            Some(0) => return Self::Comment,
            // One blank behind the colon is not part of the value.
            Some(colon) => {
                let value = &line[colon + 1..];
                (&line[..colon], value.strip_prefix(b" ").unwrap_or(value))
            }
            None if line.is_empty() => return Self::Comment,
            None => (line, &line[line.len()..]),
        };
        match name {
            b"data" => Self::Data(value),
            b"event" => Self::Event(value),
            b"id" => Self::Id(value),
            b"retry" => Self::Retry(value),
            _ => Self::Unknown,
        }
    }

    /// Whether the beginning of a line shows that its field is known; `None` where that cannot be told yet.
    pub(super) fn is_known_to_be(begun: &[u8]) -> Option<bool> {
        let name = &begun[..begun.len().min(NAME_MAX + 1)];
        match name.contains(&b':') {
            true => Some(Field::of(name) != Field::Unknown),
            false => (name.len() > NAME_MAX).then_some(false),
        }
    }
}

/// The first line of some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// Bytes of it without its end.
    pub(super) length: usize,
    /// And with it, as far as it has come.
    pub(super) used: usize,
    /// Whether it has an end.
    pub(super) is_whole: bool,
}

/// Finds the end of the first line. A CR at the end of the bytes is one; an LF may still belong to it.
pub(super) fn next_line(bytes: &[u8]) -> Line {
    match bytes.iter().position(|&byte| byte == b'\n' || byte == b'\r') {
        None => Line { length: bytes.len(), used: bytes.len(), is_whole: false },
        Some(length) => {
            let is_pair = bytes[length..].starts_with(b"\r\n");
            Line { length, used: length + 1 + usize::from(is_pair), is_whole: true }
        }
    }
}

/// Bytes up to the end of the first empty line; `None` where it has not come.
pub(super) fn end_of_block(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        let line = next_line(&bytes[at..]);
        if !line.is_whole {
            return None;
        }
        at += line.used;
        if line.length == 0 {
            return Some(at);
        }
    }
}

/// The lines of some bytes, without their ends.
pub(super) struct Lines<'a>(pub(super) &'a [u8]);

impl<'a> Iterator for Lines<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        if self.0.is_empty() {
            return None;
        }
        let line = next_line(self.0);
        let (content, rest) = (&self.0[..line.length], &self.0[line.used..]);
        self.0 = rest;
        Some(content)
    }
}
