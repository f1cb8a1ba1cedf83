import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Storage
import TestSupport
import Testing

@testable import Web

/// The description of the API, held against the routes and the code.
@Suite(.database) struct DescriptionTests {
  @Test func everyRouteIsDescribedAndNothingElseIs() async throws {
    let single = ["/healthz", "/readyz", "/metrics", "/openapi.json"]
    let seen = Routes()
    try await TestServer.run(routes: seen) { _ in }
    let routes = seen.everything.compactMap { route -> String? in
      let parts = route.path.split(separator: "/").map { $0.hasPrefix(":") ? "{\($0.dropFirst())}" : String($0) }
      let path = "/" + parts.joined(separator: "/")
      return path.hasPrefix("/v1/") || single.contains(path) ? "\(route.method.rawValue) \(path)" : nil
    }
    let described = APIDescription(publicationsNeedKey: false).operations.map { "\($0.method.rawValue) \($0.path)" }
    #expect(Set(routes) == Set(described))
    #expect(described.count == Set(described).count)
    #expect(described.count > 15)
  }

  @Test func whatTheDescriptionRefersToIsThere() {
    for needsKey in [false, true] {
      let description = APIDescription(publicationsNeedKey: needsKey)
      let ids = description.operations.map(\.id)
      #expect(ids.count == Set(ids).count)
      let document = String(buffer: JSON.encode(OpenAPIDocument(description: description).json))
      for match in document.matches(of: /#\/components\/schemas\/(\w+)/) {
        #expect(APIDescription.models.contains { $0.name == match.1 }, "\(match.1)")
      }
      let fetches = description.operations.filter { $0.scope == .fetch }.count
      #expect(needsKey ? fetches == 9 : fetches == 0)
    }
  }

  /// Whoever meets a problem can look it up, so that each `type` in the sources has its entry.
  @Test func everyProblemIsInTheCatalogue() throws {
    let root = "\(Checkout.root)/Sources/Web"
    for name in try FileManager.default.subpathsOfDirectory(atPath: root) where name.hasSuffix(".swift") {
      let text = try String(contentsOfFile: "\(root)/\(name)", encoding: .utf8)
      for match in text.matches(of: /Problem\(\s*\.\w+, type: "([^"]+)"/) {
        #expect(ProblemKind(rawValue: String(match.1)) != nil, "\(name): \(match.1)")
      }
    }
    for kind in ProblemKind.allCases {
      let account = kind.account
      for text in [account.title, account.detail, account.cause, account.remedy] {
        #expect(!text.isEmpty && !text.contains("SQL") && !text.contains("/Sources"), "\(kind)")
      }
      #expect((400...599).contains(account.status.code))
    }
  }

  @Test func everyTypeLeadsToItsPage() async throws {
    try await TestServer.run { server in
      for kind in ProblemKind.allCases {
        let json = try await server.client.execute(
          uri: kind.example.type, method: .get, headers: [.accept: "application/json"])
        #expect(json.status == .ok)
        #expect(String(buffer: json.body).contains(kind.account.remedy.prefix(20)))
        let page = try await server.client.execute(uri: kind.path, method: .get, headers: [.accept: "text/html"])
        #expect(page.status == .ok)
        #expect(page.headers[.contentType]?.hasPrefix("text/html") ?? false)
      }
      #expect(try await server.client.execute(uri: "/problems/none", method: .get).status == .notFound)
      let docs = try await server.client.execute(uri: "/docs", method: .get)
      let text = String(buffer: docs.body)
      for operation in APIDescription(publicationsNeedKey: false).operations {
        #expect(text.contains("id=\"\(operation.id)\""))
      }
      #expect(!text.contains("Optional("))
      let document = try await server.client.execute(uri: "/openapi.json", method: .get)
      let tag = try #require(document.headers[.eTag])
      let again = try await server.client.execute(uri: "/openapi.json", method: .get, headers: [.ifNoneMatch: tag])
      #expect(again.status == .notModified)
    }
  }

  @Test(
    arguments: [
      (nil, 1), ("*/*", 1), ("application/json", 1), ("text/html, application/*;q=0.5", 0.5), ("text/html", 0),
      ("application/json;q=0, */*", 0), ("nonsense", 1), ("", 1), ("APPLICATION/JSON ; Q=0.2", 0.2), ("*/*;q=0", 0),
    ] as [(String?, Double)])
  func whatAClientAccepts(field: String?, quality: Double) {
    #expect(AcceptField(field).quality(of: "application/json") == quality)
  }
}
