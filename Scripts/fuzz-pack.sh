#!/bin/sh
# Fuzzes the readers of packs and deltas with libFuzzer and the address sanitizer, from the root of the repository.
# usage: fuzz-pack.sh [SECONDS]        writes findings to .build/fuzz/; keep them in Tests/CallerPackTests/Golden/Finds/
set -e
mkdir -p .build/fuzz/corpus
python3 Scripts/make-vectors.py Tests/Vectors --missing
find Tests/CallerPackTests/Golden Tests/Vectors \( -name '*.rfpack' -o -name '*.rfdelta' \) -size -5 -exec cp {} .build/fuzz/corpus/ \;
swiftc -O -sanitize=fuzzer,address -parse-as-library -swift-version 6 -package-name ringfence -module-name PackFuzz \
  -I Sources/CZlib Tests/Fuzz/*.swift $(ls Sources/CallerPack/*.swift | grep -v PackDigest) -lz -o .build/fuzz/pack-fuzz
exec .build/fuzz/pack-fuzz -max_total_time="${1:-60}" -timeout=10 -rss_limit_mb=512 -max_len=4096 \
  -artifact_prefix=.build/fuzz/ .build/fuzz/corpus
