//! Dates and times of day as a language writes them in running text. Tables keep ISO 8601.

/// Months of a language, and how it joins day, month, year and time.
struct Form {
    months: [&'static str; 12],
    after_day: &'static str,
    before_time: &'static str,
    between: char,
}

const ENGLISH: Form = Form {
    months: [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ],
    after_day: " ",
    before_time: ", ",
    between: ':',
};

const DUTCH: Form = Form {
    months: [
        "januari",
        "februari",
        "maart",
        "april",
        "mei",
        "juni",
        "juli",
        "augustus",
        "september",
        "oktober",
        "november",
        "december",
    ],
    after_day: " ",
    before_time: ", ",
    between: ':',
};

const DANISH: Form = Form {
    months: [
        "januar",
        "februar",
        "marts",
        "april",
        "maj",
        "juni",
        "juli",
        "august",
        "september",
        "oktober",
        "november",
        "december",
    ],
    after_day: ". ",
    before_time: " kl. ",
    between: '.',
};

/// `2026-11-21` or `2026-11-21T10:00:00Z` as the language writes it; any other text unchanged.
///
/// `21 November 2026, 10:00:00 UTC` in English, `21. november 2026 kl. 10.00.00 UTC` in Danish. Only UTC is known,
/// which is what a run's head holds.
pub(crate) fn in_words(text: &str, language: &str) -> String {
    let form = match language {
        "nl" => &DUTCH,
        "da" => &DANISH,
        _ => &ENGLISH,
    };
    written(text, form).unwrap_or_else(|| text.to_owned())
}

fn written(text: &str, form: &Form) -> Option<String> {
    let (date, time) = text.split_once('T').map_or((text, None), |(date, time)| (date, Some(time)));
    let mut parts = date.split('-');
    let (year, month, day) = (digits(parts.next()?, 4)?, digits(parts.next()?, 2)?, digits(parts.next()?, 2)?);
    let month = form.months.get(month.checked_sub(1)?)?;
    if parts.next().is_some() || !(1..=31).contains(&day) {
        return None;
    }
    let date = format!("{day}{}{month} {year}", form.after_day);
    let Some(time) = time else { return Some(date) };
    let time = time.strip_suffix('Z')?;
    let whole = time.split_once('.').map_or(time, |(whole, _)| whole);
    let fields: Option<Vec<usize>> = whole.split(':').map(|part| digits(part, 2)).collect();
    if fields?.len() != 3 {
        return None;
    }
    let between = form.between.to_string();
    Some(format!("{date}{}{} UTC", form.before_time, whole.replace(':', &between)))
}

/// The time of day in UTC, `10:00:07`, of a moment in nanoseconds since 1970.
pub(crate) fn time_of_day(nanoseconds: i64) -> String {
    let second = nanoseconds.div_euclid(1_000_000_000).rem_euclid(86_400);
    format!("{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60)
}

/// The date in UTC, `2026-11-21`, of a moment in nanoseconds since 1970.
pub(crate) fn date(nanoseconds: i64) -> String {
    // Days since 0000-03-01, in eras of 400 years: H. Hinnant, "chrono-compatible low-level date algorithms".
    let days = nanoseconds.div_euclid(86_400_000_000_000) + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

/// Exactly so many ASCII digits as a number.
fn digits(text: &str, count: usize) -> Option<usize> {
    (text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn each_language_has_its_form() {
        for (language, date, moment) in [
            ("en", "21 November 2026", "21 November 2026, 10:00:05 UTC"),
            ("nl", "21 november 2026", "21 november 2026, 10:00:05 UTC"),
            ("da", "21. november 2026", "21. november 2026 kl. 10.00.05 UTC"),
        ] {
            assert_eq!(in_words("2026-11-21", language), date);
            assert_eq!(in_words("2026-11-21T10:00:05Z", language), moment);
            assert_eq!(in_words("2026-11-21T10:00:05.123Z", language), moment);
        }
    }

    #[test]
    fn a_time_of_day_goes_round_at_midnight() {
        // 2026-11-26T04:13:26.9Z, from `date -u -d 2026-11-26T04:13:26Z +%s`.
        assert_eq!(time_of_day(1_795_666_406_900_000_000), "04:13:26");
        assert_eq!(time_of_day(1_795_666_406_900_000_000 + 86_400_000_000_000), "04:13:26");
        assert_eq!([time_of_day(0), time_of_day(-1)], ["00:00:00", "23:59:59"]);
    }

    #[test]
    fn a_moment_has_the_date_of_its_day() {
        // Each from `date -u -d DATE +%s`.
        for (second, expected) in [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (951_782_399, "2000-02-28"),
            (951_782_400, "2000-02-29"),
            (951_868_800, "2000-03-01"),
            (1_795_666_406, "2026-11-26"),
            (1_798_761_599, "2026-12-31"),
            (1_798_761_600, "2027-01-01"),
            (4_107_542_400, "2100-03-01"),
        ] {
            assert_eq!(date(second * 1_000_000_000), expected, "{second}");
        }
    }

    #[test]
    fn what_is_no_date_stays_as_it_was_written() {
        for text in [
            "",
            "spring 2026",
            "2026-13-01",
            "2026-00-10",
            "2026-1-01",
            "2026-11-21T10:00",
            "21-11-2026",
            "T",
            "2026-11-21-5",
        ] {
            assert_eq!(in_words(text, "nl"), text);
        }
    }

    proptest! {
        #[test]
        fn no_text_breaks_it(text in ".{0,40}") {
            let _ = in_words(&text, "da");
        }
    }
}
