//! An archive in the form of tar, read as a stream: nothing of it is unpacked to a disk.
//!
//! What no archive of logs holds is refused: paths that leave the folder, links, devices, names without end, archives
//! within. The crate `tar` would read names of any length into memory.
//!
//! Source: POSIX.1-2017, `pax`, *ustar Interchange Format*; GNU tar, `tar.h`.

use crate::input::{Input, UNPACKED_MAX};
use std::io::{self, Read};

const BLOCK: usize = 512;
/// Longest path of a member.
const PATH_MAX: usize = 1024;
/// Longest extended header.
const EXTENDED_MAX: u64 = 64 << 10;
/// Members of one archive.
const MEMBERS_MAX: usize = 10_000;

/// Why a member cannot be had.
#[derive(Debug)]
pub(crate) enum TarError {
    /// The archive is one that nobody should unpack: the reason.
    Refused(String),
    /// It cannot be read on; what came before stands.
    Broken(io::Error),
}

impl From<io::Error> for TarError {
    fn from(error: io::Error) -> Self {
        Self::Broken(error)
    }
}

/// An archive that is being read.
pub(crate) struct Tar {
    input: Input,
    /// Bytes of the member in hand that were not read yet, and of the padding behind it.
    left: u64,
    padding: u64,
    members: usize,
}

impl Tar {
    pub(crate) fn of(input: Input) -> Self {
        Self { input, left: 0, padding: 0, members: 0 }
    }

    pub(crate) fn input(&self) -> &Input {
        &self.input
    }

    /// The path of the next file, whose bytes [`Tar::read_member`] hands out; `None` at the end.
    ///
    /// # Errors
    /// [`TarError`]
    pub(crate) fn advance(&mut self) -> Result<Option<String>, TarError> {
        let (mut long_path, mut long_size) = (None::<String>, None::<u64>);
        loop {
            self.skip(self.left + self.padding)?;
            let Some(header) = self.header()? else {
                // Whatever follows belongs to the file that was hashed.
                io::copy(&mut self.input, &mut io::sink())?;
                return Ok(None);
            };
            let size = long_size.take().map_or_else(|| number(&header[124..136]), Ok)?;
            if size > UNPACKED_MAX {
                return Err(refused(format!("says that a member has {size} bytes")));
            }
            self.left = size;
            self.padding = size.next_multiple_of(BLOCK as u64) - size;
            match header[156] {
                b'L' => {
                    let path = self.extended(PATH_MAX as u64, "a path")?;
                    long_path = Some(text(path.split(|byte| *byte == 0).next().unwrap_or_default())?);
                }
                b'x' => {
                    let pairs = self.extended(EXTENDED_MAX, "an extended header")?;
                    let (path, size) = extended(&pairs)?;
                    (long_path, long_size) = (path.or(long_path), size);
                }
                b'g' => drop(self.extended(EXTENDED_MAX, "an extended header")?),
                kind => {
                    let path = match long_path.take() {
                        Some(path) => path,
                        None => short_path(&header)?,
                    };
                    check_path(&path)?;
                    self.members += 1;
                    if self.members > MEMBERS_MAX {
                        return Err(refused(format!("holds more than {MEMBERS_MAX} files")));
                    }
                    match kind {
                        b'0' | b'7' | 0 => return Ok(Some(path)),
                        b'5' => {}
                        _ => return Err(refused(format!("holds {}, `{path}`", of_kind(kind)))),
                    }
                }
            }
        }
    }

    /// Bytes of the file in hand; none at its end.
    ///
    /// # Errors
    /// When the archive breaks off.
    pub(crate) fn read_member(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(buffer.len());
        if most == 0 {
            return Ok(0);
        }
        let read = self.input.read(&mut buffer[..most])?;
        if read == 0 {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the archive ends within it"));
        }
        self.left -= read as u64;
        Ok(read)
    }

    /// The next header; `None` at the two blocks of zeros that end an archive, and where the file ends without them.
    fn header(&mut self) -> Result<Option<[u8; BLOCK]>, TarError> {
        let mut header = [0; BLOCK];
        let mut filled = 0;
        while filled < BLOCK {
            match self.input.read(&mut header[filled..])? {
                0 if filled == 0 => return Ok(None),
                0 => {
                    return Err(TarError::Broken(io::Error::new(
                        io::ErrorKind::UnexpectedEof,
                        "it ends within a header",
                    )));
                }
                read => filled += read,
            }
        }
        if header.iter().all(|byte| *byte == 0) {
            return Ok(None);
        }
        // The sum of the header with its own field as spaces; some old ones took bytes as signed.
        let sum = |of: fn(u8) -> i64| {
            let bytes = header.iter().enumerate();
            bytes.map(|(place, byte)| of(if (148..156).contains(&place) { b' ' } else { *byte })).sum::<i64>()
        };
        let told = number(&header[148..156])? as i64;
        if told != sum(i64::from) && told != sum(|byte| i64::from(byte as i8)) {
            let what = "a header of it has a wrong sum: it is damaged, or no archive of tar";
            return Err(TarError::Broken(io::Error::new(io::ErrorKind::InvalidData, what)));
        }
        Ok(Some(header))
    }

    fn extended(&mut self, most: u64, what: &str) -> Result<Vec<u8>, TarError> {
        if self.left > most {
            return Err(refused(format!("holds {what} of {} bytes, and {most} are the most", self.left)));
        }
        let mut bytes = vec![0; self.left as usize];
        self.input.read_exact(&mut bytes)?;
        self.left = 0;
        Ok(bytes)
    }

    fn skip(&mut self, count: u64) -> io::Result<()> {
        (self.left, self.padding) = (0, 0);
        let skipped = io::copy(&mut self.input.by_ref().take(count), &mut io::sink())?;
        if skipped < count {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the archive ends within a file"));
        }
        Ok(())
    }
}

fn refused(why: String) -> TarError {
    TarError::Refused(why)
}

fn of_kind(kind: u8) -> &'static str {
    match kind {
        b'1' | b'2' | b'K' => "a link",
        b'3' | b'4' => "a device",
        b'6' => "a pipe",
        b'S' => "a file with holes",
        _ => "what is neither a file nor a folder",
    }
}

fn text(bytes: &[u8]) -> Result<String, TarError> {
    String::from_utf8(bytes.to_vec()).map_err(|_| refused("holds a path that is not UTF-8".into()))
}

fn short_path(header: &[u8; BLOCK]) -> Result<String, TarError> {
    let until_zero = |bytes: &[u8]| text(bytes.split(|byte| *byte == 0).next().unwrap_or_default());
    let name = until_zero(&header[..100])?;
    // GNU's own form has other things where POSIX has the beginning of the path.
    let prefix = if header[257..263] == *b"ustar\0" { until_zero(&header[345..500])? } else { String::new() };
    Ok(if prefix.is_empty() { name } else { format!("{prefix}/{name}") })
}

fn check_path(path: &str) -> Result<(), TarError> {
    let shown: String = path.chars().take(80).collect::<String>().escape_debug().to_string();
    if path.is_empty() || path.len() > PATH_MAX {
        return Err(refused(format!("holds a path of {} bytes", path.len())));
    }
    if path.starts_with(['/', '\\']) || path.as_bytes().get(1) == Some(&b':') {
        return Err(refused(format!("holds an absolute path, `{shown}`")));
    }
    if path.split(['/', '\\']).any(|part| part == "..") {
        return Err(refused(format!("holds a path that leaves its folder, `{shown}`")));
    }
    if path.chars().any(char::is_control) {
        return Err(refused(format!("holds a path with characters that cannot be shown, `{shown}`")));
    }
    Ok(())
}

/// A number in octal digits, or in GNU's binary form.
fn number(field: &[u8]) -> Result<u64, TarError> {
    let wrong =
        || TarError::Broken(io::Error::new(io::ErrorKind::InvalidData, "a number in a header of it cannot be read"));
    if field.first().is_some_and(|first| first & 0x80 != 0) {
        let mut value = u64::from(field[0] & 0x7f);
        for byte in &field[1..] {
            value = value.checked_mul(256).and_then(|value| value.checked_add(u64::from(*byte))).ok_or_else(wrong)?;
        }
        return Ok(value);
    }
    let digits = field.trim_ascii_start();
    let digits = digits.split(|byte| matches!(byte, 0 | b' ')).next().unwrap_or_default();
    let text = std::str::from_utf8(digits).map_err(|_| wrong())?;
    if text.is_empty() { Ok(0) } else { u64::from_str_radix(text, 8).map_err(|_| wrong()) }
}

/// Path and size of an extended header: `LENGTH KEY=VALUE` and a line break, again and again.
fn extended(pairs: &[u8]) -> Result<(Option<String>, Option<u64>), TarError> {
    let (mut path, mut size, mut rest) = (None, None, pairs);
    while !rest.is_empty() {
        let wrong = || refused("holds an extended header that cannot be read".into());
        let space = memchr::memchr(b' ', rest).ok_or_else(wrong)?;
        let length = std::str::from_utf8(&rest[..space]).ok().and_then(|text| text.parse::<usize>().ok());
        let length = length.filter(|length| (space + 2..=rest.len()).contains(length)).ok_or_else(wrong)?;
        let pair = &rest[space + 1..length - 1];
        rest = &rest[length..];
        let equals = memchr::memchr(b'=', pair).ok_or_else(wrong)?;
        let (key, value) = (&pair[..equals], &pair[equals + 1..]);
        match key {
            b"path" => path = Some(text(value)?),
            b"size" => {
                let number = std::str::from_utf8(value).ok().and_then(|text| text.parse().ok());
                size = Some(number.ok_or_else(wrong)?);
            }
            b"linkpath" => return Err(refused("holds a link".into())),
            _ if key.starts_with(b"GNU.sparse") => return Err(refused("holds a file with holes".into())),
            _ => {}
        }
    }
    Ok((path, size))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::Cursor;

    /// A header with its sum.
    pub(crate) fn header(path: &str, size: usize, kind: u8) -> Vec<u8> {
        let mut header = vec![0; BLOCK];
        header[..path.len().min(100)].copy_from_slice(&path.as_bytes()[..path.len().min(100)]);
        header[124..136].copy_from_slice(format!("{size:011o}\0").as_bytes());
        header[156] = kind;
        header[257..265].copy_from_slice(b"ustar\x0000");
        header[148..156].fill(b' ');
        let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        header
    }

    pub(crate) fn member(path: &str, content: &[u8]) -> Vec<u8> {
        of_kind(path, content, b'0')
    }

    fn of_kind(path: &str, content: &[u8], kind: u8) -> Vec<u8> {
        let padding = vec![0; content.len().next_multiple_of(BLOCK) - content.len()];
        [header(path, content.len(), kind), content.to_vec(), padding].concat()
    }

    fn seen(bytes: &[u8]) -> Result<Vec<(String, Vec<u8>)>, TarError> {
        let mut tar = Tar::of(Input::of(Cursor::new(bytes.to_vec())).unwrap());
        let mut seen = Vec::new();
        while let Some(path) = tar.advance()? {
            let (mut content, mut buffer) = (Vec::new(), [0; 100]);
            loop {
                let read = tar.read_member(&mut buffer)?;
                if read == 0 {
                    break;
                }
                content.extend(&buffer[..read]);
            }
            seen.push((path, content));
        }
        Ok(seen)
    }

    fn refusal(bytes: &[u8]) -> String {
        match seen(bytes) {
            Err(TarError::Refused(why)) => why,
            other => panic!("it is refused: {other:?}"),
        }
    }

    #[test]
    fn files_come_in_order_whatever_form_their_names_have() {
        let long = format!("logs/{}/vmstat.log", "a".repeat(150));
        let pair = format!("{} path=p/q.log\n", " path=p/q.log\n".len() + 2);
        let bytes = [
            of_kind("logs/", b"", b'5'),
            member("logs/a.jtl", b"one"),
            of_kind("././@LongLink", format!("{long}\0").as_bytes(), b'L'),
            member(&long[..100], &[7; 600]),
            of_kind("PaxHeaders/x", pair.as_bytes(), b'x'),
            member("short", b""),
            vec![0; 2 * BLOCK],
        ]
        .concat();
        let expected = [("logs/a.jtl".to_owned(), b"one".to_vec()), (long, vec![7; 600]), ("p/q.log".into(), vec![])];
        assert_eq!(seen(&bytes).unwrap(), expected);
    }

    #[test]
    fn hostile_archives_are_refused() {
        for (bytes, why) in [
            (member("/etc/passwd", b"x"), "an absolute path"),
            (member("C:\\x", b"x"), "an absolute path"),
            (member("a/../../b", b"x"), "leaves its folder"),
            (member("..", b"x"), "leaves its folder"),
            (member("a\nb", b"x"), "cannot be shown"),
            (of_kind("a", b"", b'2'), "a link"),
            (of_kind("a", b"", b'1'), "a link"),
            (of_kind("a", b"", b'3'), "a device"),
            (of_kind("a", b"", b'6'), "a pipe"),
            (of_kind("a", b"", b'S'), "holes"),
            (of_kind("@", &vec![b'a'; 5000], b'L'), "a path of 5000 bytes"),
            (of_kind("@", &vec![b'a'; 70_000], b'x'), "an extended header of 70000 bytes"),
            (of_kind("@", b"99 path=a\n", b'x'), "cannot be read"),
            (of_kind("@", b"19 linkpath=/etc/x\n", b'x'), "a link"),
            (member("", b"x"), "a path of 0 bytes"),
        ] {
            assert!(refusal(&bytes).contains(why), "{why}: {}", refusal(&bytes));
        }
        let many = header("a", 0, b'0').repeat(MEMBERS_MAX + 1);
        assert!(refusal(&many).contains("more than 10000 files"));
        let mut huge = header("a", 0, b'0');
        huge[124..136].copy_from_slice(&[0x80, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);
        huge[148..156].fill(b' ');
        let sum: u32 = huge.iter().map(|byte| u32::from(*byte)).sum();
        huge[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        assert!(refusal(&huge).contains("says that a member has"));
    }

    #[test]
    fn one_that_breaks_off_says_so() {
        let bytes = member("a", &[1; 700]);
        for end in [100, 600, 1300] {
            assert!(matches!(seen(&bytes[..end]), Err(TarError::Broken(_))), "{end}");
        }
        let mut damaged = bytes;
        damaged[0] = b'b';
        assert!(matches!(seen(&damaged), Err(TarError::Broken(_))), "its sum is wrong");
    }

    proptest! {
        #[test]
        fn bytes_of_any_kind_end(place in 0usize..1600, with in any::<u8>(), end in 0usize..1600) {
            let mut bytes = [member("a", b"x"), of_kind("@", b"12 path=abc\n", b'x'), member("b", b"y")].concat();
            if let Some(byte) = bytes.get_mut(place) { *byte = with; }
            let _ = seen(&bytes[..end.min(bytes.len())]);
        }
    }
}
