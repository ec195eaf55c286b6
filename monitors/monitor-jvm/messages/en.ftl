# Words of the monitor `jvm`.

metric-threads = Threads
