# Ord fra driveren `ws`.

feature-answers = Svar på beskeder
counter-connects = Forbindelser bedt om
counter-lost = Forbindelser tabt, mens de blev holdt åbne
counter-reconnects = Forbindelser bedt om igen efter et tab
counter-reopened = Forbindelser åbne igen efter et tab
counter-unasked = Beskeder, som ingen besked ventede på
counter-unordered = Svar uden for rækkefølge
counter-pings = Sendte pings
counter-pongs = Modtagne pongs
counter-pinged = Pings modtaget og besvaret
counter-compressed = Forbindelser med komprimering
counter-sent_bytes = Bytes i sendte beskeder, før komprimering
counter-sent_on_wire = Bytes i sendte beskeder, efter komprimering
counter-received_bytes = Bytes i modtagne beskeder, efter udpakning
counter-received_on_wire = Bytes i modtagne beskeder, før udpakning
