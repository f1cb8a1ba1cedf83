// SPDX-License-Identifier: Apache-2.0

/// The kinds of requests of a mixed load.
enum MixedRequestKind: Int, CaseIterable, Sendable {
  case report, lookup, hash, unchanged, pack, delta, signIn, queue, numberCase, postDecision

  /// The name in the table.
  var name: String {
    switch self {
    case .report: "report"
    case .lookup: "look-up by number"
    case .hash: "look-up by hash"
    case .unchanged: "manifest or pack, 304"
    case .pack: "pack, whole"
    case .delta: "delta"
    case .signIn: "sign-in"
    case .queue: "queue"
    case .numberCase: "case"
    case .postDecision: "decision"
    }
  }

  /// Whether a status is one that this kind of request expects.
  func isFine(_ status: Int) -> Bool {
    switch self {
    case .report: status == 201 || status == 200
    case .unchanged: status == 304
    case .signIn: (200...303).contains(status)
    // Another moderator has decided the case already.
    case .postDecision: (200...303).contains(status) || status == 409
    default: status == 200
    }
  }
}

/// The roles of the clients.
enum MixedRole: Int, CaseIterable, Sendable {
  case reporter, lookupClient, downloader, moderator
}
