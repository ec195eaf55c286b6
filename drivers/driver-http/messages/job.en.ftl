# What the driver `job` has beside the words of `http`.

counter-polls = Polls of job status
