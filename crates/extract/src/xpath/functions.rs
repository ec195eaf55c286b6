//! The functions of the core library (XPath 1.0, section 4), and what each is given.

use super::Type;

/// One of the core library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    Last,
    Position,
    Count,
    LocalName,
    NamespaceUri,
    Name,
    String,
    Concat,
    StartsWith,
    Contains,
    SubstringBefore,
    SubstringAfter,
    Substring,
    StringLength,
    NormalizeSpace,
    Translate,
    Boolean,
    Not,
    True,
    False,
    Lang,
    Number,
    Sum,
    Floor,
    Ceiling,
    Round,
}

/// Its name, itself, how many arguments it takes at least and at most, whether they have to be nodes.
pub(super) type Spec = (&'static str, Function, usize, usize, bool);

pub(super) const FUNCTIONS: [Spec; 26] = [
    ("boolean", Function::Boolean, 1, 1, false),
    ("ceiling", Function::Ceiling, 1, 1, false),
    ("concat", Function::Concat, 2, usize::MAX, false),
    ("contains", Function::Contains, 2, 2, false),
    ("count", Function::Count, 1, 1, true),
    ("false", Function::False, 0, 0, false),
    ("floor", Function::Floor, 1, 1, false),
    ("lang", Function::Lang, 1, 1, false),
    ("last", Function::Last, 0, 0, false),
    ("local-name", Function::LocalName, 0, 1, true),
    ("name", Function::Name, 0, 1, true),
    ("namespace-uri", Function::NamespaceUri, 0, 1, true),
    ("normalize-space", Function::NormalizeSpace, 0, 1, false),
    ("not", Function::Not, 1, 1, false),
    ("number", Function::Number, 0, 1, false),
    ("position", Function::Position, 0, 0, false),
    ("round", Function::Round, 1, 1, false),
    ("starts-with", Function::StartsWith, 2, 2, false),
    ("string", Function::String, 0, 1, false),
    ("string-length", Function::StringLength, 0, 1, false),
    ("substring", Function::Substring, 2, 3, false),
    ("substring-after", Function::SubstringAfter, 2, 2, false),
    ("substring-before", Function::SubstringBefore, 2, 2, false),
    ("sum", Function::Sum, 1, 1, true),
    ("translate", Function::Translate, 3, 3, false),
    ("true", Function::True, 0, 0, false),
];

impl Function {
    /// Of what type its value is.
    pub(super) fn of(self) -> Type {
        match self {
            Self::Last | Self::Position | Self::Count | Self::StringLength | Self::Number | Self::Sum => Type::Number,
            Self::Floor | Self::Ceiling | Self::Round => Type::Number,
            Self::StartsWith | Self::Contains | Self::Boolean | Self::Not => Type::Truth,
            Self::True | Self::False | Self::Lang => Type::Truth,
            Self::LocalName | Self::NamespaceUri | Self::Name | Self::String | Self::Concat => Type::Text,
            Self::SubstringBefore | Self::SubstringAfter | Self::Substring => Type::Text,
            Self::NormalizeSpace | Self::Translate => Type::Text,
        }
    }

    pub(super) fn asks_place(self) -> bool {
        matches!(self, Self::Last | Self::Position)
    }
}

/// What to write instead of a function that does not exist.
pub(super) fn instead_of(name: &str) -> Option<&'static str> {
    Some(match name {
        "exists" => "a path alone asks whether something is there; `boolean(//a)` within an expression",
        "empty" => "write `not(//a)`",
        "ends-with" => "write `substring(., string-length(.) - 2) = 'end'`",
        "matches" => "look at the body with `regex(…)`",
        "lower-case" | "upper-case" => "write `translate(., 'ABC…', 'abc…')`",
        "string-join" => "capture `xpath(//a, all)` and write `$(join(list, ', '))`",
        "data" | "text-value" => "write `string(.)`",
        "id" => "it needs a document type, which is never read; write `//*[@id = 'x']`",
        "min" | "max" | "avg" => "XPath 1.0 has `sum` and `count`",
        _ => return None,
    })
}
