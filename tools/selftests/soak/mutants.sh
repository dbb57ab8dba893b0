#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Each bug of tools/selftests/mutants is found by the test that it names.

exec "$(dirname "$0")/../mutate"
