# Words of the driver `skeleton`.

feature-kept-connection = kept connection
counter-connects = Connections asked for
