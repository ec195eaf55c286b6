# Woorden van de driver `websub`.

feature-signature = Handtekeningen van inhoud
feature-unsubscription = Abonnementen opgezegd aan het eind van de belasting
counter-connects = Aangevraagde verbindingen
counter-publishes = Gepubliceerde gebeurtenissen
counter-renewals = Verlengde abonnementen
counter-unrenewed = Verlengingen die de hub niet aannam
counter-denied = Door de hub geweigerde abonnementen
counter-signatures = Leveringen zonder de juiste handtekening
counter-unasked = Verzoeken aan callbacks waarop niets wachtte
counter-altered = Leveringen waarvan de inhoud afwijkt van wat is gepubliceerd
counter-redirects = Gevolgde omleidingen
