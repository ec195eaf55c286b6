//! Where a topic names its hub and itself (section 4 of the recommendation): in `Link` headers, else in the head of a page
//! or a feed. Only the bytes that are there are looked at, once, and nothing is believed about their form.

use std::borrow::Cow;

/// A tag or a header with more parameters than that says nothing to anybody.
const PARAMETERS_MAX: usize = 32;

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Links {
    /// The first hub that is named. A publisher may name several, and any of them will do.
    pub(crate) hub: Option<String>,
    /// The topic's own name, by which the hub knows it.
    pub(crate) topic: Option<String>,
    /// Another that it gives for its own in the same place.
    pub(crate) other_topic: Option<String>,
}

impl Links {
    /// In the values of `Link` headers (RFC 8288, section 3).
    pub(crate) fn of_headers<'a>(values: impl Iterator<Item = &'a [u8]>) -> Self {
        let mut links = Self::default();
        for value in values {
            let value = String::from_utf8_lossy(value);
            let mut rest = &*value;
            while let Some(begin) = rest.find('<') {
                let Some((target, after)) = rest[begin + 1..].split_once('>') else { break };
                let (rel, after) = rel_of(after);
                links.add(target, &rel);
                rest = after;
            }
        }
        links
    }

    /// In the head of a page (HTML), or what a feed (Atom, RSS) says of itself and not of its entries.
    pub(crate) fn of_body(body: &[u8]) -> Self {
        let body = String::from_utf8_lossy(body);
        let (mut links, mut rest, mut entries) = (Self::default(), &*body, 0u32);
        while let Some(begin) = rest.find('<') {
            rest = &rest[begin + 1..];
            if let Some(comment) = rest.strip_prefix("!--") {
                rest = behind(comment, "-->");
                continue;
            }
            if let Some(text) = rest.strip_prefix("![CDATA[") {
                rest = behind(text, "]]>");
                continue;
            }
            let Tag { name, is_end, is_empty, attributes, after } = Tag::read(rest);
            rest = after;
            match (name.as_str(), is_end) {
                // A page names them in its head.
                ("body", false) => break,
                ("entry" | "item", false) if !is_empty => entries += 1,
                ("entry" | "item", true) => entries = entries.saturating_sub(1),
                // What stands in these is not markup, whatever it looks like.
                ("script" | "style" | "title" | "textarea", false) if !is_empty => rest = behind_end(rest, &name),
                ("link", false) if entries == 0 => {
                    let value = |wanted: &str| attributes.iter().find(|(name, _)| name == wanted).map(|(_, it)| &**it);
                    if let (Some(rel), Some(target)) = (value("rel"), value("href")) {
                        links.add(target, rel);
                    }
                }
                _ => {}
            }
        }
        links
    }

    /// What these lack, from others.
    pub(crate) fn or(self, others: Self) -> Self {
        let own =
            if self.topic.is_some() { (self.topic, self.other_topic) } else { (others.topic, others.other_topic) };
        Self { hub: self.hub.or(others.hub), topic: own.0, other_topic: own.1 }
    }

    fn add(&mut self, target: &str, rel: &str) {
        let target = target.trim();
        for relation in rel.split_ascii_whitespace() {
            let place = match relation.to_ascii_lowercase().as_str() {
                "hub" => &mut self.hub,
                "self" if self.topic.as_deref().is_some_and(|topic| topic != target) => &mut self.other_topic,
                "self" => &mut self.topic,
                _ => continue,
            };
            place.get_or_insert_with(|| target.to_owned());
        }
    }
}

/// The relations of a link, from its parameters, and what follows these.
fn rel_of(parameters: &str) -> (String, &str) {
    let (mut rel, mut rest) = (None, parameters);
    for _ in 0..PARAMETERS_MAX {
        let Some(parameter) = rest.trim_start().strip_prefix(';') else { break };
        let name_ends = parameter.find(['=', ';', ',']).unwrap_or(parameter.len());
        let (name, after) = parameter.split_at(name_ends);
        let (value, after) = match after.strip_prefix('=') {
            Some(value) => value_of(value.trim_start()),
            None => (String::new(), after),
        };
        // Of several the first counts (section 3.3).
        if name.trim().eq_ignore_ascii_case("rel") && rel.is_none() {
            rel = Some(value);
        }
        rest = after;
    }
    (rel.unwrap_or_default(), rest)
}

/// A token or a quoted text of a header, and what follows it.
fn value_of(text: &str) -> (String, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find([';', ',']).unwrap_or(text.len());
        return (text[..end].trim().to_owned(), &text[end..]);
    };
    let (mut value, mut chars) = (String::new(), quoted.char_indices());
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return (value, &quoted[at + 1..]),
            '\\' => value.extend(chars.next().map(|(_, c)| c)),
            c => value.push(c),
        }
    }
    (value, "")
}

/// A tag as it stands in markup.
struct Tag<'a> {
    /// In small letters, without its prefix.
    name: String,
    is_end: bool,
    /// Whether it ends itself.
    is_empty: bool,
    attributes: Vec<(String, Cow<'a, str>)>,
    /// What follows it.
    after: &'a str,
}

impl<'a> Tag<'a> {
    /// From behind its `<`.
    fn read(text: &'a str) -> Self {
        let is_end = text.starts_with('/');
        let text = if is_end { &text[1..] } else { text };
        let ends = text.find(|c: char| c.is_ascii_whitespace() || c == '>' || c == '/').unwrap_or(text.len());
        let (name, mut rest) = text.split_at(ends);
        let name = name.rsplit(':').next().unwrap_or_default().to_ascii_lowercase();
        let (mut attributes, mut is_empty) = (Vec::new(), false);
        loop {
            rest = rest.trim_start();
            if let Some(after) = rest.strip_prefix('>') {
                return Self { name, is_end, is_empty, attributes, after };
            }
            if let Some(after) = rest.strip_prefix('/') {
                (is_empty, rest) = (true, after);
                continue;
            }
            if rest.is_empty() {
                return Self { name, is_end, is_empty, attributes, after: "" };
            }
            is_empty = false;
            let ends =
                rest.find(|c: char| c.is_ascii_whitespace() || matches!(c, '=' | '>' | '/')).unwrap_or(rest.len());
            // An attribute that begins with `=` has a name of one character, as HTML has it; so it always goes on.
            let ends = ends.max(rest.chars().next().map_or(0, char::len_utf8));
            let (key, after) = rest.split_at(ends);
            let value = after.trim_start().strip_prefix('=').map(str::trim_start);
            let (value, after) = value.map_or(("", after), attribute);
            if attributes.len() < PARAMETERS_MAX {
                attributes.push((key.to_ascii_lowercase(), decoded(value)));
            }
            rest = after;
        }
    }
}

/// The value of an attribute, in quotation marks or not, and what follows it.
fn attribute(text: &str) -> (&str, &str) {
    match text.chars().next() {
        Some(mark @ ('"' | '\'')) => text[1..].split_once(mark).unwrap_or((&text[1..], "")),
        _ => text.split_at(text.find(|c: char| c.is_ascii_whitespace() || c == '>').unwrap_or(text.len())),
    }
}

/// The characters that markup writes otherwise; what an address has need of.
fn decoded(value: &str) -> Cow<'_, str> {
    if !value.contains('&') {
        return Cow::Borrowed(value);
    }
    let mut text = value.to_owned();
    for (written, meant) in [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&apos;", "'"),
        ("&#39;", "'"),
        ("&#47;", "/"),
        ("&#x2F;", "/"),
        ("&#38;", "&"),
        ("&amp;", "&"),
    ] {
        text = text.replace(written, meant);
    }
    Cow::Owned(text)
}

fn behind<'a>(text: &'a str, mark: &str) -> &'a str {
    text.find(mark).map_or("", |at| &text[at + mark.len()..])
}

/// What follows the end of an element whose content is text.
fn behind_end<'a>(text: &'a str, name: &str) -> &'a str {
    let mut rest = text;
    while let Some(at) = rest.find("</") {
        rest = &rest[at + 2..];
        // It may have a prefix, and any letters.
        let ends = rest.find(|c: char| c.is_ascii_whitespace() || c == '>').unwrap_or(rest.len());
        if rest[..ends].rsplit(':').next().is_some_and(|found| found.eq_ignore_ascii_case(name)) {
            return rest;
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn links(hub: &str, topic: &str) -> Links {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Links { hub: some(hub), topic: some(topic), other_topic: None }
    }

    fn of_headers(lines: &[&str]) -> Links {
        Links::of_headers(lines.iter().map(|line| line.as_bytes()))
    }

    fn of_body(body: &str) -> Links {
        Links::of_body(body.as_bytes())
    }

    /// The example of section 4 of the recommendation, on one line and on two.
    #[test]
    fn headers_are_read_as_the_recommendation_has_them() {
        let (hub, topic) = ("https://hub.example.com/", "https://example.com/feed");
        let (first, second) = (format!("<{hub}>; rel=\"hub\""), format!("<{topic}>; rel=\"self\""));
        assert_eq!(of_headers(&[&first, &second]), links(hub, topic));
        assert_eq!(of_headers(&[&format!("{first}, {second}")]), links(hub, topic));
        assert_eq!(of_headers(&[&second]), links("", topic));
    }

    #[test]
    fn headers_may_be_written_in_many_ways() {
        for (line, found) in [
            ("<http://h/>;rel=hub", links("http://h/", "")),
            ("<http://h/> ; title=\"a, b; rel=\\\"self\\\"\" ; REL = \"next HUB\"", links("http://h/", "")),
            ("<http://a/>; rel=next, <http://h/>; rel=hub, <http://h2/>; rel=hub", links("http://h/", "")),
            ("<http://h/>; rel=\"hub self\"", links("http://h/", "http://h/")),
            ("<http://h/>; rel=next; rel=hub", links("", "")),
            ("</hub?a=1,2;3>; rel=hub", links("/hub?a=1,2;3", "")),
            ("<http://h/>", links("", "")),
            ("rel=hub", links("", "")),
            ("<http://h/; rel=hub", links("", "")),
            ("<http://h/>; rel=\"hub", links("http://h/", "")),
        ] {
            assert_eq!(of_headers(&[line]), found, "{line}");
        }
    }

    #[test]
    fn a_page_names_them_in_its_head() {
        let page = "<!doctype html><html><head><title>a <link rel=hub href=no></title><!-- <link rel=hub href=no> -->\
            <script>\"<link rel='hub' href='no'>\"</script><LINK REL='Hub' HREF = 'http://h/?a=1&amp;b=2'>\
            <link href=http://t/feed rel=self></head><body><link rel=hub href=late></body></html>";
        assert_eq!(of_body(page), links("http://h/?a=1&b=2", "http://t/feed"));
        assert_eq!(of_body("<html><body><link rel=\"hub\" href=\"http://h/\"></body></html>"), links("", ""));
    }

    #[test]
    fn a_feed_names_them_for_itself_and_not_for_its_entries() {
        let atom = "<?xml version=\"1.0\"?><feed xmlns=\"http://www.w3.org/2005/Atom\"><title>x</title>\
            <entry><link rel=\"self\" href=\"http://t/1\"/><content><![CDATA[<link rel=hub href=no>]]></content></entry>\
            <link rel=\"hub\" href=\"http://h/\"/><link rel=\"self\" href=\"http://t/feed\"/></feed>";
        assert_eq!(of_body(atom), links("http://h/", "http://t/feed"));
        let rss = "<rss><channel><link>http://site/</link><atom:link rel=\"hub\" href=\"http://h/\"/>\
            <atom:link href=\"http://t/rss\" rel=\"self\" type=\"application/rss+xml\" /><item><link>x</link></item></channel></rss>";
        assert_eq!(of_body(rss), links("http://h/", "http://t/rss"));
    }

    #[test]
    fn a_topic_that_gives_itself_two_names_is_known_for_that() {
        let other = |links: Links| (links.topic, links.other_topic);
        let some = |text: &str| Some(text.to_owned());
        let two = "<http://t/1>; rel=self, <http://t/2>; rel=self, <http://t/3>; rel=self";
        assert_eq!(other(of_headers(&[two])), (some("http://t/1"), some("http://t/2")));
        assert_eq!(other(of_headers(&["<a>; rel=self", "<a>; rel=\"self hub\""])), (some("a"), None), "said twice");
        let page = "<head><link rel=hub href=h><link rel=self href=a><link rel=self href=b></head>";
        assert_eq!(other(of_body(page)), (some("a"), some("b")));
        assert_eq!(other(of_headers(&["<c>; rel=self"]).or(of_body(page))), (some("c"), None), "headers come first");
        assert_eq!(other(of_headers(&["<h>; rel=hub"]).or(of_body(page))), (some("a"), some("b")));
    }

    #[test]
    fn what_is_cut_off_or_nonsense_ends() {
        for body in
            ["<", "<link", "<link rel", "<link rel=\"hub", "<!--", "</", "<title>", "<link = = / / =>", "<link ====>"]
        {
            assert_eq!(of_body(body), links("", ""), "{body}");
        }
    }

    #[test]
    fn what_one_lacks_the_other_has() {
        assert_eq!(links("a", "").or(links("b", "c")), links("a", "c"));
    }

    proptest! {
        #[test]
        fn any_bytes_end(bytes in proptest::collection::vec(prop_oneof![any::<u8>(), Just(b'<'), Just(b'"'), Just(b';')], 0..400)) {
            Links::of_body(&bytes);
            Links::of_headers(std::iter::once(bytes.as_slice()));
        }

        #[test]
        fn a_link_is_found_whatever_stands_before_it(before in "[a-z =\"'/>!?;&]{0,60}") {
            let body = format!("{before}<link rel=\"hub\" href=\"http://h/\">");
            prop_assert_eq!(of_body(&body).hub, Some("http://h/".to_owned()));
        }
    }
}
