# Words of the monitor `skeleton`.

metric-stalled = Share of the time stalled
