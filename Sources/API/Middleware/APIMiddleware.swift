// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import HTTPTypes
import Hummingbird
import Intake

/// Refuses requests that do not accept JSON on routes that produce only JSON, before any work is done.
struct AcceptMiddleware: RouterMiddleware {
  func handle(
    _ request: Request, context: ServerRequestContext, next: (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    guard AcceptField(request.headers[.accept]).quality(of: "application/json") > 0 else { throw Problem.notAcceptable }
    return try await next(request, context)
  }
}

/// Counts requests of known apps that are refused before their reports are read. Place it after ``APIKeyMiddleware``.
struct ReportRefusalMiddleware: RouterMiddleware {
  private static let doors: Set = ["/v1/reports", "/phoneblock/api/rate"]
  let traffic: AppTraffic

  func handle(
    _ request: Request, context: ServerRequestContext, next: (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch {
      if Self.doors.contains(request.uri.path), let app = context.app, let reason = Self.reason(of: error) {
        traffic.refuse(reason, of: app)
      }
      throw error
    }
  }

  /// The kind of the problem; nil for refusals that are counted with their report.
  private static func reason(of error: any Error) -> String? {
    if let error = error as? PhoneBlockError { return error.status == .badRequest ? "request" : nil }
    guard let problem = error as? Problem, [400, 403, 413, 415].contains(problem.status) else { return nil }
    return problem.type.split(separator: "/").last.map { String($0).replacing("-", with: "_") }
  }
}

/// Prevents shared caches from storing responses to requests with a key.
struct PrivateMiddleware: RouterMiddleware {
  func handle(
    _ request: Request, context: ServerRequestContext, next: (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    var response = try await next(request, context)
    if let kept = response.headers[.cacheControl] {
      response.headers[.cacheControl] = kept.replacing("public", with: "private")
    }
    return response
  }
}
