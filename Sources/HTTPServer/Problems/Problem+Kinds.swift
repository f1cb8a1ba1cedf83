// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import Intake
package import Storage

extension Problem {
  package static let unauthorized = Problem(.unauthorized)
  /// For clients that know only a name and a password.
  package static let noPassword: Problem = {
    var problem = Problem(.unauthorized, detail: "Enter your app's key as the password, with any user name.")
    problem.headers[.wwwAuthenticate] = #"Basic realm="Ringfence", charset="UTF-8""#
    return problem
  }()
  package static let notFound = Problem(.notFound)
  static let noHost = Problem(.noHost)
  static let anotherSite = Problem(.anotherSite)
  package static let unsupportedMediaType = Problem(.unsupportedMediaType)
  static let unsupportedEncoding = Problem(.unsupportedEncoding)
  package static let notAcceptable = Problem(.notAcceptable)
  package static let unavailable = Problem(.unavailable)
  package static let `internal` = Problem(.internal)
  package static let busy = Problem(.busy)
  package static let stopping = Problem(.stopping)
  static let tooSlow = Problem(.tooSlow)
  static let cutShort = Problem(.cutShort)
  static let unknownMethod = Problem(.unknownMethod)
  package static let nothingPublished = Problem(.nothingPublished)
  package static let notANumber = Problem(.notANumber)
  package static let notAPrefix = Problem(.notAPrefix)
  static let preconditionFailed = Problem(.preconditionFailed)
  package static let conflict = Problem(.conflict)
  package static let withdrawn = Problem(.withdrawn)

  /// - Parameter text: what was sent; only its beginning is repeated.
  package static func notARegion(_ text: some StringProtocol) -> Problem {
    let value = VisibleText.beginning(of: text)
    var problem = Problem(
      .region,
      detail: "The region is \"\(value)\". It must be the two letters that ISO 3166 has for a country, such as DE.")
    problem.values = ["value": value]
    return problem
  }

  /// - Parameters:
  ///   - name: the name of a query parameter.
  ///   - text: what was sent; only its beginning is repeated.
  ///   - rule: what the parameter must be, and what to do.
  package static func parameter(_ name: String, _ text: some StringProtocol, _ rule: String) -> Problem {
    Problem(.request, detail: "The parameter \(name) is \"\(VisibleText.beginning(of: text))\". \(rule)")
  }

  package static func tooLarge(limit: Int) -> Problem {
    Problem(.tooLarge, detail: "The body can have at most \(limit) bytes.")
  }

  package static func malformed(_ detail: String, errors: [Field] = []) -> Problem {
    Problem(.malformed, detail: detail, errors: errors)
  }

  /// - Parameter kind: a report or a batch.
  package static func invalid(_ problems: [FieldProblem], kind: ProblemKind = .invalidReport) -> Problem {
    Problem(kind, errors: problems.map(Field.init))
  }

  package static func scope(_ scope: AppScopes) -> Problem {
    Problem(.scope, detail: "This requires a key with the scope \(scope.names.joined(separator: " and ")).")
  }

  /// - Parameters:
  ///   - fields: the fields of a report that need the scope vouch.
  ///   - place: the index of the report in a batch.
  ///   - app: the app of the key without the scope.
  package static func vouch(_ fields: [String], place: Int?, app: App) -> Problem {
    let path = place.map { "/\($0)" } ?? ""
    let key = app.keyID.map { "\($0)" } ?? "KEY"
    return Problem(
      .scope,
      detail: "\(fields.joined(separator: " and ")) can only be sent with a key with the scope vouch. Nothing was "
        + "stored. Leave the fields out; or, if only your server has this key, ask the operator to run: ringfence app "
        + "scopes \(key) \(app.scopes.union(.vouch).names.joined(separator: ","))",
      errors: fields.map {
        Field(pointer: "\(path)/\($0)", code: "scope", detail: "This field requires a key with the scope vouch.")
      })
  }

  /// - Parameters:
  ///   - code: the check that failed.
  ///   - tryAgain: how the phone may try again.
  package static func attestation(refused code: String, tryAgain: String) -> Problem {
    var problem = Problem(
      .attestationRefused,
      errors: [Field(pointer: "", code: code, detail: "Documentation/attestation.md says what this check requires.")])
    problem.tryAgain = tryAgain
    // For clients that do not read the bodies of errors.
    problem.headers[HTTPField.Name("Ringfence-Try-Again")!] = tryAgain
    return problem
  }

  /// A method that the address does not have; the answer names those that it has.
  package static func methodNotAllowed(_ allowed: [HTTPRequest.Method]) -> Problem {
    let names = allowed.map(\.rawValue).joined(separator: ", ")
    var problem = Problem(.methodNotAllowed, detail: "Use one of: \(names).")
    problem.headers[.allow] = names
    return problem
  }

  package static func limited(_ refusal: RateLimiter.Refusal) -> Problem {
    var problem = Problem(
      .limited,
      detail:
        "The rate limit of this \(refusal.limit) is reached. Send the request again in \(refusal.retryAfter) seconds.")
    problem.retryAfter = refusal.retryAfter
    problem.values = ["limit": refusal.limit]
    return problem
  }

  /// - Parameter limit: maximum items.
  package static func tooMany(limit: Int) -> Problem {
    Problem(.tooMany, detail: "Send 1 to \(limit) at a time.")
  }

  /// - Parameters:
  /// - length: of the file in bytes.
  /// - headers: validators of the file.
  static func notSatisfiable(length: Int, headers: HTTPFields) -> Problem {
    var problem = Problem(
      .range, detail: "The file has \(length) bytes. Request a range within it, or the complete file.")
    problem.headers = headers
    problem.headers[.cacheControl] = "no-store"
    problem.headers[.contentRange] = "bytes */\(length)"
    return problem
  }
}

extension Problem.Field {
  package init(_ problem: FieldProblem) {
    self.init(pointer: "/\(problem.field)", code: problem.code, detail: problem.detail)
  }
}
