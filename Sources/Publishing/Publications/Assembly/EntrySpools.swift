import Curation

/// Listed numbers and directory entries on their way: each in the order of numbers, to be merged as often as wanted.
final class EntrySpools {
  private let spool: BlockSpool
  private let listed: Int
  private let directory: Int
  private var lastListed: Int64 = 0
  private var lastEntry: Int64 = 0
  /// Listed numbers taken.
  private(set) var listedCount = 0
  /// Directory entries taken.
  private(set) var directoryCount = 0

  init(folder: String) throws {
    spool = try BlockSpool(folder: folder, blockBytes: 256 << 10)
    listed = spool.addStream()
    directory = spool.addStream()
  }

  func append(_ numbers: [ListedNumber]) throws {
    for item in numbers {
      guard item.number > lastListed else {
        throw AssemblyError.notAscending(feed: "listed numbers", number: item.number, after: lastListed)
      }
      lastListed = item.number
      guard (item.label?.utf8.count ?? 0) <= UInt16.max else { throw AssemblyError.textTooLong(number: item.number) }
      try spool.append(to: listed) { bytes in
        bytes.append(littleEndian: item.number)
        bytes.append(littleEndian: item.category.rawValue)
        bytes.append(item.treatment.rawValue)
        bytes.append(item.cause.rawValue)
        bytes.append(littleEndian: item.heat.bitPattern)
        bytes.append(littleEndian: item.evidence.bitPattern)
        bytes.append(littleEndian: item.identifications.bitPattern)
        bytes.append(spooling: item.label ?? "")
      }
    }
    listedCount += numbers.count
  }

  func append(_ entries: [DirectoryEntry]) throws {
    for entry in entries {
      guard entry.number > lastEntry else {
        throw AssemblyError.notAscending(feed: "directory", number: entry.number, after: lastEntry)
      }
      lastEntry = entry.number
      guard entry.name.utf8.count <= UInt16.max else { throw AssemblyError.textTooLong(number: entry.number) }
      try spool.append(to: directory) { bytes in
        bytes.append(littleEndian: entry.number)
        bytes.append(littleEndian: entry.identifications.bitPattern)
        bytes.append(spooling: entry.name)
      }
    }
    directoryCount += entries.count
  }

  /// Calls `body` with every number, in order; what it lends is gone with the next.
  func forEachMerged(_ body: (borrowing MergedNumber) throws -> Void) throws {
    let listed = try spool.reader(of: listed)
    let directory = try spool.reader(of: directory)
    var item = try ListedRecord(listed)
    var entry = try DirectoryRecord(directory)
    while item != nil || entry != nil {
      let number = min(item?.number ?? .max, entry?.number ?? .max)
      let isListed = item?.number == number
      let isNamed = entry?.number == number
      try body(MergedNumber(number: number, listed: isListed ? item : nil, entry: isNamed ? entry : nil))
      if isListed { item = try ListedRecord(listed) }
      if isNamed { entry = try DirectoryRecord(directory) }
    }
  }
}

/// A number with what is known of it.
struct MergedNumber {
  var number: Int64
  var listed: ListedRecord?
  var entry: DirectoryRecord?
}

/// A listed number as it lies in the spool.
struct ListedRecord {
  var number: Int64
  var category: ReportCategory
  var treatment: ListedNumber.Treatment
  var cause: ListedNumber.Cause
  var heat: Double
  var evidence: Double
  var identifications: Double
  /// Empty where no moderator gave one.
  var label: UnsafeRawBufferPointer

  /// The next one; nil at the end.
  fileprivate init?(_ reader: BlockReader) throws {
    guard try reader.hasMore() else { return nil }
    number = reader.integer()
    category = ReportCategory(rawValue: reader.integer()) ?? .other
    treatment = ListedNumber.Treatment(rawValue: reader.integer()) ?? .identify
    cause = ListedNumber.Cause(rawValue: reader.integer()) ?? .reports
    heat = reader.double()
    evidence = reader.double()
    identifications = reader.double()
    label = reader.take(Int(reader.integer(UInt16.self)))
  }
}

/// A directory entry as it lies in the spool.
struct DirectoryRecord {
  var number: Int64
  var identifications: Double
  var name: UnsafeRawBufferPointer

  /// The next one; nil at the end.
  fileprivate init?(_ reader: BlockReader) throws {
    guard try reader.hasMore() else { return nil }
    number = reader.integer()
    identifications = reader.double()
    name = reader.take(Int(reader.integer(UInt16.self)))
  }
}
