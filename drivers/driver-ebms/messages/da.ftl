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

counter-connects = Forbindelser bedt om
counter-reconnects = Forbindelser udskiftet før brug
counter-surplus = Svar med bytes bagefter
counter-stream_waits = Udvekslinger, der ventede på en stream
counter-unasked = Forbindelser med et svar, som ingen bad om
counter-expired = Forbindelser ikke genbrugt: ved at blive lukket
counter-idle_resets = Forespørgsler på en forbindelse, der netop blev lukket
counter-idle_retries = Forespørgsler sendt igen: forbindelsen blev lukket
counter-resends = Beskeder sendt igen
counter-unkept = Beskeder ikke gemt til at sende igen
