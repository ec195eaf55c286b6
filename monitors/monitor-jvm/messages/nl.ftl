# Woorden van de monitor `jvm`.

metric-threads = Threads

fact-Java-version = Java-versie
fact-Java-virtual-machine = Virtuele Java-machine
fact-heap-maximum = Maximale heap
fact-Java-process = Java-proces
fact-Java-started = Java gestart
