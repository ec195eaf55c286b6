//! All names of `$(…)`: their values once the instances have addresses and the tables are read.

pub(crate) mod functions;
pub(crate) mod places;
pub(crate) mod secrets;
pub(crate) mod variables;

use crate::model::{LoadPart, Scenario, Study};
use crate::names::places::{InstancePlace, Own, Places, ReplicaPlace};
use crate::names::secrets::Secrets;
use crate::names::variables::{Scope, as_quantity};
use crate::sections::scripts;
use crate::syntax::arithmetic::{self, Trouble};
use crate::syntax::text;
use contract::{Mistake, Mistakes, Name, Names, Piece, Place, Script, Table, compile_template, suggestion};
use std::sync::Arc;
use terms::{Quantity, Unit};

/// A text or byte run that an exchange makes up may not be larger than this.
const MADE_BYTES_MAX: f64 = 64.0 * 1024.0 * 1024.0;

/// Names that any exchange may use besides data, captures, variables and instances.
const EXCHANGE_NAMES: &[&str] =
    &["serial", "uuid", "now", "traceparent", "user.n", "connection.n", "message.n", "node.n", "scratch", "run.id"];
/// Names that only an instance's own keys may use.
const OWN_NAMES: &[&str] = &["port", "replica", "nonce", "faults"];

/// Resolves the names of a study. Made by [`names`].
pub struct Resolver<'a> {
    study: &'a Study,
    secrets: &'a Secrets,
    tables: &'a [Arc<Table>],
    places: &'a Places,
    own: Option<&'a Own>,
    scope: Scope,
}

/// The names of a study, with the variables as a part of a scenario binds them (`None`: the study's own values).
///
/// `tables` in the study's order, as `load_tables` gives them; with none, as for judging an archived study, columns
/// are not checked and all are column 0.
pub fn names<'a>(
    study: &'a Study,
    secrets: &'a Secrets,
    tables: &'a [Arc<Table>],
    part: Option<&LoadPart>,
    places: &'a Places,
) -> Resolver<'a> {
    let set = part.map_or(&[][..], |part| &part.set);
    Resolver::new(study, secrets, tables, Scope::new(&study.variables, set, &mut Mistakes::default()), places)
}

/// The names of a study for its instances, with the variables as a whole scenario binds them (`None`: the study's own
/// values).
pub fn names_of_instances<'a>(
    study: &'a Study,
    secrets: &'a Secrets,
    tables: &'a [Arc<Table>],
    scenario: Option<&Scenario>,
    places: &'a Places,
) -> Resolver<'a> {
    let set = scenario.map_or(&[][..], |scenario| &scenario.set);
    Resolver::new(study, secrets, tables, Scope::new(&study.variables, set, &mut Mistakes::default()), places)
}

impl<'a> Resolver<'a> {
    pub(crate) fn new(
        study: &'a Study,
        secrets: &'a Secrets,
        tables: &'a [Arc<Table>],
        scope: Scope,
        places: &'a Places,
    ) -> Self {
        Self { study, secrets, tables, places, own: None, scope }
    }

    /// Adds what only the instance that is being started may name.
    #[must_use]
    pub fn with_own(mut self, own: &'a Own) -> Self {
        self.own = Some(own);
        self
    }

    /// Fills in a text that has no slots, such as an instance's command.
    ///
    /// # Errors
    /// An unknown name, or one that differs from exchange to exchange.
    pub fn text(&self, text: &str, place: Place) -> Result<String, Mistake> {
        let template = compile_template(text, place, self)?;
        let bytes = template.as_fixed().ok_or_else(|| {
            Mistake::at(place, "study::not-yet-known", "this name differs from exchange to exchange")
                .hint("use variables and instance names here, no data columns or captures")
        })?;
        Ok(String::from_utf8_lossy(bytes).into_owned())
    }

    fn builtin(&self, expression: &str, place: Place) -> Result<Option<Name>, Mistake> {
        let slot = |piece| Ok(Some(Name::Slot(piece)));
        match expression {
            "serial" => return slot(Piece::Serial),
            "uuid" => return slot(Piece::Uuid),
            "now" => return slot(Piece::Now),
            "traceparent" => return slot(Piece::Traceparent),
            "user.n" | "connection.n" => return slot(Piece::User),
            "message.n" => return slot(Piece::Message),
            "node.n" => return slot(Piece::Node),
            "run.id" => return Ok(Some(Name::Text(self.places.run_id.clone()))),
            "scratch" => return Ok(Some(Name::Text(self.places.scratch.clone()))),
            _ => {}
        }
        for (function, make) in [("text(", Piece::Text as fn(u32) -> Piece), ("bytes(", Piece::Bytes)] {
            if let Some(size) = expression.strip_prefix(function).and_then(|rest| rest.strip_suffix(')')) {
                return self.made_size(size.trim(), expression, place).and_then(|size| slot(make(size)));
            }
        }
        if let Some(name) = expression.strip_prefix("secret.") {
            return self.secrets.get_late(name, place).map(|value| Some(Name::Text(value)));
        }
        self.own_name(expression, place)
    }

    fn made_size(&self, size: &str, expression: &str, place: Place) -> Result<u32, Mistake> {
        let quantity = match self.scope.get(size) {
            Some(text) => as_quantity(size, text),
            None => arithmetic::evaluate(size, &|name| self.scope.quantity(name)),
        };
        let wrong = |why: &str| {
            Err(Mistake::at(place, "study::no-quantity", format!("`$({expression})`: {why}"))
                .label("write `text(500B)` or `bytes(8kB)`"))
        };
        match quantity {
            Ok(Quantity { value, unit: Unit::Bytes }) if (0.0..=MADE_BYTES_MAX).contains(&value) => Ok(value as u32),
            Ok(Quantity { unit: Unit::Bytes, .. }) => wrong("this is more than 64MiB"),
            Ok(_) => wrong("this is not a size"),
            Err(Trouble::Unknown(name)) => wrong(&format!("there is no variable `{name}`")),
            Err(Trouble::Other(text)) => wrong(&text),
        }
    }

    fn own_name(&self, expression: &str, place: Place) -> Result<Option<Name>, Mistake> {
        let head = expression.split('.').next().unwrap_or_default();
        if !OWN_NAMES.contains(&head) {
            return Ok(None);
        }
        let Some(own) = self.own else {
            return Err(Mistake::at(
                place,
                "study::not-yet-known",
                format!("`$({expression})` is known only inside an instance that is started"),
            )
            .hint("elsewhere write the instance's name: `$(NAME.url)`, `$(NAME.address)`, `$(NAME.port.PORT)`"));
        };
        let text = match expression {
            "port" => own.place.port.to_string(),
            "replica" => own.replica.to_string(),
            "nonce" => own.nonce.clone(),
            "faults" => own.faults.clone(),
            _ => return port_of(&own.place, expression.strip_prefix("port.").unwrap_or_default(), place).map(Some),
        };
        Ok(Some(Name::Text(text)))
    }

    fn dotted(&self, expression: &str, place: Place) -> Result<Option<Name>, Mistake> {
        let Some((head, rest)) = expression.split_once('.') else { return Ok(None) };
        if let Some(instance) = self.places.instance(head) {
            return instance_name(instance, rest, place).map(Some);
        }
        if head == "listeners" {
            return self.listener(rest, place).map(Some);
        }
        let Some(table) = self.study.data.iter().position(|set| set.name == head) else { return Ok(None) };
        let number = u16::try_from(table).unwrap_or(u16::MAX);
        let Some(known) = self.tables.get(table) else {
            return Ok(Some(Name::Slot(Piece::Column { table: number, column: 0 })));
        };
        if let Some(column) = known.column(rest) {
            return Ok(Some(Name::Slot(Piece::Column { table: number, column })));
        }
        // A table that could not be read has its own mistake.
        if known.columns.is_empty() {
            return Ok(Some(Name::Slot(Piece::Column { table: number, column: 0 })));
        }
        let mistake =
            Mistake::at(place, "study::unknown-name", format!("the data set `{head}` has no column `{rest}`"));
        let mistake = match suggestion(rest, known.columns.iter().map(String::as_str)) {
            Some(near) => mistake.label(format!("did you mean `$({head}.{near})`?")),
            None => mistake,
        };
        Err(mistake.hint(format!("its columns are: {}", known.columns.join(", "))))
    }

    fn listener(&self, rest: &str, place: Place) -> Result<Name, Mistake> {
        let (name, what) = rest.split_once('.').unwrap_or((rest, "url"));
        let known = || self.places.listeners.iter().map(|(name, _)| name.as_str());
        let Some((_, found)) = self.places.listeners.iter().find(|(known, _)| known == name) else {
            let text = format!("there is no listener `{name}`");
            let mistake = Mistake::at(place, "study::unknown-name", text);
            let mistake = match suggestion(name, known()) {
                Some(near) => mistake.label(format!("did you mean `$(listeners.{near}.{what})`?")),
                None => mistake.label(format!("declare it: `listeners: {{ {name}: http }}`")),
            };
            return Err(mistake);
        };
        match what {
            "url" => Ok(Name::Text(found.url.clone())),
            "address" => Ok(Name::Text(found.address())),
            "host" => Ok(Name::Text(found.host.clone())),
            "port" => Ok(Name::Text(found.port.to_string())),
            _ => Err(Mistake::at(place, "study::unknown-name", format!("a listener has no `{what}`"))
                .hint("possible: url, address, host, port")),
        }
    }

    fn unknown(&self, name: &str, place: Place) -> Mistake {
        let mistake = Mistake::at(place, "study::unknown-name", format!("the name `$({name})` is not known"));
        let mut known: Vec<String> = self.scope.names().map(str::to_owned).collect();
        known.extend(
            self.places.instances.iter().flat_map(|i| [format!("{}.url", i.name), format!("{}.address", i.name)]),
        );
        known.extend(self.places.listeners.iter().map(|(name, _)| format!("listeners.{name}.url")));
        for (number, set) in self.study.data.iter().enumerate() {
            let columns = self.tables.get(number).map_or(&[][..], |table| &table.columns);
            known.extend(columns.iter().map(|column| format!("{}.{column}", set.name)));
        }
        known.extend(self.study.captures.iter().cloned());
        known.extend(EXCHANGE_NAMES.iter().map(|name| (*name).to_owned()));
        let mistake = match suggestion(name, known.iter().map(String::as_str)) {
            Some(near) => mistake.label(format!("did you mean `$({near})`?")),
            None => mistake,
        };
        mistake.hint(format!(
            "known here: {}, secret.X, env.X, text(500B), bytes(8kB), {}\nfor the two characters themselves write `$$(`",
            known.join(", "),
            functions::forms().collect::<Vec<_>>().join(", ")
        ))
    }
}

impl Names for Resolver<'_> {
    fn resolve(&self, expression: &str, place: Place) -> Result<Name, Mistake> {
        if expression.starts_with("env.") {
            let text = text::environment(&format!("$({expression})"), place, !self.secrets.is_ignored(), 0)?;
            return self.text(&text, place).map(Name::Text);
        }
        if let Some(value) = self.scope.get(expression) {
            // Values hold names of start time at most: the variables among them were filled in before.
            return self.text(value, place).map(Name::Text);
        }
        if let Some(name) = self.builtin(expression, place)? {
            return Ok(name);
        }
        if let Some(name) = self.dotted(expression, place)? {
            return Ok(name);
        }
        if let Some(slot) = self.study.captures.iter().position(|capture| capture == expression) {
            return Ok(Name::Slot(Piece::Capture(u8::try_from(slot).unwrap_or(u8::MAX))));
        }
        if let Some(found) = functions::call(self, expression, place)? {
            return Ok(found);
        }
        if arithmetic::is_arithmetic(expression) {
            return match arithmetic::evaluate(expression, &|name| self.scope.quantity(name)) {
                Ok(quantity) => Ok(Name::Text(arithmetic::exact(&quantity))),
                Err(Trouble::Unknown(name)) => Err(self.unknown(&name, place)),
                Err(Trouble::Other(text)) => Err(Mistake::at(place, "study::arithmetic", text)),
            };
        }
        Err(self.unknown(expression, place))
    }

    fn script(&self, name: &str, arguments: usize, place: Place) -> Result<Arc<dyn Script>, Mistake> {
        scripts::find(self.study, name, arguments, place)
    }

    fn namespaces(&self) -> &[(String, String)] {
        &self.study.namespaces
    }

    fn table(&self, number: u16) -> Option<&Table> {
        self.tables.get(usize::from(number)).map(|table| &**table)
    }
}

fn instance_name(instance: &InstancePlace, rest: &str, place: Place) -> Result<Name, Mistake> {
    let joined = |of: fn(&ReplicaPlace) -> String| {
        Ok(Name::Text(instance.replicas.iter().map(of).collect::<Vec<_>>().join(",")))
    };
    match rest {
        "urls" => return joined(|replica| replica.url.clone()),
        "addresses" => return joined(ReplicaPlace::address),
        _ => {}
    }
    let (number, rest) = match rest.split_once('.').and_then(|(n, rest)| Some((n.parse::<usize>().ok()?, rest))) {
        Some((number, rest)) => (number, rest),
        None => (1, rest),
    };
    let count = instance.replicas.len();
    let Some(replica) = number.checked_sub(1).and_then(|index| instance.replicas.get(index)) else {
        return Err(Mistake::at(
            place,
            "study::unknown-name",
            format!("`{}` has no replica {number}; there are {count}, counted from 1", instance.name),
        ));
    };
    match rest {
        "url" => Ok(Name::Text(replica.url.clone())),
        "address" => Ok(Name::Text(replica.address())),
        "host" => Ok(Name::Text(replica.host.clone())),
        "port" => Ok(Name::Text(replica.port.to_string())),
        _ => match rest.strip_prefix("port.") {
            Some(port) => port_of(replica, port, place),
            None => Err(Mistake::at(
                place,
                "study::unknown-name",
                format!("the instance `{}` has no `{rest}`", instance.name),
            )
            .hint("possible: url, address, host, port, port.NAME, urls, addresses, and 1.url for one replica")),
        },
    }
}

fn port_of(replica: &ReplicaPlace, port: &str, place: Place) -> Result<Name, Mistake> {
    if let Some((_, number)) = replica.ports.iter().find(|(name, _)| name == port) {
        return Ok(Name::Text(number.to_string()));
    }
    let known: Vec<_> = replica.ports.iter().map(|(name, _)| name.as_str()).collect();
    Err(Mistake::at(place, "study::unknown-name", format!("there is no port `{port}`"))
        .hint(format!("its ports are: {}; more are declared by `ports: [port, {port}]`", known.join(", "))))
}
