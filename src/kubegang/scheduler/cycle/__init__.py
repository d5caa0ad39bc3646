"""One decision about one pod or group, as a plain function. Pure."""
