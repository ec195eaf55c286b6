# Ord fra monitoren `skeleton`.

metric-stalled = Andel af tiden i venten
