# Hvad driveren `job` har ud over ordene fra `http`.

counter-polls = Gange spurgt om et job er færdigt
