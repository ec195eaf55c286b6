# Ord fra driveren `websub`.

feature-signature = Signaturer af indhold
feature-unsubscription = Abonnementer opsagt ved belastningens slutning
counter-connects = Forbindelser bedt om
counter-publishes = Publicerede hændelser
counter-renewals = Fornyede abonnementer
counter-unrenewed = Fornyelser, som hub'en ikke tog imod
counter-denied = Abonnementer afvist af hub'en
counter-signatures = Leveringer uden den rigtige signatur
counter-unasked = Forespørgsler til callbacks, som intet ventede på
counter-altered = Leveringer, hvis indhold afviger fra det publicerede
counter-redirects = Fulgte omdirigeringer
