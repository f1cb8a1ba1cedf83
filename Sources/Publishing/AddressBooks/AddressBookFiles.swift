// SPDX-License-Identifier: Apache-2.0

import AsyncSupport
import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The entries of address books by publication, in the folder `.addressbooks` of the publications. A restarted server
/// and other servers on the folder have the same books, and clients with an earlier one get the changes alone.
package struct AddressBookFiles: Sendable {
  /// The publications whose books are kept.
  private static let kept = 30

  private let folder: String
  /// Ends the names of files. Books with other settings differ.
  private let settings: String

  /// - Parameters:
  ///   - limit: the most numbers in a book.
  ///   - region: the region of the numbers, ISO 3166 alpha-2; nil for all.
  package init(folder: PublicationFolder, limit: Int, region: String?) {
    // The name changes with the content, so that no file of an earlier program is read.
    self.folder = folder.filePath(".addressbooks/1")
    settings = "\(limit)-\(region ?? "all")"
  }

  /// The book of a publication; nil if it is not kept.
  package func book(_ kind: AddressBook.Kind, serial: Int64) async -> AddressBook? {
    await Task(executorPreference: ConcurrentQueueExecutor.publishing) {
      entries(kind, serial: serial).map { AddressBook(kind, serial: serial, entries: $0) }
    }.value
  }

  /// Keeps the book of a publication.
  /// - Parameter entries: those of the book.
  /// - Returns: the book of another server, if it was first.
  package func keep(_ entries: [AddressBook.Entry], of book: AddressBook) async throws -> AddressBook {
    try await Task(executorPreference: ConcurrentQueueExecutor.publishing) {
      let kept = try keep(entries, book.kind, serial: book.serial)
      return kept == entries ? book : AddressBook(book.kind, serial: book.serial, entries: kept)
    }.value
  }

  private func entries(_ kind: AddressBook.Kind, serial: Int64) -> [AddressBook.Entry]? {
    FileManager.default.contents(atPath: path(kind, serial)).flatMap {
      try? JSONDecoder().decode([AddressBook.Entry].self, from: $0)
    }
  }

  private func keep(
    _ entries: [AddressBook.Entry], _ kind: AddressBook.Kind, serial: Int64
  ) throws -> [AddressBook.Entry] {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    removeOld()
    let path = path(kind, serial)
    let temporary = "\(folder)/.\(UUID().uuidString).part"
    defer { unlink(temporary) }
    try DurableFile.replace(temporary, with: JSONEncoder().encode(entries))
    if link(temporary, path) != 0 {
      guard errno == EEXIST else { throw PublishingError.cannotWrite(path, errno: errno) }
      if let earlier = self.entries(kind, serial: serial) { return earlier }
      try DurableFile.move(temporary, to: path)
    }
    return entries
  }

  private func path(_ kind: AddressBook.Kind, _ serial: Int64) -> String {
    "\(folder)/\(serial)-\(kind.rawValue)-\(settings).json"
  }

  /// Removes the books of all but the newest publications, and what an interrupted program has left.
  private func removeOld() {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let serials = Set(files.compactMap(Self.serial)).sorted(by: >).prefix(Self.kept)
    for file in files {
      let isKept = Self.serial(of: file).map(serials.contains) ?? isNew(file)
      if !isKept { unlink("\(folder)/\(file)") }
    }
  }

  private static func serial(of file: String) -> Int64? { file.split(separator: "-").first.flatMap { Int64($0) } }

  /// Whether another server may be writing the file.
  private func isNew(_ file: String) -> Bool {
    let changed = try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(file)")[.modificationDate] as? Date
    return changed.map { -$0.timeIntervalSinceNow < 86_400 } ?? true
  }
}
