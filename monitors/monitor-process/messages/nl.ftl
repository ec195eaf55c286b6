# Woorden van de monitor `process`.

metric-cpu = Processorgebruik
metric-user = Processorgebruik, user
metric-system = Processorgebruik, system
metric-used = Gebruikt geheugen
metric-pss = Geheugen (PSS)
metric-rss = Geheugen (RSS)
metric-swap = Geheugen in swap
metric-reserved = Geheugen gereserveerd
metric-limit = Geheugengrens
metric-threads = Threads
metric-descriptors = Descriptors
metric-processes = Processen
metric-read = Van schijf gelezen
metric-write = Naar schijf geschreven

fact-rates = Snelheden
    .real-time = over de werkelijke tijd tussen twee metingen
fact-clock-ticks-a-second = Kloktikken per seconde
fact-process = Proces
fact-executable = Programmabestand
fact-started = Gestart
fact-threads = Threads
fact-processors = Processors
fact-descriptors-soft-limit-of-one-process = Descriptors, zachte grens van één proces
fact-memory-limit = Geheugengrens
    .none = geen grens onder het geheugen van de machine
fact-memory-used = Gebruikt geheugen
fact-cost-of-reading-PSS = Kosten van het lezen van PSS
fact-cost-of-a-sample = Kosten van een meting
fact-process-and-its-parents = Proces en bovenliggende processen
fact-address-space-soft-limit-of-one-process = Adresruimte, zachte grens van één proces
