//! A bundle of events, and how Thrift has it: by type, all values of all events one behind the other.
//!
//! An event begins with its stream's id among the texts and its time among the longs; then each of its attributes goes to
//! the values of its type, in the stream's order. The reader cuts them apart by the stream's definition.

use crate::sink::Sink;
use crate::stream::{Part, Stream, Type};
use crate::values::Values;
use crate::wire::{self, kind};
use terms::{Nanos, seed};

/// Values of one type.
#[derive(Debug, Default, PartialEq)]
struct Column {
    bytes: Vec<u8>,
    count: u32,
}

impl Column {
    fn clear(&mut self) {
        self.bytes.clear();
        self.count = 0;
    }

    #[inline]
    fn add(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.count += 1;
    }
}

/// The values of a bundle, in memory that is used again.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Columns {
    ints: Column,
    longs: Column,
    doubles: Column,
    bools: Column,
    texts: Column,
}

impl Columns {
    fn clear(&mut self) {
        for column in [&mut self.ints, &mut self.longs, &mut self.doubles, &mut self.bools, &mut self.texts] {
            column.clear();
        }
    }
}

impl Sink for Columns {
    #[inline]
    fn number(&mut self, kind: Type, value: f64, whole: impl FnOnce() -> i64) {
        match kind {
            Type::Int => self.ints.add(&(whole() as i32).to_be_bytes()),
            Type::Long => self.longs.add(&whole().to_be_bytes()),
            // The interface has no list of its own for floats.
            Type::Float => self.doubles.add(&f64::from(value as f32).to_be_bytes()),
            Type::Double | Type::Bool | Type::String => self.doubles.add(&value.to_be_bytes()),
        }
    }

    #[inline]
    fn bool(&mut self, value: bool) {
        self.bools.add(&[u8::from(value)]);
    }

    #[inline]
    fn begin_text(&mut self, length: u32) -> &mut Vec<u8> {
        self.texts.count += 1;
        self.texts.bytes.extend_from_slice(&length.to_be_bytes());
        &mut self.texts.bytes
    }
}

/// What bundles are made of.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Recipe {
    /// Id of the stream.
    pub(crate) id: Box<[u8]>,
    /// In the order of sending: type, seed of its own, and what its values are.
    attributes: Vec<(Type, u64, Values)>,
    /// Events of a bundle.
    pub(crate) events: u32,
}

impl Recipe {
    /// `values` are those of the stream's attributes.
    pub(crate) fn new(stream: &Stream, values: Vec<Values>, events: u32, seed: u64) -> Self {
        let attributes = stream.attributes.iter().zip(values).enumerate();
        let of = |part: Part| {
            let own = attributes.clone().filter(move |(_, ((of, ..), _))| *of == part);
            own.map(|(number, ((.., kind), values))| (*kind, seed::hash(seed, number as u64), values))
        };
        let attributes = Part::ALL.into_iter().flat_map(of).collect();
        Self { id: stream.id().into_bytes().into(), attributes, events }
    }

    /// Writes what the attributes of an event have for values, in the order of sending.
    #[inline]
    pub(crate) fn event(&self, event: u64, wall: Nanos, into: &mut impl Sink) {
        for (kind, seed, values) in &self.attributes {
            values.add(*kind, *seed, event, wall, into);
        }
    }

    /// Bytes that an event's values have at most, as the binary protocol writes them.
    pub(crate) fn most_bytes(&self) -> u64 {
        let of = |(kind, _, values): &(Type, u64, Values)| match kind {
            Type::Bool => 1,
            Type::Int | Type::Float => 4,
            Type::Long | Type::Double => 8,
            Type::String => 4 + values.most_bytes(),
        };
        self.attributes.iter().map(of).sum()
    }

    /// Writes the call of Thrift that publishes a bundle: its events are numbered from `first` on, and happen at `wall`.
    pub(crate) fn publish(
        &self,
        session: &[u8],
        (first, wall): (u64, Nanos),
        number: i32,
        columns: &mut Columns,
        into: &mut Vec<u8>,
    ) {
        columns.clear();
        for event in (first..).take(self.events as usize) {
            columns.text(&self.id);
            columns.longs.add(&(wall.0 / 1_000_000).to_be_bytes());
            self.event(event, wall, columns);
        }
        into.clear();
        wire::begin(into, "publish", number);
        wire::field(into, kind::STRUCT, 1);
        wire::text_field(into, 1, session);
        wire::field(into, kind::I32, 2);
        into.extend_from_slice(&(self.events as i32).to_be_bytes());
        let Columns { ints, longs, doubles, bools, texts } = columns;
        let lists = [(3, kind::I32, ints), (4, kind::I64, longs), (5, kind::DOUBLE, doubles), (6, kind::BOOL, bools)];
        for (id, of, column) in lists.into_iter().chain([(7, kind::STRING, texts)]) {
            if column.count > 0 {
                wire::list_field(into, id, of, column.count, &column.bytes);
            }
        }
        wire::end(into);
        wire::end(into);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binary;
    use clock::Clock;
    use thrift::protocol::{
        TBinaryOutputProtocol, TFieldIdentifier, TListIdentifier, TMessageIdentifier, TMessageType, TOutputProtocol,
        TStructIdentifier, TType,
    };

    /// Smart homes, as the driver's guide has them: 100 events with five attributes, about 100 B each.
    fn homes() -> Recipe {
        let attributes = [
            ("house", Type::Int, Values::Whole { from: 1, to: 40_000 }),
            ("metro", Type::String, Values::OneOf(vec![(*b"Boston").into(), (*b"Austin").into()])),
            ("power", Type::Double, Values::Normal { mean: 12.0, deviation: 3.0 }),
            ("peak", Type::Bool, Values::Share(0.3)),
            ("note", Type::String, Values::Length(40)),
        ];
        let (described, values): (Vec<_>, _) =
            attributes.into_iter().map(|(name, kind, values)| ((Part::Payload, name.to_owned(), kind), values)).unzip();
        let stream = Stream { name: "smart_home".into(), version: "1.0.0".into(), attributes: described };
        Recipe::new(&stream, values, 100, 1)
    }

    /// What the library writes of the same values.
    struct Library {
        ints: Vec<i32>,
        longs: Vec<i64>,
        doubles: Vec<f64>,
        bools: Vec<bool>,
        texts: Vec<String>,
    }

    impl Library {
        /// The values of what was written by hand.
        fn of(columns: &Columns) -> Self {
            let texts = {
                let (mut bytes, mut texts) = (columns.texts.bytes.as_slice(), Vec::new());
                while let Some((length, rest)) = bytes.split_first_chunk::<4>() {
                    let (text, after) = rest.split_at(u32::from_be_bytes(*length) as usize);
                    texts.push(String::from_utf8(text.to_vec()).unwrap());
                    bytes = after;
                }
                texts
            };
            Self {
                ints: columns.ints.bytes.as_chunks().0.iter().map(|bytes| i32::from_be_bytes(*bytes)).collect(),
                longs: columns.longs.bytes.as_chunks().0.iter().map(|bytes| i64::from_be_bytes(*bytes)).collect(),
                doubles: columns.doubles.bytes.as_chunks().0.iter().map(|bytes| f64::from_be_bytes(*bytes)).collect(),
                bools: columns.bools.bytes.iter().map(|byte| *byte == 1).collect(),
                texts,
            }
        }

        fn write(&self, session: &str, number: i32, into: &mut Vec<u8>) -> thrift::Result<()> {
            into.clear();
            let mut out = TBinaryOutputProtocol::new(into, true);
            out.write_message_begin(&TMessageIdentifier::new("publish", TMessageType::Call, number))?;
            out.write_struct_begin(&TStructIdentifier::new("args"))?;
            out.write_field_begin(&TFieldIdentifier::new("eventBundle", TType::Struct, 1))?;
            out.write_struct_begin(&TStructIdentifier::new("bundle"))?;
            out.write_field_begin(&TFieldIdentifier::new("sessionId", TType::String, 1))?;
            out.write_string(session)?;
            out.write_field_begin(&TFieldIdentifier::new("eventNum", TType::I32, 2))?;
            out.write_i32(100)?;
            let begin = |out: &mut TBinaryOutputProtocol<_>, id, kind, count: usize| {
                out.write_field_begin(&TFieldIdentifier::new("list", TType::List, id))?;
                out.write_list_begin(&TListIdentifier::new(kind, count as i32))
            };
            begin(&mut out, 3, TType::I32, self.ints.len())?;
            self.ints.iter().try_for_each(|value| out.write_i32(*value))?;
            begin(&mut out, 4, TType::I64, self.longs.len())?;
            self.longs.iter().try_for_each(|value| out.write_i64(*value))?;
            begin(&mut out, 5, TType::Double, self.doubles.len())?;
            self.doubles.iter().try_for_each(|value| out.write_double(*value))?;
            begin(&mut out, 6, TType::Bool, self.bools.len())?;
            self.bools.iter().try_for_each(|value| out.write_bool(*value))?;
            begin(&mut out, 7, TType::String, self.texts.len())?;
            self.texts.iter().try_for_each(|value| out.write_string(value))?;
            out.write_field_stop()?;
            out.write_field_stop()
        }
    }

    #[test]
    fn a_bundle_is_to_the_byte_what_the_library_writes() {
        let (recipe, mut columns, mut own, mut theirs) = (homes(), Columns::default(), Vec::new(), Vec::new());
        recipe.publish(b"session-1", (1_000, Nanos::from_secs(1_700_000_000)), 7, &mut columns, &mut own);
        Library::of(&columns).write("session-1", 7, &mut theirs).unwrap();
        assert_eq!(own, theirs);
    }

    #[test]
    #[ignore = "prints a measurement: cargo test --release -p driver-thrift written -- --ignored --nocapture"]
    fn how_long_a_bundle_takes_to_be_written() {
        const TIMES: u64 = 500;
        /// Others may have the machine: the shortest of these is what it takes.
        const ROUNDS: usize = 100;
        let (recipe, mut columns, mut bytes) = (homes(), Columns::default(), Vec::new());
        let clock = Clock::system();
        let timed = |work: &mut dyn FnMut(u64)| {
            let round = |_| {
                let since = clock.now();
                (0..TIMES).for_each(&mut *work);
                (clock.now() - since).as_secs_f64() / TIMES as f64 * 1e6
            };
            (0..ROUNDS).map(round).fold(f64::INFINITY, f64::min)
        };
        let own = timed(&mut |n| recipe.publish(b"session-1", (n * 100, Nanos(0)), 7, &mut columns, &mut bytes));
        let length = bytes.len();
        let library = Library::of(&columns);
        let theirs = timed(&mut |_| library.write("session-1", 7, &mut bytes).unwrap());
        let binary = timed(&mut |n| binary::publish(&recipe, b"session-1", (n * 100, Nanos(0)), &mut bytes));
        println!("a bundle of 100 events: made and written {own:.2} us ({length} B); written alone by the library");
        println!("{theirs:.2} us; made and written by the receivers' own protocol {binary:.2} us ({} B)", bytes.len());
    }
}
