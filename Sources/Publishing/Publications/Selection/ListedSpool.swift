// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Storage

/// The listings of a publication in a file: the numbers that packs include for another reason than a directory,
/// ascending, 12 bytes each.
///
/// A number over its threshold that found no room in a pack is not listed, and must reach the entering threshold again.
///
/// The file survives the process, so that the next run can record a publication whose process died after making it
/// visible.
struct ListedSpool: Sequence, Sendable {
  let path: String

  init(folder: PublicationFolder, serial: Int64) {
    self.init(path: "\(folder.path)/.work/placed-\(serial)")
  }

  init(path: String) {
    self.path = path
  }

  var isThere: Bool { FileManager.default.fileExists(atPath: path) }

  /// Writes the file from batches in ascending order.
  final class Writer: Sendable {
    private let file: FileHandle

    init(_ spool: ListedSpool) throws {
      guard FileManager.default.createFile(atPath: spool.path, contents: nil),
        let file = FileHandle(forWritingAtPath: spool.path)
      else { throw PublishingError.cannotWrite(spool.path, errno: errno) }
      self.file = file
    }

    func append(_ numbers: [ListedNumber]) throws {
      var data = Data(capacity: numbers.count * ListedSpool.rowBytes)
      for listed in numbers {
        withUnsafeBytes(of: listed.number.littleEndian) { data.append(contentsOf: $0) }
        withUnsafeBytes(of: listed.category.rawValue.littleEndian) { data.append(contentsOf: $0) }
        data.append(listed.cause.rawValue)
        data.append(listed.treatment.rawValue)
      }
      try file.write(contentsOf: data)
    }

    func finish() throws {
      try file.synchronize()
      try file.close()
    }
  }

  static let rowBytes = 12

  func makeIterator() -> Iterator { Iterator(file: FileHandle(forReadingAtPath: path)) }

  /// Reads the rows in pieces; an incomplete last row is ignored.
  struct Iterator: IteratorProtocol {
    private let file: FileHandle?
    private var piece = Data()
    private var place = 0

    fileprivate init(file: FileHandle?) { self.file = file }

    mutating func next() -> Listing? {
      while place + ListedSpool.rowBytes <= piece.count || refill() {
        let row = piece.subdata(in: piece.startIndex + place..<piece.startIndex + place + ListedSpool.rowBytes)
        place += ListedSpool.rowBytes
        let number = row.withUnsafeBytes { Int64(littleEndian: $0.loadUnaligned(as: Int64.self)) }
        let category = row.withUnsafeBytes { Int16(littleEndian: $0.loadUnaligned(fromByteOffset: 8, as: Int16.self)) }
        let cause = ListedNumber.Cause(rawValue: row[row.startIndex + 10])
        let treatment = ListedNumber.Treatment(rawValue: row[row.startIndex + 11])
        if let category = ReportCategory(rawValue: category), let cause, let treatment {
          return Listing(number: number, category: category, cause: cause, treatment: treatment)
        }
      }
      return nil
    }

    private mutating func refill() -> Bool {
      piece = (try? file?.read(upToCount: ListedSpool.rowBytes * 8_192)) ?? Data()
      place = 0
      return piece.count >= ListedSpool.rowBytes
    }
  }
}
