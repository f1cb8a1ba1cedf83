#!/bin/sh
# Measures the import of a list of complaints beside \copy of the same file: wall time, and seconds of the processor of the program
# and of PostgreSQL. Three pairs, each into a new data folder, then one import of the row path into a database with a report.
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

run() { # run NAME first|later
  data="$folder/$1"
  "$program" serve --data "$data" --port 0 --no-limits > "$folder/$1.log" 2>&1 &
  server=$!
  trap 'kill $server 2> /dev/null' EXIT
  until grep -q 'v1/manifest.json\|Listening on' "$folder/$1.log"; do sleep 0.2; done
  socket=$(sed -n 2p "$data/server.lock")
  postmaster=$(find "$data" -name postmaster.pid -exec head -1 {} \;)
  if [ "$2" = later ]; then
    echo '{"number":"+33199000101","category":"fraud","reported_at":"2020-03-05T10:00:00Z"}' > "$folder/one.jsonl"
    "$program" import complaints "$folder/one.jsonl" --format jsonl --data "$data" > /dev/null
  fi
  before=$(used "$postmaster")
  /usr/bin/time -f '%e %U %S %M' -o "$folder/time" \
    "$program" import complaints "$file" --format ftc-tsv --data "$data" > "$folder/$1.out"
  after=$(used "$postmaster")
  read -r wall user system memory < "$folder/time"
  session="host=$socket user=ringfence dbname=ringfence"
  psql -Xqc 'CREATE TABLE bare_copy (a text, b text, c text)' "$session"
  began=$(date +%s.%N)
  copied=$(used "$postmaster")
  psql -Xqc "\\copy bare_copy FROM '$plain'" "$session"
  ended=$(date +%s.%N)
  done=$(used "$postmaster")
  awk -v name="$1" -v wall="$wall" -v program="$(echo "$user $system" | awk '{ print $1 + $2 }')" -v before="$before" \
    -v after="$after" -v memory="$memory" -v copy="$(echo "$began $ended" | awk '{ print $2 - $1 }')" -v c0="$copied" -v c1="$done" \
    'BEGIN { cpu = program + after - before; copycpu = c1 - c0
      printf "%-8s wall %.1f s, program %.1f s, PostgreSQL %.1f s of the processor, %.0f MB; copy: wall %.2f s, %.2f s of the processor; times copy: wall %.0f, processor %.0f\n",
        name, wall, program, after - before, memory / 1000, copy, copycpu, wall / copy, cpu / copycpu }'
  "$program" recount --data "$data" | tail -1
  kill $server
  wait $server 2> /dev/null || true
}

for pair in 1 2 3; do run "first-$pair" first; done
run later later
