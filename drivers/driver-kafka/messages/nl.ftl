# Woorden van de driver `kafka`.

feature-acknowledged-by-all-replicas = bevestigd door alle replica's
feature-compression = compressie
counter-records = Overhandigde records
counter-late_acks = Bevestigingen die te laat kwamen
