// SPDX-License-Identifier: Apache-2.0

// Runs one measurement in each process, so that only its memory is measured. Scripts/benchmark-packs.py runs them and
// prints the table.
import CallerPack
import CallerPackBuilder

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

let usage =
  "usage: pack-benchmark build LIST OUT PROFILE KIND [BASE] | walk PACK SMALL | lookup PACK | diff A B OUT | "
  + "verify PACK | apply BASE DELTA OUT"
let arguments = CommandLine.arguments
do {
  switch arguments.dropFirst().first {
  case "build" where arguments.count >= 6:
    // build LIST OUT PROFILE KIND [BASE]: each line of the list has a number, or a number, a tab and a label.
    try PackMeasurement.build(
      list: arguments[2], out: arguments[3], profile: arguments[4] == "lean" ? .lean : .standard,
      kind: arguments[5] == "blocking" ? .blocking : .identification, base: arguments.dropFirst(6).first)
  case "walk" where arguments.count == 4: try PackMeasurement.walk(arguments[2], warm: arguments[3])
  case "lookup" where arguments.count == 3: try PackMeasurement.lookup(arguments[2])
  case "diff" where arguments.count == 5: try PackMeasurement.diff(arguments[2], arguments[3], arguments[4])
  case "verify" where arguments.count == 3: try PackMeasurement.verify(arguments[2])
  case "apply" where arguments.count == 5: try PackMeasurement.apply(arguments[2], arguments[3], arguments[4])
  case "--help", "-h": print(usage)
  default:
    print(usage)
    exit(2)
  }
} catch {
  print(error)
  exit(1)
}
