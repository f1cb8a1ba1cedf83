// SPDX-License-Identifier: Apache-2.0

import CallerPack
import CallerPackBuilder

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The measurements; each prints one line of JSON.
enum PackMeasurement {
  static func build(list: String, out: String, profile: PackProfile, kind: PackKind, base: String?) throws {
    let start = now()
    let dictionary = try base.map { try PackReader.open(path: $0) }
    let options = PackWriter.Options(
      kind: kind, region: "benchmark", serial: 1, createdAt: 1_760_000_000, profile: profile,
      maximumEntries: PackLimits.entries, dictionary: dictionary)
    let writer = try PackWriter(path: out, options: options)
    guard let file = fopen(list, "r") else { throw PackError(.inputOutput, "cannot open \(list)") }
    defer { fclose(file) }
    var line: UnsafeMutablePointer<CChar>?
    var capacity = 0
    while true {
      let count = getline(&line, &capacity, file)
      guard count > 0, let line else { break }
      let bytes = UnsafeRawBufferPointer(start: line, count: count)
      var number: Int64 = 0
      var at = 0
      while at < count, bytes[at] >= 0x30, bytes[at] <= 0x39 {
        number = number * 10 + Int64(bytes[at] - 0x30)
        at += 1
      }
      var end = count
      while end > at, bytes[end - 1] == 0x0A || bytes[end - 1] == 0x0D { end -= 1 }
      if kind == .blocking {
        try writer.append(number)
      } else {
        try writer.append(
          number, roles: .identifies, labelUTF8: UnsafeRawBufferPointer(rebasing: bytes[min(at + 1, end)..<end]))
      }
    }
    free(line)
    let summary = try writer.finish()
    let seconds = now() - start
    let reader = try PackReader.open(path: out)
    try reader.verify()
    let header = reader.header
    print(
      """
      {"entries": \(summary.entries), "bytes": \(summary.bytes), "seconds": \(seconds), \
      "dictionary_bytes": \(header.dictionaryStoredBytes), "tokens": \(header.dictionaryTokens), \
      "text_bytes": \(header.dictionaryTextBytes), "reader_bytes": \(header.readerBytes), \
      "peak_kb": \(highWater()), "block_bytes": \(header.maximumBlockBytes)}
      """)
  }

  /// Reads every entry nine times and prints the fastest time. Memory is measured after the first pass, because a
  /// cursor frees nothing while it reads.
  ///
  /// It first reads `warm`, a small pack, so that code and runtime are loaded and only the pack's memory counts.
  static func walk(_ path: String, warm: String) throws {
    try count(warm)
    _ = resident()
    let before = resident()
    var best = Double.infinity, entries = 0, sum: Int64 = 0, labelBytes = 0, grown = 0
    let turns = 9
    for turn in 0..<turns {
      let start = now()
      let cursor = try PackReader.open(path: path).makeCursor()
      entries = 0
      while try cursor.next() {
        sum &+= cursor.number
        cursor.withLabel { labelBytes &+= $0.count }
        entries += 1
      }
      best = min(best, now() - start)
      if turn == 0 { grown = resident() - before }
      withExtendedLifetime(cursor) {}
    }
    print(
      """
      {"entries": \(entries), "per_second": \(Double(entries) / best), "seconds": \(best), "growth_kb": \(grown), \
      "address_kb": \(kilobytes("/proc/self/status", "VmPeak:")), \
      "sum": \(sum), "label_bytes": \(labelBytes / turns)}
      """)
  }

  private static func count(_ path: String) throws {
    let cursor = try PackReader.open(path: path).makeCursor()
    var bytes = 0
    while try cursor.next() { cursor.withLabel { bytes &+= $0.count } }
  }

  /// Looks up numbers of the pack in random order, and as many that are mostly not in it.
  static func lookup(_ path: String) throws {
    let reader = try PackReader.open(path: path)
    var numbers: [Int64] = []
    let cursor = try reader.makeCursor()
    while try cursor.next() { if cursor.rank % 97 == 0 { numbers.append(cursor.number) } }
    var state: UInt64 = 42
    func random(_ below: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(below))
    }
    let turns = 4000
    var found = 0
    let start = now()
    for turn in 0..<turns {
      let number = numbers[random(numbers.count)]
      if try cursor.lookup(turn % 2 == 0 ? number : number + 1) != nil { found += 1 }
    }
    let seconds = now() - start
    print("{\"per_second\": \(Double(turns) / seconds), \"found\": \(found), \"peak_kb\": \(highWater())}")
  }

  /// Checks every entry of a pack nine times.
  static func verify(_ path: String) throws {
    try repeatedly(9) { _ = try PackReader.open(path: path).contentDigest() }
  }

  /// Makes the successor of a pack and checks it, as an update does, three times.
  static func apply(_ base: String, _ delta: String, _ out: String) throws {
    try repeatedly(3) {
      _ = try PackDelta.open(path: delta).apply(base: PackReader.open(path: base), to: out)
      _ = try PackReader.open(path: out).contentDigest()
    }
  }

  /// Prints the first time, which a phone has, and the fastest.
  private static func repeatedly(_ turns: Int, _ work: () throws -> Void) throws {
    var first = 0.0, best = Double.infinity
    for turn in 0..<turns {
      let start = now()
      try work()
      best = min(best, now() - start)
      if turn == 0 { first = now() - start }
    }
    print("{\"first\": \(first), \"best\": \(best), \"peak_kb\": \(highWater())}")
  }

  static func diff(_ a: String, _ b: String, _ out: String) throws {
    let start = now()
    let base = try PackReader.open(path: a), result = try PackReader.open(path: b)
    let summary = try DeltaBuilder.build(from: base, to: result, out: out)
    let delta = try PackDelta.open(path: out)
    print(
      """
      {"bytes": \(summary.bytes), "seconds": \(now() - start), "removed": \(delta.header.removedCount), \
      "added": \(delta.header.addedCount), "changed": \(delta.header.changedCount), "result_bytes": \(result.header.fileBytes)}
      """)
  }

  /// Seconds of processor time of this thread, which exclude other work on the machine.
  private static func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// The maximum memory of this process so far, in KB (VmHWM).
  private static func highWater() -> Int { kilobytes("/proc/self/status", "VmHWM:") }

  /// The current private memory of this process in KB, which is what a phone counts. VmHWM is updated in batches and
  /// too coarse.
  private static func resident() -> Int { kilobytes("/proc/self/smaps_rollup", "Anonymous:") }

  private static func kilobytes(_ path: String, _ key: String) -> Int {
    guard let file = fopen(path, "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, 256, file) != nil {
      let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      if text.hasPrefix(key) { return Int(text.filter(\.isNumber)) ?? 0 }
    }
    return 0
  }
}
