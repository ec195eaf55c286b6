# Woorden van de driver `sse`.

counter-connects = Aangevraagde verbindingen
counter-lost = Verbindingen verloren terwijl ze open stonden
counter-reconnects = Verbindingen na verlies opnieuw aangevraagd
counter-reopened = Verbindingen die na verlies weer open zijn
counter-unordered = Gebeurtenissen niet op volgorde
counter-surplus = Meer gebeurtenissen dan verwacht
counter-before_sent = Gebeurtenissen die aankwamen vóór hun eigen verzendtijd
counter-comments = Commentaarregels in de gebeurtenissenstroom
