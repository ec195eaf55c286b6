# Woorden van de monitor `sql`.

metric-cpu = Processorgebruik
metric-used = Gebruikt geheugen
metric-connections = Verbindingen
metric-rows_read = Rijen gelezen
metric-rows_inserted = Rijen toegevoegd
metric-rows_updated = Rijen gewijzigd
metric-rows_deleted = Rijen verwijderd
metric-blocks_hit = Blokken in geheugen gevonden
metric-blocks_read = Blokken gelezen
metric-locks = Vergrendelingen
metric-longest_transaction = Langste transactie
metric-size = Omvang
metric-wal = Log geschreven
metric-queries = Query’s
metric-engine_commits = Commits
metric-threads = Threads
metric-buffer_pages_used = Bufferpagina’s in gebruik
metric-buffer_pages_dirty = Bufferpagina’s nog te schrijven
metric-log_writes = Logschrijfacties
metric-fsyncs = Schijfbevestigingen (fsync)

fact-address = Adres
fact-server = Server
fact-server-started = Server gestart
fact-database = Database
fact-collation = Sortering
fact-processor-time-and-memory = Processortijd en geheugen
    .unknown = nog niet bekend
fact-own-connections = Eigen verbindingen
    .by-id = aan hun nummers herkend en niet meegeteld
