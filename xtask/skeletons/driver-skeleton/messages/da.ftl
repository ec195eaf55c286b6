# Ord fra driveren `skeleton`.

feature-kept-connection = vedvarende forbindelse
counter-connects = Forbindelser bedt om
