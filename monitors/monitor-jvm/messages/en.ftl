# Words of the monitor `jvm`.

metric-threads = Threads

fact-Java-version = Java version
fact-Java-virtual-machine = Java virtual machine
fact-heap-maximum = Maximum heap
fact-Java-process = Java process
fact-Java-started = Java started
fact-collectors = Garbage collectors
fact-arguments = Arguments
    .none = none that concern memory
fact-figures-of-the-heap = Source of the heap figures
    .perf-data = perf data of the Java virtual machine
    .jstat = `jstat -gc -t`, running continuously; each line is timestamped on arrival
