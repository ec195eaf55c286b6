# What the driver `job` has beside the words of `http`.

counter-polls = Times asked whether a job is done
