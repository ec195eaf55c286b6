# Ord fra monitoren `jvm`.

metric-threads = Tråde

fact-Java-version = Java-version
fact-Java-virtual-machine = Virtuel Java-maskine
fact-heap-maximum = Maksimal heap
fact-Java-process = Java-proces
fact-Java-started = Java startet
