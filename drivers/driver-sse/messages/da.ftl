# Ord fra driveren `sse`.

counter-connects = Forbindelser bedt om
counter-lost = Forbindelser tabt, mens de blev holdt åbne
counter-reconnects = Forbindelser bedt om igen efter et tab
counter-reopened = Forbindelser åbne igen efter et tab
counter-unordered = Hændelser uden for rækkefølge
counter-surplus = Hændelser ud over det forventede
counter-before_sent = Hændelser, der kom før deres eget afsendelsestidspunkt
counter-comments = Kommentarer i hændelsesstrømmen
