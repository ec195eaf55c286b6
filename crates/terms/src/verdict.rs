//! Words of judgement: validity, verdict, severity, why a run ended.

use std::fmt;

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$vdoc])* $variant),+ }

        impl $name {
            /// All values, mildest first.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word in files and reports.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// The value of that word.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| value.name() == name)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

words! {
    /// Whether a run may be judged at all; comes before any verdict.
    Validity {
        /// Nothing speaks against the measurement.
        Valid = "valid",
        /// A "met" cannot be relied on; a "not met" stands.
        Questionable = "questionable",
        /// The measurement says nothing about the target.
        Invalid = "invalid",
    }
}

words! {
    /// How a requirement ended.
    Verdict {
        /// The run shows that it holds.
        Met = "met",
        /// The run does not decide it; the reason stands beside it.
        CannotTell = "cannot_tell",
        /// The run shows that it does not hold.
        NotMet = "not_met",
    }
}

words! {
    /// How much a requirement weighs.
    Severity {
        /// Printed, never decides.
        Informative = "informative",
        /// Wanted; does not decide the exit code.
        Should = "should",
        /// Demanded; decides the exit code.
        Must = "must",
    }
}

words! {
    /// Why a run ended.
    EndReason {
        /// Everything planned was carried out.
        Completed = "completed",
        /// An abort rule held.
        Aborted = "aborted",
        /// The operator stopped it, or it was killed.
        Interrupted = "interrupted",
        /// The generator could not go on.
        Generator = "generator",
        /// The target could not be used: not there, not the one meant, or gone.
        Target = "target",
    }
}
