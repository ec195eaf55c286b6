# Ord fra monitoren `jvm`.

metric-threads = Tråde
