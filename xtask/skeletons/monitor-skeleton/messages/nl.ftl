# Woorden van de monitor `skeleton`.

metric-stalled = Deel van de tijd in wacht

fact-pressure-stall-information = Pressure stall information
    .available = beschikbaar
    .missing = niet beschikbaar
