# Words of the monitor `access_log`.

metric-duration = Duration of calls
metric-calls = Calls
metric-client_errors = Errors of callers (4xx)
metric-errors = Errors of the server (5xx or no answer)
metric-sent = Sent
metric-not_understood = Lines not understood

fact-access-log = Access log
fact-format-of-the-log = Format of the log
fact-unit-of-its-durations = Unit of its durations
    .none = none in this format
fact-times-of-calls = Times of calls
    .logged = as each line says
    .logged-seconds = as each line says, to the second: a call lies in the middle of its second
    .read = when each line was read
fact-lines-of-the-log = Lines of the log
