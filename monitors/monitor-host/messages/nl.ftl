# Woorden van de monitor `host`.

metric-cpu = Processorgebruik
metric-user = Processorgebruik, user
metric-system = Processorgebruik, system
metric-run_queue = Run queue
metric-blocked = Taken die op een schijf wachten
metric-load1 = Load average, 1 min
metric-memory_used = Gebruikt geheugen
metric-memory_available = Geheugen beschikbaar
metric-memory_total = Geheugen in totaal
metric-swap_used = Swap in gebruik
metric-disk_read = Van schijf gelezen
metric-disk_write = Naar schijf geschreven
metric-disk_busy = Schijf bezet
metric-net_in = Netwerk in
metric-net_out = Netwerk uit
metric-loopback = Loopbackverkeer
metric-cpu_waiting = Wachten op een processor
metric-context_switches = Contextwisselingen
metric-interrupts = Interrupts

fact-host-name = Hostnaam
fact-kernel = Kernel
fact-operating-system = Besturingssysteem
fact-processor = Processor
fact-cores = Cores
fact-memory = Geheugen
fact-swap = Swap
fact-virtualisation = Virtualisatie
    .guest = gast van een hypervisor
    .bare = geen hypervisor gevonden
fact-clock-source = Klokbron
fact-frequency-governor = Frequentieregeling
fact-transparent-huge-pages = Transparent huge pages
fact-load-average = Load average
fact-rates = Snelheden
    .real-time = over de werkelijke tijd tussen twee metingen
