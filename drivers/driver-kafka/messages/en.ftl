# Words of the driver `kafka`.

feature-acknowledged-by-all-replicas = acknowledged by all replicas
feature-compression = compression
counter-records = Records handed over
counter-late_acks = Acknowledgments that came too late
counter-rebalances = Changes of a consumer's partitions
counter-lost = Consumers that lost their brokers
counter-redelivered = Records delivered again
counter-unordered = Records out of order within their partition
counter-surplus = Records beyond what was expected
