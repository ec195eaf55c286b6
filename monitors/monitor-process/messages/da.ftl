# Ord fra monitoren `process`.

metric-cpu = Processorforbrug
metric-user = Processorforbrug, user
metric-system = Processorforbrug, system
metric-used = Brugt hukommelse
metric-pss = Hukommelse (PSS)
metric-rss = Hukommelse (RSS)
metric-swap = Hukommelse i swap
metric-reserved = Reserveret hukommelse
metric-limit = Hukommelsesgrænse
metric-threads = Tråde
metric-descriptors = Deskriptorer
metric-processes = Processer
metric-read = Læst fra disk
metric-write = Skrevet til disk

fact-rates = Hastigheder
    .real-time = over den virkelige tid mellem to målinger
fact-clock-ticks-a-second = Urets tik pr. sekund
fact-process = Proces
fact-executable = Programfil
fact-started = Startet
fact-threads = Tråde
fact-processors = Processorer
fact-descriptors-soft-limit-of-one-process = Deskriptorer, blød grænse for én proces
fact-memory-limit = Hukommelsesgrænse
    .none = ingen grænse under maskinens hukommelse
fact-memory-used = Brugt hukommelse
fact-cost-of-reading-PSS = Tidsforbrug ved læsning af PSS
fact-cost-of-a-sample = Tidsforbrug for en måling
fact-process-and-its-parents = Proces og overordnede processer
fact-address-space-soft-limit-of-one-process = Adresserum, blød grænse for én proces
