# Woorden van de driver `thrift`.

counter-connects = Gemaakte verbindingen
counter-events = Aangenomen events
counter-expired = Verlopen sessies
