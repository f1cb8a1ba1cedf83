import HTTPTypes

extension ProblemKind {
  /// Kinds that the server brings about.
  package var accountOfServer: Account {
    switch self {
    case .unknownMethod:
      Account(
        status: .notImplemented, title: "A method we do not know",
        detail: "Use GET, HEAD, POST or DELETE, as the documentation says.",
        cause: "The method is none that any address of this server has.", remedy: "Use the documented one.")
    case .unavailable:
      Account(
        status: .serviceUnavailable, title: "Cannot answer just now",
        detail: "Nothing was lost that was acknowledged. Send the same request again in a moment.",
        cause: "The database cannot be reached, or more reports wait to be stored than fit in memory.",
        remedy: "Send the same request again after Retry-After; with the same ids nothing is counted twice.",
        retryAfter: 2)
    case .busy:
      Account(
        status: .serviceUnavailable, title: "Too much at once",
        detail: "The server has no memory to spare for this body. Send it again in a moment.",
        cause: "Many large bodies arrive at the same time.",
        remedy: "Send it again after Retry-After, or in smaller batches.", retryAfter: 2)
    case .stopping:
      Account(
        status: .serviceUnavailable, title: "Stopping", detail: "The server is about to stop.",
        cause: "The operator stops or updates the server.",
        remedy: "Nothing to do for apps; a balancer sends requests elsewhere.", retryAfter: 5)
    default:
      Account(
        status: .internalServerError, title: "Our fault",
        detail: "The request failed for a reason of ours. Send it again; if it keeps failing, tell the operator.",
        cause: "A mistake of the server; it is in the server's log.",
        remedy: "Send the same request again; if it keeps failing, tell the operator when it happened.")
    }
  }
}
