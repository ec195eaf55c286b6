# Ord fra monitoren `jvm`.

metric-threads = Tråde

fact-Java-version = Java-version
fact-Java-virtual-machine = Virtuel Java-maskine
fact-heap-maximum = Maksimal heap
fact-Java-process = Java-proces
fact-Java-started = Java startet
fact-collectors = Garbage collectors
fact-arguments = Argumenter
    .none = ingen, der vedrører hukommelsen
fact-figures-of-the-heap = Kilde til heaptallene
    .perf-data = perf data fra den virtuelle Java-maskine
    .jstat = `jstat -gc -t`, der kører løbende; hver linje tidsstemples ved ankomsten
