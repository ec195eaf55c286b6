# Ord fra monitoren `host`.

metric-cpu = Processorforbrug
metric-user = Processorforbrug, user
metric-system = Processorforbrug, system
metric-run_queue = Opgaver, der kan køre
metric-blocked = Opgaver, der venter på en disk
metric-load1 = Load average, 1 min
metric-memory_used = Brugt hukommelse
metric-memory_available = Ledig hukommelse
metric-memory_total = Hukommelse i alt
metric-swap_used = Swap i brug
metric-disk_read = Læst fra disk
metric-disk_write = Skrevet til disk
metric-disk_busy = Disk optaget
metric-net_in = Netværk ind
metric-net_out = Netværk ud
metric-loopback = Loopback-trafik
metric-cpu_waiting = Ventetid på en processor
metric-context_switches = Kontekstskift
metric-interrupts = Interrupts

fact-host-name = Værtsnavn
fact-kernel = Kerne
fact-operating-system = Operativsystem
fact-processor = Processor
fact-cores = Kerner
fact-memory = Hukommelse
fact-swap = Swap
fact-virtualisation = Virtualisering
    .guest = gæst hos en hypervisor
    .bare = intet tegn på en hypervisor
fact-clock-source = Urkilde
fact-frequency-governor = Frekvensstyring
fact-transparent-huge-pages = Transparent huge pages
fact-load-average = Load average
fact-rates = Hastigheder
    .real-time = over den virkelige tid mellem to målinger
