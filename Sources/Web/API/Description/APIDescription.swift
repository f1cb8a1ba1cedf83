import Foundation

/// All that the API is. What is said here is what the server does: tests hold the routes and the answers against it.
struct APIDescription: Sendable {
  static let title = "Ringfence"
  static let version = "1.0.0"

  static let introduction = """
    An app sends reports about nuisance callers, asks why a number is listed, and fetches the lists that are published \
    every night. Bodies are JSON in UTF-8. Times are RFC 3339, in UTC in answers. Members that are not described here may \
    be added to answers; pass over them.
    """

  /// When the server started, in whole seconds: examples with this time can be sent as they are.
  static let started = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))

  /// Whether files of publications need a key.
  let publicationsNeedKey: Bool

  var groups: [APIGroup] {
    [Self.reports, Self.identifications, Self.numbers, publications, Self.server]
  }

  var operations: [APIOperation] { groups.flatMap(\.operations) }

  static let models: [APIModel] = [
    report, reportAnswer, batchAnswer, identificationBatch, identificationItem, identificationAnswer, explanation,
    hashAnswer, hashEntry, envelope, summary, problem, problemField, status,
  ]
}
