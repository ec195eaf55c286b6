//! Letters of European languages in those of ASCII, as they are written where a keyboard has no others.

/// Letters that are written as several: by the languages that have them, not by what they look like.
const LONGER: &[(char, &str)] = &[
    ('æ', "ae"),
    ('ä', "ae"),
    ('ø', "oe"),
    ('ö', "oe"),
    ('œ', "oe"),
    ('å', "aa"),
    ('ü', "ue"),
    ('ß', "ss"),
    ('ĳ', "ij"),
    ('þ', "th"),
];

/// Letters with the one that each is written as.
const BASES: &[(&str, char)] = &[
    ("àáâãāăąǎ", 'a'),
    ("çćĉċč", 'c'),
    ("ďđð", 'd'),
    ("èéêëēĕėęě", 'e'),
    ("ĝğġģ", 'g'),
    ("ĥħ", 'h'),
    ("ìíîïĩīĭįı", 'i'),
    ("ĵ", 'j'),
    ("ķĸ", 'k'),
    ("ĺļľŀł", 'l'),
    ("ñńņňŉŋ", 'n'),
    ("òóôõōŏő", 'o'),
    ("ŕŗř", 'r'),
    ("śŝşšșſ", 's'),
    ("ţťŧț", 't'),
    ("ùúûũūŭůűų", 'u'),
    ("ŵ", 'w'),
    ("ýÿŷ", 'y'),
    ("źżž", 'z'),
];

/// The text in lower case, with letters of ASCII where it has others of which one is known; marks above and below that
/// stand as characters of their own are left out.
pub(crate) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars().flat_map(char::to_lowercase).filter(|c| !('\u{300}'..='\u{36f}').contains(c)) {
        if c.is_ascii() {
            out.push(c);
        } else if let Some((_, longer)) = LONGER.iter().find(|(known, _)| *known == c) {
            out.push_str(longer);
        } else {
            out.push(BASES.iter().find(|(known, _)| known.contains(c)).map_or(c, |(_, base)| *base));
        }
    }
    out
}
