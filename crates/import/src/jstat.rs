//! `jstat -gc` and `-gcutil`, with `-t` or without: heap and collections of a Java virtual machine.
//!
//! Sizes are in KiB, times in seconds. `Timestamp` is the age of the virtual machine, to a tenth of a second: it tells how
//! far apart rows are, whatever the machine was busy with, and no time of day. `-` stands for what a collector does not
//! have. `-gcutil` has shares of sizes that it does not name, so of it only collections are kept.
//!
//! Source: JDK 17 and 21, `jstat(1)`.

use crate::error::ImportError;
use crate::input::Input;
use crate::reading::{Reading, shown};
use crate::samples::{Row, Samples, by_line};
use std::path::Path;
use terms::Nanos;

const KIB: f64 = 1024.0;
/// Thirty years: no virtual machine is older.
const AGE_S_MAX: f64 = 1e9;
/// Columns of `-gccause` from here on are words, with blanks in them.
const WORDS: &str = "LGCC";

/// Names of the columns, as the last header has them; it comes again with `-h`.
struct Header {
    names: Vec<String>,
    /// Whether words follow behind the columns.
    has_words: bool,
}

impl Header {
    fn of(fields: &[&str]) -> Option<Self> {
        let has = |name| fields.contains(&name);
        if !(has("EU") && has("OU") || has("E") && has("O") && has("YGC")) {
            return None;
        }
        let names = fields.iter().take_while(|name| **name != WORDS).map(|name| (*name).to_owned()).collect();
        Some(Self { names, has_words: has(WORDS) })
    }

    fn has(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }
}

/// Reads a file.
///
/// # Errors
/// For a file without a header of `jstat -gc` or `-gcutil`.
pub(crate) fn read(path: &Path, input: Input) -> Result<(Samples, Reading), ImportError> {
    let (mut header, mut has_shares): (Option<Header>, bool) = (None, false);
    let (mut first, mut last, mut is_of_another) = (None, None, false);
    let (mut rows, mut reading) = by_line(path, input, |line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        if let Some(read) = Header::of(&fields) {
            has_shares |= !read.has("OU");
            header = Some(read);
            return Ok(None);
        }
        let Some(header) = &header else { return Err("it stands before any header".into()) };
        let mut row = row(&fields, header)?;
        // How long after the others another virtual machine was started, nothing tells.
        is_of_another |= row.since.is_some() && row.since < last;
        if is_of_another {
            return Err(
                "its `Timestamp`, or that of a line before it, goes back: it is of another virtual machine".into()
            );
        }
        last = row.since;
        // Whoever starts `jstat` knows when that was, and not when the machine was started, which may be weeks ago.
        row.since = row.since.map(|age| age - *first.get_or_insert(age));
        Ok(Some(row))
    })?;
    if header.is_none() {
        let what = "is not output of `jstat -gc`: no line of it names `EU` and `OU`\nmake one with `jstat -gc -t PID 1s > FILE`";
        return Err(ImportError::file(path, what));
    }
    if rows.iter().any(|row| row.since.is_none()) {
        rows.iter_mut().for_each(|row| row.since = None);
    }
    if has_shares {
        let what = "its sizes are shares of totals that it does not name, and are left out; `jstat -gc` prints bytes";
        reading.remarks.push(what.into());
    }
    Ok((Samples { monitor: "jvm", usual_instance: "jvm", skipped: 0, rows }, reading))
}

fn row(fields: &[&str], header: &Header) -> Result<Row, String> {
    let columns = header.names.len();
    if fields.len() < columns || (fields.len() > columns && !header.has_words) {
        return Err(format!("it has {} fields, and its header {columns}", fields.len()));
    }
    let value = |name: &str| -> Result<Option<f64>, String> {
        let Some(place) = header.names.iter().position(|known| known == name) else { return Ok(None) };
        match fields[place] {
            "-" => Ok(None),
            // Some languages write decimals behind a comma.
            text => match text.replace(',', ".").parse::<f64>().ok().filter(|it| it.is_finite() && *it >= 0.0) {
                Some(value) => Ok(Some(value)),
                None => Err(format!("its `{name}` is `{}`, which is not a number", shown(text.as_bytes()))),
            },
        }
    };
    let sum = |names: &[&str]| -> Result<Option<f64>, String> {
        let mut all = None;
        for name in names {
            if let Some(value) = value(name)? {
                all = Some(all.unwrap_or(0.0) + value);
            }
        }
        Ok(all)
    };
    let mut values = Vec::with_capacity(16);
    let mut add = |metric, value: Option<f64>, factor: f64| values.extend(value.map(|value| (metric, value * factor)));
    add("heap_used", sum(&["S0U", "S1U", "EU", "OU"])?, KIB);
    add("heap_committed", sum(&["S0C", "S1C", "EC", "OC"])?, KIB);
    add("young_committed", sum(&["S0C", "S1C", "EC"])?, KIB);
    add("eden_used", value("EU")?, KIB);
    add("survivor_used", sum(&["S0U", "S1U"])?, KIB);
    add("old_used", value("OU")?, KIB);
    add("old_committed", value("OC")?, KIB);
    add("metaspace_used", value("MU")?, KIB);
    add("metaspace_committed", value("MC")?, KIB);
    add("gc_young", value("YGC")?, 1.0);
    add("gc_young_time", value("YGCT")?, 1.0);
    add("gc_full", value("FGC")?, 1.0);
    add("gc_full_time", value("FGCT")?, 1.0);
    add("gc_concurrent", value("CGC")?, 1.0);
    add("gc_concurrent_time", value("CGCT")?, 1.0);
    let age = match value("Timestamp")? {
        Some(age) if age >= AGE_S_MAX => return Err(format!("its `Timestamp` of {age} s cannot be")),
        age => age.map(Nanos::from_secs_f64),
    };
    Ok(Row { at: None, since: age, instance: None, values })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    /// As jstat of JDK 17 prints it; the second row with decimal commas, the third cut off.
    const TEXT: &str = "\
Timestamp        S0C    S1C    S0U    S1U      EC       EU        OC         OU       MC     MU    CCSC   CCSU   YGC     YGCT    FGC    FGCT    CGC    CGCT     GCT
           12.3  0.0   1024.0  0.0   1024.0 24576.0   4096.0   40960.0    20480.0   4864.0 4400.2 512.0  400.1      5    0.030   0      0.000   -        -    0.030
           13.4  0,0   1024,0  0,0   1024,0 24576,0   8192,0   40960,0    20480,0   4864,0 4400,2 512,0  400,1      6    0,040   1      0,500   2    0,001    0,541
           14.3  0.0   1024.0
";

    fn seen(text: &str) -> (Samples, Reading) {
        let input = Input::of(Cursor::new(text.as_bytes().to_vec())).unwrap();
        read(Path::new("jstat.log"), input).unwrap()
    }

    fn value(row: &Row, name: &str) -> Option<f64> {
        row.values.iter().find(|(metric, _)| *metric == name).map(|(_, value)| *value)
    }

    fn since_ms(samples: &Samples) -> Vec<Option<i64>> {
        samples.rows.iter().map(|row| row.since.map(|since| since.0 / 1_000_000)).collect()
    }

    #[test]
    fn rows_have_the_units_of_our_own_monitor() {
        let (samples, reading) = seen(TEXT);
        assert_eq!((samples.rows.len(), reading.unreadable), (2, 1));
        let of = |row: usize, metric: &str| value(&samples.rows[row], metric);
        assert_eq!(of(0, "heap_used"), Some(25_600.0 * 1024.0));
        assert_eq!(
            (of(0, "gc_concurrent"), of(1, "gc_concurrent"), of(1, "gc_full_time")),
            (None, Some(2.0), Some(0.5))
        );
        assert_eq!(since_ms(&samples), [Some(0), Some(1100)]);
        let other = Input::of(Cursor::new(b"S0C S1C\n1 2\n".to_vec())).unwrap();
        assert!(read(Path::new("x"), other).unwrap_err().to_string().contains("jstat -gc -t PID"));
    }

    /// `jstat -gc -t -h 2 PID 250 5` of OpenJDK 17.0.15, at a machine of `-Xmx64m -XX:+UseSerialGC` that does nothing but
    /// allocate.
    const REAL: &str = "\
Timestamp           S0C         S1C         S0U         S1U          EC           EU           OC           OU          MC         MU       CCSC      CCSU     YGC     YGCT     FGC    FGCT     CGC    CGCT       GCT   
            4.2      2176.0      2176.0         0.0      1367.3      17472.0          0.0      43712.0      38322.2     9600.0     9350.9    1280.0    1136.6    220     0.173     1     0.010     -         -     0.183
            4.4      2176.0      2176.0         0.0         0.0      17472.0          0.0      43712.0      13899.0     9600.0     9350.9    1280.0    1136.6    235     0.180     2     0.022     -         -     0.201
Timestamp           S0C         S1C         S0U         S1U          EC           EU           OC           OU          MC         MU       CCSC      CCSU     YGC     YGCT     FGC    FGCT     CGC    CGCT       GCT   
            4.7      2176.0      2176.0         0.0       976.6      17472.0          0.0      43712.0      16829.0     9600.0     9350.9    1280.0    1136.6    251     0.187     2     0.022     -         -     0.209
            4.9      2176.0      2176.0         0.0       976.6      17472.0          0.0      43712.0      22298.2     9600.0     9350.9    1280.0    1136.6    267     0.194     2     0.022     -         -     0.216
Timestamp           S0C         S1C         S0U         S1U          EC           EU           OC           OU          MC         MU       CCSC      CCSU     YGC     YGCT     FGC    FGCT     CGC    CGCT       GCT   
            5.2      2176.0      2176.0      1367.3         0.0      17472.0          0.0      43712.0      25423.4     9600.0     9350.9    1280.0    1136.6    282     0.201     2     0.022     -         -     0.223
";

    #[test]
    fn distances_of_a_real_file_are_those_of_its_stamps_and_headers_may_come_again() {
        let (samples, reading) = seen(REAL);
        assert_eq!((samples.rows.len(), reading.unreadable, reading.remarks.len()), (5, 0, 0), "{reading:?}");
        assert_eq!(since_ms(&samples), [Some(0), Some(200), Some(500), Some(700), Some(1000)]);
        let last = &samples.rows[4];
        // 1367.3 KiB of a survivor space, and 25,423.4 KiB of the old generation; both survivor spaces and eden.
        assert_eq!(value(last, "heap_used"), Some((1367.3 + 25_423.4) * 1024.0));
        assert_eq!(value(last, "young_committed"), Some((2.0 * 2176.0 + 17_472.0) * 1024.0));
        assert_eq!((value(last, "gc_young"), value(last, "gc_full_time")), (Some(282.0), Some(0.022)));
    }

    /// The same machine a moment later, by `-gcutil -t -h 3 PID 250 5` and `-gccause -t`.
    const SHARES: &str = "\
Timestamp         S0     S1     E      O      M     CCS    YGC     YGCT     FGC    FGCT     CGC    CGCT       GCT   
            5.9  62.84   0.00   0.00  90.78  97.41  88.79    328     0.223     2     0.022     -         -     0.244
Timestamp         S0     S1     E      O      M     CCS    YGC     YGCT     FGC    FGCT     CGC    CGCT       GCT   
            6.2  62.84   0.00   0.00  31.80  97.41  88.79    343     0.230     3     0.037     -         -     0.267
Timestamp         S0     S1     E      O      M     CCS    YGC     YGCT     FGC    FGCT     CGC    CGCT       GCT    LGCC                 GCC                 
            8.8   0.00  62.84   0.00  64.34  97.41  88.79    503     0.305     4     0.046     -         -     0.352 Allocation Failure   No GC               
";

    #[test]
    fn of_shares_only_collections_are_kept_and_words_behind_them_do_no_harm() {
        let (samples, reading) = seen(SHARES);
        assert_eq!((samples.rows.len(), reading.unreadable), (3, 0), "{reading:?}");
        let names: Vec<&str> = samples.rows[0].values.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["gc_young", "gc_young_time", "gc_full", "gc_full_time"]);
        let counts: Vec<_> = samples.rows.iter().map(|row| (value(row, "gc_young"), value(row, "gc_full"))).collect();
        assert_eq!(counts, [(Some(328.0), Some(2.0)), (Some(343.0), Some(3.0)), (Some(503.0), Some(4.0))]);
        assert_eq!(since_ms(&samples), [Some(0), Some(300), Some(2900)]);
        assert!(reading.remarks[0].contains("`jstat -gc` prints bytes"), "{reading:?}");
    }

    #[test]
    fn rows_of_another_machine_are_unreadable_and_without_stamps_nothing_is_known() {
        // A script that starts `jstat` again behind each restart, into one file.
        let again = REAL.replace("            4.", "            0.").replace("            5.", "            9.");
        let (samples, reading) = seen(&format!("{REAL}{again}"));
        assert_eq!((samples.rows.len(), reading.unreadable), (5, 5), "{reading:?}");
        assert!(reading.examples[4].why.contains("another virtual machine"), "{reading:?}");
        let plain = |line: &str| format!("{}\n", line.get(15..).unwrap_or_default());
        let without: String = REAL.lines().map(plain).collect();
        assert_eq!(since_ms(&seen(&without).0), [None; 5]);
        assert_eq!(
            since_ms(&seen(&format!("{REAL}{without}")).0),
            [None; 10],
            "nobody knows how far apart the two are"
        );
        let (samples, reading) = seen(&REAL.replace("   5.2 ", " 1e300 "));
        assert_eq!((samples.rows.len(), reading.unreadable), (4, 1), "{reading:?}");
    }
}
