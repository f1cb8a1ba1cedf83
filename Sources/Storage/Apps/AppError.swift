// SPDX-License-Identifier: Apache-2.0

/// The reason why an operation on an app or a key failed.
public enum AppError: Error, Equatable, CustomStringConvertible {
  /// There is an app or a list of this name.
  case nameTaken(String)
  /// There is no app of this name.
  case noApp(String)
  /// There is no key of this id.
  case noKey(Int32)
  /// The key is revoked or expired.
  case notValid(Int32)
  /// A time in the future: reports that arrive until then cannot be withdrawn yet.
  case inFuture
  /// The end is before the begin.
  case endsBeforeBegin
  /// The name belongs to an app with keys, not to a list.
  case notList(String)

  /// The cause and the remedy, in plain English.
  public var description: String {
    switch self {
    case .nameTaken(let name):
      "An app or list named “\(name)” already exists. Choose another name, or create a new key with: ringfence app rotate \"\(name)\""
    case .noApp(let name): "There is no app named “\(name)”. List apps with: ringfence app list"
    case .noKey(let id): "There is no key \(id). List keys with: ringfence app keys"
    case .notValid(let id): "The key \(id) is revoked or expired. Create a new key with: ringfence app rotate"
    case .inFuture:
      "--until is in the future. Use a time until now, or leave it out."
    case .endsBeforeBegin: "--since is after --until. Swap them."
    case .notList(let name):
      "“\(name)” is the name of an app. Pass another name for the list with --source."
    }
  }
}
