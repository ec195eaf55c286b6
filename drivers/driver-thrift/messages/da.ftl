# Ord for driveren `thrift`.

counter-connects = Oprettede forbindelser
counter-events = Modtagne hændelser
counter-expired = Udløbne sessioner
