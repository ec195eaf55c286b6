//! What was tested: the instances and who needs whom, with the load generator in front.

use super::{Words, hue_of, joined};
use crate::document::{Cell, Column, Figure, Row, Table};
use crate::input::Context;
use crate::messages::say;
use crate::number::clean;
use crate::svg::{Anchor, Canvas, Lettering, Stroke, WIDTH, fit};

/// Size of a box.
const BOX: (f64, f64) = (176.0, 42.0);
/// Between rows of boxes.
const ROW: f64 = 60.0;
/// Above the first row: half of what is between two, so that an arrow can pass there as well.
const TOP: f64 = 14.0;
/// How far from a box an arrow turns.
const TURN: f64 = 12.0;
/// More boxes than this are a list, not a picture.
const BOXES_MAX: usize = 40;

/// A box: its name, a remark under it, and the names of the boxes that it needs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    pub name: String,
    pub remark: String,
    pub needs: Vec<String>,
    pub hue: &'static str,
}

/// Column of each node: one more than the furthest that needs it; circles end where they began.
pub(crate) fn layers(nodes: &[Node]) -> Vec<usize> {
    let number = |name: &String| nodes.iter().position(|node| &node.name == name);
    let mut layer = vec![0; nodes.len()];
    // A chain is at most as long as there are nodes, so that many rounds settle it, or it goes in a circle.
    for _ in 0..nodes.len() {
        let mut has_moved = false;
        for (from, node) in nodes.iter().enumerate() {
            for to in node.needs.iter().filter_map(number).filter(|to| *to != from) {
                if layer[to] <= layer[from] && layer[from] + 1 < nodes.len() {
                    layer[to] = layer[from] + 1;
                    has_moved = true;
                }
            }
        }
        if !has_moved {
            break;
        }
    }
    layer
}

/// Draws nodes in columns from left to right.
pub(crate) fn draw(nodes: &[Node]) -> Canvas {
    let layer = layers(nodes);
    let columns = layer.iter().max().map_or(0, |last| last + 1).max(1);
    let in_column = |column: usize| layer.iter().filter(|of| **of == column).count();
    let most = (0..columns).map(in_column).max().unwrap_or(1);
    let mut canvas = Canvas::new(WIDTH, most as f64 * ROW + TOP);
    let width = BOX.0.min((WIDTH - 30.0 * columns as f64) / columns as f64);
    let step = if columns > 1 { ((WIDTH - width) / (columns - 1) as f64).min(width + 110.0) } else { 0.0 };
    let mut next = vec![0usize; columns];
    let places: Vec<(f64, f64)> = layer
        .iter()
        .map(|column| {
            let above = (most - in_column(*column)) as f64 * ROW / 2.0;
            let y = TOP + above + next[*column] as f64 * ROW;
            next[*column] += 1;
            (*column as f64 * step, y)
        })
        .collect();
    for (from, node) in nodes.iter().enumerate() {
        for to in node.needs.iter().filter_map(|name| nodes.iter().position(|other| &other.name == name)) {
            let (start, end) = (places[from], places[to]);
            let (a, b) = ((start.0 + width, start.1 + BOX.1 / 2.0), (end.0, end.1 + BOX.1 / 2.0));
            canvas.polyline(&route((a, b), &places, (width, canvas.height)), Stroke::solid("ink-3", 1.2));
            canvas.area(&[b, (b.0 - 8.0, b.1 - 4.0), (b.0 - 8.0, b.1 + 4.0)], "ink-3", 1.0);
        }
    }
    for (node, (x, y)) in nodes.iter().zip(&places) {
        canvas.rect((*x, *y), (width, BOX.1), "raised", 1.0);
        canvas.rect((*x, *y), (4.0, BOX.1), node.hue, 1.0);
        canvas.outline((*x, *y), (width, BOX.1), Stroke::solid("rule", 1.2));
        let name = fit(&node.name, width - 22.0, 12.5);
        canvas.text((x + 14.0, y + 18.0), &name, Lettering::new("ink", Anchor::Start).size(12.5).bold());
        let remark = fit(&node.remark, width - 22.0, 10.5);
        canvas.text((x + 14.0, y + 33.0), &remark, Lettering::new("ink-3", Anchor::Start).size(10.5));
    }
    canvas
}

/// The way of an arrow: straight where no box is in its way, else through the nearest gap between rows of boxes.
fn route((a, b): ((f64, f64), (f64, f64)), places: &[(f64, f64)], (width, height): (f64, f64)) -> Vec<(f64, f64)> {
    let between: Vec<&(f64, f64)> =
        places.iter().filter(|place| place.0 > a.0 + 1.0 && place.0 + width < b.0 - 1.0).collect();
    let at = |x: f64| a.1 + (b.1 - a.1) * (x - a.0) / (b.0 - a.0);
    let is_in_way = |place: &(f64, f64), y: f64| place.1 - 4.0 < y && y < place.1 + BOX.1 + 4.0;
    if between.iter().all(|place| !is_in_way(place, at(place.0)) && !is_in_way(place, at(place.0 + width))) {
        return vec![a, b];
    }
    let middle = (a.1 + b.1) / 2.0;
    let gaps = between.iter().flat_map(|place| [place.1 - (ROW - BOX.1) / 2.0, place.1 + BOX.1 + (ROW - BOX.1) / 2.0]);
    let free = gaps.filter(|y| *y > 1.0 && *y < height - 1.0 && between.iter().all(|place| !is_in_way(place, *y)));
    let Some(y) = free.min_by(|one, other| (one - middle).abs().total_cmp(&(other - middle).abs())) else {
        return vec![a, b];
    };
    let first = between.iter().map(|place| place.0).fold(f64::INFINITY, f64::min);
    let last = between.iter().map(|place| place.0 + width).fold(0.0, f64::max);
    vec![a, (first - TURN, y), (last + TURN, y), (b.0 - TURN, b.1), b]
}

/// The figure; `None` without an instance, or with too many for a picture.
pub(crate) fn topology(cx: &Context<'_>, anchor: &str) -> Option<Box<Figure>> {
    let head = cx.input.head;
    if head.instances.is_empty() || head.instances.len() > BOXES_MAX {
        return None;
    }
    let mut nodes: Vec<Node> = head.instances.iter().map(|instance| node(cx, instance)).collect();
    let needed: Vec<String> = nodes.iter().flat_map(|node| node.needs.clone()).collect();
    let entries: Vec<String> = nodes.iter().map(|node| node.name.clone()).filter(|n| !needed.contains(n)).collect();
    let generator = say!(cx.m, "topology-generator");
    let threads = say!(cx.m, "topology-threads", threads = head.workers as usize);
    nodes.insert(0, Node { name: generator.clone(), remark: threads, needs: entries.clone(), hue: "grey" });
    let edges: usize = nodes.iter().skip(1).map(|node| node.needs.len()).sum();
    let data = table(cx, &nodes);
    let words = Words {
        anchor: anchor.to_owned(),
        subject: say!(cx.m, "fig-topology-what"),
        caption: say!(cx.m, "fig-topology-finds", instances = nodes.len() - 1, entries = &entries.join(", ")),
        observation: say!(cx.m, "fig-topology-seen", instances = nodes.len() - 1, edges = edges),
        assessment: if head.shares_machine {
            say!(cx.m, "fig-topology-means-shared")
        } else {
            say!(cx.m, "fig-topology-means-apart")
        },
        reading: say!(cx.m, "fig-topology-reading"),
        data,
        ..Words::default()
    };
    let svg = draw(&nodes).finish(anchor, &words.caption, &words.observation);
    Some(joined(svg, words))
}

/// An instance with what it needs, as the study says; without the study it needs nothing that is known.
fn node(cx: &Context<'_>, instance: &record::InstanceHead) -> Node {
    let base = instance.name.split('.').next().unwrap_or_default();
    let stated = cx.input.study.and_then(|study| study.system.instances.iter().find(|known| known.name == base));
    let needs = stated.map(|known| known.needs.clone()).unwrap_or_default();
    // A need names what was written; with replicas each of them is meant.
    let all = cx.input.head.instances.iter();
    let needs = all.filter(|other| needs.iter().any(|need| other.name.split('.').next() == Some(need.as_str())));
    let address = instance.url.trim_start_matches("http://").trim_start_matches("https://");
    Node {
        name: clean(&instance.name),
        remark: clean(address),
        needs: needs.map(|other| clean(&other.name)).collect(),
        hue: hue_of(cx, &instance.name),
    }
}

fn table(cx: &Context<'_>, nodes: &[Node]) -> Table {
    let row = |node: &Node| {
        Row::new(vec![
            Cell::text(&node.name),
            Cell::text(&node.remark),
            if node.needs.is_empty() { Cell::missing() } else { Cell::text(node.needs.join(", ")) },
        ])
    };
    Table {
        columns: vec![
            Column::text(say!(cx.m, "col-instance")),
            Column::text(say!(cx.m, "col-address")),
            Column::text(say!(cx.m, "col-needs")),
        ],
        rows: nodes.iter().map(row).collect(),
        ..Table::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(name: &str, needs: &[&str]) -> Node {
        let needs = needs.iter().map(|name| (*name).to_owned()).collect();
        Node { name: name.into(), remark: String::new(), needs, hue: "blue" }
    }

    #[test]
    fn who_is_needed_stands_further_right() {
        let nodes = [node("db", &[]), node("a", &["db"]), node("gateway", &["a", "db"])];
        assert_eq!(layers(&nodes), [2, 1, 0]);
    }

    #[test]
    fn an_arrow_goes_round_what_is_in_its_way() {
        let (a, b) = ((150.0, 35.0), (500.0, 35.0));
        let width = 150.0;
        assert_eq!(route((a, b), &[(0.0, 14.0), (500.0, 14.0)], (width, 80.0)), [a, b]);
        let way = route((a, b), &[(0.0, 14.0), (250.0, 14.0), (500.0, 14.0)], (width, 80.0));
        assert_eq!(way.len(), 5);
        assert!(way[1].1 < 14.0 || way[1].1 > 56.0, "it passes beside the box: {way:?}");
    }

    #[test]
    fn a_circle_ends() {
        let nodes = [node("a", &["b"]), node("b", &["a"]), node("c", &["c"])];
        assert!(layers(&nodes).into_iter().all(|layer| layer < 3));
        assert!(draw(&nodes).finish("x", "", "").contains("<svg"));
    }
}
