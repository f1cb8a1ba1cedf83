import Foundation
public import Storage

/// Why nothing was published.
public enum PublishingError: Error, Equatable, CustomStringConvertible {
  /// Another process publishes into this folder just now.
  case busy
  /// The manifest that the next one follows cannot be read, or is none.
  case badManifest(String)
  /// A root's file cannot be read, or is none.
  case badRoot(String)
  /// The newest root does not list the key that is to sign.
  case keyNotInRoot(key: String, root: Int)
  /// A file could not be written.
  case cannotWrite(String, errno: Int32)
  /// Gates hold the publication back; what all of them said.
  case heldBack([GateRecord])
  /// A serial that is asked for was used before.
  case serialUsed(Int64, least: Int64)
  /// Another publisher took over, because this one had not been heard of for too long.
  case superseded(Int64)
  /// Readers would refuse the manifest for this reason.
  case unreadable(String)

  /// What it is, and what to do, in plain English.
  public var description: String {
    switch self {
    case .busy:
      "Another process is publishing just now. Wait until it has finished; one that died is given up after a minute."
    case .badManifest(let path):
      "\(path) cannot be read as a manifest. Restore it from a backup, or move it away: the next one then names none before it."
    case .badRoot(let path):
      "\(path) cannot be read as a root. Restore it from a backup: clients follow the roots from one to the next."
    case .keyNotInRoot(let key, let root):
      """
      The signing key \(key) is not listed in root \(root), so no client would accept what it signs. Give the key that \
      is, or list this one with: ringfence keys rotate
      """
    case .cannotWrite(let path, let code):
      "Cannot write \(path): \(String(cString: strerror(code))). Free space or mend its permissions, then publish again."
    case .heldBack(let gates):
      """
      The publication is held back, and the one before stays.
      \(gates.closed.map { "  \($0.gate)\($0.pack.isEmpty ? "" : " (\($0.pack))"): \($0.detail)" }.joined(separator: "\n"))
      """
    case .serialUsed(let serial, let least):
      "The serial \(serial) was used before. Take \(least) or more."
    case .unreadable(let reason):
      "Readers would refuse this publication: \(reason) Nothing was published; mend the recipes or regions it names."
    case .superseded(let serial):
      "Publication \(serial) took too long to be heard of, and was given up. Publish again."
    }
  }
}
