//! What the language has but this version does not support: one table. Supporting something begins with deleting
//! its line here; the checker then lets it pass to the code that reads it.

use contract::{Mistake, Mistakes, Place};

/// Word of the language, and what it would do.
pub const NOT_YET: &[(&str, &str)] = &[
    ("scale", "declared factors on rate, count, connections and time"),
    ("nodes.at: ssh", "starting load nodes over ssh; start `loadproof node --nats URL` on each machine"),
    ("nodes.at: kubernetes", "starting load nodes in a cluster; start them with the files in `deploy/kubernetes`"),
    ("nodes.addresses", "several source addresses"),
    ("generate", "generated data sets"),
    ("pick by weights", "rows picked by weights of a column"),
    ("limits", "limits of processor and memory for an instance"),
    ("group", "series split by a value"),
    ("counted leg in abort", "stopping the run by the backlog or the age of a leg that is counted"),
    ("changed settings", "changing an exchange's settings in `run`; write an exchange of its own"),
    ("state in abort", "stopping the run by `drained` or `settled`, which are judged after the load"),
    ("looking back in abort", "stopping the run by what is judged over the whole load or after it"),
    ("capacity()", "the lower end of a search"),
    ("where", "choosing among labels"),
    ("counter", "a driver's own counters in rules"),
    ("per group", "verdicts for each group"),
    ("per partition", "verdicts for each partition"),
];

/// Whether a word is one of them.
pub(crate) fn is_one(word: &str) -> bool {
    NOT_YET.iter().any(|(known, _)| *known == word)
}

/// Reports a word that is not supported yet, at its place. `true` when it was reported and is to be skipped.
pub(crate) fn refuse(word: &str, place: Place, mistakes: &mut Mistakes) -> bool {
    match mistake(word, place) {
        Some(mistake) => {
            mistakes.push(mistake);
            true
        }
        None => false,
    }
}

/// As [`refuse`], as a value.
pub(crate) fn mistake(word: &str, place: Place) -> Option<Mistake> {
    let (_, what) = NOT_YET.iter().find(|(known, _)| *known == word)?;
    let shown = word.trim_end_matches("()").trim_end_matches(" rule");
    Some(
        Mistake::at(
            place,
            "study::not-yet",
            format!("`{shown}` is part of the language, but this version does not support it: {what}"),
        )
        .label("leave this out for now"),
    )
}
