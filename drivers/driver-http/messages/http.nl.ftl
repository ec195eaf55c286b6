# What the driver `http` has beside the words that it shares with `job`.

counter-redirects = Gevolgde omleidingen
