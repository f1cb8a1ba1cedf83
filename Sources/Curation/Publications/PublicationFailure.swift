// SPDX-License-Identifier: Apache-2.0

/// The reason why nothing was published.
public struct PublicationFailure: CodedData {
  /// The kinds of reasons.
  public enum Code: String, CaseIterable, Sendable {
    case busy
    case cancelled
    case cannotWrite = "cannot_write"
    case cutTooHigh = "cut_too_high"
    case databaseError = "database_error"
    case damagedManifest = "damaged_manifest"
    case damagedRoot = "damaged_root"
    case gatesClosed = "gates_closed"
    case internalError = "internal_error"
    case keyNotInRoot = "key_not_in_root"
    case nameTooLong = "name_too_long"
    case numbersNotAscending = "numbers_not_ascending"
    case packError = "pack_error"
    case processEnded = "process_ended"
    case refusedByReaders = "refused_by_readers"
    case samePackName = "same_pack_name"
    case serialUsed = "serial_used"
    case superseded
  }

  /// The kind of reason.
  public let code: Code
  /// The values of the message by their names.
  public let values: [String: CodedValue]

  /// - Parameters: see the properties; the functions below make each code with its values.
  public init(code: Code, values: [String: CodedValue] = [:]) {
    self.code = code
    self.values = values
  }

  /// Another process is publishing.
  public static let busy = PublicationFailure(code: .busy)

  /// The process was told to stop.
  public static let cancelled = PublicationFailure(code: .cancelled)

  /// A file could not be written.
  /// - Parameter detail: the operating system's text.
  public static func cannotWrite(path: String, detail: String) -> PublicationFailure {
    PublicationFailure(code: .cannotWrite, values: ["path": .foreign(path), "detail": .foreign(detail)])
  }

  /// The selection cut was too high: a pack is not full without the numbers below it.
  public static let cutTooHigh = PublicationFailure(code: .cutTooHigh)

  /// The database could not be reached, or refused a statement.
  public static func databaseError(_ detail: String) -> PublicationFailure {
    PublicationFailure(code: .databaseError, values: ["detail": .foreign(detail)])
  }

  /// The manifest that the next one follows cannot be read.
  public static func damagedManifest(path: String) -> PublicationFailure {
    PublicationFailure(code: .damagedManifest, values: ["path": .foreign(path)])
  }

  /// The file of a root cannot be read.
  public static func damagedRoot(path: String) -> PublicationFailure {
    PublicationFailure(code: .damagedRoot, values: ["path": .foreign(path)])
  }

  /// Gates refused the publication; their findings are stored separately.
  public static let gatesClosed = PublicationFailure(code: .gatesClosed)

  /// Any other error.
  public static func internalError(_ detail: String) -> PublicationFailure {
    PublicationFailure(code: .internalError, values: ["detail": .foreign(detail)])
  }

  /// The newest root does not list the signing key.
  public static func keyNotInRoot(key: String, root: Int) -> PublicationFailure {
    PublicationFailure(code: .keyNotInRoot, values: ["key": .text(key), "root": "\(root)"])
  }

  /// The name of a directory entry is longer than a pack allows.
  public static func nameTooLong(number: Int64) -> PublicationFailure {
    PublicationFailure(code: .nameTooLong, values: ["number": "+\(number)"])
  }

  /// The database returned numbers in the wrong order.
  public static func numbersNotAscending(number: Int64, previous: Int64) -> PublicationFailure {
    PublicationFailure(code: .numbersNotAscending, values: ["number": "+\(number)", "previous": "+\(previous)"])
  }

  /// A pack, a delta or another format could not be made.
  public static func packError(_ detail: String) -> PublicationFailure {
    PublicationFailure(code: .packError, values: ["detail": .foreign(detail)])
  }

  /// The process ended during the work.
  public static let processEnded = PublicationFailure(code: .processEnded)

  /// Readers would refuse the manifest.
  public static func refusedByReaders(_ detail: String) -> PublicationFailure {
    PublicationFailure(code: .refusedByReaders, values: ["detail": .foreign(detail)])
  }

  /// Two packs would have the same name.
  public static func samePackName(_ pack: String) -> PublicationFailure {
    PublicationFailure(code: .samePackName, values: ["pack": .text(pack)])
  }

  /// The serial was used before.
  public static func serialUsed(_ serial: Int64, minimum: Int64) -> PublicationFailure {
    PublicationFailure(code: .serialUsed, values: ["serial": "\(serial)", "minimum": "\(minimum)"])
  }

  /// Another process took over, because this one sent no heartbeat for too long.
  public static func superseded(serial: Int64) -> PublicationFailure {
    PublicationFailure(code: .superseded, values: ["serial": "\(serial)"])
  }
}
