# Woorden van de driver `skeleton`.

feature-kept-connection = blijvende verbinding
counter-connects = Aangevraagde verbindingen
