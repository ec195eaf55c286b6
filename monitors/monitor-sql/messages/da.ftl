# Ord fra monitoren `sql`.

metric-cpu = Processorforbrug
metric-used = Brugt hukommelse
metric-connections = Forbindelser
metric-rows_read = Rækker læst
metric-rows_inserted = Rækker indsat
metric-rows_updated = Rækker ændret
metric-rows_deleted = Rækker slettet
metric-blocks_hit = Blokke fundet i hukommelsen
metric-blocks_read = Blokke læst
metric-locks = Låse
metric-longest_transaction = Længste transaktion
metric-size = Størrelse
metric-wal = Log skrevet
metric-queries = Forespørgsler
metric-engine_commits = Commits
metric-threads = Tråde
metric-buffer_pages_used = Buffersider i brug
metric-buffer_pages_dirty = Buffersider uskrevne
metric-log_writes = Logskrivninger
metric-fsyncs = Diskbekræftelser (fsync)

fact-address = Adresse
fact-server = Server
fact-server-started = Server startet
fact-database = Database
fact-collation = Sortering
fact-processor-time-and-memory = Processortid og hukommelse
    .unknown = endnu ikke kendt
fact-own-connections = Egne forbindelser
    .by-id = kendt på deres numre og ikke talt med
