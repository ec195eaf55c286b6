//! Tables of what is recorded beside the load: samples of metrics, events, marks of steps, and pairs of clocks.

use super::{Stored, columns, ints, labels, push_step, step_columns, texts};
use crate::names::Names;
use crate::table::{Cells, Column, Kind, TableWriter};
use crate::{ClockPair, EventRow, SampleRow, StepMark};

impl Stored for SampleRow {
    const FILE: &'static str = "samples.parquet";

    fn columns() -> Vec<Column> {
        columns([
            ints(["at_ns", "monitor_number"]),
            labels(["monitor"]),
            texts(["instance"]),
            ints(["metric_number"]),
            labels(["metric", "unit", "kind"]),
            vec![Column::label("denominator", Kind::TextOrNull), Column::new("value", Kind::FloatOrNull)],
        ])
    }

    fn push(&self, names: &Names, table: &mut TableWriter) {
        let metric = names.metric(self.monitor, self.metric);
        table.int(self.at.0);
        table.int(self.monitor.into());
        table.text(&names.monitor(self.monitor));
        table.text(&self.instance);
        table.int(self.metric.into());
        table.text(&metric.map_or_else(|| format!("#{}", self.metric), |metric| metric.name.clone()));
        table.text(metric.map_or("", |metric| &metric.unit));
        table.text(metric.map_or("", |metric| &metric.kind));
        table.text_or_null(metric.and_then(|metric| metric.of.as_deref()));
        table.float_or_null(self.value);
    }

    fn pull(cells: &mut Cells) -> Option<Self> {
        Some(Self {
            at: cells.nanos()?,
            monitor: cells.small()?,
            instance: cells.text()?,
            metric: cells.small()?,
            value: cells.float_or_null()?,
        })
    }
}

impl Stored for EventRow {
    const FILE: &'static str = "events.parquet";

    fn columns() -> Vec<Column> {
        columns([ints(["at_ns"]), texts(["kind", "subject", "text"])])
    }

    fn push(&self, _: &Names, table: &mut TableWriter) {
        table.int(self.at.0);
        table.text(&self.kind);
        table.text(&self.subject);
        table.text(&self.text);
    }

    fn pull(cells: &mut Cells) -> Option<Self> {
        Some(Self { at: cells.nanos()?, kind: cells.text()?, subject: cells.text()?, text: cells.text()? })
    }
}

impl Stored for StepMark {
    const FILE: &'static str = "steps.parquet";

    fn columns() -> Vec<Column> {
        columns([step_columns(), ints(["at_ns"]), vec![Column::new("is_end", Kind::Flag)]])
    }

    fn push(&self, names: &Names, table: &mut TableWriter) {
        push_step(self.step, names, table);
        table.int(self.at.0);
        table.flag(self.is_end);
    }

    fn pull(cells: &mut Cells) -> Option<Self> {
        Some(Self { step: cells.small()?, at: cells.nanos()?, is_end: cells.flag()? })
    }
}

impl Stored for ClockPair {
    const FILE: &'static str = "clocks.parquet";

    fn columns() -> Vec<Column> {
        ints(["at_ns", "wall_ns"])
    }

    fn push(&self, _: &Names, table: &mut TableWriter) {
        table.int(self.at.0);
        table.int(self.wall.0);
    }

    fn pull(cells: &mut Cells) -> Option<Self> {
        Some(Self { at: cells.nanos()?, wall: cells.nanos()? })
    }
}
