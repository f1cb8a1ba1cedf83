// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Foundation
import PackFormats

/// The figures of a number in PhoneBlock's block list.
package struct PhoneBlockFigures: Sendable {
  package let votes: Int
  /// One of PhoneBlock's ratings.
  package let rating: String
  /// Milliseconds since 1970.
  package let lastActivity: Int64

  package init(votes: Int, rating: String, lastActivity: Int64) {
    self.votes = votes
    self.rating = rating
    self.lastActivity = lastActivity
  }
}

/// The text of PhoneBlock's block list, as compact JSON or XML. Clients read it by regular expressions too.
package struct PhoneBlockListText: Sendable {
  /// Whether it is XML; otherwise JSON.
  private let isXML: Bool
  private let version: Int64
  private var isFirst = true

  /// - Parameter version: the serial of the list.
  package init(isXML: Bool, version: Int64) {
    self.isXML = isXML
    self.version = version
  }

  /// The text before the first number.
  package var start: String { isXML ? "<blocklist version=\"\(version)\"><numbers>" : "{\"numbers\":[" }

  package mutating func entry(_ number: Int64, _ figures: PhoneBlockFigures) -> String {
    let (votes, rating, time) = (figures.votes, figures.rating, figures.lastActivity)
    if isXML {
      return "<phone-info phone=\"+\(number)\" votes=\"\(votes)\" rating=\"\(rating)\" last-activity=\"\(time)\"/>"
    }
    defer { isFirst = false }
    return (isFirst ? "" : ",")
      + "{\"phone\":\"+\(number)\",\"votes\":\(votes),\"rating\":\"\(rating)\",\"lastActivity\":\(time)}"
  }

  /// The text after the last number.
  package var end: String { isXML ? "</numbers></blocklist>" : "],\"version\":\(version)}" }
}

/// Writes PhoneBlock's block list from a pack, with the figures of each number from the database.
struct PhoneBlockListBuild: Sendable {
  /// The numbers whose figures are read at once.
  private static let batch = 10_000

  let folder: PublicationFolder
  let pack: ManifestPack
  let isXML: Bool
  /// The earlier pack from which on the changes are written; nil for the complete list.
  let base: String?
  /// The figures of all these numbers.
  let figures: @Sendable ([Int64]) async throws -> [Int64: PhoneBlockFigures]

  func write(_ path: String) async throws {
    let reader = try PackReader.open(path: folder.filePath(pack.path))
    let time = Int64(clamping: reader.header.createdAt) * 1_000
    let removed = PhoneBlockFigures(votes: 0, rating: "A_LEGITIMATE", lastActivity: time)
    var entries = try ListEntries(reader, since: try base.map { try PackReader.open(path: $0) })
    var text = PhoneBlockListText(isXML: isXML, version: pack.serial)
    let file = URL(filePath: path)
    let temporary = file.deletingLastPathComponent().path + "/.\(file.lastPathComponent).\(UUID().uuidString).part"
    guard FileManager.default.createFile(atPath: temporary, contents: nil),
      let output = FileHandle(forWritingAtPath: temporary)
    else { throw PublishingError.cannotWrite(path, errno: errno) }
    do {
      try output.write(contentsOf: Data(text.start.utf8))
      var isEnd = false
      while !isEnd {
        var batch: [ListEntry] = []
        while batch.count < Self.batch, let entry = try entries.next() { batch.append(entry) }
        isEnd = batch.count < Self.batch
        let known = try await figures(batch.filter { !$0.isRemoved }.map(\.number))
        var bytes = Data()
        for entry in batch {
          guard let shown = entry.isRemoved ? removed : known[entry.number] else { continue }
          bytes.append(contentsOf: text.entry(entry.number, shown).utf8)
        }
        try output.write(contentsOf: bytes)
      }
      try output.write(contentsOf: Data(text.end.utf8))
      try output.synchronize()
      try output.close()
      try DurableFile.move(temporary, to: path)
    } catch {
      unlink(temporary)
      throw error
    }
  }
}
