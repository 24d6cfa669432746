#!/bin/sh
# Usage: null_launch.sh WEFT DRIVER [OPTION...]
# Runs `weft bench launch` on the driver that does nothing: the times are what weft and the loader cost.
set -eu

weft=$1
driver=$(realpath "$2")
shift 2

vendors=$(mktemp -d)
trap 'rm -rf "$vendors"' EXIT
echo "$driver" > "$vendors/weft_null.icd"
OCL_ICD_VENDORS=$vendors "$weft" bench launch "$@"
