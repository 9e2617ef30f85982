#!/bin/sh
set -e
exec make run
