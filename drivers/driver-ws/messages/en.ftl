# Words of the driver `ws`.

feature-answers = Answers to messages
counter-connects = Connections requested
counter-lost = Connections lost while held open
counter-reconnects = Connections requested again after a loss
counter-reopened = Connections open again after a loss
counter-unasked = Messages that no message was waiting for
counter-unordered = Answers out of order
counter-pings = Pings sent
counter-pongs = Pongs received
counter-pinged = Pings received and answered
counter-compressed = Connections with compression
counter-sent_bytes = Bytes of messages sent, before compression
counter-sent_on_wire = Bytes of messages sent, after compression
counter-received_bytes = Bytes of messages received, after inflation
counter-received_on_wire = Bytes of messages received, before inflation
