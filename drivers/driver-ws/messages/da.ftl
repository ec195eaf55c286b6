# Ord fra driveren `ws`.

feature-answers = Svar på beskeder
counter-connects = Forbindelser bedt om
counter-lost = Forbindelser tabt mens de blev holdt åbne
counter-reconnects = Forbindelser bedt om igen efter et tab
counter-reopened = Forbindelser åbne igen efter et tab
counter-unasked = Beskeder som ingen besked ventede på
counter-unordered = Svar uden for rækkefølge
counter-pings = Sendte pings
counter-pongs = Modtagne pongs
counter-pinged = Pings modtaget og besvaret
