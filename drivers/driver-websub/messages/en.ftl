# Words of the driver `websub`.

feature-signature = Signatures of content
feature-unsubscription = Subscriptions ended at the end of the load
counter-connects = Connections requested
counter-publishes = Events published
counter-renewals = Subscriptions renewed
counter-unrenewed = Renewals that the hub did not take
counter-denied = Subscriptions denied by the hub
counter-signatures = Deliveries without the right signature
counter-unasked = Requests to callbacks that nothing was waiting for
counter-altered = Deliveries whose content differs from what was published
counter-redirects = Redirects followed
