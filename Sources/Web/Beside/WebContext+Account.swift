import Storage

extension WebContext {
  /// The name of whoever has signed in; empty where nobody has.
  var account: String { moderator?.name ?? "" }
}
