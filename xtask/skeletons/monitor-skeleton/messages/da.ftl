# Ord fra monitoren `skeleton`.

metric-stalled = Andel af tiden i venten

fact-pressure-stall-information = Pressure stall information
    .available = tilgængelig
    .missing = ikke tilgængelig
