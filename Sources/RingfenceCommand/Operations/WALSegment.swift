// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A segment of the write-ahead log: 16 MiB, named by its timeline and its position.
struct WALSegment: Hashable, Comparable, CustomStringConvertible {
  static let bytes: UInt64 = 16 << 20
  private static let perFile: UInt64 = (1 << 32) / bytes

  let timeline: UInt32
  /// Position in the log, in segments.
  let number: UInt64

  init(timeline: UInt32, number: UInt64) {
    self.timeline = timeline
    self.number = number
  }

  /// - Returns: nil for any other name.
  init?(_ name: String) {
    guard name.utf8.count == 24, name.allSatisfy({ $0.isHexDigit && !$0.isLowercase }) else { return nil }
    let parts = [0, 8, 16].map { start in
      UInt64(name.dropFirst(start).prefix(8), radix: 16) ?? 0
    }
    guard parts[2] < Self.perFile else { return nil }
    self.init(timeline: UInt32(parts[0]), number: parts[1] * Self.perFile + parts[2])
  }

  var next: WALSegment { WALSegment(timeline: timeline, number: number + 1) }

  var description: String {
    String(format: "%08X%08X%08X", timeline, UInt32(number / Self.perFile), UInt32(number % Self.perFile))
  }

  static func < (left: WALSegment, right: WALSegment) -> Bool {
    (left.timeline, left.number) < (right.timeline, right.number)
  }
}

/// The segments in an archive's folder.
struct WALArchive {
  let segments: Set<WALSegment>

  /// - Throws: ``CommandFailure`` when the folder cannot be read.
  init(folder: String) throws {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
      throw CommandFailure.unreadable("The archive \(folder) cannot be read. Check its name, owner and permissions.")
    }
    segments = Set(names.compactMap { $0.hasSuffix(".gz") ? WALSegment(String($0.dropLast(3))) : nil })
  }

  /// The newest segment of a timeline.
  func newest(timeline: UInt32) -> WALSegment? { segments.filter { $0.timeline == timeline }.max() }

  /// The first segment that is missing between `first` and the newest of its timeline.
  func gap(from first: WALSegment) -> WALSegment? {
    guard let newest = newest(timeline: first.timeline), newest >= first else { return nil }
    var segment = first
    while segments.contains(segment) { segment = segment.next }
    return segment <= newest ? segment : nil
  }
}
