# Words of the monitor `prometheus`.

metric-page_time = Time of the page
metric-series = Series of the page
metric-not_understood = Lines not understood

fact-metrics-page = Metrics page
fact-format-of-the-page = Format of the page
    .openmetrics = OpenMetrics
    .text = Prometheus text
fact-no-page = No page
