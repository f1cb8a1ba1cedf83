// SPDX-License-Identifier: Apache-2.0

import CallerPack
public import Curation
import Foundation
import PackFormats
import PostgreSQL
public import Storage

/// Reasons why nothing was published.
public enum PublishingError: Error, Equatable, CustomStringConvertible {
  /// Another process is publishing into this folder.
  case busy
  /// The previous manifest cannot be read or is not a manifest.
  case badManifest(String)
  /// A root's file cannot be read or is not a root.
  case badRoot(String)
  /// The newest root does not list the signing key.
  case keyNotInRoot(key: String, root: Int)
  case cannotWrite(String, errno: Int32)
  /// Gates refused the publication; the records of all gates.
  case heldBack([GateRecord])
  case serialUsed(Int64, least: Int64)
  /// Another publisher took over, because this one's heartbeats were missing.
  case superseded(Int64)
  /// Readers would refuse the manifest for this reason.
  case unreadable(String)

  /// The code and its values for logs. Localization makes sentences for people.
  public var description: String { PublicationFailure(self).json }
}

extension PublicationFailure {
  /// The code of an error that ended a publication.
  public init(_ error: any Error) {
    self =
      switch error {
      case let error as PublishingError: Self.failure(of: error)
      case let error as AssemblyError: Self.failure(of: error)
      case is CancellationError: .cancelled
      case let error as CocoaError where error.underlying is POSIXError: .cannotWrite(error)
      case let error as PostgresError: .databaseError("\(error)")
      case let error as PackError: .packError("\(error)")
      case let error as PackFormatError: .packError("\(error)")
      default: .internalError("\(error)")
      }
  }

  private static func cannotWrite(_ error: CocoaError) -> PublicationFailure {
    let code = (error.underlying as? POSIXError)?.code.rawValue ?? 0
    return .cannotWrite(path: error.filePath ?? error.url?.path ?? "", detail: String(cString: strerror(code)))
  }

  private static func failure(of error: PublishingError) -> PublicationFailure {
    switch error {
    case .busy: .busy
    case .badManifest(let path): .damagedManifest(path: path)
    case .badRoot(let path): .damagedRoot(path: path)
    case .keyNotInRoot(let key, let root): .keyNotInRoot(key: key, root: root)
    case .cannotWrite(let path, let code): .cannotWrite(path: path, detail: String(cString: strerror(code)))
    case .heldBack: .gatesClosed
    case .serialUsed(let serial, let least): .serialUsed(serial: serial, minimum: least)
    case .superseded(let serial): .superseded(serial: serial)
    case .unreadable(let reason): .refusedByReaders(reason)
    }
  }

  private static func failure(of error: AssemblyError) -> PublicationFailure {
    switch error {
    case .notAscending(_, let number, let after): .numbersNotAscending(number: number, previous: after)
    case .textTooLong(let number): .nameTooLong(number: number)
    case .cutTooHigh: .cutTooHigh
    case .sameName(let name): .samePackName(pack: name)
    }
  }
}
