# Words of the driver `thrift`.

counter-connects = Connections made
counter-events = Events accepted
counter-expired = Sessions that had expired
