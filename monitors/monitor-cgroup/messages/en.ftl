# Words of the monitor `cgroup`.

metric-cpu = CPU use
metric-user = CPU use, user
metric-system = CPU use, system
metric-cpu_limit = CPU limit
metric-throttled = Periods held back by the CPU limit
metric-throttled_time = Time held back by the CPU limit
metric-used = Memory in use
metric-memory = Memory with file pages
metric-memory_limit = Memory limit
metric-anonymous = Memory without files
metric-swap = Memory swapped out
metric-limit_hits = Hits of the memory limit
metric-oom_kills = Processes killed for lack of memory
metric-cpu_pressure = Waiting for CPU
metric-memory_pressure = Waiting for memory
metric-io_pressure = Waiting for disks
metric-memory_stalled = All waiting for memory
metric-io_stalled = All waiting for disks
metric-tasks = Tasks
metric-tasks_limit = Limit of tasks
metric-read = Disk read
metric-write = Disk write
metric-net_in = Network in
metric-net_out = Network out

fact-control-group = Control group
fact-figures-of-the-group = Source of the group’s figures
    .files = files of the control group
    .docker = Docker’s API
fact-limit-of-processor-time = CPU limit
    .none = none
fact-limit-of-memory = Memory limit
    .none = none
fact-not-told-by-the-group = Not told by the group
fact-image = Image
fact-also-in-the-group = Also in the group
