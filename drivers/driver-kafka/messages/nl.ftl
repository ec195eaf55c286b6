# Woorden van de driver `kafka`.

feature-acknowledged-by-all-replicas = bevestigd door alle replica's
feature-compression = compressie
counter-records = Overhandigde records
counter-late_acks = Bevestigingen die te laat kwamen
counter-rebalances = Wijzigingen van de partities van een consument
counter-lost = Consumenten die hun brokers kwijtraakten
counter-redelivered = Opnieuw geleverde records
counter-unordered = Records buiten de volgorde van hun partitie
counter-surplus = Records boven het verwachte aantal
