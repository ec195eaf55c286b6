# Woorden van de monitor `kafka_lag`.

metric-lag = Achterstand van de consumers
metric-produced = Geproduceerd
metric-consumed = Verwerkt
metric-members = Leden van de groep
metric-idle = Leden zonder partitie
metric-assigned = Toegewezen partities
metric-handled = Verwerkt per host

fact-broker = Broker
fact-partitions = Partities
fact-members-of-the-group = Leden van de groep
fact-assignment-strategy = Toewijzingsstrategie
fact-no-answer-of-the-broker = Geen antwoord van de broker
