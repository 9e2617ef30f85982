#!/bin/sh
set -e
make run
