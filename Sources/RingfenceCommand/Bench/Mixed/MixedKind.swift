/// What a mixed load asks.
enum MixedKind: Int, CaseIterable, Sendable {
  case report, lookup, hash, unchanged, pack, delta, signIn, queue, numberCase, ruling

  /// As the table has it.
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
    case .ruling: "ruling"
    }
  }

  /// Whether a status is what this was asked for.
  func isFine(_ status: Int) -> Bool {
    switch self {
    case .report: status == 201 || status == 200
    case .unchanged: status == 304
    case .signIn: (200...303).contains(status)
    // Somebody else was faster: the page says so.
    case .ruling: (200...303).contains(status) || status == 409
    default: status == 200
    }
  }
}

/// Who asks.
enum MixedRole: Int, CaseIterable, Sendable {
  case reporter, looker, downloader, moderator
}
