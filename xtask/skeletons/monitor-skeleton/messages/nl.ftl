# Woorden van de monitor `skeleton`.

metric-stalled = Deel van de tijd in wacht
