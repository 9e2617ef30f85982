retries = 3
timeout = 100
verbose = False
