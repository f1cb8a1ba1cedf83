import HTTPTypes
import Intake

extension Problem {
  static let unauthorized = Problem(
    .unauthorized, type: "unauthorized", title: "No valid API key",
    detail: "Send the header Authorization: Bearer with your app's key.")

  static let notFound = Problem(
    .notFound, type: "not-found", title: "Nothing here", detail: "There is nothing at this address.")

  static let anotherSite = Problem(
    .forbidden, type: "another-site", title: "Sent by another site",
    detail: "This form can only be sent from a page of this server. Open the page here and try again.")

  static let unsupportedMediaType = Problem(
    .unsupportedMediaType, type: "unsupported-media-type", title: "Not JSON",
    detail: "Send the body as Content-Type: application/json, or many reports as application/x-ndjson.")

  static let unavailable = Problem(
    .serviceUnavailable, type: "unavailable", title: "Cannot answer just now",
    detail: "Nothing was lost that was acknowledged. Send the same request again in a moment.", retryAfter: 2)

  static let `internal` = Problem(
    .internalServerError, type: "internal", title: "Our fault",
    detail: "The request failed for a reason of ours. Send it again; if it keeps failing, tell the operator.")

  static let busy = Problem(
    .serviceUnavailable, type: "busy", title: "Too much at once",
    detail: "The server has no memory to spare for this body. Send it again in a moment.", retryAfter: 2)

  static let stopping = Problem(
    .serviceUnavailable, type: "stopping", title: "Stopping", detail: "The server is about to stop.", retryAfter: 5)

  static let tooSlow = Problem(
    .requestTimeout, type: "too-slow", title: "The body did not arrive in time",
    detail: "Send it again when the connection is better.")

  static let cutShort = Problem(
    .badRequest, type: "cut-short", title: "The body ended early", detail: "Nothing was taken. Send it again.")

  static func tooLarge(limit: Int) -> Problem {
    Problem(
      .contentTooLarge, type: "too-large", title: "Body too large", detail: "The body may have \(limit) bytes at most.")
  }

  static func malformed(_ detail: String, errors: [Field] = []) -> Problem {
    Problem(.badRequest, type: "malformed", title: "Not the JSON we expect", detail: detail, errors: errors)
  }

  static func invalid(_ problems: [FieldProblem], what: String = "report") -> Problem {
    Problem(
      .unprocessableContent, type: "invalid-\(what)", title: "The \(what) breaks a rule",
      detail: "Mend the fields named in errors and send it again.",
      errors: problems.map(Field.init))
  }

  static func methodNotAllowed(_ allowed: [HTTPRequest.Method]) -> Problem {
    let names = allowed.map(\.rawValue).joined(separator: ", ")
    var problem = Problem(
      .methodNotAllowed, type: "method-not-allowed", title: "Not with this method", detail: "Use one of: \(names).")
    problem.headers[.allow] = names
    return problem
  }

  static func limited(_ refusal: Limiter.Refusal) -> Problem {
    Problem(
      .tooManyRequests, type: "limited", title: "Too many requests",
      detail: "The limit of this \(refusal.limit) is reached. Send it again in \(refusal.retryAfter) seconds.",
      retryAfter: refusal.retryAfter)
  }

  /// - Parameter limit: how many there may be.
  static func tooMany(limit: Int) -> Problem {
    Problem(
      .unprocessableContent, type: "too-many", title: "Too many in one request",
      detail: "Send 1 to \(limit) at a time.")
  }

  static let nothingPublished = Problem(
    .notFound, type: "nothing-published", title: "Nothing is published yet",
    detail: "There is no publication yet. Ask again after the first one.")

  static let notARegion = Problem(
    .badRequest, type: "region", title: "Not a region",
    detail: "Give region as the two letters that ISO 3166 has for a country, such as DE, or leave it out.")

  static let preconditionFailed = Problem(
    .preconditionFailed, type: "precondition-failed", title: "Another file by now",
    detail: "The file is not the one that your condition names. Fetch it without the condition.")

  /// - Parameters:
  ///   - length: of the file in bytes.
  ///   - headers: what it is recognised by.
  static func notSatisfiable(length: Int, headers: HTTPFields) -> Problem {
    var problem = Problem(
      .rangeNotSatisfiable, type: "range", title: "Beyond the end",
      detail: "The file has \(length) bytes. Ask for some of them, or for the whole.")
    problem.headers = headers
    problem.headers[.cacheControl] = "no-store"
    problem.headers[.contentRange] = "bytes */\(length)"
    return problem
  }

  static let conflict = Problem(
    .conflict, type: "conflict", title: "The id is taken",
    detail: "Your app has used this id for another content. Send the new content under an id of its own.")

  static let withdrawn = Problem(
    .gone, type: "withdrawn", title: "The report was withdrawn",
    detail: "A withdrawn report does not come back. Send a new one under an id of its own.")
}

extension Problem.Field {
  init(_ problem: FieldProblem) {
    self.init(pointer: "/\(problem.field)", code: problem.code, detail: problem.detail)
  }
}
