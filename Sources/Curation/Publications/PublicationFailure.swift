// SPDX-License-Identifier: Apache-2.0

/// The reason why nothing was published.
public enum PublicationFailure: CodedData {
  public enum CodingKeys: MessageCode {
    case busy, cancelled, cannotWrite, cutTooHigh, damagedManifest, damagedRoot, databaseError, gatesClosed
    case internalError, keyNotInRoot, nameTooLong, numbersNotAscending, packError, processEnded, refusedByReaders
    case samePackName, serialsReserved, serialUsed, superseded
  }

  /// Another process is publishing.
  case busy
  case cancelled
  case cannotWrite(path: String, detail: String)
  /// The selection cut was too high: a pack is not full without the numbers below it.
  case cutTooHigh
  /// The manifest that the next one follows cannot be read.
  case damagedManifest(path: String)
  case damagedRoot(path: String)
  /// The database could not be reached, or refused a statement.
  case databaseError(String)
  /// Gates refused the publication; their findings are stored separately.
  case gatesClosed
  /// Any other error.
  case internalError(String)
  /// The newest root does not list the signing key.
  case keyNotInRoot(key: String, root: Int)
  /// The name of a directory entry is longer than a pack allows.
  case nameTooLong(number: Int64)
  /// The database returned numbers in the wrong order.
  case numbersNotAscending(number: Int64, previous: Int64)
  /// A pack, a delta or another format could not be made.
  case packError(String)
  case processEnded
  /// Readers would refuse the manifest.
  case refusedByReaders(String)
  case samePackName(pack: String)
  /// A restore reserved the serials up to this one, which clients may have seen.
  case serialsReserved(serial: Int64)
  /// The serial was used before; with the lowest one that was not.
  case serialUsed(serial: Int64, minimum: Int64)
  /// Another process took over, because this one sent no heartbeat for too long.
  case superseded(serial: Int64)
}

/// The reason why a revocation was not carried out.
public enum RevocationFailure: CodedData {
  public enum CodingKeys: MessageCode {
    case gatesClosed, nothingPublished, numberProtected
  }

  /// Gates refused the changed publication; with their names, separated by commas.
  case gatesClosed(gates: String)
  case nothingPublished
  /// The number is protected and was to be added.
  case numberProtected(number: Int64)
}
