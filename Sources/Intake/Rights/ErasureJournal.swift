// SPDX-License-Identifier: Apache-2.0

package import Support
public import Foundation

/// The file that brings rights to restored backups: a line for each erasure, restriction and suppression, without the
/// erased data. It only grows, and each line is on disk before the database changes.
public struct ErasureJournal: Sendable {
  /// The file's name in the data folder, and beside backups.
  public static let fileName = "erasures.jsonl"

  /// A line.
  struct Entry: Codable, Sendable, Hashable {
    enum Action: String, Codable, Sendable {
      case erase, restrict, release, suppress, lift
    }

    /// RFC 3339.
    let time: String
    let action: Action
    /// Of an erased reporter: keyed hash of the pseudonym in hexadecimal digits. Of a restricted reporter or a number: the
    /// ciphertext in base64.
    let subject: String
    /// The name of the pseudonym key that wrote the line; see ``RightsService/journalKeyName``.
    let key: String
  }

  public let path: String

  /// - Parameter path: of the file, which is created with the first line.
  public init(path: String) { self.path = path }

  /// Checks that a line can be added; nothing is written.
  package func check() throws(FileFailure) { try AppendableFile.check(path) }

  /// Appends a line and flushes it to disk.
  /// - Throws: ``ErasureJournalUnavailable``.
  func append(_ action: Entry.Action, _ subject: String, key: String, at time: Date) throws {
    do {
      try write([Entry(time: Timestamp.format(time), action: action, subject: subject, key: key)])
    } catch let failure as FileFailure {
      throw ErasureJournalUnavailable(description: failure.description)
    }
  }

  /// All lines; none where there is no file. A line that a crash has cut short is left out.
  /// - Throws: ``ErasureJournalError``.
  func entries() throws -> [Entry] {
    guard FileManager.default.fileExists(atPath: path) else { return [] }
    guard let data = FileManager.default.contents(atPath: path) else {
      throw ErasureJournalError.unreadable(path: path)
    }
    let lines = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    return try lines.enumerated().filter { $0.element.last == UInt8(ascii: "}") }.map { index, line in
      guard let entry = try? JSONDecoder().decode(Entry.self, from: Data(line)), Timestamp.parse(entry.time) != nil
      else { throw ErasureJournalError.damaged(path: path, line: index + 1) }
      return entry
    }
  }

  /// - Throws: ``ErasureJournalError``.
  public var isEmpty: Bool { get throws { try entries().isEmpty } }

  /// Adds the lines of another journal that this one does not have.
  /// - Throws: ``ErasureJournalError``; `FileFailure`.
  public func merge(_ other: ErasureJournal) throws {
    let known = Set(try entries())
    try write(try other.entries().filter { !known.contains($0) })
  }

  private func write(_ entries: [Entry]) throws {
    guard !entries.isEmpty else { return }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var text = Data()
    for entry in entries { text += try encoder.encode(entry) + Data("\n".utf8) }
    // Readable by its owner only from its creation, which several servers may try at once.
    let file = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw FileFailure(path: path, code: errno) }
    defer { close(file) }
    // Servers on NFS would write over each other's lines, because it has no appending. Closing the file ends the lock.
    while flock(file, LOCK_EX) != 0 { guard errno == EINTR else { throw FileFailure(path: path, code: errno) } }
    // A line that a crash has cut short is ended first.
    var last = UInt8(ascii: "\n")
    if lseek(file, -1, SEEK_END) >= 0 { _ = read(file, &last, 1) }
    if last != UInt8(ascii: "\n") { text = Data("\n".utf8) + text }
    guard writeAll(text, to: file), flushToDisk(file) else { throw FileFailure(path: path, code: errno) }
    try flushToDisk(parentFolder(of: path))
  }
}

/// The result of the journals of a restore.
public struct AppliedErasures: Sendable {
  /// A line that was not applied.
  public struct Line: Sendable, Equatable {
    /// The name of the right: `erase`, `restrict`, `release`, `suppress` or `lift`.
    public let right: String
    /// When it was used.
    public let time: Date
  }

  /// Suppressed numbers.
  public let numbers: Int
  /// Erased or restricted reporters for whom something changed.
  public let reporters: Int
  /// The lines that another pseudonym key has written, the oldest first. Their reporters and numbers are unknown.
  public let foreign: [Line]
}

/// The journal cannot be written, so nothing was done: a right that a restored backup would forget is not carried out.
public struct ErasureJournalUnavailable: Error, CustomStringConvertible {
  public let description: String
}

/// A journal that cannot be read.
enum ErasureJournalError: Error, Equatable, CustomStringConvertible {
  case unreadable(path: String)
  case damaged(path: String, line: Int)
  case otherKey

  var description: String {
    switch self {
    case .unreadable(let path): "Cannot read the erasure journal \(path). Check its owner and permissions."
    case .damaged(let path, let line):
      "Line \(line) of the erasure journal \(path) is damaged. Restore the file from another copy."
    case .otherKey:
      "Another pseudonym key has written the erasure journal. Set RINGFENCE_PSEUDONYM_KEY to the server's key."
    }
  }
}
