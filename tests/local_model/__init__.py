"""A real model on this machine, small and quantized, end to end: `make test-local-model`."""
