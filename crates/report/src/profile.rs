//! Profiles: which blocks a report has, in which order, under which words.

use study::{ReportProfile, Study};

/// Profiles that are built in, by name.
const BUILT_IN: [(&str, &str); 5] = [
    ("full", include_str!("../profiles/full.yaml")),
    ("management", include_str!("../profiles/management.yaml")),
    ("comparison", include_str!("../profiles/comparison.yaml")),
    ("folio", include_str!("../profiles/folio.yaml")),
    ("digikoppeling", include_str!("../profiles/digikoppeling.yaml")),
];

/// The profile of a study: its own, the one it names, else the full one. Only the blocks that its `sections` names.
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

/// A profile by its name; the full one where there is none of that name.
fn built_in(name: &str) -> ReportProfile {
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
            assert!(profile.blocks.len() > 3);
            for text in profile.conformance.iter().map(|demand| &demand.asks) {
                for language in crate::LANGUAGES {
                    assert!(text.0.iter().any(|(tag, _)| tag == language), "{name}: {text:?}");
                }
            }
        }
        let full = built_in("full");
        for block in crate::BLOCKS {
            assert!(full.chosen().any(|choice| choice.name == block.name), "{}", block.name);
        }
        assert_eq!(built_in("no such profile").name, "full");
    }
}
