//! Colours, once for the light theme (presentation attributes of every figure) and once for the dark one (the page's
//! style sheet), so that a test can hold both against their backgrounds.
//!
//! The hues are those of Okabe and Ito ("Color universal design", 2008), which people with any common colour vision
//! tell apart. On white, orange, sky and purple are darker here than in the paper: the originals reach only 2.2 to 2.9
//! to one, and graphics need 3.

/// A colour in both themes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hue {
    /// Name of its variable in the style sheet, without `--`.
    pub(crate) name: &'static str,
    /// Light theme.
    pub(crate) light: &'static str,
    /// Dark theme.
    pub(crate) dark: &'static str,
    /// What it is for, and so which contrast it needs.
    pub(crate) use_for: Use,
}

/// What a colour is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// Behind everything.
    Ground,
    /// Text: 4.5 to one.
    Text,
    /// Graphics that carry meaning: 3 to one.
    Graphic,
    /// Hairlines and shades that carry none.
    Faint,
}

const fn hue(name: &'static str, light: &'static str, dark: &'static str, use_for: Use) -> Hue {
    Hue { name, light, dark, use_for }
}

/// All colours of a report.
pub(crate) const HUES: [Hue; 26] = [
    hue("ground", "#ffffff", "#12171d", Use::Ground),
    hue("raised", "#f6f8fa", "#1a2129", Use::Ground),
    hue("ink", "#17212b", "#e8edf2", Use::Text),
    hue("ink-2", "#4a5866", "#aab7c4", Use::Text),
    hue("ink-3", "#5f6e7c", "#93a2b1", Use::Text),
    hue("rule", "#d9e0e6", "#2e3945", Use::Faint),
    hue("grid", "#e8ecf0", "#262f39", Use::Faint),
    hue("band", "#f1f4f7", "#181f27", Use::Faint),
    hue("accent", "#0a5a8c", "#6fb7e8", Use::Text),
    hue("blue", "#0072b2", "#56a8e0", Use::Graphic),
    hue("vermillion", "#c94f00", "#f0854a", Use::Graphic),
    hue("green", "#00805c", "#2fc297", Use::Graphic),
    hue("purple", "#a8528a", "#dc97bf", Use::Graphic),
    hue("orange", "#a86f00", "#e6a93a", Use::Graphic),
    hue("sky", "#2b86b8", "#7cc4ee", Use::Graphic),
    hue("grey", "#6f7c88", "#8f9ca9", Use::Graphic),
    hue("heat", "#2a7fc4", "#2a7fc4", Use::Graphic),
    hue("met", "#006b4c", "#43cfa3", Use::Text),
    hue("met-ground", "#e3f4ed", "#10302a", Use::Faint),
    hue("not-met", "#a93a00", "#ff9a66", Use::Text),
    hue("not-met-ground", "#fdebe1", "#3a1f14", Use::Faint),
    hue("cannot-tell", "#7a5300", "#ecb95a", Use::Text),
    hue("cannot-tell-ground", "#fdf3dc", "#33290f", Use::Faint),
    hue("limit", "#a93a00", "#ff9a66", Use::Graphic),
    hue("fill-blue", "#cfe3f1", "#1d3a52", Use::Faint),
    hue("fill-gap", "#fbd9c6", "#4a2816", Use::Faint),
];

/// The light colour of that name.
pub(crate) fn light(name: &str) -> &'static str {
    HUES.iter().find(|hue| hue.name == name).map_or("#000000", |hue| hue.light)
}

/// Style-sheet variables of both themes.
pub(crate) fn variables() -> (String, String) {
    let line = |pick: fn(&Hue) -> &'static str| -> String {
        HUES.iter().map(|hue| format!("--{}:{};", hue.name, pick(hue))).collect()
    };
    (line(|hue| hue.light), line(|hue| hue.dark))
}

/// Rules that let a figure follow the theme: one class for stroke and one for fill of each colour.
pub(crate) fn figure_rules() -> String {
    HUES.iter()
        .map(|hue| {
            let name = hue.name;
            let fill = format!(".chart .f-{name},.spark .f-{name}{{fill:var(--{name})}}");
            // No line is drawn in the colour of the ground; boxes are.
            match hue.use_for {
                Use::Ground => fill,
                _ => format!(".chart .k-{name},.spark .k-{name}{{stroke:var(--{name})}}{fill}"),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance after WCAG 2.2.
    fn luminance(colour: &str) -> f64 {
        let part = |from: usize| {
            let value = f64::from(u8::from_str_radix(&colour[from..from + 2], 16).unwrap()) / 255.0;
            if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
    }

    fn contrast(one: &str, other: &str) -> f64 {
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    #[test]
    fn contrast_is_computed_as_the_guidelines_do() {
        // WCAG's own examples: black on white 21, #777777 on white 4.48.
        assert!((contrast("#000000", "#ffffff") - 21.0).abs() < 1e-9);
        assert!((contrast("#777777", "#ffffff") - 4.48).abs() < 0.01);
    }

    #[test]
    fn text_and_graphics_stand_out_in_both_themes() {
        for hue in HUES {
            let need = match hue.use_for {
                Use::Text => 4.5,
                Use::Graphic => 3.0,
                Use::Ground | Use::Faint => continue,
            };
            for ground in HUES.iter().filter(|ground| ground.use_for == Use::Ground) {
                for (colour, under) in [(hue.light, ground.light), (hue.dark, ground.dark)] {
                    let found = contrast(colour, under);
                    assert!(found >= need, "{} {colour} on {} {under}: {found:.2}", hue.name, ground.name);
                }
            }
        }
    }

    #[test]
    fn words_of_verdicts_stand_out_on_their_own_ground() {
        for name in ["met", "not-met", "cannot-tell"] {
            let pick = |name: &str| *HUES.iter().find(|hue| hue.name == name).unwrap();
            let (word, ground) = (pick(name), pick(&format!("{name}-ground")));
            assert!(contrast(word.light, ground.light) >= 4.5, "{name}");
            assert!(contrast(word.dark, ground.dark) >= 4.5, "{name}");
        }
    }
}
