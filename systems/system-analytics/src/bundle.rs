//! Bundles of events: the lists of values that come, cut into events by their streams.

use std::sync::Arc;

use crate::stream::{Stream, Streams, Type};

/// Events of one bundle.
pub(crate) const EVENTS_MAX: i32 = 1_000_000;

/// What a bundle brings, by type.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Lists {
    pub(crate) events: i32,
    pub(crate) ints: Vec<i32>,
    pub(crate) longs: Vec<i64>,
    pub(crate) doubles: Vec<f64>,
    pub(crate) bools: Vec<bool>,
    pub(crate) texts: Vec<String>,
}

/// Events that wait for their store, one behind the other.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    bytes: Vec<u8>,
    /// The stream of each, where it ends, and what it is found by.
    rows: Vec<(Arc<Stream>, usize)>,
}

/// A value of a row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Whole(i64),
    Real(f64),
    Bool(bool),
    Text(String),
}

/// Why a bundle is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wrong {
    /// No such stream is defined.
    Unknown(String),
    Malformed(String),
}

impl Rows {
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Bytes of all of them.
    pub(crate) fn size(&self) -> usize {
        self.bytes.len()
    }

    /// Stream and bytes of each.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Arc<Stream>, &[u8])> {
        let starts = std::iter::once(0).chain(self.rows.iter().map(|(_, end)| *end));
        starts.zip(&self.rows).map(|(start, (stream, end))| (stream, &self.bytes[start..*end]))
    }

    /// Adds an event of that stream, whose time and values are written to the end of the bytes; `None` where they are not.
    pub(crate) fn add(&mut self, stream: &Arc<Stream>, write: impl FnOnce(&mut Vec<u8>) -> Option<()>) -> Option<()> {
        write(&mut self.bytes)?;
        self.rows.push((stream.clone(), self.bytes.len()));
        Some(())
    }

    /// Cuts a bundle of Thrift into events.
    ///
    /// # Errors
    /// A stream that was not defined; lists that do not have what the streams of their events want.
    pub(crate) fn of(lists: &Lists, streams: &Streams) -> Result<Self, Wrong> {
        if !(0..=EVENTS_MAX).contains(&lists.events) {
            return Err(Wrong::Malformed(format!("a bundle has at most {EVENTS_MAX} events, not {}", lists.events)));
        }
        let Lists { ints, longs, doubles, bools, texts, .. } = lists;
        let (mut ints, mut longs, mut doubles) = (ints.iter(), longs.iter(), doubles.iter());
        let (mut bools, mut texts) = (bools.iter(), texts.iter());
        let short = |what: &str| Wrong::Malformed(format!("the bundle has fewer {what} than its events want"));
        let mut all = Self::default();
        let mut last: Option<Arc<Stream>> = None;
        for _ in 0..lists.events {
            let id = texts.next().ok_or_else(|| short("texts"))?;
            let stream = match &last {
                Some(stream) if stream.id == *id => stream.clone(),
                _ => streams.get(id).ok_or_else(|| Wrong::Unknown(id.chars().take(300).collect()))?,
            };
            let at = longs.next().ok_or_else(|| short("longs"))?;
            all.bytes.extend_from_slice(&at.to_be_bytes());
            for attribute in &stream.attributes {
                match attribute.kind {
                    Type::Int => put(&mut all.bytes, ints.next().ok_or_else(|| short("ints"))?.to_be_bytes()),
                    Type::Long => put(&mut all.bytes, longs.next().ok_or_else(|| short("longs"))?.to_be_bytes()),
                    Type::Float | Type::Double => {
                        put(&mut all.bytes, doubles.next().ok_or_else(|| short("doubles"))?.to_be_bytes());
                    }
                    Type::Bool => put(&mut all.bytes, [u8::from(*bools.next().ok_or_else(|| short("bools"))?)]),
                    Type::String => {
                        let text = texts.next().ok_or_else(|| short("texts"))?;
                        put(&mut all.bytes, (text.len() as u32).to_be_bytes());
                        all.bytes.extend_from_slice(text.as_bytes());
                    }
                }
            }
            all.rows.push((stream.clone(), all.bytes.len()));
            last = Some(stream);
        }
        let is_over = [ints.next().is_none(), longs.next().is_none(), doubles.next().is_none(), bools.next().is_none()];
        if is_over.contains(&false) || texts.next().is_some() {
            return Err(Wrong::Malformed("the bundle has more values than its events want".into()));
        }
        Ok(all)
    }
}

fn put<const N: usize>(into: &mut Vec<u8>, bytes: [u8; N]) {
    into.extend_from_slice(&bytes);
}

/// The time and the values of a row, as [`Rows`] writes it; `None` where it is not one of that stream.
pub(crate) fn values(stream: &Stream, row: &[u8]) -> Option<(i64, Vec<Value>)> {
    let (at, values, rest) = read(stream, row, stream.attributes.len())?;
    rest.is_empty().then_some((at, values))
}

/// The first so many values of a row.
pub(crate) fn first_values(stream: &Stream, row: &[u8], count: usize) -> Option<Vec<Value>> {
    read(stream, row, count).map(|(_, values, _)| values)
}

/// Time, the first so many values, and what is behind them.
fn read<'a>(stream: &Stream, mut row: &'a [u8], count: usize) -> Option<(i64, Vec<Value>, &'a [u8])> {
    fn take<const N: usize>(row: &mut &[u8]) -> Option<[u8; N]> {
        let (bytes, rest) = row.split_first_chunk::<N>()?;
        *row = rest;
        Some(*bytes)
    }
    let at = i64::from_be_bytes(take(&mut row)?);
    let mut values = Vec::with_capacity(count.min(stream.attributes.len()));
    for attribute in stream.attributes.iter().take(count) {
        values.push(match attribute.kind {
            Type::Int => Value::Whole(i32::from_be_bytes(take(&mut row)?).into()),
            Type::Long => Value::Whole(i64::from_be_bytes(take(&mut row)?)),
            Type::Float | Type::Double => Value::Real(f64::from_be_bytes(take(&mut row)?)),
            Type::Bool => Value::Bool(take::<1>(&mut row)? == [1]),
            Type::String => {
                let length = u32::from_be_bytes(take(&mut row)?) as usize;
                let (text, rest) = row.split_at_checked(length)?;
                row = rest;
                Value::Text(String::from_utf8_lossy(text).into_owned())
            }
        });
    }
    Some((at, values, row))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn streams() -> Streams {
        let streams = Streams::default();
        let home = r#"{"name":"home","version":"1","payloadData":[{"name":"house","type":"INT"},
            {"name":"at","type":"LONG"},{"name":"power","type":"FLOAT"},{"name":"peak","type":"BOOL"},{"name":"metro","type":"STRING"}]}"#;
        let plain = r#"{"name":"plain","version":"1","payloadData":[{"name":"n","type":"LONG"}]}"#;
        streams.define(home).unwrap();
        streams.define(plain).unwrap();
        streams
    }

    fn lists() -> Lists {
        let texts = ["home:1", "Boston", "plain:1", "home:1", "Austin"].map(str::to_owned).to_vec();
        Lists {
            events: 3,
            ints: vec![7, -8],
            longs: vec![100, 1, 101, 5, 102, 2],
            doubles: vec![0.5, 1.5],
            bools: vec![true, false],
            texts,
        }
    }

    #[test]
    fn events_of_several_streams_are_cut_apart() {
        let rows = Rows::of(&lists(), &streams()).unwrap();
        let read: Vec<_> =
            rows.iter().map(|(stream, row)| (stream.id.as_str(), values(stream, row).unwrap())).collect();
        let home = |house, at: i64, power, peak, metro: &str| {
            vec![
                Value::Whole(house),
                Value::Whole(at),
                Value::Real(power),
                Value::Bool(peak),
                Value::Text(metro.into()),
            ]
        };
        let expected = vec![
            ("home:1", (100, home(7, 1, 0.5, true, "Boston"))),
            ("plain:1", (101, vec![Value::Whole(5)])),
            ("home:1", (102, home(-8, 2, 1.5, false, "Austin"))),
        ];
        assert_eq!(read, expected);
    }

    #[test]
    fn lists_that_do_not_fit_are_refused() {
        let streams = streams();
        let wrong = |change: &dyn Fn(&mut Lists)| {
            let mut lists = lists();
            change(&mut lists);
            Rows::of(&lists, &streams).unwrap_err()
        };
        assert_eq!(wrong(&|lists| lists.texts[2] = "other:1".into()), Wrong::Unknown("other:1".into()));
        for change in [
            &(|lists: &mut Lists| lists.events = -1) as &dyn Fn(&mut Lists),
            &|lists| lists.events = i32::MAX,
            &|lists| lists.ints.truncate(1),
            &|lists| lists.longs.truncate(5),
            &|lists| lists.doubles.clear(),
            &|lists| lists.bools.push(true),
            &|lists| lists.texts.truncate(4),
            &|lists| lists.texts.push("more".into()),
        ] {
            assert!(matches!(wrong(change), Wrong::Malformed(_)));
        }
    }

    #[test]
    fn a_row_of_another_stream_is_none() {
        let rows = Rows::of(&lists(), &streams()).unwrap();
        let (home, row) = rows.iter().next().unwrap();
        assert!(values(home, &row[..row.len() - 1]).is_none() && values(home, &[row, b"x"].concat()).is_none());
    }
}
