//! Wall-clock moments as ISO 8601 in UTC; the one place that turns nanoseconds since 1970 into a calendar.

use crate::Nanos;

/// Year, month, day, hour, minute, second, nanosecond of a moment since 1970-01-01 UTC (proleptic Gregorian).
pub fn civil(wall: Nanos) -> (i64, u32, u32, u32, u32, u32, u32) {
    let second = wall.second();
    let nanosecond = wall.0.rem_euclid(1_000_000_000) as u32;
    let (day, of_day) = (second.div_euclid(86_400), second.rem_euclid(86_400) as u32);
    // Days since 0000-03-01, so that the leap day ends the year; eras of 400 years have 146 097 days.
    let shifted = day + 719_468;
    let (era, of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * of_year + 2) / 153;
    let day_of_month = (of_year - (153 * month_from_march + 2) / 5 + 1) as u32;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 } as u32;
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day_of_month, of_day / 3600, of_day / 60 % 60, of_day % 60, nanosecond)
}

/// `2026-11-21T10:00:00.123Z`
pub fn millis(wall: Nanos) -> String {
    let (year, month, day, hour, minute, second, nanosecond) = civil(wall);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z", nanosecond / 1_000_000)
}

/// `2026-11-21T10:00:00Z`
pub fn seconds(wall: Nanos) -> String {
    let (year, month, day, hour, minute, second, _) = civil(wall);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// `2026-11-21T10-00-00Z`, fit for a folder's name.
pub fn folder(wall: Nanos) -> String {
    seconds(wall).replace(':', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_moments() {
        // From `date -u -d @N`.
        for (second, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_795_255_200, "2026-11-21T10:00:00Z"),
            (4_107_542_399, "2100-02-28T23:59:59Z"),
            (-1, "1969-12-31T23:59:59Z"),
        ] {
            assert_eq!(seconds(Nanos::from_secs(second)), text);
        }
        assert_eq!(millis(Nanos(1_500_000)), "1970-01-01T00:00:00.001Z");
    }
}
