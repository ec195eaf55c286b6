# Woorden van de monitor `prometheus`.

metric-page_time = Tijd van de pagina
metric-series = Reeksen op de pagina
metric-not_understood = Niet begrepen regels

fact-metrics-page = Pagina met metrieken
fact-format-of-the-page = Formaat van de pagina
    .openmetrics = OpenMetrics
    .text = tekst van Prometheus
fact-no-page = Geen pagina
