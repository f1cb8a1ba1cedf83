// SPDX-License-Identifier: Apache-2.0

public import Curation
import Foundation
import Support

/// The category of each of the FTC's subjects.
///
/// The text has one line for each subject: the subject, a tab, a category's slug, and optionally a tab and the slug for
/// the same subject when the call was a recording. Lines that are blank or start with `#` are skipped. Subjects are
/// compared without regard to case and to the number of spaces between words.
public struct SubjectTable: Sendable, Equatable {
  struct Entry: Sendable, Equatable {
    var category: ReportCategory
    var recorded: ReportCategory
  }

  public static let maximumBytes = 1 << 20

  private var entries: [String: Entry] = [:]

  public init() {}

  public var count: Int { entries.count }

  /// `name` is the file's name in errors.
  /// - Throws: ``ImportFileError/badTable(path:line:reason:)`` for a line without a tab, an unknown category, or a
  /// repeated subject.
  public init(text: String, name: String = "subjects") throws(ImportFileError) {
    var number = 0
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      number += 1
      let trimmed = line.drop(while: \.isWhitespace)
      if trimmed.isEmpty || trimmed.first == "#" { continue }
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      func fail(_ reason: String) -> ImportFileError { .badTable(path: name, line: number, reason: reason) }
      guard (2...3).contains(fields.count) else {
        throw fail("expected a subject, a tab and a category, optionally a tab and the category of a recording")
      }
      var categories: [ReportCategory] = []
      for slug in fields[1...] {
        guard let category = ReportCategory(slug: slug) else { throw fail("“\(slug)” is no category") }
        categories.append(category)
      }
      let key = Self.key(fields[0])
      guard !key.isEmpty else { throw fail("the subject is empty") }
      guard entries[key] == nil else { throw fail("“\(fields[0])” occurred before") }
      entries[key] = Entry(category: categories[0], recorded: categories[categories.count - 1])
    }
  }

  /// Reads a table from a file of at most ``maximumBytes`` bytes of UTF-8.
  /// - Throws: ``ImportFileError/cannotRead(path:reason:)``, ``ImportFileError/badTable(path:line:reason:)``.
  public init(contentsOf path: String) throws(ImportFileError) {
    let data: [UInt8]
    do throws(FileFailure) {
      data = try InputFile(path).readAll(limit: Self.maximumBytes)
    } catch {
      throw .cannotRead(path: path, reason: error.reason)
    }
    guard data.count <= Self.maximumBytes else { throw .cannotRead(path: path, reason: "more than 1 MB") }
    guard let text = String(validating: data, as: UTF8.self) else {
      throw .cannotRead(path: path, reason: "it is not UTF-8")
    }
    try self.init(text: text, name: path)
  }

  public func category(for subject: String, isRecording: Bool) -> ReportCategory? {
    guard let entry = entries[subject] ?? entries[Self.key(subject)] else { return nil }
    return isRecording ? entry.recorded : entry.category
  }

  static func key(_ subject: String) -> String {
    subject.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
