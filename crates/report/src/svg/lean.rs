//! A drawing as it stands in a page: without what the page's style sheet says of every drawing anyway.
//!
//! A drawing by itself carries all its presentation attributes, so that it is right wherever it is put. In a page of a
//! hundred drawings those attributes are the most of it, and the style sheet overrides them.

/// The drawing without the colours that its classes stand for, the sizes that are usual, and its name space.
///
/// `svg` must be from [`super::Canvas`], where a `>` or `"` of any text is escaped.
pub(crate) fn lean(svg: &str) -> String {
    let mut out = String::with_capacity(svg.len() / 2);
    for part in svg.split_inclusive('>') {
        match part.find('<') {
            Some(at) if !part[at..].starts_with("</") => {
                out.push_str(&part[..at]);
                tag(&mut out, &part[at..]);
            }
            _ => out.push_str(part),
        }
    }
    out
}

fn tag(out: &mut String, tag: &str) {
    let has = |text: &str| tag.contains(text);
    let is_root = has(" xmlns=\"");
    let (is_filled, is_stroked) = (has(" class=\"f-"), has(" class=\"k-"));
    // A line through points: no area, round joints and ends; a class of its own says so once.
    let is_line = is_stroked && has(" stroke-linecap=\"round\"") && has(" fill=\"none\"");
    let mut rest = tag;
    while let Some(end) = rest.find("=\"") {
        let Some(close) = rest[end + 2..].find('"').map(|at| end + 2 + at) else { break };
        let begin = rest[..end].rfind(' ').unwrap_or(0);
        out.push_str(&rest[..begin]);
        let (name, value) = (rest[begin..end].trim_start(), &rest[end + 2..close]);
        let is_said = match name {
            "xmlns" | "font-family" => is_root,
            "fill" => is_filled || is_root || is_line,
            "stroke" => is_stroked || value == "none",
            "stroke-linejoin" | "stroke-linecap" => is_line,
            "stroke-width" => value == "1",
            "font-size" => value == "11.5",
            _ => false,
        };
        if name == "class" && is_line {
            out.push_str(&format!(" class=\"{value} l\""));
        } else if !is_said {
            out.push_str(&rest[begin..=close]);
        }
        rest = &rest[close + 1..];
    }
    out.push_str(rest);
}

#[cfg(test)]
mod tests {
    use super::super::{Anchor, Canvas, Lettering, Stroke};
    use super::*;

    #[test]
    fn what_the_style_sheet_says_is_left_out_and_nothing_else() {
        let mut canvas = Canvas::new(100.0, 20.0);
        canvas.polyline(&[(0.0, 1.0), (2.0, 3.0)], Stroke::dashed("blue", 2.0, "5 3"));
        canvas.line((0.0, 1.0), (9.0, 1.0), Stroke::solid("grid", 1.0));
        canvas.text((1.0, 2.0), "a > b \" fill=\"red", Lettering::new("ink", Anchor::End));
        canvas.area(&[(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)], "blue", 0.5);
        let svg = lean(&canvas.finish("a", "title <", "words"));
        assert!(svg.starts_with("<svg class=\"chart\" viewBox=\"0 0 100 20\" role=\"img\""), "{svg}");
        assert!(
            svg.contains("<path d=\"M0 1l2 2\" class=\"k-blue l\" stroke-width=\"2\" stroke-dasharray=\"5 3\"/>"),
            "{svg}"
        );
        assert!(svg.contains("<line x1=\"0\" y1=\"1\" x2=\"9\" y2=\"1\" class=\"k-grid\"/>"), "{svg}");
        assert!(svg.contains("text-anchor=\"end\" class=\"f-ink\">a &gt; b &quot; fill=&quot;red</text>"), "{svg}");
        assert!(svg.contains("Z\" fill-opacity=\"0.50\" class=\"f-blue\"/>"), "{svg}");
        assert!(svg.ends_with("</svg>") && svg.contains("<title id=\"a-t\">title &lt;</title>"), "{svg}");
    }

    #[test]
    fn outlines_and_faint_lines_keep_what_makes_them_so() {
        let mut canvas = Canvas::new(100.0, 20.0);
        canvas.outline((0.0, 0.0), (9.0, 9.0), Stroke::solid("ink-3", 1.0));
        canvas.fading(&[(0.0, 0.0), (5.0, 5.0)], Stroke::solid("blue", 2.0));
        let svg = lean(&canvas.finish("a", "", ""));
        assert!(svg.contains("rx=\"4\" fill=\"none\" class=\"k-ink-3\"/>"), "{svg}");
        assert!(
            svg.contains("fill=\"none\" stroke-linejoin=\"round\" stroke-opacity=\"0.60\" class=\"k-blue\""),
            "{svg}"
        );
    }
}
