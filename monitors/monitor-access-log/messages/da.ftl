# Ord fra monitoren `access_log`.

metric-duration = Kaldenes varighed
metric-calls = Kald
metric-client_errors = Kalderens fejl (4xx)
metric-errors = Serverens fejl (5xx eller intet svar)
metric-sent = Sendt
metric-not_understood = Linjer, der ikke kunne læses

fact-access-log = Adgangslog
fact-format-of-the-log = Loggens format
fact-unit-of-its-durations = Varighedernes enhed
    .none = ingen i dette format
fact-times-of-calls = Kaldenes tidspunkter
    .logged = som linjen siger
    .logged-seconds = som linjen siger, på sekundet: et kald ligger midt i sit sekund
    .read = da linjen blev læst
fact-lines-of-the-log = Loggens linjer
