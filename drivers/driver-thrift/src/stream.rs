//! A stream: what its events are made of, and how a receiver is told.

use std::fmt::Write as _;

/// Type of an attribute, as a stream's definition has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Int,
    Long,
    Float,
    Double,
    Bool,
    String,
}

impl Type {
    pub(crate) const ALL: [Self; 6] = [Self::Int, Self::Long, Self::Float, Self::Double, Self::Bool, Self::String];

    /// As studies have it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Int => "int",
            Self::Long => "long",
            Self::Float => "float",
            Self::Double => "double",
            Self::Bool => "bool",
            Self::String => "string",
        }
    }
}

/// The parts of an event, in the order in which they are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Meta,
    Correlation,
    Payload,
}

impl Part {
    pub(crate) const ALL: [Self; 3] = [Self::Meta, Self::Correlation, Self::Payload];

    /// As studies have it.
    pub(crate) fn key(self) -> &'static str {
        match self {
            Self::Meta => "meta",
            Self::Correlation => "correlation",
            Self::Payload => "payload",
        }
    }

    /// As a definition has it.
    fn name(self) -> &'static str {
        match self {
            Self::Meta => "metaData",
            Self::Correlation => "correlationData",
            Self::Payload => "payloadData",
        }
    }
}

/// What is known of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stream {
    pub(crate) name: String,
    pub(crate) version: String,
    /// Part, name and type of each attribute, in the order of the study.
    pub(crate) attributes: Vec<(Part, String, Type)>,
}

impl Stream {
    /// What its events say which stream they belong to.
    pub(crate) fn id(&self) -> String {
        format!("{}:{}", self.name, self.version)
    }

    /// Its definition, as JSON.
    pub(crate) fn definition(&self) -> String {
        let mut text = String::from("{\"name\":");
        quote(&mut text, &self.name);
        text.push_str(",\"version\":");
        quote(&mut text, &self.version);
        text.push_str(",\"nickName\":\"\",\"description\":\"\"");
        for part in Part::ALL {
            let own: Vec<_> = self.attributes.iter().filter(|(of, ..)| *of == part).collect();
            if own.is_empty() {
                continue;
            }
            let _ = write!(text, ",\"{}\":[", part.name());
            for (index, (_, name, kind)) in own.into_iter().enumerate() {
                text.push_str(if index > 0 { ",{\"name\":" } else { "{\"name\":" });
                quote(&mut text, name);
                let _ = write!(text, ",\"type\":\"{}\"}}", kind.name().to_uppercase());
            }
            text.push(']');
        }
        text.push('}');
        text
    }
}

fn quote(into: &mut String, text: &str) {
    into.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => into.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(into, "\\u{:04x}", u32::from(c));
            }
            c => into.push(c),
        }
    }
    into.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_is_as_receivers_read_it() {
        let attributes = [
            (Part::Payload, "house", Type::Int),
            (Part::Meta, "gate\"way", Type::String),
            (Part::Payload, "power", Type::Double),
        ];
        let attributes = attributes.into_iter().map(|(part, name, kind)| (part, name.to_owned(), kind)).collect();
        let stream = Stream { name: "smart_home".into(), version: "1.0.0".into(), attributes };
        assert_eq!(stream.id(), "smart_home:1.0.0");
        assert_eq!(
            stream.definition(),
            "{\"name\":\"smart_home\",\"version\":\"1.0.0\",\"nickName\":\"\",\"description\":\"\",\
             \"metaData\":[{\"name\":\"gate\\\"way\",\"type\":\"STRING\"}],\
             \"payloadData\":[{\"name\":\"house\",\"type\":\"INT\"},{\"name\":\"power\",\"type\":\"DOUBLE\"}]}"
        );
    }
}
