# Words of the monitor `kafka_lag`.

metric-lag = Consumer lag
metric-produced = Produced
metric-consumed = Consumed
metric-members = Members of the group
metric-idle = Members without a partition
metric-assigned = Partitions assigned
metric-handled = Consumed by host

fact-broker = Broker
fact-partitions = Partitions
fact-members-of-the-group = Members of the group
fact-assignment-strategy = Assignment strategy
fact-no-answer-of-the-broker = No answer of the broker
