//! For the fuzz targets alone: what reads answers.

use crate::answer::Coming;
use crate::{files, scan};

/// An answer, cut in two where its first byte says: the same text however it is cut, and no more in it than came.
pub fn answer(bytes: &[u8]) {
    let Some((cut, bytes)) = bytes.split_first() else { return };
    let at = usize::from(*cut).min(bytes.len());
    let mut whole = Coming::default();
    assert!(whole.add(bytes).is_ok());
    let expected = whole.take(1);
    let mut coming = Coming::default();
    assert!(coming.add(&bytes[..at]).is_ok());
    let mut found = coming.take(1);
    if found.is_none() {
        assert!(coming.add(&bytes[at..]).is_ok());
        found = coming.take(1);
    }
    assert_eq!(found, expected);
    let text = String::from_utf8_lossy(bytes);
    let files = files(&text).into_iter().map(|(path, text)| (path.to_owned(), text)).collect();
    assert!(scan(&files).len() <= text.lines().count());
    for text in files.values() {
        let _ = (crate::moment::seconds(text), crate::Offset::of(text, terms::Nanos::ZERO, terms::Nanos::ZERO));
    }
    let shown = crate::why::of(&text).text;
    assert!(shown.chars().count() < 300 && !shown.chars().any(char::is_control), "{shown}");
}
