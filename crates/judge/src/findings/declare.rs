//! How a rule says what it finds: a type of its own for the figures, which the sentences of every language take by name.

use crate::{Arg, Args};

/// A kind of finding: its rule, and the names of its figures.
pub(crate) trait Declared {
    /// Name of the rule, as reports and the guide have it.
    const RULE: &'static str;
    /// Names of the figures, in alphabetical order.
    const ARGS: &'static [&'static str];

    /// The figures by name.
    fn args(&self) -> Args;
}

/// Declares what a rule finds. The comment above it is the rule's section of the guide, in Markdown; thresholds stand in
/// it by the names of their constants.
macro_rules! declare {
    ($(#[doc = $guide:expr])+ $name:ident = $rule:literal { $($field:ident: $kind:ty),+ $(,)? }) => {
        $(#[doc = $guide])+
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name { $(pub $field: $kind),+ }

        impl $crate::findings::declare::Declared for $name {
            const RULE: &'static str = $rule;
            const ARGS: &'static [&'static str] = &[$($crate::findings::declare::shown(stringify!($field))),+];

            fn args(&self) -> $crate::Args {
                let args = [$($crate::Arg::from(self.$field.clone())),+];
                Self::ARGS.iter().map(|name| (*name).to_owned()).zip(args).collect()
            }
        }

        impl From<$name> for $crate::findings::Found {
            fn from(found: $name) -> Self {
                Self::$name(found)
            }
        }
    };
}
pub(crate) use declare;

/// A field's name without what makes a keyword a name.
pub(crate) const fn shown(field: &'static str) -> &'static str {
    match field.as_bytes() {
        [b'r', b'#', ..] => field.split_at(2).1,
        _ => field,
    }
}

macro_rules! units {
    ($($(#[doc = $about:expr])* $name:ident),+ $(,)?) => {
        $(
            $(#[doc = $about])*
            #[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
            pub struct $name(pub f64);

            impl From<$name> for Arg {
                fn from(value: $name) -> Self {
                    Self::$name(value.0)
                }
            }
        )+
    };
}

units! {
    Milliseconds,
    Seconds,
    /// Of one.
    Share,
    /// How many.
    Count,
    /// Something a second.
    PerSecond,
    Bytes,
    /// Processor cores.
    Cores,
    /// A pure number.
    Number,
}

/// What was set and not measured, such as a limit: written with the digits it has, and no others.
#[derive(Clone, Debug, PartialEq)]
pub struct Given<T>(pub T);

impl<T: Into<Arg>> From<Given<T>> for Arg {
    fn from(Given(value): Given<T>) -> Self {
        value.into().given()
    }
}

impl From<String> for Arg {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// What is not known is the word `none`, for which every sentence has a variant.
impl<T: Into<Arg>> From<Option<T>> for Arg {
    fn from(value: Option<T>) -> Self {
        value.map_or_else(|| Self::Text("none".into()), Into::into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::{NotMonotone, RULES};

    #[test]
    fn figures_go_by_their_names() {
        let (failed, held) = (Arg::PerSecond(100.0), Arg::PerSecond(200.0));
        let args = NotMonotone { failed: failed.clone(), held, r#where: "here".into() }.args();
        assert_eq!((&args["failed"], &args["where"]), (&failed, &Arg::Text("here".into())));
        assert_eq!(Arg::from(Given(Share(0.05))), Arg::Share(0.05).given());
        assert_eq!(Arg::from(None::<Count>), Arg::Text("none".into()));
    }

    #[test]
    fn rules_and_their_figures_stand_in_order_and_once() {
        assert!(RULES.windows(2).all(|pair| pair[0].0 < pair[1].0));
        for (rule, args) in RULES {
            assert!(args.windows(2).all(|pair| pair[0] < pair[1]), "{rule}");
        }
    }
}
