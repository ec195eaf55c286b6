//! Values of JSON and YAML, in the order in which they were written.

/// One value. Numbers keep the text in which they were written.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number as it was written, or a `$(name)` that stands alone in its place.
    Number(String),
    Text(String),
    List(Vec<Value>),
    /// A map in its order.
    Map(Vec<(String, Value)>),
}

impl Value {
    /// The value of a key.
    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        self.map().iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// The value along several keys.
    pub(crate) fn at(&self, keys: &[&str]) -> Option<&Self> {
        keys.iter().try_fold(self, |value, key| value.get(key))
    }

    /// Entries of a map; none of anything else.
    pub(crate) fn map(&self) -> &[(String, Self)] {
        if let Self::Map(entries) = self { entries } else { &[] }
    }

    /// Members of a list; none of anything else.
    pub(crate) fn list(&self) -> &[Self] {
        if let Self::List(members) = self { members } else { &[] }
    }

    /// The text of a text.
    pub(crate) fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// The text of a key, empty without one.
    pub(crate) fn text_of(&self, key: &str) -> &str {
        self.get(key).and_then(Self::text).unwrap_or_default()
    }

    /// A text, number or truth value as a text.
    pub(crate) fn scalar(&self) -> Option<String> {
        match self {
            Self::Bool(is_true) => Some(is_true.to_string()),
            Self::Number(text) | Self::Text(text) => Some(text.clone()),
            _ => None,
        }
    }

    /// It as JSON, in the order in which it was written.
    pub(crate) fn json(&self) -> String {
        let joined = |parts: Vec<String>| parts.join(",");
        match self {
            Self::Null => "null".to_owned(),
            Self::Text(text) => crate::emit::quoted(text),
            Self::List(members) => format!("[{}]", joined(members.iter().map(Self::json).collect())),
            Self::Map(entries) => {
                let entry = |(key, value): &(String, Self)| format!("{}:{}", crate::emit::quoted(key), value.json());
                format!("{{{}}}", joined(entries.iter().map(entry).collect()))
            }
            Self::Bool(_) | Self::Number(_) => self.scalar().unwrap_or_default(),
        }
    }

    pub(crate) fn number(&self) -> Option<f64> {
        match self {
            Self::Number(text) | Self::Text(text) => text.trim().parse().ok().filter(|number: &f64| number.is_finite()),
            _ => None,
        }
    }

    /// Whether it is `true`.
    pub(crate) fn is_true(&self) -> bool {
        *self == Self::Bool(true)
    }

    /// All texts in it are made new, keys left as they are.
    pub(crate) fn each_text(self, change: &mut dyn FnMut(String) -> String) -> Self {
        match self {
            Self::Text(text) => Self::Text(change(text)),
            Self::List(members) => Self::List(members.into_iter().map(|member| member.each_text(change)).collect()),
            Self::Map(entries) => {
                Self::Map(entries.into_iter().map(|(key, value)| (key, value.each_text(change))).collect())
            }
            other => other,
        }
    }
}
