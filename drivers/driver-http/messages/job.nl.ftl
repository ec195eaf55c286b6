# Wat de driver `job` naast de woorden van `http` heeft.

counter-polls = Keren gevraagd of een taak klaar is
