# Woorden van de monitor `cgroup`.

metric-cpu = Processorgebruik
metric-user = Processorgebruik, user
metric-system = Processorgebruik, system
metric-cpu_limit = Processorgrens
metric-throttled = Perioden afgeremd door de processorgrens
metric-throttled_time = Tijd afgeremd door de processorgrens
metric-used = Gebruikt geheugen
metric-memory = Geheugen met bestandspagina’s
metric-memory_limit = Geheugengrens
metric-anonymous = Geheugen zonder bestanden
metric-swap = Geheugen in swap
metric-limit_hits = Botsingen met de geheugengrens
metric-oom_kills = Processen beëindigd door geheugengebrek
metric-cpu_pressure = Wachten op de processor
metric-memory_pressure = Wachten op geheugen
metric-io_pressure = Wachten op schijven
metric-memory_stalled = Alles wacht op geheugen
metric-io_stalled = Alles wacht op schijven
metric-tasks = Taken
metric-tasks_limit = Grens aan taken
metric-read = Van schijf gelezen
metric-write = Naar schijf geschreven
metric-net_in = Netwerk in
metric-net_out = Netwerk uit

fact-control-group = Control group
fact-figures-of-the-group = Bron van de cijfers van de groep
    .files = bestanden van de control group
    .docker = API van Docker
fact-limit-of-processor-time = Processorgrens
    .none = geen
fact-limit-of-memory = Geheugengrens
    .none = geen
fact-not-told-by-the-group = Niet bekend van de groep
fact-image = Image
fact-also-in-the-group = Ook in de groep
