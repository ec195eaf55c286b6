# Woorden van de monitor `access_log`.

metric-duration = Duur van aanroepen
metric-calls = Aanroepen
metric-client_errors = Fouten van aanroepers (4xx)
metric-errors = Fouten van de server (5xx of geen antwoord)
metric-sent = Verstuurd
metric-not_understood = Niet begrepen regels

fact-access-log = Toegangslog
fact-format-of-the-log = Formaat van het log
fact-unit-of-its-durations = Eenheid van de tijdsduren
    .none = geen in dit formaat
fact-times-of-calls = Tijdstippen van aanroepen
    .logged = zoals de regel zegt
    .logged-seconds = zoals de regel zegt, op de seconde: een aanroep ligt midden in zijn seconde
    .read = wanneer de regel gelezen is
fact-lines-of-the-log = Regels van het log
