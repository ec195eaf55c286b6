# Words of the monitor `host`.

metric-cpu = CPU use
metric-user = CPU use, user
metric-system = CPU use, system
metric-run_queue = Run queue
metric-blocked = Tasks waiting for disk
metric-load1 = Load average, 1 min
metric-memory_used = Memory in use
metric-memory_available = Memory available
metric-memory_total = Memory, total
metric-swap_used = Swap in use
metric-disk_read = Disk read
metric-disk_write = Disk write
metric-disk_busy = Disk busy
metric-net_in = Network in
metric-net_out = Network out
metric-loopback = Loopback traffic
metric-cpu_waiting = Waiting for a processor
metric-context_switches = Context switches
metric-interrupts = Interrupts

fact-host-name = Host name
fact-kernel = Kernel
fact-operating-system = Operating system
fact-processor = Processor
fact-cores = Cores
fact-memory = Memory
fact-swap = Swap
fact-virtualisation = Virtualisation
    .guest = a guest of a hypervisor
    .bare = no hypervisor detected
fact-clock-source = Clock source
fact-frequency-governor = Frequency governor
fact-transparent-huge-pages = Transparent huge pages
fact-load-average = Load average
fact-rates = Rates
    .real-time = over the real time between two samples
