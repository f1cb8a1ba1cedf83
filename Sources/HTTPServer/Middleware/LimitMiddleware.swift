// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
package import Hummingbird
import NIOCore
import Storage

/// Determines the network of a request and refuses it first if the network is over its limit. Each 401 or 403 response
/// costs the network a token, so guessing keys and links is limited.
package struct NetworkLimitMiddleware: RouterMiddleware {
  package let limiter: RateLimiter
  package let trustsProxy: Bool

  package init(limiter: RateLimiter, trustsProxy: Bool) {
    self.limiter = limiter
    self.trustsProxy = trustsProxy
  }

  private static let forwarded = HTTPField.Name("X-Forwarded-For")!

  package func handle(
    _ request: Request, context: ServerRequestContext, next: (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    let address = ClientAddress.of(
      socket: context.socketAddress, forwarded: request.headers[Self.forwarded], trustsProxy: trustsProxy)
    var context = context
    context.clientAddress = address?.ipAddress
    context.network = ClientNetwork(address)
    if let refusal = limiter.take(0, network: context.network) {
      var problem = Problem.limited(refusal)
      problem.headers = limiter.headers(network: context.network, appID: nil)
      throw problem
    }
    do {
      let response = try await next(request, context)
      if response.status == .forbidden { limiter.charge(1, network: context.network) }
      return response
    } catch let problem as Problem where problem.status == 401 {
      limiter.charge(1, network: context.network)
      throw problem
    }
  }
}

/// Takes one token for every request of an app before its body is read. Batches pay the rest after their items are
/// counted. Every response has the remaining tokens.
package struct AppLimitMiddleware: RouterMiddleware {
  package let limiter: RateLimiter

  package init(limiter: RateLimiter) {
    self.limiter = limiter
  }

  package func handle(
    _ request: Request, context: ServerRequestContext, next: (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    let (network, appID) = (context.network, context.app?.id)
    do {
      if let refusal = limiter.take(1, network: network, appID: appID) { throw Problem.limited(refusal) }
      var response = try await next(request, context)
      for field in limiter.headers(network: network, appID: appID) { response.headers.append(field) }
      return response
    } catch var problem as Problem {
      for field in limiter.headers(network: network, appID: appID) { problem.headers.append(field) }
      throw problem
    }
  }
}
