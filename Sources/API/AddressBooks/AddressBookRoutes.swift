// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import HTTPTypes
import Hummingbird
import Metrics
import NIOHTTP1
import Storage

/// The address books under `/carddav`, with the limits of `/v1`.
struct AddressBookRoutes {
  let services: APIServices
  let options: AddressBookOptions
  let network: NetworkLimitMiddleware
  let bodies: BodyReader
  let newest: NewestManifest

  private static let find = MethodMiddleware.find
  private static let report = MethodMiddleware.report

  func add(to router: Router<ServerRequestContext>) {
    let books = AddressBooks(
      newest: newest, folder: services.publications, callers: services.stores.callers,
      publications: services.stores.publications, options: options)
    let controller = AddressBookController(
      books: books, bodies: bodies, metrics: AddressBookMetrics(services.metrics))
    for method in [HTTPRequest.Method.get, .options, Self.find] {
      router.group().add(middleware: network).on(".well-known/carddav", method: method, use: controller.redirect)
    }
    let group = router.group("carddav").add(middleware: AddressBookErrorMiddleware(failures: services.failures))
      .add(middleware: network)
      .add(middleware: APIKeyMiddleware(directory: services.apps, places: [.bearer, .basic]))
      .add(middleware: AppLimitMiddleware(limiter: services.limiter)).add(middleware: ScopeMiddleware(scope: .fetch))
    group.on("", method: Self.find, use: controller.findRoot)
      .on("principal", method: Self.find, use: controller.findPrincipal)
      .on("books", method: Self.find, use: controller.findBooks)
      .on("books/:book", method: Self.find, use: controller.findBook)
      .on("books/:book", method: Self.report, use: controller.report)
      .on("books/:book/:card", method: Self.find, use: controller.findCard)
      .get("books/:book/:card", use: controller.read)
      .put("books/:book/:card", use: controller.refuse)
      .delete("books/:book/:card", use: controller.refuse)
    let methods = [
      "": "OPTIONS, PROPFIND", "principal": "OPTIONS, PROPFIND", "books": "OPTIONS, PROPFIND",
      "books/:book": "OPTIONS, PROPFIND, REPORT", "books/:book/:card": "GET, HEAD, OPTIONS, PROPFIND",
    ]
    for (path, methods) in methods {
      group.on("\(path)", method: .options, use: AddressBookController.options(methods))
    }
  }
}

/// Answers errors without a page, and asks for a name and a password: clients know no other login. Place it before all
/// other middleware of the routes.
struct AddressBookErrorMiddleware: RouterMiddleware {
  let failures: FailureLog

  func handle(
    _ request: Request, context: ServerRequestContext, next: (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let error as HTTPParserError {
      // The server answers it and closes the connection.
      throw error
    } catch {
      let problem = Problem.answering(error, path: context.route ?? "none", log: failures, logger: context.logger)
      return problem.status == 401 ? Problem.noPassword.response : problem.response
    }
  }
}

struct AddressBookMetrics: Sendable {
  enum Kind: String, CaseIterable {
    /// PROPFIND.
    case properties
    /// A report with cards.
    case cards
    /// A report with the changes since a state.
    case changes
    /// GET of one card.
    case card
  }

  private let requests: [Kind: Counter]

  init(_ factory: any MetricsFactory) {
    requests = Dictionary(
      uniqueKeysWithValues: Kind.allCases.map { kind in
        let labels = [("request", kind.rawValue)]
        return (kind, Counter(label: "ringfence_address_book_requests_total", dimensions: labels, factory: factory))
      })
  }

  func note(_ kind: Kind) { requests[kind]?.increment() }
}
