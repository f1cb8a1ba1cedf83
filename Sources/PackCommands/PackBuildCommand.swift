// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
public import CallerPack
import CallerPackBuilder
import Support

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// `ringfence pack build`: creates a pack from lines of text.
package struct PackBuildCommand: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "build", abstract: "Build a pack from lines of number⇥label.",
    discussion: """
      The list must be in ascending order. A number without a label blocks, a number with a label identifies. In a pack \
      of kind both, a third column "block" does both. The same list and options give the same bytes.
      """)

  @Option(name: .customLong("in"), help: .value("file", "List to read, or - for standard input.")) var input: String
  @Option(help: .value("file", "Pack to write.")) var out: String
  @Option(help: "Kind of the pack: blocking, identification or both.") var kind: PackKind
  // No default value: help would show its raw value, a number.
  @Option(help: "Memory that a reader may need: lean (400 KB) or standard (1.25 MB, the default).")
  var profile: PackProfile?
  @Option(help: "Name of the region: at most 23 characters of A-Z a-z 0-9 . _ -") var region = ""
  @Option(help: "Serial of the pack.") var serial: UInt64 = 0
  @Option(help: .value("serial", "Serial of the previous pack.")) var baseSerial: UInt64 = 0
  @Option(help: .value("seconds", "Time of the pack in seconds since 1970; 0 for none.")) var createdAt: Int64 = 0
  @Option(help: .value("entries", "Maximum entries; an entry that blocks and identifies counts twice."))
  var maximum = PackLimits.callDirectoryEntries
  @Option(help: .value("file", "Pack whose dictionary is reused if that makes the delta from it smaller."))
  var dictionaryOf: String?

  package init() {}

  package func validate() throws {
    guard region.utf8.count <= PackLimits.regionBytes, region.utf8.allSatisfy(PackHeader.isRegionByte) else {
      throw ValidationError(
        "--region \"\(region)\" is not valid. Use at most \(PackLimits.regionBytes) characters of A-Z a-z 0-9 . _ -")
    }
    try check(maximum, "--maximum", in: 1...PackLimits.entries)
    guard out != "-" else {
      throw ValidationError("A pack cannot be written to standard output. Pass a file name with --out.")
    }
  }

  package func run() async throws {
    try PackExitCode.report {
      var lines = try ListLines(path: input)
      defer { lines.close() }
      let dictionary = try dictionaryOf.map { try PackReader.open(path: $0) }
      let options = PackWriter.Options(
        kind: kind, region: region, serial: serial, baseSerial: baseSerial, createdAt: createdAt,
        profile: profile ?? .standard,
        maximumEntries: maximum, dictionary: dictionary)
      let writer = try PackWriter(path: out, options: options)
      let console = PackConsole.current
      while try lines.next({ try writer.append($0, roles: $1, labelUTF8: $2) }) {
        if lines.line % 10_000 == 0 { console.progress(lines.done, lines.total, .bytes) }
      }
      var summary = try writer.finish()
      if let base = dictionary { summary = try refit(summary, options, base) }
      console.progress(lines.done, lines.total, .bytes)
      if summary.entries == 0 {
        let source = input == "-" ? "Standard input" : input
        console.remarks("warning: \(source) has no entries, so \(out) is an empty pack.\n")
      }
      let entries = count(summary.entries, "entry", "entries")
      console.output("\(out): \(entries), \(summary.bytes) bytes, SHA-256 \(summary.sha256.hex)\n")
    }
  }

  /// Replaces the pack by one with a dictionary of its own where the delta from `base` is smaller then: new labels fit an
  /// old dictionary less and less.
  private func refit(
    _ summary: PackSummary, _ options: PackWriter.Options, _ base: PackReader
  ) throws(PackError) -> PackSummary {
    let (trial, delta) = ("\(out).trial", "\(out).delta")
    defer {
      unlink(trial)
      unlink(delta)
    }
    var own = options
    own.dictionary = nil
    let writer = try PackWriter(path: trial, options: own)
    try writer.append(contentsOf: PackReader.open(path: out))
    let fitted = try writer.finish()
    func deltaBytes(_ path: String) throws(PackError) -> UInt64 {
      UInt64(try DeltaBuilder.build(from: base, to: PackReader.open(path: path), out: delta).bytes)
    }
    guard try deltaBytes(trial) < deltaBytes(out) else { return summary }
    guard rename(trial, out) == 0 else {
      throw PackError(.inputOutput, "cannot write \(out)", got: String(cString: strerror(errno)))
    }
    return fitted
  }
}

struct ListLineError: Error, CustomStringConvertible {
  let line: Int
  let rule: String
  var description: String { "line \(line): \(rule)" }
}

/// Reads `number`, `number⇥label` or `number⇥label⇥block` lines from a file or standard input, in bounded memory.
///
/// A number may begin with a plus. A number alone blocks, a label identifies, and a label with `block` does both. Lines
/// end in LF or CR LF. In a label `\\`, `\t`, `\n`, `\r` and `\u` with four hex digits are escapes, as `pack dump` writes
/// them.
struct ListLines {
  /// Size of the file in bytes; 0 if unknown.
  let total: UInt64
  /// Bytes read so far.
  private(set) var done: UInt64 = 0
  private(set) var line = 0

  private let file: UnsafeMutablePointer<FILE>
  /// The unread bytes are at `start..<end`.
  private let buffer: UnsafeMutableRawBufferPointer
  private var start = 0
  private var end = 0
  private var isAtEnd = false

  /// Longer than any entry: a label of 65,534 bytes that are all escaped, a number and two tabs. A longer line is an
  /// error.
  private static let longest = 400_000

  /// `-` is standard input.
  init(path: String) throws(PackError) {
    let opened = path == "-" ? fdopen(dup(STDIN_FILENO), "rb") : fopen(path, "rb")
    guard let opened else {
      throw PackError(.inputOutput, "cannot open \(path)", got: String(cString: strerror(errno)))
    }
    total = FileIdentity(descriptor: fileno(opened)).map { UInt64($0.length) } ?? 0
    file = opened
    buffer = .allocate(byteCount: 2 * Self.longest, alignment: 16)
  }

  /// Closes the file and frees the buffer.
  func close() {
    buffer.deallocate()
    fclose(file)
  }

  /// Passes the next entry's number, roles and label to `body`; false at the end. The label is valid only during the
  /// call.
  mutating func next(_ body: (Int64, PackRoles, UnsafeRawBufferPointer) throws -> Void) throws -> Bool {
    guard var bytes = try nextLine() else { return false }
    if bytes.last == 0x0A { bytes = .init(rebasing: bytes.dropLast()) }
    if bytes.last == 0x0D { bytes = .init(rebasing: bytes.dropLast()) }
    let columns = bytes.split(separator: 0x09, omittingEmptySubsequences: false)
    guard columns.count <= 3 else { throw ListLineError(line: line, rule: "an entry must have at most three columns") }
    let number = try number(UnsafeRawBufferPointer(rebasing: columns[0]))
    var roles: PackRoles = columns.count == 1 ? .blocks : .identifies
    if columns.count == 3 {
      guard columns[2].elementsEqual("block".utf8) else {
        throw ListLineError(line: line, rule: "the third column must be \"block\" or missing")
      }
      roles.insert(.blocks)
    }
    let label = columns.count == 1 ? UnsafeRawBufferPointer(start: nil, count: 0) : .init(rebasing: columns[1])
    if label.contains(UInt8(ascii: "\\")) {
      try unescaped(label).withUnsafeBytes { try body(number, roles, $0) }
    } else {
      try body(number, roles, label)
    }
    return true
  }

  private func unescaped(_ label: UnsafeRawBufferPointer) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = label[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\") else {
        bytes.append(byte)
        continue
      }
      switch rest.popFirst() {
      case UInt8(ascii: "\\"): bytes.append(byte)
      case UInt8(ascii: "t"): bytes.append(0x09)
      case UInt8(ascii: "n"): bytes.append(0x0A)
      case UInt8(ascii: "r"): bytes.append(0x0D)
      case UInt8(ascii: "u"):
        let digits = String(decoding: rest.prefix(4), as: UTF8.self)
        guard digits.utf8.count == 4, digits.allSatisfy(\.isHexDigit), let value = UInt32(digits, radix: 16),
          let scalar = Unicode.Scalar(value)
        else { fallthrough }
        rest = rest.dropFirst(4)
        bytes += Array(String(scalar).utf8)
      default:
        throw ListLineError(
          line: line, rule: #"a backslash in a label must begin \\, \t, \n, \r or \u with four hex digits"#)
      }
    }
    return bytes
  }

  /// The next line with its end, valid until the next call; nil after the last.
  private mutating func nextLine() throws -> UnsafeRawBufferPointer? {
    var seen = 0
    while true {
      let waiting = UnsafeRawBufferPointer(rebasing: buffer[start..<end])
      let lineEnd = waiting[seen...].firstIndex(of: 0x0A)
      if lineEnd == nil, waiting.count <= Self.longest, !isAtEnd {
        seen = waiting.count
        try readMore()
        continue
      }
      let count = lineEnd.map { $0 + 1 } ?? waiting.count
      guard count > 0 else { return nil }
      line += 1
      done += UInt64(count)
      guard count <= Self.longest else { throw ListLineError(line: line, rule: "the line is longer than any entry") }
      start += count
      return UnsafeRawBufferPointer(rebasing: waiting[..<count])
    }
  }

  private mutating func readMore() throws {
    buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[start..<end]))
    (start, end) = (0, end - start)
    let count = fread(buffer.baseAddress.map { $0 + end }, 1, buffer.count - end, file)
    if count == 0 {
      guard ferror(file) == 0 else {
        throw PackError(.inputOutput, "cannot read the list", got: String(cString: strerror(errno)))
      }
      isAtEnd = true
    }
    end += count
  }

  private func number(_ digits: UnsafeRawBufferPointer) throws -> Int64 {
    let digits = digits.first == 0x2B ? digits.dropFirst() : digits[...]
    guard !digits.isEmpty, digits.count <= 18, digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
      throw ListLineError(line: line, rule: "a line must begin with a number of 1 to 15 digits")
    }
    guard digits.first != 0x30 else {
      throw ListLineError(line: line, rule: "a number must begin with its country code, not 0")
    }
    return digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
  }
}

extension PackKind: ExpressibleByArgument {
  public init?(argument: String) {
    guard let kind = Self.allCases.first(where: { $0.name == argument }) else { return nil }
    self = kind
  }
  public static var allValueStrings: [String] { allCases.map(\.name) }
  public var defaultValueDescription: String { name }
  public static var allValueDescriptions: [String: String] { [:] }
}

extension PackProfile: ExpressibleByArgument {
  public init?(argument: String) {
    guard let profile = Self.allCases.first(where: { $0.name == argument }) else { return nil }
    self = profile
  }
  public static var allValueStrings: [String] { allCases.map(\.name) }
  public var defaultValueDescription: String { name }
  public static var allValueDescriptions: [String: String] { [:] }
}
