# Woorden van de driver `http`.

counter-connects = Aangevraagde verbindingen
counter-reconnects = Verbindingen vóór gebruik vervangen
counter-surplus = Antwoorden met bytes erachter
counter-stream_waits = Uitwisselingen die op een stream wachtten
counter-unasked = Verbindingen met een antwoord waar niemand om vroeg
counter-expired = Verbindingen niet hergebruikt: bijna gesloten
counter-idle_resets = Verzoeken op een verbinding die net werd gesloten
counter-idle_retries = Verzoeken opnieuw verzonden: verbinding net gesloten
