//! Profiles: which blocks a report has, in which order, under which words.

use study::{ReportProfile, Study};

/// Profiles that are built in, by name; the first is the one for all who choose none.
const BUILT_IN: [(&str, &str); 10] = [
    ("standard", include_str!("../profiles/standard.yaml")),
    ("summary", include_str!("../profiles/summary.yaml")),
    ("full", include_str!("../profiles/full.yaml")),
    ("management", include_str!("../profiles/management.yaml")),
    ("comparison", include_str!("../profiles/comparison.yaml")),
    ("folio", include_str!("../profiles/folio.yaml")),
    ("digikoppeling", include_str!("../profiles/digikoppeling.yaml")),
    ("nsp", include_str!("../profiles/nsp.yaml")),
    ("grid", include_str!("../profiles/grid.yaml")),
    ("bulk", include_str!("../profiles/bulk.yaml")),
];

/// The profile of a study: its own, the one it names, else the standard one; the full one where no study can be read, and
/// so nobody can choose. Only the blocks that its `sections` names.
pub(crate) fn of(study: Option<&Study>) -> ReportProfile {
    let Some(settings) = study.map(|study| &study.report) else { return built_in("full") };
    let mut profile = settings.own_profile.clone().unwrap_or_else(|| built_in(&settings.profile));
    if !settings.sections.is_empty() {
        for choices in [&mut profile.blocks, &mut profile.appendices] {
            choices.iter_mut().for_each(|choice| choice.of.retain(|own| settings.sections.contains(&own.name)));
            choices.retain(|choice| !choice.of.is_empty() || settings.sections.contains(&choice.name));
        }
    }
    profile
}

/// Names of the profiles that are built in.
pub fn profile_names() -> impl Iterator<Item = &'static str> {
    BUILT_IN.iter().map(|(name, _)| *name)
}

/// A profile by its name; `None` where there is none of that name.
pub fn built_in_profile(name: &str) -> Option<ReportProfile> {
    profile_names().any(|known| known == name).then(|| built_in(name))
}

/// A profile by its name; the standard one where there is none of that name.
pub(crate) fn built_in(name: &str) -> ReportProfile {
    let (name, text) = BUILT_IN.iter().find(|(known, _)| *known == name).unwrap_or(&BUILT_IN[0]);
    let mut profile = study::profile_from_text(name, text, crate::BLOCKS)
        .expect("invariant: a test reads every profile that is built in");
    (*name).clone_into(&mut profile.name);
    profile
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_profile_can_be_read_and_the_full_one_has_every_block() {
        for (name, _) in BUILT_IN {
            let profile = built_in(name);
            assert_eq!(profile.name, name);
            assert!(!profile.blocks.is_empty());
            for text in profile.conformance.iter().map(|demand| &demand.asks) {
                for language in crate::LANGUAGES {
                    assert!(text.0.iter().any(|(tag, _)| tag == language), "{name}: {text:?}");
                }
            }
        }
        let full = built_in("full");
        let is_short = |name: &str| crate::blocks::SHORT_FORMS.iter().any(|(short, _)| *short == name);
        for block in crate::BLOCKS.iter().filter(|block| !is_short(block.name)) {
            assert!(full.chosen().any(|choice| choice.name == block.name), "{}", block.name);
        }
        assert_eq!(built_in("no such profile").name, "standard");
    }
}
