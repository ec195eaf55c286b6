//! The guide's picture of coordinated omission, drawn from a run of `studies/omission.yaml`.

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::fmt::Write as _;

/// The picture's place in the repository.
pub const PICTURE: &str = "docs/pictures/omission.svg";

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 360.0;
/// Of the plot: left, right, top, bottom.
const EDGES: (f64, f64, f64, f64) = (64.0, 730.0, 44.0, 300.0);
/// Nines at the right edge: p99.9.
const NINES_MAX: f64 = 3.0;
/// Quantiles of a `result.json`, each with its key.
const QUANTILES: [(f64, &str); 7] =
    [(0.5, "p50"), (0.75, "p75"), (0.9, "p90"), (0.95, "p95"), (0.98, "p98"), (0.99, "p99"), (0.999, "p99_9")];

/// The picture, of a `result.json` with the scenarios `closed` and `open`.
///
/// # Errors
/// Another run, or one without these scenarios.
pub fn picture(json: &str) -> Result<String> {
    let json: Value = serde_json::from_str(json).context("this is not a result.json")?;
    let closed = times(&json, "closed", "service_ms")?;
    let open = times(&json, "open", "response_ms")?;
    let top = open.iter().chain(&closed).map(|(_, ms)| *ms).fold(1.0, f64::max);
    let top = (top / 20.0).ceil() * 20.0;
    let (left, right, upper, lower) = EDGES;
    let x = |nines: f64| left + (right - left) * nines / NINES_MAX;
    let y = |ms: f64| lower - (lower - upper) * ms / top;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
         font-family=\"system-ui, sans-serif\" font-size=\"13\" fill=\"#333\">\n\
         <title>Times of one server, as a closed load tells them and as its users felt them</title>\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#fff\"/>\n\
         <text x=\"{left}\" y=\"22\" font-weight=\"600\">One server, frozen for 100 ms every 2 s, asked 1,000 times a second</text>\n"
    );
    for step in 0..=(top / 20.0) as u32 {
        let ms = f64::from(step) * 20.0;
        let _ = writeln!(
            svg,
            "<path d=\"M{left} {0:.1}H{right}\" stroke=\"#ddd\"/><text x=\"{1}\" y=\"{2:.1}\" text-anchor=\"end\">{ms}</text>",
            y(ms),
            left - 8.0,
            y(ms) + 4.5
        );
    }
    for (nines, name) in [(0.0, "p0"), (1.0, "p90"), (2.0, "p99"), (3.0, "p99.9")] {
        let _ =
            writeln!(svg, "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{name}</text>", x(nines), lower + 20.0);
    }
    let _ =
        writeln!(svg, "<text x=\"{left}\" y=\"{}\">ms; each step to the right is ten times rarer</text>", lower + 44.0);
    // Beside the rise of the one curve, and under that of the other.
    for (points, colour, name, place, anchor) in [
        (&open, "#0072b2", "what users felt", (1.55, 0.62 * top), "end"),
        (&closed, "#d55e00", "what a closed load says", (2.2, 0.10 * top), "start"),
    ] {
        let path: Vec<String> =
            points.iter().map(|(quantile, ms)| format!("{:.1} {:.1}", x(nines(*quantile)), y(*ms))).collect();
        let _ =
            writeln!(svg, "<path d=\"M{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2.5\"/>", path.join("L"));
        let p99 = at(points, 0.99).map_or_else(String::new, |ms| format!("p99 {ms:.1} ms"));
        let _ = writeln!(
            svg,
            "<text fill=\"{colour}\" x=\"{0:.1}\" y=\"{1:.1}\" text-anchor=\"{anchor}\" font-weight=\"600\">{name}\
             <tspan x=\"{0:.1}\" dy=\"17\">{p99}</tspan></text>",
            x(place.0),
            y(place.1)
        );
    }
    svg.push_str("</svg>\n");
    Ok(svg)
}

/// Quantiles and times of a scenario's hold, calls that succeeded.
fn times(json: &Value, scenario: &str, measure: &str) -> Result<Vec<(f64, f64)>> {
    let of = |name: &str| json["scenarios"].as_array()?.iter().find(|known| known["id"] == name);
    let steps = of(scenario).and_then(|known| known["steps"].as_array());
    let hold = steps.and_then(|steps| steps.iter().find(|step| step["phase"] == "hold"));
    let hold = hold.with_context(|| format!("there is no scenario `{scenario}`; run `studies/omission.yaml`"))?;
    let legs = hold["exchanges"][0]["legs"].as_array();
    let ok = legs.and_then(|legs| legs.iter().find(|leg| leg["outcome"] == "ok")).context("no call succeeded")?;
    let points: Vec<(f64, f64)> =
        QUANTILES.iter().filter_map(|(quantile, key)| Some((*quantile, ok[measure][key].as_f64()?))).collect();
    ensure!(!points.is_empty(), "`{scenario}` has no {measure}");
    Ok(points)
}

fn nines(quantile: f64) -> f64 {
    (1.0 / (1.0 - quantile)).log10().min(NINES_MAX)
}

fn at(points: &[(f64, f64)], quantile: f64) -> Option<f64> {
    points.iter().find(|(known, _)| *known == quantile).map(|(_, ms)| *ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_loads_are_drawn_with_their_p99() {
        let leg = |measure: &str, p99: f64| {
            format!(
                r#"{{"steps":[{{"phase":"hold","exchanges":[{{"legs":[{{"outcome":"ok","{measure}":{{"p50":1.0,"p99":{p99}}}}}]}}]}}],"#
            )
        };
        let json = format!(
            r#"{{"scenarios":[{}"id":"closed"}},{}"id":"open"}}]}}"#,
            leg("service_ms", 1.2),
            leg("response_ms", 80.5)
        );
        let svg = picture(&json).unwrap();
        assert!(svg.contains("p99 1.2 ms") && svg.contains("p99 80.5 ms"), "{svg}");
        assert_eq!(svg.matches("stroke-width").count(), 2);
        assert!(picture("{}").unwrap_err().to_string().contains("studies/omission.yaml"));
        assert!(picture("no").is_err());
    }
}
