//! Facts about what is watched, and the kinds of facts that a monitor declares.

use crate::FactRole;

/// A fact that a monitor has a word for, or that has a role. Others, such as a setting by its own name, are printed and
/// compared as they were captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FactKind {
    /// Its name: `clock source`.
    pub name: &'static str,
    /// Those of its values that are words: the attribute of the fact's message that says each, and the text captured.
    pub values: &'static [(&'static str, &'static str)],
    /// Whether its name is printed as it is, in every language: a setting of a server.
    pub is_verbatim: bool,
    /// What it says, if judging and drawing treat it in a way of its own.
    pub role: Option<FactRole>,
}

impl FactKind {
    /// A fact whose values are numbers and names, the same in every language.
    pub const fn new(name: &'static str) -> Self {
        Self { name, values: &[], is_verbatim: false, role: None }
    }

    /// A fact whose name is the same in every language.
    pub const fn verbatim(name: &'static str) -> Self {
        Self { is_verbatim: true, ..Self::new(name) }
    }

    /// The same, with values that are words.
    #[must_use]
    pub const fn with_values(self, values: &'static [(&'static str, &'static str)]) -> Self {
        Self { values, ..self }
    }

    /// The same, in a role.
    #[must_use]
    pub const fn with_role(self, role: FactRole) -> Self {
        Self { role: Some(role), ..self }
    }
}

/// The facts of a monitor as constants, `SERVER = FactKind::new("server");`, and the list `FACTS` of them all for its
/// [`crate::MonitorKind`]: what is emitted by its constant is declared under that name.
#[macro_export]
macro_rules! facts {
    ($($(#[$about:meta])* $name:ident = $kind:expr;)+) => {
        $($(#[$about])* pub(crate) const $name: $crate::FactKind = $kind;)+
        /// All declared facts, in this order.
        pub(crate) const FACTS: &[$crate::FactKind] = &[$($name),+];
    };
}

/// The name under which a fact is emitted: that of a declared kind or, explicitly, one that no catalogue translates. A
/// plain text does not convert, so a fact with words cannot miss them by a slip in its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactName(String);

impl FactName {
    /// A name that no plug-in declares, such as that of a server's setting or table; printed as it is.
    pub fn verbatim(name: impl Into<String>) -> Self {
        Self(name.into())
    }
}

impl From<&FactKind> for FactName {
    fn from(kind: &FactKind) -> Self {
        Self(kind.name.to_owned())
    }
}

/// Facts about what is watched: subject, name, value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts(pub Vec<(String, String, String)>);

impl Facts {
    /// Adds one, such as `6.1.0` of the declared `kernel` of `host`.
    pub fn fact(&mut self, subject: impl Into<String>, name: impl Into<FactName>, value: impl Into<String>) {
        self.0.push((subject.into(), name.into().0, value.into()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    facts! {
        KERNEL = FactKind::new("kernel");
        /// Of what runs.
        VERSION = FactKind::new("version").with_role(FactRole::Runtime);
    }

    #[test]
    fn a_fact_carries_the_name_of_its_declaration_or_its_own() {
        assert_eq!(FACTS, [KERNEL, VERSION]);
        let mut facts = Facts::default();
        facts.fact("host", &KERNEL, "6.1.0");
        facts.fact("host", FactName::verbatim("setting fsync"), "on");
        let expected = [("host", "kernel", "6.1.0"), ("host", "setting fsync", "on")];
        assert_eq!(facts.0, expected.map(|(subject, name, value)| (subject.into(), name.into(), value.into())));
    }
}
