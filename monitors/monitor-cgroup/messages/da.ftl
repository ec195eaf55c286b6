# Ord fra monitoren `cgroup`.

metric-cpu = Processorforbrug
metric-user = Processorforbrug, user
metric-system = Processorforbrug, system
metric-cpu_limit = Processorgrænse
metric-throttled = Perioder bremset af processorgrænsen
metric-throttled_time = Tid bremset af processorgrænsen
metric-used = Brugt hukommelse
metric-memory = Hukommelse med filsider
metric-memory_limit = Hukommelsesgrænse
metric-anonymous = Hukommelse uden filer
metric-swap = Hukommelse i swap
metric-limit_hits = Gange hukommelsesgrænsen blev ramt
metric-oom_kills = Processer stoppet af mangel på hukommelse
metric-cpu_pressure = Ventetid på processor
metric-memory_pressure = Ventetid på hukommelse
metric-io_pressure = Ventetid på diske
metric-memory_stalled = Alt venter på hukommelse
metric-io_stalled = Alt venter på diske
metric-tasks = Opgaver
metric-tasks_limit = Grænse for opgaver
metric-read = Læst fra disk
metric-write = Skrevet til disk
metric-net_in = Netværk ind
metric-net_out = Netværk ud

fact-control-group = Kontrolgruppe
fact-figures-of-the-group = Kilde til gruppens tal
    .files = kontrolgruppens filer
    .docker = Dockers API
fact-limit-of-processor-time = Processorgrænse
    .none = ingen
fact-limit-of-memory = Hukommelsesgrænse
    .none = ingen
fact-not-told-by-the-group = Ikke oplyst af gruppen
fact-image = Image
fact-also-in-the-group = Også i gruppen
