# Words of the driver `ebms`.

feature-Ping = Ping
feature-agreement = agreement (CPA)
feature-reply-on-another-connection = reply on another connection
feature-business-message = business message
feature-payload = payload
feature-payload-that-differs-from-message-to-message = payload that varies between messages
feature-acknowledgment = acknowledgment
feature-signed-acknowledgment-asked-for = signed acknowledgment requested
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

counter-connects = Connections requested
counter-reconnects = Connections replaced before use
counter-surplus = Answers followed by surplus bytes
counter-stream_waits = Exchanges that waited for a stream
counter-unasked = Connections with an unsolicited answer
counter-expired = Connections not reused: about to be closed
counter-idle_resets = Requests sent as an idle connection closed
counter-idle_retries = Requests sent again: an idle connection closed
counter-resends = Messages resent
counter-unkept = Messages not kept for resending
