# Woorden van de monitor `jvm`.

metric-threads = Threads

fact-Java-version = Java-versie
fact-Java-virtual-machine = Java virtual machine
fact-heap-maximum = Maximale heap
fact-Java-process = Java-proces
fact-Java-started = Java gestart
fact-collectors = Garbage collectors
fact-arguments = Argumenten
    .none = geen die het geheugen betreffen
fact-figures-of-the-heap = Bron van de heapcijfers
    .perf-data = perf data van de Java virtual machine
    .jstat = `jstat -gc -t`, dat doorloopt; elke regel krijgt bij aankomst een tijdstempel
