#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# structure.sh - do files and rooms need each other in one direction?
#
# Documentation/architecture.rst has the order of the rooms, and the circles that must be.
# It takes over a minute on a slow machine: the symbols of all objects are read, twice.

cd "$(dirname "$0")/../../.." || exit
. tools/selftests/tap.sh

check "no circle of files but those that have a reason" tools/selftests/circles build
check "no room needs a higher one" tools/selftests/circles --rooms build
check_status 1 "a folder without objects is not taken for a build" tools/selftests/circles tools
finish
