//! What `jstat -gc -t` prints as readings, and `jstat -gccapacity` as maxima. Columns are known by their names, so
//! those of older and newer machines are all read, and unknown ones do no harm.
//!
//! Sizes are in KiB, times in seconds. Before Java 8 there is `PC PU` (permanent generation) for `MC MU`; from Java 8 on
//! `CCSC CCSU`; newer machines have `CGC CGCT`. `-` stands where a collector has no such thing.

use crate::reading::{Collector, Reading, Space, Young};

/// Longest line that is read; a header of today has two hundred characters.
pub(crate) const LINE_MAX: usize = 4096;
/// Columns that are read.
const COLUMNS_MAX: usize = 64;

/// Reads lines: a header, then rows; a header can come again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Columns {
    names: Vec<String>,
}

/// What a line was.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Line {
    Header,
    Row(Box<Row>),
    /// Neither: a message, or a row without a header before it.
    Other,
}

/// A row of `jstat -gc -t`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    /// Seconds since the machine's start; `None` without `-t`.
    pub(crate) since_start_s: Option<f64>,
    pub(crate) reading: Reading,
}

impl Columns {
    pub(crate) fn read(&mut self, line: &str) -> Line {
        let words: Vec<&str> = line.split_ascii_whitespace().take(COLUMNS_MAX).collect();
        if words.contains(&"OU") && words.contains(&"OC") {
            self.names = words.iter().map(|word| (*word).to_owned()).collect();
            return Line::Header;
        }
        if words.len() != self.names.len() || words.is_empty() {
            return Line::Other;
        }
        let column = |name: &str| self.names.iter().position(|known| known == name).and_then(|at| number(words[at]));
        row(&column).map_or(Line::Other, |row| Line::Row(Box::new(row)))
    }
}

/// A number; some languages write a comma where others write a point.
fn number(word: &str) -> Option<f64> {
    let number = word.parse().or_else(|_| word.replacen(',', ".", 1).parse::<f64>()).ok()?;
    (f64::is_finite(number) && number >= 0.0).then_some(number)
}

fn row(column: &dyn Fn(&str) -> Option<f64>) -> Option<Row> {
    let bytes = |name: &str| column(name).map(|kib| kib * 1024.0);
    let young = || {
        let (eden, first, second) = (bytes("EC")?, bytes("S0C")?, bytes("S1C")?);
        let survivor_used = bytes("S0U")? + bytes("S1U")?;
        Some(Young { eden_used: bytes("EU")?, survivor_used, committed: eden + first + second })
    };
    let space =
        |used: &str, committed: &str| Some(Space { used: bytes(used)?, committed: bytes(committed)?, max: None });
    let collector =
        |count: &str, time: &str| Some(Collector { count: column(count)? as u64, seconds: column(time)?, last: None });
    let reading = Reading {
        young: young(),
        old: space("OU", "OC")?,
        metaspace: space("MU", "MC").or_else(|| space("PU", "PC")),
        collectors: [collector("YGC", "YGCT"), collector("FGC", "FGCT"), collector("CGC", "CGCT")],
        ..Reading::default()
    };
    Some(Row { since_start_s: column("Timestamp"), reading: reading.without_generations() })
}

/// Greatest sizes of a heap and its old generation, bytes, from the two lines of `jstat -gccapacity`.
pub(crate) fn maxima(text: &str) -> Option<(f64, f64)> {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let names: Vec<&str> = lines.next()?.split_ascii_whitespace().take(COLUMNS_MAX).collect();
    let words: Vec<&str> = lines.next()?.split_ascii_whitespace().take(COLUMNS_MAX).collect();
    let column = |name: &str| {
        let at = names.iter().position(|known| *known == name)?;
        Some(number(words.get(at)?)? * 1024.0)
    };
    let old = column("OGCMX")?;
    let young = column("NGCMX").unwrap_or(0.0);
    // Where regions belong to no generation for good, each may grow to the whole heap.
    let is_shared = young == old;
    Some((if is_shared { old } else { young + old }, old))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::{CONCURRENT, FULL};
    use proptest::prelude::*;

    fn rows(text: &str) -> Vec<Row> {
        let mut columns = Columns::default();
        let row = |line| match columns.read(line) {
            Line::Row(row) => Some(*row),
            _ => None,
        };
        text.lines().filter_map(row).collect()
    }

    /// OpenJDK 17, -Xmx64m, serial.
    const SERIAL: &str = "\
Timestamp           S0C         S1C         S0U         S1U          EC           EU           OC           OU          MC         MU       CCSC      CCSU     YGC     YGCT     FGC    FGCT     CGC    CGCT       GCT   
            6.1      2176.0      2176.0       406.8         0.0      17472.0       7477.0      43712.0       4233.7     9600.0     9334.0    1280.0    1137.7      6     0.059     0     0.000     -         -     0.059
            6.6      2176.0      2176.0         0.0       407.1      17472.0          0.0      43712.0       4233.7     9600.0     9334.0    1280.0    1137.7      7     0.060     0     0.000     -         -     0.060
";

    #[test]
    fn openjdk_17_with_the_serial_collector() {
        let rows = rows(SERIAL);
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[0].since_start_s, Some(6.1));
        let reading = &rows[1].reading;
        let young = reading.young.unwrap();
        assert_eq!(young.committed, (2.0 * 2176.0 + 17_472.0) * 1024.0, "HeapC of the study: S0C + S1C + EC");
        assert_eq!((young.eden_used, young.survivor_used), (0.0, 407.1 * 1024.0));
        assert_eq!((reading.old.used, reading.old.committed), (4233.7 * 1024.0, 43_712.0 * 1024.0));
        assert_eq!(reading.collectors[0], Some(Collector { count: 7, seconds: 0.060, last: None }));
        assert_eq!(reading.collectors[FULL].unwrap().count, 0);
        assert_eq!(reading.collectors[CONCURRENT], None, "`-`");
    }

    #[test]
    fn the_parallel_collector_with_two_gibibytes_has_the_constant_of_the_study() {
        let text = "Timestamp S0C S1C S0U S1U EC EU OC OU MC MU CCSC CCSU YGC YGCT FGC FGCT CGC CGCT GCT\n\
            1.0 1.0 1.0 0.0 0.0 1.0 0.5 1398272.0 0.0 1.0 1.0 1.0 1.0 0 0.000 0 0.000 - - 0.000\n";
        assert_eq!(rows(text)[0].reading.old.committed, 1_398_272.0 * 1024.0);
    }

    #[test]
    fn older_newer_and_other_columns() {
        // Java 7: a permanent generation.
        let seven = "S0C S1C S0U S1U EC EU OC OU PC PU YGC YGCT FGC FGCT GCT\n\
            1024.0 1024.0 0.0 512.0 8192.0 100.0 20480.0 10.0 21248.0 2645.4 3 0.010 1 0.020 0.030\n";
        let row = &rows(seven)[0];
        assert_eq!(row.since_start_s, None, "without -t");
        assert_eq!(row.reading.metaspace.unwrap().used, 2645.4 * 1024.0);
        assert_eq!(row.reading.collectors[FULL].unwrap().seconds, 0.020);
        // Java 8: metaspace, no concurrent collections; a column that nobody knows yet; commas.
        let eight = "Timestamp S0C S1C S0U S1U EC EU OC OU MC MU CCSC CCSU YGC YGCT FGC FGCT GCT NEW\n\
            5,5 1024,0 1024,0 0,0 512,0 8192,0 100,0 20480,0 10,0 4864,0 2645,4 512,0 1,0 3 0,010 1 0,020 0,030 x\n";
        let row = &rows(eight)[0];
        assert_eq!((row.since_start_s, row.reading.young.unwrap().survivor_used), (Some(5.5), 512.0 * 1024.0));
        // OpenJDK 17 with ZGC and with Shenandoah: no generations.
        let header = SERIAL.lines().next().unwrap();
        let z =
            format!("{header}\n4.2 - - - - - - 65536.0 12288.0 9600.0 9313.8 1280.0 1138.2 - - - - 12 0.000 0.000\n");
        let reading = &rows(&z)[0].reading;
        assert_eq!((reading.young, reading.heap_used()), (None, 12_288.0 * 1024.0));
        assert_eq!(reading.collectors[CONCURRENT].unwrap().count, 12);
        let shenandoah = format!(
            "{header}\n4.2 - - - - - - 65536.0 33293.0 9472.0 9257.7 1280.0 1137.2 0 0.000 68 0.188 - - 0.188\n"
        );
        let collectors = rows(&shenandoah)[0].reading.collectors;
        assert_eq!((collectors[FULL], collectors[CONCURRENT].unwrap().count), (None, 68));
    }

    #[test]
    fn headers_come_again_and_nonsense_does_no_harm() {
        assert_eq!(rows(&format!("{SERIAL}{SERIAL}")).len(), 4);
        let mut columns = Columns::default();
        for line in ["", "4711 not found", "1 2 3", "OU OC", "a b", "- -", "1e999 1"] {
            assert!(!matches!(columns.read(line), Line::Row(_)), "{line}");
        }
    }

    #[test]
    fn maxima_of_a_heap() {
        // OpenJDK 17, -Xmx64m: serial, with regions, without generations.
        let header = " NGCMN NGCMX NGC S0C S1C EC OGCMN OGCMX OGC OC MCMN MCMX MC CCSMN CCSMX CCSC YGC FGC CGC\n";
        let of = |row: &str| maxima(&format!("{header}{row}\n")).unwrap();
        let serial =
            "21824.0 21824.0 21824.0 2176.0 2176.0 17472.0 43712.0 43712.0 43712.0 43712.0 0.0 1 1 0.0 1 1 3 0 -";
        assert_eq!(of(serial), (67_108_864.0, 43_712.0 * 1024.0));
        let regions = "0.0 65536.0 40960.0 0.0 1024.0 39936.0 0.0 65536.0 24576.0 24576.0 0.0 1 1 0.0 1 1 6 0 0";
        assert_eq!(of(regions), (67_108_864.0, 67_108_864.0));
        let one = "- - - - - - 8192.0 65536.0 65536.0 65536.0 0.0 1 1 0.0 1 1 - - 12";
        assert_eq!(of(one), (67_108_864.0, 67_108_864.0));
        assert_eq!(maxima("x"), None);
        assert_eq!(maxima(header), None);
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(lines in prop::collection::vec("(OU|OC|-|[0-9.,]{1,8}|\\PC{0,4})( (OU|OC|YGC|EC|-|[0-9.]{1,20})){0,20}", 0..6)) {
            let mut columns = Columns::default();
            for line in &lines {
                let _ = columns.read(line);
            }
            let _ = maxima(&lines.join("\n"));
        }
    }
}
