// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import HTTPTypes
import Hummingbird
import Intake
import Logging
import NIOCore
import NIOHTTP1

/// An error that PhoneBlock's clients get as one sentence of plain text.
struct PhoneBlockError: Error {
  let status: HTTPResponse.Status
  let text: String

  static let notAHash = PhoneBlockError(status: .badRequest, text: "Not a valid hash, 40 hex digits required.")
  static let invalidNumber = PhoneBlockError(status: .badRequest, text: "Invalid phone number.")
  static let noCompleteList = PhoneBlockError(
    status: .notFound,
    text: "The server has no list for all regions in one part: all recipes of block lists have regions or shards.")
  static let fullList = PhoneBlockError(
    status: .conflict, text: "The personal list is full. Remove a number and send the request again.")

  /// - Parameter name: of a parameter of `/check-prefix`.
  static func missing(_ name: String) -> PhoneBlockError {
    PhoneBlockError(status: .badRequest, text: "Missing '\(name)' parameter.")
  }

  /// - Parameter name: of a parameter of `/check-prefix`.
  static func invalidPrefix(_ name: String) -> PhoneBlockError {
    PhoneBlockError(
      status: .badRequest, text: "Invalid '\(name)' prefix: an even count of 4 to 40 hex digits required.")
  }

  /// - Parameters:
  ///   - name: of a query parameter.
  ///   - value: what was sent.
  ///   - rule: completes the sentence "It must be …".
  static func invalid(_ name: String, _ value: some StringProtocol, _ rule: String) -> PhoneBlockError {
    let value = VisibleText.beginning(of: value)
    return PhoneBlockError(status: .badRequest, text: "Invalid '\(name)' parameter '\(value)'. It must be \(rule).")
  }
}

/// Answers errors as PhoneBlock does: plain text, and 401 for a missing key and a missing scope. No answer may be
/// cached. Place it before all other middleware of the routes.
struct PhoneBlockErrorMiddleware: RouterMiddleware {
  let failures: FailureLog

  private static let login = "Please provide login credentials."
  private static let challenge = #"Basic realm="PhoneBlock", charset="UTF-8""#

  func handle(
    _ request: Request, context: ServerRequestContext, next: (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    var response: Response
    do {
      response = try await next(request, context)
    } catch let error as HTTPParserError {
      // The server answers it and closes the connection.
      throw error
    } catch let error as PhoneBlockError {
      response = Self.text(error.text, status: error.status)
    } catch {
      let problem = Problem.answering(
        error, path: context.route ?? "none", log: failures, logger: context.logger)
      response = Self.response(to: problem)
    }
    response.headers[.cacheControl] = "no-cache"
    return response
  }

  private static func response(to problem: Problem) -> Response {
    let isRefused = problem.status == 401 || problem.status == 403
    let fields = problem.errors.map { $0.pointer.isEmpty ? $0.detail : "\($0.pointer): \($0.detail)" }
    let words = fields.isEmpty ? problem.detail : fields.joined(separator: " ")
    var response = text(
      problem.status == 401 ? login : words, status: isRefused ? .unauthorized : .init(code: problem.status))
    for field in problem.headers { response.headers.append(field) }
    if let retryAfter = problem.retryAfter { response.headers[.retryAfter] = String(retryAfter) }
    if isRefused { response.headers[.wwwAuthenticate] = challenge }
    return response
  }

  /// One sentence of plain text.
  static func text(_ text: String, status: HTTPResponse.Status = .ok) -> Response {
    Response(
      status: status, headers: [.contentType: "text/plain; charset=utf-8"],
      body: .init(byteBuffer: ByteBuffer(string: text)))
  }
}
