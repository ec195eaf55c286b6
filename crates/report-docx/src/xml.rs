//! XML that is well-formed by construction: an element is closed where it was opened, and text is escaped.

use quick_xml::escape::escape;
use report::frame::printable;

/// A part that is being written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Xml {
    out: String,
}

impl Xml {
    /// An empty fragment.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// A whole part: declaration and root element.
    pub(crate) fn part(name: &'static str, attributes: &[(&str, &str)], inner: impl FnOnce(&mut Self)) -> String {
        let mut xml = Self { out: "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n".into() };
        xml.element(name, attributes, inner);
        xml.out
    }

    /// An element with what it holds.
    pub(crate) fn element(
        &mut self,
        name: &'static str,
        attributes: &[(&str, &str)],
        inner: impl FnOnce(&mut Self),
    ) -> &mut Self {
        self.open(name, attributes);
        self.out.push('>');
        inner(self);
        self.out.push_str("</");
        self.out.push_str(name);
        self.out.push('>');
        self
    }

    /// An element that holds nothing.
    pub(crate) fn empty(&mut self, name: &'static str, attributes: &[(&str, &str)]) -> &mut Self {
        self.open(name, attributes);
        self.out.push_str("/>");
        self
    }

    fn open(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.out.push('<');
        self.out.push_str(name);
        for (key, value) in attributes {
            self.out.push(' ');
            self.out.push_str(key);
            self.out.push_str("=\"");
            self.out.push_str(&escape(flat(value).as_str()));
            self.out.push('"');
        }
    }

    /// Text on one line. No control and no mark that turns its direction reaches a reader.
    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        self.out.push_str(&escape(flat(text).as_str()));
        self
    }

    /// What was written elsewhere.
    pub(crate) fn append(&mut self, other: &Xml) -> &mut Self {
        self.out.push_str(&other.out);
        self
    }
}

fn flat(text: &str) -> String {
    let blank = |c: char| if matches!(c, '\n' | '\t' | '\r') { ' ' } else { c };
    printable(&text.chars().map(blank).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use quick_xml::events::Event;

    proptest! {
        /// Whatever a label holds, it comes back as the text it was, but for what must not be shown.
        #[test]
        fn any_text_reads_back(text in any::<String>(), name in any::<String>()) {
            let xml = Xml::part("a", &[("b", &name)], |xml| { xml.text(&text); });
            let mut reader = quick_xml::Reader::from_str(&xml);
            let (mut read, mut attribute) = (String::new(), String::new());
            loop {
                match reader.read_event().unwrap() {
                    Event::Start(start) => {
                        // What stands before is not text of the element.
                        read.clear();
                        let found = start.attributes().next().unwrap().unwrap();
                        attribute = found.normalized_value(quick_xml::XmlVersion::Implicit1_0).unwrap().into_owned();
                    }
                    Event::Text(found) => read.push_str(&found.xml10_content()),
                    Event::GeneralRef(found) => {
                        let name = found.xml10_content().into_owned();
                        read.push_str(quick_xml::escape::resolve_predefined_entity(&name).unwrap());
                    }
                    Event::End(_) | Event::Eof => break,
                    _ => {}
                }
            }
            prop_assert_eq!(read, flat(&text));
            prop_assert_eq!(attribute, flat(&name));
        }
    }
}
