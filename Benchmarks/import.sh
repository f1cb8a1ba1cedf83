#!/bin/sh
# Measures the import of a list of complaints beside \copy of the same file: wall time, and seconds of the processor of the program
# and of PostgreSQL. Three imports into new databases, three into a database with a report, and one of the same list under another
# name, whose numbers are all stored.
#
#     Benchmarks/import.sh FILE.tsv.gz [FOLDER]
#
# FILE has the format ftc-tsv. FOLDER is for the data of the runs, about 2 GB; a new temporary folder by default. RINGFENCE_BINARY
# is the program, .build/release/ringfence by default.
set -eu
file=$(realpath "$1")
folder=$(realpath "${2:-$(mktemp -d)}")
program=${RINGFENCE_BINARY:-$(dirname "$0")/../.build/release/ringfence}
plain="$folder/plain.tsv"
zcat "$file" > "$plain"

# Seconds of the processor that a PostgreSQL has used: its main process, the sessions, and the sessions that have ended.
used() {
  # Sessions end a moment after their clients.
  sleep 1
  {
    sed 's/.*) //' "/proc/$1/stat" | awk '{ print $12 + $13 + $14 + $15 }'
    for process in $(ps -o pid= --ppid "$1"); do
      sed 's/.*) //' "/proc/$process/stat" 2> /dev/null | awk '{ print $12 + $13 }'
    done
  } | awk '{ sum += $1 } END { printf "%.2f", sum / 100 }'
}

start() { # start NAME
  data="$folder/$1"
  "$program" serve --data "$data" --port 0 --no-limits > "$folder/$1.log" 2>&1 &
  server=$!
  trap 'kill $server 2> /dev/null' EXIT
  until grep -q 'v1/manifest.json\|Listening on' "$folder/$1.log"; do sleep 0.2; done
  session="host=$(sed -n 2p "$data/server.lock") user=ringfence dbname=ringfence"
  postmaster=$(find "$data" -name postmaster.pid -exec head -1 {} \;)
  # Before the import, because afterwards autovacuum works on its rows. Three times, because one takes a second at most.
  began=$(date +%s.%N)
  before=$(used "$postmaster")
  for table in bare_copy_1 bare_copy_2 bare_copy_3; do
    psql -Xq "$session" -c "CREATE TABLE $table (a text, b text, c text)" -c "\\copy $table FROM '$plain'"
  done
  after=$(used "$postmaster")
  ended=$(date +%s.%N)
  psql -Xqc 'DROP TABLE bare_copy_1, bare_copy_2, bare_copy_3' "$session"
  copy=$(echo "$before $after $began $ended" | awk '{ print ($2 - $1) / 3, ($4 - $3 - 2) / 3 }')
}

import() { # import NAME OPTION...
  name=$1
  shift
  before=$(used "$postmaster")
  /usr/bin/time -f '%e %U %S %M' -o "$folder/time" \
    "$program" import complaints "$file" --format ftc-tsv --data "$data" "$@" > "$folder/$name.out"
  after=$(used "$postmaster")
  echo "$name $copy $before $after $(cat "$folder/time")" | awk '{ cpu = $7 + $8 + $5 - $4
    printf "%-8s wall %.1f s, program %.1f s, PostgreSQL %.1f s of the processor, %.0f MB; copy: wall %.2f s, %.2f s of the processor; times copy: wall %.0f, processor %.1f\n",
      $1, $6, $7 + $8, $5 - $4, $9 / 1000, $3, $2, $6 / $3, cpu / $2 }'
  [ "$round" -lt 3 ] || "$program" recount --data "$data" | tail -1
}

stop() {
  kill $server
  wait $server 2> /dev/null || true
}

for round in 1 2 3; do
  start "first-$round"
  import "first-$round"
  [ "$round" -lt 3 ] || import again --source another
  stop
  start "later-$round"
  echo '{"number":"+33199000101","category":"fraud","reported_at":"2020-03-05T10:00:00Z"}' > "$folder/one.jsonl"
  "$program" import complaints "$folder/one.jsonl" --format jsonl --data "$data" > /dev/null
  import "later-$round"
  stop
done
