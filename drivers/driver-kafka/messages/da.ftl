# Ord for driveren `kafka`.

feature-acknowledged-by-all-replicas = bekræftet af alle replikaer
feature-compression = komprimering
counter-records = Afleverede poster
counter-late_acks = Bekræftelser, der kom for sent
counter-rebalances = Ændringer af en forbrugers partitioner
counter-lost = Forbrugere, der mistede deres brokere
counter-redelivered = Poster, der blev leveret igen
counter-unordered = Poster uden for deres partitions rækkefølge
counter-surplus = Poster ud over det forventede
