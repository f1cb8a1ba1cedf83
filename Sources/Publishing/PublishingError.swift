import Foundation

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
  /// A pack that was just written is not what was put into it.
  case notWhatWasWritten(pack: String, expected: Int, got: Int)

  /// What it is, and what to do, in plain English.
  public var description: String {
    switch self {
    case .busy:
      "Another process is publishing into this folder. Wait until it has finished."
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
    case .notWhatWasWritten(let pack, let expected, let got):
      "The pack \(pack) was written with \(expected) entries and read back with \(got). Nothing was published."
    }
  }
}
