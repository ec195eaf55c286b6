# Woorden van de driver `ebms`.

feature-Ping = Ping
feature-agreement = overeenkomst (CPA)
feature-reply-on-another-connection = antwoord op een andere verbinding
feature-business-message = bedrijfsbericht
feature-payload = inhoud (payload)
feature-payload-that-differs-from-message-to-message = inhoud die per bericht verschilt
feature-acknowledgment = ontvangstbevestiging (Acknowledgment)
feature-signed-acknowledgment-asked-for = gevraagde ondertekende ontvangstbevestiging
feature-duplicate-elimination = ontdubbeling (duplicate elimination)
feature-resends = herhaalde verzending
feature-signature = ondertekening
feature-synchronous-reply = synchroon antwoord
feature-business-reply = zakelijk antwoord
feature-time-to-live = geldigheidsduur (time to live)
feature-two-way-TLS = tweezijdig TLS
feature-encryption = versleuteling
feature-message-order = volgorde van berichten
feature-multi-hop = verzending via tussenstations (multi-hop)
feature-status-request = statusverzoek

counter-connects = Aangevraagde verbindingen
counter-reconnects = Verbindingen vóór gebruik vervangen
counter-surplus = Antwoorden met bytes erachter
counter-stream_waits = Uitwisselingen die op een stream wachtten
counter-unasked = Verbindingen met een antwoord waar niemand om vroeg
counter-expired = Verbindingen niet hergebruikt: bijna gesloten
counter-idle_resets = Verzoeken op een verbinding die net werd gesloten
counter-idle_retries = Verzoeken opnieuw verzonden: verbinding net gesloten
counter-resends = Opnieuw verzonden berichten
counter-unkept = Berichten niet bewaard om opnieuw te verzenden
