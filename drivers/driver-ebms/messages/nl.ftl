# Woorden van de driver `ebms`.

feature-Ping = Ping
feature-agreement = overeenkomst (CPA)
feature-reply-on-another-connection = antwoord op een andere verbinding
feature-business-message = bedrijfsbericht
feature-payload = inhoud (payload)
feature-payload-that-differs-from-message-to-message = inhoud die per bericht verschilt
feature-acknowledgment = ontvangstbevestiging (Acknowledgment)
feature-signed-acknowledgment-asked-for = gevraagde ondertekende ontvangstbevestiging
feature-duplicate-elimination = eliminatie van dubbele berichten
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
