# Ord for driveren `kafka`.

feature-acknowledged-by-all-replicas = bekræftet af alle replikaer
feature-compression = komprimering
counter-records = Afleverede poster
counter-late_acks = Bekræftelser, der kom for sent
