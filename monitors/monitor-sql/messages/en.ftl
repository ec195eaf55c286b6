# Words of the monitor `sql`.

metric-cpu = CPU use
metric-used = Memory in use
metric-connections = Connections
metric-rows_read = Rows read
metric-rows_inserted = Rows inserted
metric-rows_updated = Rows updated
metric-rows_deleted = Rows deleted
metric-blocks_hit = Blocks found in memory
metric-blocks_read = Blocks read
metric-locks = Locks
metric-longest_transaction = Longest transaction
metric-size = Size
metric-wal = Log written
metric-queries = Queries
metric-engine_commits = Commits
metric-threads = Threads
metric-buffer_pages_used = Buffer pages used
metric-buffer_pages_dirty = Buffer pages dirty
metric-log_writes = Log writes
metric-fsyncs = Disk flushes

fact-address = Address
fact-server = Server
fact-server-started = Server started
fact-database = Database
fact-collation = Collation
fact-processor-time-and-memory = CPU time and memory
    .unknown = not yet known
fact-own-connections = Own connections
    .by-id = excluded from the counts by their ids
