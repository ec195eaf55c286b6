# Words of the driver `http`.

counter-connects = Connections requested
counter-reconnects = Connections replaced before use
counter-surplus = Answers followed by surplus bytes
counter-stream_waits = Exchanges that waited for a stream
counter-unasked = Connections with an unsolicited answer
counter-expired = Connections not reused: about to be closed
counter-idle_resets = Requests sent as an idle connection closed
counter-idle_retries = Requests sent again: an idle connection closed
