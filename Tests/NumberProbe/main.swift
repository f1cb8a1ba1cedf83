// SPDX-License-Identifier: Apache-2.0

// Reads lines `region<TAB>text` with `\n`, `\t` and `\\` in the text, and writes for each what the numbering plans make of
// it. Tests compare them with another program's lines.
//
//   number-probe           error code and its region, or digits, region and kind; then both written forms of the number
//   number-probe digits    lines of digits: validity, region, kind, short number, both written forms
//   number-probe time N    microseconds a line, over N rounds

import Foundation
import PhoneNumbers

func unescaped(_ text: Substring) -> String {
  guard text.contains("\\") else { return String(text) }
  var (result, isEscaped) = (String.UnicodeScalarView(), false)
  for scalar in text.unicodeScalars {
    if isEscaped {
      result.append(scalar == "n" ? "\n" : scalar == "t" ? "\t" : scalar == "r" ? "\r" : scalar)
      isEscaped = false
    } else if scalar == "\\" {
      isEscaped = true
    } else {
      result.append(scalar)
    }
  }
  return String(result)
}

func row(_ line: String) -> (region: String?, text: String) {
  let tab = line.firstIndex(of: "\t") ?? line.endIndex
  return (tab == line.startIndex ? nil : String(line[..<tab]), unescaped(line[tab...].dropFirst()))
}

func described(_ number: PhoneNumber) -> String {
  "\(number.digits)\t\(number.region ?? "001")\t\(number.kind.rawValue)\t\(number.formatted(.national))\t\(number.formatted(.international))"
}

func answer(_ region: String?, _ text: String) -> String {
  do throws(PhoneNumberError) {
    let possible = try PhoneNumber.parsePossible(byPlans: text, region: region)
    return (possible.isAssigned ? "ok\t" : "unassigned\t") + described(possible.number)
  } catch {
    switch error {
    case .notValid(let region), .shortOrEmergency(let region): return "\(error.code)\t\(region ?? "001")"
    default: return error.code
    }
  }
}

func measure(
  _ rounds: Int, _ what: String, _ rows: [(region: String?, text: String)], _ read: (String?, String) -> PhoneNumber?
) {
  // Processor time, because a machine may be shared.
  let start = clock()
  var sum: Int64 = 0
  for _ in 0..<rounds {
    for row in rows {
      guard let number = read(row.region, row.text) else { continue }
      sum &+=
        number.digits &+ Int64(number.region?.utf8.count ?? 0) &+ (number.isValid ? 1 : 0)
        &+ (number.kind == .mobile ? 1 : 0)
    }
  }
  let microseconds = Double(clock() - start) / Double(CLOCKS_PER_SEC) * 1e6 / Double(rounds * max(1, rows.count))
  print("\(what): \(microseconds) µs of processor time a text over \(rows.count) (sum \(sum))")
}

let mode = CommandLine.arguments.dropFirst().first
if mode == "time" {
  let rounds = Int(CommandLine.arguments.last ?? "") ?? 1
  let start = clock()
  _ = NumberingPlans.builtIn.version
  print("loading: \(Double(clock() - start) / Double(CLOCKS_PER_SEC) * 1e3) ms")
  var rows: [(region: String?, text: String)] = []
  while let line = readLine() { rows.append(row(line)) }
  measure(1, "first, plans alone", rows) { try? PhoneNumber.parsePossible(byPlans: $1, region: $0).number }
  measure(rounds, "plans alone", rows) { try? PhoneNumber.parsePossible(byPlans: $1, region: $0).number }
  if CommandLine.arguments.count > 3 {
    measure(rounds, "all forms", rows) { try? PhoneNumber(parsing: $1, region: $0) }
  }
} else if mode == "digits" {
  while let line = readLine() {
    guard let number = Int64(line).flatMap({ PhoneNumber(digits: $0) }) else { continue }
    print("\(number.isValid ? 1 : 0)\t\(described(number))\t\(ShortNumber(digits: number.digits)?.rawValue ?? "-")")
  }
} else {
  while let line = readLine() {
    let row = row(line)
    print(answer(row.region, row.text))
  }
}
