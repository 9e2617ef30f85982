timeout = 100
connect_timeout = 10
read.timeout = 105
timeout = 10
