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
