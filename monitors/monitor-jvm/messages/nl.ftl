# Woorden van de monitor `jvm`.

metric-threads = Threads
