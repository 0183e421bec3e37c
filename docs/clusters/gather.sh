#!/usr/bin/env bash
# Puts the parts of an audit together: FOLDER/audits.jsonl, and says how it went.
#
#     gather.sh LIST FOLDER
#
# Exit code 0: all levels were audited, and none has a denied fault. 1: some have. 2: levels are
# missing.
set -euo pipefail
list="$1" folder="$2"
cat "$folder"/part-*.jsonl > "$folder/audits.jsonl.begun"
mv "$folder/audits.jsonl.begun" "$folder/audits.jsonl"
asked="$(grep -c . "$list" || true)"
done="$(grep -c . "$folder/audits.jsonl" || true)"
denied="$(grep -c '"denied":\[{' "$folder/audits.jsonl" || true)"
echo "$done of $asked levels audited, $denied with a denied fault: $folder/audits.jsonl"
if [ "$done" -lt "$asked" ]; then cat "$folder"/part-*.log >&2; exit 2; fi
if [ "$denied" -gt 0 ]; then exit 1; fi
