# Words of the driver `kafka`.

feature-acknowledged-by-all-replicas = acknowledged by all replicas
feature-compression = compression
counter-records = Records handed over
counter-late_acks = Acknowledgments that came too late
