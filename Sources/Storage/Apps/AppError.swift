/// Why something cannot be done with an app or a key.
public enum AppError: Error, Equatable, CustomStringConvertible {
  /// There is an app or a list of this name.
  case nameTaken(String)
  /// There is no app of this name.
  case noApp(String)
  /// There is no key of this id.
  case noKey(Int32)
  /// The key is revoked or expired.
  case notValid(Int32)
  /// A time that has not come yet: what will arrive until then cannot be taken back.
  case inFuture
  /// The end is before the begin.
  case endsBeforeBegin
  /// An app that sends by keys has the name; no list is counted under it.
  case notList(String)

  /// What it is, and what to do, in plain English.
  public var description: String {
    switch self {
    case .nameTaken(let name):
      "There is an app or a list named “\(name)”. Give it a new key with: ringfence app rotate, or choose another name."
    case .noApp(let name): "There is no app named “\(name)”. See: ringfence app list"
    case .noKey(let id): "There is no key \(id). See: ringfence app keys"
    case .notValid(let id): "The key \(id) is revoked or expired. Make a new one with: ringfence app rotate"
    case .inFuture:
      "Reports are taken back up to now at most. Leave --until out: for a key that has ended it is a minute after its end."
    case .endsBeforeBegin: "--since is before --until."
    case .notList(let name):
      "“\(name)” is an app that reports by keys. Count the list under another name with --source."
    }
  }
}
