# Ord fra driveren `ebms`.

feature-Ping = Ping
feature-agreement = aftale (CPA)
feature-reply-on-another-connection = svar på en anden forbindelse
feature-business-message = forretningsbesked
feature-payload = indhold (payload)
feature-payload-that-differs-from-message-to-message = indhold, der skifter fra besked til besked
feature-acknowledgment = kvittering (Acknowledgment)
feature-signed-acknowledgment-asked-for = signeret kvittering ønsket
feature-duplicate-elimination = frasortering af dubletter
feature-resends = genfremsendelse
feature-signature = signatur
feature-synchronous-reply = synkront svar
feature-business-reply = forretningssvar
feature-time-to-live = gyldighedstid (time to live)
feature-two-way-TLS = tovejs-TLS
feature-encryption = kryptering
feature-message-order = beskedrækkefølge
feature-multi-hop = forsendelse over mellemled (multi-hop)
feature-status-request = statusforespørgsel
