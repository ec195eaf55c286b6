# Ord fra monitoren `prometheus`.

metric-page_time = Sidens tid
metric-series = Serier på siden
metric-not_understood = Linjer, der ikke kunne læses

fact-metrics-page = Side med målinger
fact-format-of-the-page = Sidens format
    .openmetrics = OpenMetrics
    .text = Prometheus-tekst
fact-no-page = Ingen side
