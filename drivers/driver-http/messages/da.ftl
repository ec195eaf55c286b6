# Ord fra driveren `http`.

counter-connects = Forbindelser bedt om
counter-reconnects = Forbindelser udskiftet før brug
counter-surplus = Svar med bytes bagefter
counter-stream_waits = Udvekslinger, der ventede på en stream
counter-unasked = Forbindelser med et svar, som ingen bad om
counter-expired = Forbindelser ikke genbrugt: ved at blive lukket
counter-idle_resets = Forespørgsler på en forbindelse, der netop blev lukket
counter-idle_retries = Forespørgsler sendt igen: forbindelsen blev lukket
