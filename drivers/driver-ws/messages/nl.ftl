# Woorden van de driver `ws`.

feature-answers = Antwoorden op berichten
counter-connects = Aangevraagde verbindingen
counter-lost = Verbindingen verloren terwijl ze open stonden
counter-reconnects = Verbindingen na verlies opnieuw aangevraagd
counter-reopened = Verbindingen die na verlies weer open zijn
counter-unasked = Berichten waarop geen bericht wachtte
counter-unordered = Antwoorden niet op volgorde
counter-pings = Verzonden pings
counter-pongs = Ontvangen pongs
counter-pinged = Ontvangen en beantwoorde pings
counter-compressed = Verbindingen met compressie
counter-sent_bytes = Bytes van verzonden berichten, vóór compressie
counter-sent_on_wire = Bytes van verzonden berichten, na compressie
counter-received_bytes = Bytes van ontvangen berichten, na uitpakken
counter-received_on_wire = Bytes van ontvangen berichten, vóór uitpakken
