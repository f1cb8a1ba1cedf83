// SPDX-License-Identifier: Apache-2.0

/// Encodes entries in one format.
protocol RecordEncoding {
  /// Appends the bytes before the first record.
  mutating func begin(into bytes: inout [UInt8])
  /// Appends one record, or nothing if the format omits the entry.
  mutating func encode(_ entry: ListEntry, into bytes: inout [UInt8]) throws -> RecordOutcome
  /// Appends the bytes after the last record.
  mutating func end(into bytes: inout [UInt8])
  /// Whether the format has numbers that have left the list; others omit them.
  static var hasRemovals: Bool { get }
  static var rangeForm: RangeForm { get }
  /// Says whether a pattern may be a prefix, where clients read patterns so; nil for patterns with a length.
  var mayBePrefix: (@Sendable (_ prefix: Int64, _ digits: Int) -> Bool)? { get }
}

/// The form in which a format takes numbers that follow each other.
enum RangeForm {
  /// One by one.
  case numbers
  /// One by one, up to a count; longer ranges are unsuitable.
  case fewNumbers(Int)
  /// As patterns with a count of free digits, and the rest one by one.
  case patterns(most: Int)
  /// As they are.
  case ranges

  /// The most numbers of a range in a format of single numbers that a device stores.
  static let fewest = 10_000
  /// One by one, up to ``fewest``.
  static let few = fewNumbers(fewest)
  /// As patterns of any length.
  static let allPatterns = patterns(most: 15)
}

extension RecordEncoding {
  static var hasRemovals: Bool { false }
  static var rangeForm: RangeForm { .numbers }
  var mayBePrefix: (@Sendable (_ prefix: Int64, _ digits: Int) -> Bool)? { nil }
  mutating func begin(into bytes: inout [UInt8]) {}
  mutating func end(into bytes: inout [UInt8]) {}
}

/// The writer of all formats that consist of consecutive records in a file.
final class RecordWriter<Encoding: RecordEncoding>: EntryWriter {
  private var encoding: Encoding
  private var rules = EntryRules()
  private var summary = ExportSummary()
  private var pending: [UInt8] = []
  private let output: OutputFile
  private let gzip: GzipStream?
  private let omitsIdentified: Bool

  /// Bytes that are collected before they are written.
  private static var chunk: Int { 65_536 }

  /// - Parameter omitsIdentified: whether to leave out entries that do not block.
  init(_ encoding: Encoding, to output: ExportOutput, omitsIdentified: Bool, gzip: Bool) throws {
    self.encoding = encoding
    self.omitsIdentified = omitsIdentified
    self.output = try OutputFile(output)
    self.gzip = gzip ? try GzipStream(into: self.output) : nil
    pending.reserveCapacity(Self.chunk + 4_096)
    self.encoding.begin(into: &pending)
  }

  func append(_ entry: ListEntry) throws {
    try rules.admit(entry)
    guard entry.last > entry.number else { return try put(entry) }
    switch Encoding.rangeForm {
    case .ranges: try put(entry)
    case .patterns(let most):
      for pattern in entry.patterns(most: most) {
        if pattern.wildcards > 0, let mayBePrefix = encoding.mayBePrefix,
          !mayBePrefix(pattern.prefix, String(pattern.number).utf8.count)
        {
          try putSingly(pattern, most: RangeForm.fewest)
        } else {
          try put(pattern)
        }
      }
    case .fewNumbers(let most): try putSingly(entry, most: most)
    case .numbers: try putSingly(entry, most: .max)
    }
  }

  /// Writes the numbers of a range one by one, unless there are too many.
  private func putSingly(_ entry: ListEntry, most: Int) throws {
    guard entry.last - entry.number < Int64(most) else { return summary.count(.unsuitable) }
    for number in entry.number...entry.last {
      try put(ListEntry(number: number, label: entry.label, blocks: entry.blocks))
    }
  }

  private func put(_ entry: ListEntry) throws {
    let isOmitted = entry.isRemoved ? !Encoding.hasRemovals : omitsIdentified && !entry.blocks
    summary.count(isOmitted ? .notBlocking : try encoding.encode(entry, into: &pending))
    if pending.count >= Self.chunk { try flush() }
  }

  func finish() throws -> ExportSummary {
    encoding.end(into: &pending)
    try flush()
    try gzip?.finish()
    try output.commit()
    return summary
  }

  private func flush() throws {
    try pending.withUnsafeBytes { bytes in
      if let gzip { try gzip.write(bytes) } else { try output.write(bytes) }
    }
    pending.removeAll(keepingCapacity: true)
  }
}

/// Text functions shared by several formats.
package enum TextCells {
  /// The label with each control character replaced by a space, and whether anything changed.
  ///
  /// Line ends and tabs would break a line-based format, and no format needs the others.
  package static func oneLine(_ label: String) -> (text: String, altered: Bool) {
    guard label.unicodeScalars.contains(where: isControl) else { return (label, false) }
    var text = String.UnicodeScalarView()
    for scalar in label.unicodeScalars { text.append(isControl(scalar) ? " " : scalar) }
    return (String(text), true)
  }

  /// The label with a backslash and each control character escaped: ``TSVEncoding`` lists the escapes.
  static func escaped(_ label: String) -> String {
    guard label.unicodeScalars.contains(where: { isControl($0) || $0 == "\\" }) else { return label }
    var text = ""
    for scalar in label.unicodeScalars {
      switch scalar {
      case "\\": text += "\\\\"
      case "\t": text += "\\t"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case _ where isControl(scalar):
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  /// Whether a character is a control character or ends a line or paragraph (U+2028, U+2029).
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || scalar.value == 0x2028 || scalar.value == 0x2029
  }
}

extension [UInt8] {
  package mutating func append(_ text: String) { append(contentsOf: text.utf8) }

  mutating func append<Value: FixedWidthInteger>(littleEndian value: Value) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }
}
