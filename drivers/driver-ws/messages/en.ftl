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
