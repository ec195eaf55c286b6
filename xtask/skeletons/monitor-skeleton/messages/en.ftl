# Words of the monitor `skeleton`.

metric-stalled = Share of the time stalled

fact-pressure-stall-information = Pressure stall information
    .available = available
    .missing = not available
