#!/usr/bin/env bash
# Submits a sweep as a job array of shards, and a job that merges them once all have ended well.
#
#     submit.sh PLAN.toml FOLDER SHARDS [OPTION OF SBATCH]...
#
# FOLDER must be seen by all nodes. Options go to the array: a partition, a time limit, cores.
# SIM_HARNESS is the program [default: sim-harness]. Submitted again with the same number of shards,
# it makes only what is missing.
set -euo pipefail
if [ $# -lt 3 ]; then sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 2; fi
here="$(cd "$(dirname "$0")" && pwd)"
plan="$(realpath "$1")" shards="$3"
[ -f "$plan" ] || { echo "$1: is no file" >&2; exit 2; }
mkdir -p "$2"
folder="$(realpath "$2")"
shift 3

array="$(sbatch --parsable --array="1-$shards" --output="$folder/shard-%a.log" "$@" \
  "$here/sweep.slurm" "$plan" "$folder" "$shards")"
# A shard that fails for good leaves a merge that never can begin: it goes, too.
merge="$(sbatch --parsable --dependency="afterok:${array%%;*}" --kill-on-invalid-dep=yes \
  --output="$folder/merge.log" "$here/merge.slurm" "$plan" "$folder" "$shards")"
echo "array ${array%%;*}, merge ${merge%%;*}; tables will be in $folder"
