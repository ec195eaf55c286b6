# Ord fra driveren `skeleton`.

feature-kept-connection = vedvarende forbindelse
