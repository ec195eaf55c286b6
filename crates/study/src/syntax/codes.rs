//! Every code of a mistake, with its paragraph for the guide.

/// Codes and paragraphs, in order of the code.
pub const CODES: &[(&str, &str)] = &[
    (
        "study::arithmetic",
        "Units in a sum, product or quotient do not go together, or something is divided by zero. A time is added to a time; a rate times a time is a number; a quotient of equal units is a number.",
    ),
    ("study::bad-capture", "A capture names a place in the answer and compares it with nothing: `name: json($.id)`."),
    (
        "study::bad-check",
        "A check reads: where to look, a comparison, what is expected. `status = 200`, `json($.a) > 0`, `header(x) = y`, `regex(…) = t`, `body contains t`, `size < 10kB`. Without a comparison, `json(…)`, `header(…)` and `regex(…)` ask only that something is found.",
    ),
    (
        "study::bad-data",
        "A data file cannot be used: it is not there, has no rows, its header is empty or names a column twice, a row has another number of cells, or it is not UTF-8. The message gives the line.",
    ),
    (
        "study::bad-name",
        "A name begins with a letter or `_`; letters, digits and `_` follow, 64 characters at most. Words of the language (`and`, `per`, `think`, `port` …) cannot be names.",
    ),
    (
        "study::capture-before",
        "An exchange uses a captured value before any exchange of the scenario has taken it. Put the exchange that takes it into `set_up`, or before it in `run`.",
    ),
    (
        "study::conflict",
        "Two keys contradict each other, such as `arrivals` and `users`, `hold` and `count`, `start` and `url`. Keep one.",
    ),
    (
        "study::duplicate-key",
        "A key stands twice in the same map. YAML readers differ in which they take, so neither is taken.",
    ),
    ("study::duplicate-name", "One name stands for two things, so a rule or a `$(…)` could mean either. Rename one."),
    ("study::empty", "A map or list that must hold something is empty."),
    ("study::include-loop", "A file includes itself, directly or by way of others."),
    (
        "study::missing-environment",
        "`$(env.X)` names an environment variable that is not set. Set it, or give a default: `$(env.X:-default)`.",
    ),
    ("study::missing-key", "A key that must be there is not."),
    (
        "study::missing-secret",
        "A secret was looked for in the environment variable of its name, then in the file that `NAME_FILE` names, then in the file under `secrets`, and found in none.",
    ),
    (
        "study::missing-unit",
        "A number has no unit. A bare number is a plain count everywhere: durations, rates, sizes and shares need `30s`, `200/s`, `8kB`, `95%`.",
    ),
    (
        "study::mix-of-mix",
        "A mix names a scenario that is a mix itself. Parts have a load of their own; name the scenarios that are mixed.",
    ),
    (
        "study::needs-loop",
        "Instances need each other, so none can start first; or requirements ask for each other, so none can be judged first.",
    ),
    (
        "study::never-together",
        "The parts of a mix are never at full load all at once, so there is nothing to judge; or a part would begin after the mix has ended.",
    ),
    ("study::no-count", "A whole number is wanted here."),
    (
        "study::no-instance",
        "A warning: `system` names neither an instance to start nor a `url`, so nobody checks that what answers is what is meant.",
    ),
    (
        "study::no-quantity",
        "This is no number with a unit that is known here. Units are ns us ms s m h d, B kB MB GB KiB MiB GiB, %, /s /m /h.",
    ),
    ("study::no-streams", "The rule asks about each stream, and the load has none."),
    ("study::no-window", "The rule looks at a phase that the scenario does not have."),
    (
        "study::not-in-scenario",
        "The rule names an exchange that the scenario does not carry out: there would be nothing to look at, and silence is no proof.",
    ),
    ("study::not-run", "A warning: a scenario does not stand in `order` and is not run."),
    (
        "study::not-yet",
        "The language has this, and this version of loadproof does not carry it out. The table below lists all such words.",
    ),
    (
        "study::not-yet-known",
        "The name exists, but gets its value later than here: loads, phases and rules are decided before anything starts; `port`, `replica`, `nonce` and `faults` exist only within an instance.",
    ),
    ("study::open-variable", "A `$(` is never closed. For the two characters themselves write `$$(`."),
    ("study::out-of-range", "The value is understood and outside what is possible or sensible."),
    (
        "study::rate-without-unit",
        "An arrival rate needs its unit: `250/s`. For 250 virtual users that wait for their answers, write `users: 250`.",
    ),
    (
        "study::rule-not-here",
        "This part of a rule belongs elsewhere: `for 30s` to abort rules, `per …` and `change(…)` to requirements; a change looks at whole holds, and stands at the beginning of a clause.",
    ),
    ("study::rule-syntax", "The rule cannot be read at this place."),
    (
        "study::short-secret",
        "A warning: a secret has less than four characters. So short a text also stands in words and numbers, so it is kept out only where it stands alone. Take a longer one.",
    ),
    (
        "study::too-large",
        "The text is beyond a bound that keeps a study from filling the memory: file size, depth, number of parts, length of a rule, number of files.",
    ),
    ("study::unknown-function", "There is no function of that name."),
    ("study::unknown-key", "The map has no such key. The nearest one is suggested, and all are listed."),
    ("study::unknown-kind", "No driver, operation or monitor of that name is built in."),
    ("study::unknown-name", "Nothing of that name is known here. The nearest name is suggested, and all are listed."),
    ("study::unknown-word", "One of a few words is wanted here."),
    ("study::unreadable-file", "A file that the study names cannot be read."),
    (
        "study::unused",
        "A warning: something is declared and nothing uses it. An unused assumption is a finding of the report.",
    ),
    (
        "study::unused-faults",
        "Faults are given for an instance, but its `start` has no `$(faults)` where they would be handed over.",
    ),
    ("study::variable-loop", "Variables need each other's values."),
    ("study::weights", "The weights of `choose` do not add up to 100%."),
    (
        "study::written-secret",
        "A warning: a password, a token or another credential stands in the study itself. Write `$(secret.NAME)` in its place, and set `NAME` in the environment or name its file. Until then what stands there is kept out of everything that loadproof writes, the archived study included.",
    ),
    (
        "study::wrong-series",
        "The function has no meaning for this series, such as a percentile of a count or the count of a level.",
    ),
    (
        "study::wrong-type",
        "A map, a list or a text is wanted, and something else stands here. `yes`, `no`, `on` and `off` are texts, not truth values.",
    ),
    ("study::wrong-unit", "The number has a unit of another kind than is wanted."),
    (
        "study::yaml",
        "The text is not YAML, or uses something that studies do not: a second document, tags, keys that are no texts.",
    ),
];

/// The paragraph of a code.
pub fn paragraph(code: &str) -> Option<&'static str> {
    CODES.iter().find(|(known, _)| *known == code).map(|(_, paragraph)| *paragraph)
}
