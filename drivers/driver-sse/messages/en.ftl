# Words of the driver `sse`.

counter-connects = Connections requested
counter-lost = Connections lost while held open
counter-reconnects = Connections requested again after a loss
counter-reopened = Connections open again after a loss
counter-unordered = Events out of order
counter-surplus = Events beyond what was expected
counter-before_sent = Events that came before they say they were sent
counter-comments = Comments in event streams
