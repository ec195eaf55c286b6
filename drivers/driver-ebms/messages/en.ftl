# Words of the driver `ebms`.

feature-Ping = Ping
feature-agreement = agreement (CPA)
feature-reply-on-another-connection = reply on another connection
feature-business-message = business message
feature-payload = payload
feature-payload-that-differs-from-message-to-message = payload that differs from message to message
feature-acknowledgment = acknowledgment
feature-signed-acknowledgment-asked-for = signed acknowledgment asked for
feature-duplicate-elimination = duplicate elimination
feature-resends = resends
feature-signature = signature
feature-synchronous-reply = synchronous reply
feature-business-reply = business reply
feature-time-to-live = time to live
feature-two-way-TLS = two-way TLS
feature-encryption = encryption
feature-message-order = message order
feature-multi-hop = multi-hop
feature-status-request = status request

counter-connects = Connections asked for
counter-reconnects = Connections replaced before use
counter-surplus = Answers with bytes behind them
counter-stream_waits = Exchanges that waited for a stream
counter-unasked = Connections with an answer nobody asked for
counter-expired = Connections not reused: about to be closed
counter-idle_resets = Requests that met an idle connection closing
counter-resends = Messages sent again
counter-unkept = Messages not kept for sending again
