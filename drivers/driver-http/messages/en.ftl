# Words of the driver `http`.

counter-connects = Connections asked for
counter-reconnects = Connections replaced before use
counter-surplus = Answers with bytes behind them
counter-stream_waits = Exchanges that waited for a stream
counter-unasked = Connections with an answer nobody asked for
counter-expired = Connections not reused: about to be closed
counter-idle_resets = Requests that met an idle connection closing
