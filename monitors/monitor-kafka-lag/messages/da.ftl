# Ord for monitoren `kafka_lag`.

metric-lag = Consumer lag
metric-produced = Produceret
metric-consumed = Behandlet
metric-members = Gruppens medlemmer
metric-idle = Medlemmer uden partition
metric-assigned = Tildelte partitioner
metric-handled = Behandlet pr. vært

fact-broker = Broker
fact-partitions = Partitioner
fact-members-of-the-group = Gruppens medlemmer
fact-assignment-strategy = Tildelingsstrategi
fact-no-answer-of-the-broker = Intet svar fra brokeren
