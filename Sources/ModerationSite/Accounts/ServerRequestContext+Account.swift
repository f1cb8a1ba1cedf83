import HTTPServer
import Storage

extension ServerRequestContext {
  /// The name of whoever has signed in; empty where nobody has.
  var account: String { moderator?.name ?? "" }
}
