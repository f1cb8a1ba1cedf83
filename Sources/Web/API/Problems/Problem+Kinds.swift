import HTTPTypes
import Intake
import Storage

extension Problem {
  static let unauthorized = Problem(.unauthorized)
  static let notFound = Problem(.notFound)
  static let noHost = Problem(.noHost)
  static let anotherSite = Problem(.anotherSite)
  static let unsupportedMediaType = Problem(.unsupportedMediaType)
  static let unsupportedEncoding = Problem(.unsupportedEncoding)
  static let notAcceptable = Problem(.notAcceptable)
  static let unavailable = Problem(.unavailable)
  static let `internal` = Problem(.internal)
  static let busy = Problem(.busy)
  static let stopping = Problem(.stopping)
  static let tooSlow = Problem(.tooSlow)
  static let cutShort = Problem(.cutShort)
  static let unknownMethod = Problem(.unknownMethod)
  static let nothingPublished = Problem(.nothingPublished)
  static let notARegion = Problem(.region)
  static let notANumber = Problem(.notANumber)
  static let notAPrefix = Problem(.notAPrefix)
  static let preconditionFailed = Problem(.preconditionFailed)
  static let conflict = Problem(.conflict)
  static let withdrawn = Problem(.withdrawn)

  static func tooLarge(limit: Int) -> Problem {
    Problem(.tooLarge, detail: "The body may have \(limit) bytes at most.")
  }

  static func malformed(_ detail: String, errors: [Field] = []) -> Problem {
    Problem(.malformed, detail: detail, errors: errors)
  }

  /// - Parameter kind: what of: a report or a batch.
  static func invalid(_ problems: [FieldProblem], kind: ProblemKind = .invalidReport) -> Problem {
    Problem(kind, errors: problems.map(Field.init))
  }

  static func scope(_ scope: AppScopes) -> Problem {
    Problem(.scope, detail: "This needs a key with the scope \(scope.names.joined(separator: " and ")).")
  }

  static func methodNotAllowed(_ allowed: [HTTPRequest.Method]) -> Problem {
    let names = allowed.map(\.rawValue).joined(separator: ", ")
    var problem = Problem(.methodNotAllowed, detail: "Use one of: \(names).")
    problem.headers[.allow] = names
    return problem
  }

  static func limited(_ refusal: Limiter.Refusal) -> Problem {
    var problem = Problem(
      .limited,
      detail: "The limit of this \(refusal.limit) is reached. Send it again in \(refusal.retryAfter) seconds.")
    problem.retryAfter = refusal.retryAfter
    return problem
  }

  /// - Parameter limit: how many there may be.
  static func tooMany(limit: Int) -> Problem {
    Problem(.tooMany, detail: "Send 1 to \(limit) at a time.")
  }

  /// - Parameters:
  ///   - length: of the file in bytes.
  ///   - headers: what it is recognised by.
  static func notSatisfiable(length: Int, headers: HTTPFields) -> Problem {
    var problem = Problem(
      .range, detail: "The file has \(length) bytes. Ask for some of them, or for the whole.")
    problem.headers = headers
    problem.headers[.cacheControl] = "no-store"
    problem.headers[.contentRange] = "bytes */\(length)"
    return problem
  }
}

extension Problem.Field {
  init(_ problem: FieldProblem) {
    self.init(pointer: "/\(problem.field)", code: problem.code, detail: problem.detail)
  }
}
