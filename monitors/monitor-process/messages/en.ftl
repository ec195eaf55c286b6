# Words of the monitor `process`.

metric-cpu = CPU use
metric-user = CPU use, user
metric-system = CPU use, system
metric-used = Memory in use
metric-pss = Memory (PSS)
metric-rss = Memory (RSS)
metric-swap = Memory swapped out
metric-reserved = Memory reserved
metric-limit = Memory limit
metric-threads = Threads
metric-descriptors = Descriptors
metric-processes = Processes
metric-read = Disk read
metric-write = Disk write

fact-rates = Rates
    .real-time = over the real time between two samples
fact-clock-ticks-a-second = Clock ticks per second
fact-process = Process
fact-executable = Executable
fact-started = Started
fact-threads = Threads
fact-processors = Processors
fact-descriptors-soft-limit-of-one-process = Descriptors, soft limit of one process
fact-memory-limit = Memory limit
    .none = none below the machine’s memory
fact-memory-used = Memory used
fact-cost-of-reading-PSS = Cost of reading PSS
fact-cost-of-a-sample = Cost of a sample
fact-process-and-its-parents = Process and its parents
fact-address-space-soft-limit-of-one-process = Address space, soft limit of one process
