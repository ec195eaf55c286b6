//! What an imported run looks like to everybody else: exchanges of a driver that sends nothing, and a monitor of what
//! other tools watched that has no monitor here.

use contract::{
    BuildContext, Closes, Driver, DriverKind, ExchangeKind, LegKind, Mistake, Mistakes, Monitor, MonitorKind,
    MonitorSettings, Settings, Watches, Work,
};

/// Exchanges that another tool carried out: `imported.call`. A study with one can be judged and not run.
///
/// Its leg `answer` runs from the call's start to the last byte of the answer. `first_byte` runs to its first byte, and
/// `connect` is the time that the connection took; there is one of these where the tool recorded it.
pub const IMPORTED: DriverKind = DriverKind {
    name: "imported",
    exchanges: &[ExchangeKind {
        name: "call",
        work: Work::Exchange,
        legs: &[
            LegKind { name: "answer", closes: Closes::Here },
            LegKind { name: "first_byte", closes: Closes::Beside },
            LegKind { name: "connect", closes: Closes::Beside },
        ],
        keys: &["label"],
        words: &[],
    }],
    counters: &[],
    features: &[],
    messages: &[],
    build: build_driver,
};

/// Values that other tools watched: the users of the load, a consumer's lag. The author of the file named them.
pub const IMPORTED_VALUES: MonitorKind = MonitorKind {
    name: "imported",
    metrics: &[],
    watches: Watches::Instances,
    facts: &[],
    messages: &[],
    keys: &["values"],
    named: Some("values"),
    over_ssh: false,
    build: build_monitor,
};

const HINT: &str =
    "judge it with `loadproof judge RUN`, or make a run of other files with `loadproof import KIND FILE --out RUN`";

fn build_driver(settings: &[Settings], _: &mut BuildContext<'_>) -> Result<Box<dyn Driver>, Mistakes> {
    let mut mistakes = Mistakes::default();
    for settings in settings {
        mistakes.push(
            Mistake::at(
                settings.node.place,
                "import::not-sent",
                "`imported.call` stands for calls that another tool has made, and sends none",
            )
            .label("write what is to be sent, such as `http.get: { url: … }`")
            .hint(HINT),
        );
    }
    Err(mistakes)
}

fn build_monitor(settings: &MonitorSettings, _: &mut BuildContext<'_>) -> Result<Box<dyn Monitor>, Mistakes> {
    let mut mistakes = Mistakes::default();
    mistakes.push(
        Mistake::at(
            settings.node.place,
            "import::not-watched",
            "`imported` stands for values that another tool has recorded, and watches nothing",
        )
        .label("remove it, or write a monitor that watches, such as `host: {}`")
        .hint(HINT),
    );
    Err(mistakes)
}
