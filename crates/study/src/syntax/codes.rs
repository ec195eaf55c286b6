//! Every code of a mistake, with its paragraph for the guide.

/// Codes and paragraphs, in order of the code.
pub const CODES: &[(&str, &str)] = &[
    (
        "study::arithmetic",
        "The units in a sum, product or quotient do not match, or something is divided by zero. A time can be added to a time; a rate times a time is a number; a quotient of equal units is a number.",
    ),
    (
        "study::bad-call",
        "A function in `$(…)` has too few or too many arguments, or one that it cannot use, such as a bound that is not a number. Arguments are texts in quotes, numbers, names, and other functions: `$(base64(hmac_sha256(secret.KEY, 'GET /orders')))`. Or a function of a script has no value for arguments that are known by now.",
    ),
    (
        "study::bad-capture",
        "A capture only names a place in the answer, without a comparison: `name: json($.id)`, `name: xpath(//id)`. An expression with one value, such as `count(//a)`, has nothing to pick.",
    ),
    (
        "study::bad-check",
        "A check consists of where to look, a comparison, and what is expected. `status = 200`, `json($.a) > 0`, `xpath(//a) = b`, `header(x) = y`, `header(x, 'pattern') = y`, `regex(…) = t`, `body contains t`, `size < 10kB`, `script(NAME.FUNCTION, body)`. Without a comparison, `json(…)`, `xpath(…)`, `header(…)` and `regex(…)` only require that something is found, and a script or an XPath that is true or false that it is `true`; an XPath that is a number or a text has to be compared.",
    ),
    (
        "study::bad-condition",
        "A condition is a text with names, compared with another: `$(state) = open`, `$(total) > 10`, `$(page) contains more`. Without a comparison it holds if there is a text: `$(next)`. A leading `not` negates it.",
    ),
    (
        "study::bad-data",
        "A data file cannot be used: it does not exist, has no rows, its header is empty or names a column twice, a row has a different number of cells, or it is not UTF-8. The message gives the line.",
    ),
    (
        "study::bad-machine",
        "A machine that is watched is the name of a node there (letters, digits, `.`, `-` and `_`), or over ssh `ssh://user@host:port`, of which user and port may be left out.",
    ),
    (
        "study::bad-name",
        "A name begins with a letter or `_`; letters, digits and `_` follow, 64 characters at most. Words of the language (`and`, `per`, `think`, `port` …) cannot be names.",
    ),
    (
        "study::bad-script",
        "A script cannot be used: its text is not Rhai, names a variable or calls a function that does not exist, has something outside of functions, or a `$(…)`. The message gives the line within the script.",
    ),
    (
        "study::capture-before",
        "An exchange uses a captured value before any exchange of the scenario has captured it. Put the exchange that captures it into `set_up`, or before it in `run`.",
    ),
    (
        "study::conflict",
        "Two keys contradict each other, such as `arrivals` and `users`, `hold` and `count`, `start` and `url`. Keep one.",
    ),
    (
        "study::duplicate-key",
        "A key occurs twice in the same map. YAML readers differ in which one they use, so neither is used.",
    ),
    ("study::duplicate-name", "One name stands for two things, so a rule or a `$(…)` could mean either. Rename one."),
    ("study::empty", "A map or list that must not be empty is empty."),
    ("study::include-loop", "A file includes itself, directly or through others."),
    (
        "study::missing-environment",
        "`$(env.X)` names an environment variable that is not set. Set it, or give a default: `$(env.X:-default)`.",
    ),
    ("study::missing-key", "A required key is missing."),
    (
        "study::missing-secret",
        "A secret was looked for in the environment variable of its name, then in the file that `NAME_FILE` names, then in the file under `secrets`, but not found.",
    ),
    (
        "study::missing-unit",
        "A number has no unit. A bare number is a plain count everywhere: durations, rates, sizes and shares need `30s`, `200/s`, `8kB`, `95%`.",
    ),
    (
        "study::mix-of-mix",
        "A mix names a scenario that is a mix itself. Parts have their own load; name the scenarios to mix.",
    ),
    (
        "study::needs-loop",
        "Instances need each other, so none can start first; or requirements refer to each other, so none can be judged first.",
    ),
    (
        "study::never-together",
        "The parts of a mix are never all at full load at the same time, so there is nothing to judge; or a part would begin after the mix has ended.",
    ),
    ("study::no-count", "A whole number is expected here."),
    (
        "study::no-instance",
        "A warning: `system` names neither an instance to start nor a `url`, so loadproof cannot check that the intended system answers.",
    ),
    (
        "study::no-link",
        "The link of `traces` is not a web address with `$(trace)` in it, which stands for the id of a trace.",
    ),
    (
        "study::no-quantity",
        "This is not a number with a known unit. Units are ns us ms s m h d, B kB MB GB KiB MiB GiB, %, /s /m /h.",
    ),
    ("study::no-streams", "The rule is per stream, but the load has no streams."),
    ("study::no-window", "The rule looks at a phase that the scenario does not have."),
    (
        "study::not-in-scenario",
        "The rule names an exchange that the scenario does not run: there would be nothing to judge, and silence is not proof.",
    ),
    (
        "study::not-over-ssh",
        "This monitor does not watch over ssh: a node on that machine carries it (`on: db1`), or it asks over the network by itself without `on`.",
    ),
    ("study::not-run", "A warning: a scenario is not listed in `order` and is not run."),
    (
        "study::not-yet",
        "The language has this, but this version of loadproof does not support it yet. The table above lists all such words.",
    ),
    (
        "study::not-yet-known",
        "The name exists, but gets its value later: loads, phases and rules are decided before anything starts; `port`, `replica`, `nonce` and `faults` exist only inside an instance.",
    ),
    ("study::open-variable", "A `$(` is never closed. For the two characters themselves write `$$(`."),
    ("study::out-of-range", "The value is understood, but outside the possible or sensible range."),
    (
        "study::placeholder-secret",
        "A warning: the file of a secret still holds the placeholder that `loadproof new --from` wrote. Replace it with the secret, or set the environment variable of its name. A run that needs the secret is refused until then.",
    ),
    (
        "study::rate-without-unit",
        "An arrival rate needs its unit: `250/s`. For 250 virtual users that wait for their answers, write `users: 250`.",
    ),
    (
        "study::rule-not-here",
        "This part of a rule belongs elsewhere: `for 30s` to abort rules, `per …` and `change(…)` to requirements; a change compares whole holds, and comes first in a clause.",
    ),
    ("study::rule-syntax", "The rule has a syntax error here."),
    (
        "study::short-secret",
        "A warning: a secret has fewer than four characters. So short a text also occurs inside words and numbers, so it is kept out only where it stands alone. Use a longer one.",
    ),
    (
        "study::too-large",
        "The text exceeds a limit that keeps a study from filling memory: file size, nesting depth, number of parts, length of a rule, number of files.",
    ),
    ("study::unknown-function", "Neither the language nor the scripts of the study have a function of that name."),
    ("study::unknown-key", "The map has no such key. The closest one is suggested, and all are listed."),
    ("study::unknown-kind", "No driver, operation or monitor of that name is built in."),
    ("study::unknown-name", "No such name is known here. The closest name is suggested, and all are listed."),
    (
        "study::unknown-node",
        "A monitor is to run on a load node that the study does not have. Load nodes are `node-1` to the number that `nodes` says; a node that only watches has another name.",
    ),
    (
        "study::unknown-unit",
        "A load is counted in a unit that no exchange of its scenario carries, or in one of which an iteration carries a number that chance or a condition decides.",
    ),
    ("study::unknown-word", "One of a fixed set of words is expected here."),
    ("study::unreadable-file", "A file that the study names cannot be read."),
    (
        "study::unused",
        "A warning: something is declared but not used. An unused assumption is a finding in the report.",
    ),
    ("study::unused-faults", "Faults are given for an instance, but its `start` has no `$(faults)` to pass them on."),
    ("study::variable-loop", "Variables depend on each other."),
    ("study::weights", "The weights of `choose` do not add up to 100%."),
    (
        "study::written-secret",
        "A warning: a password, a token or another credential stands in the study itself. Write `$(secret.NAME)` in its place, and set `NAME` in the environment or name its file. Until then the value is kept out of everything that loadproof writes, including the archived study.",
    ),
    (
        "study::wrong-series",
        "The function has no meaning for this series, such as a percentile of a count or the count of a level.",
    ),
    (
        "study::wrong-type",
        "A map, a list or a text is expected here, but something else was found. `yes`, `no`, `on` and `off` are texts, not truth values.",
    ),
    ("study::wrong-unit", "The number has a unit of a different kind than expected."),
    (
        "study::yaml",
        "The text is not YAML, or uses something that studies do not: a second document, tags, keys that are not texts.",
    ),
];

/// The paragraph of a code.
pub fn paragraph(code: &str) -> Option<&'static str> {
    CODES.iter().find(|(known, _)| *known == code).map(|(_, paragraph)| *paragraph)
}
