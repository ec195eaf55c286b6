# Words of the monitor `jvm`.

metric-threads = Threads

fact-Java-version = Java version
fact-Java-virtual-machine = Java virtual machine
fact-heap-maximum = Maximum heap
fact-Java-process = Java process
fact-Java-started = Java started
