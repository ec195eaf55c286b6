//! What plug-ins are handed of a study: settings, checks, captures, and names that are known.

use contract::{
    BuildContext, Capture, Check, Compare, Mistake, Mistakes, Monitor, MonitorKind, MonitorSettings, Name, Names, Node,
    Piece, Place, Probe, Settings, Shape, Table, Watched, Which, compile_template,
};
use terms::Nanos;

/// Knows no names at all.
pub struct NoNames;

impl Names for NoNames {
    fn resolve(&self, expression: &str, place: Place) -> Result<Name, Mistake> {
        Err(unknown(expression, place))
    }
}

fn unknown(expression: &str, place: Place) -> Mistake {
    Mistake::at(place, "study::unknown-name", format!("`{expression}` is not known"))
}

/// Names that studies of tests may use: `serial`, `message.n`, `token` (the first capture), `listeners.pong.url`, and the columns of
/// the table, such as `row.value`.
pub struct TableNames(pub Table);

impl Default for TableNames {
    /// With a table `row` that has a column `value` and no rows.
    fn default() -> Self {
        Self(Table::new("row", vec!["value".into()]))
    }
}

impl Names for TableNames {
    fn resolve(&self, name: &str, place: Place) -> Result<Name, Mistake> {
        let column = name.split_once('.').filter(|(table, _)| *table == self.0.name);
        if let Some(column) = column.and_then(|(_, column)| self.0.column(column)) {
            return Ok(Name::Slot(Piece::Column { table: 0, column }));
        }
        match name {
            "serial" => Ok(Name::Slot(Piece::Serial)),
            "message.n" => Ok(Name::Slot(Piece::Message)),
            "token" => Ok(Name::Slot(Piece::Capture(0))),
            "listeners.pong.url" => Ok(Name::Text("http://127.0.0.1:9/".into())),
            other => Err(unknown(other, place)),
        }
    }

    fn table(&self, number: u16) -> Option<&Table> {
        (number == 0).then_some(&self.0)
    }
}

/// A text of the study.
pub fn text(word: impl Into<String>) -> Node {
    Node::text_at(Place::default(), word)
}

/// Keys with their values.
pub fn map(entries: &[(&str, Node)]) -> Node {
    let entries = entries.iter().map(|(key, value)| (text(*key), value.clone())).collect();
    Node { place: Place::default(), shape: Shape::Map(entries) }
}

/// A node that holds others in order.
pub fn list(members: &[Node]) -> Node {
    Node { place: Place::default(), shape: Shape::List(members.to_vec()) }
}

/// An exchange `x`, number 0, with these settings: on kept connections, with time-outs of a second.
pub fn exchange(operation: &str, entries: &[(&str, Node)]) -> Settings {
    Settings {
        exchange: "x".into(),
        number: 0,
        operation: operation.into(),
        node: map(entries),
        checks: Vec::new(),
        captures: Vec::new(),
        timeout: Nanos::SECOND,
        reuse: true,
        idle: None,
        retry: true,
        all_addresses: false,
        within: Default::default(),
        incoming: Default::default(),
    }
}

/// Settings of one exchange from keys and texts, with time-outs of half a minute.
pub fn settings(name: &str, number: u16, operation: &str, entries: &[(&str, &str)]) -> Settings {
    let entries: Vec<_> = entries.iter().map(|(key, value)| (*key, text(*value))).collect();
    let timeout = Nanos::from_secs(30);
    Settings { exchange: name.into(), number, timeout, ..exchange(operation, &entries) }
}

/// A monitor of these instances with these settings, which samples so often.
///
/// # Errors
/// All mistakes in the settings.
pub fn monitor(
    kind: MonitorKind,
    entries: &[(&str, &str)],
    instances: &[Watched],
    every: Nanos,
) -> Result<Box<dyn Monitor>, Mistakes> {
    let entries: Vec<_> = entries.iter().map(|(key, value)| (*key, text(*value))).collect();
    let settings =
        MonitorSettings { name: kind.name.into(), node: map(&entries), instances: instances.to_vec(), on: None, every };
    (kind.build)(&settings, &mut BuildContext::new(&NoNames, "."))
}

/// A check as the study would have written it, with [`TableNames`] names.
pub fn check(probe: Probe, compare: Compare, expected: &str) -> Check {
    let expected = compile_template(expected, Place::default(), &TableNames::default()).unwrap();
    Check { text: format!("{probe:?} {compare:?}"), probe, compare, expected, place: Place::default() }
}

/// `status = …`
pub fn status_is(status: &str) -> Check {
    check(Probe::Status, Compare::Equal, status)
}

/// `body = …`
pub fn body_is(expected: &str) -> Check {
    check(Probe::Body, Compare::Equal, expected)
}

/// What is found becomes `$(token)`.
pub fn capture(probe: Probe) -> Capture {
    Capture { name: "token".into(), slot: 0, probe, pick: Which::First, is_optional: false, place: Place::default() }
}
