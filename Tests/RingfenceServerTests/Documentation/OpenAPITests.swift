// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPTypes
import Hummingbird
import PhoneNumbers
import Storage
import TestSupport
import Testing

@testable import HTTPServer
@testable import RingfenceCommand

/// Compares the description of the API with the routes, the code and the responses.
@Suite(.database) struct OpenAPITests {
  private func document(publicationsNeedKey: Bool = false) throws -> OpenAPIDocument {
    try OpenAPIDocument(contentsOf: Checkout.openAPI, publicationsNeedKey: publicationsNeedKey)
  }

  /// The components of the served JSON, by section and name.
  private func components(_ document: OpenAPIDocument) throws -> [String: [String: [String: Any]]] {
    let root = try JSONSerialization.jsonObject(with: Data(document.json.utf8)) as? [String: Any]
    return try #require(root?["components"] as? [String: [String: [String: Any]]])
  }

  @Test func `the API description contains exactly the routes of the server`() async throws {
    let single = ["/healthz", "/readyz", "/metrics", "/openapi.json"]
    let seen = Routes()
    try await TestServer.run(routes: seen) { _ in }
    let routes = seen.everything.compactMap { route -> String? in
      let parts = route.path.split(separator: "/").map { $0.hasPrefix(":") ? "{\($0.dropFirst())}" : String($0) }
      let path = "/" + parts.joined(separator: "/")
      // OpenAPI does not have the methods of WebDAV.
      let isCard = path.hasPrefix("/carddav/") && route.method == .get
      let isDescribed = path.hasPrefix("/v1/") || path.hasPrefix("/phoneblock/") || isCard || single.contains(path)
      return isDescribed ? "\(route.method.rawValue) \(path)" : nil
    }
    let described = try document().operations.map { "\($0.method) \($0.path)" }
    #expect(Set(routes) == Set(described))
    #expect(described.count == Set(described).count)
    #expect(described.count > 15)
  }

  @Test(arguments: [false, true]) func `every reference leads to a component`(needsKey: Bool) throws {
    let document = try document(publicationsNeedKey: needsKey)
    let ids = document.operations.map(\.id)
    #expect(ids.count == Set(ids).count)
    let components = try components(document)
    let references = document.json.matches(of: /"\$ref":"([^"]*)"/)
    #expect(references.count > 100)
    for reference in references {
      let parts = reference.1.split(separator: "/").map(String.init)
      #expect(parts.count == 4 && components[parts[2]]?[parts[3]] != nil, "\(reference.1)")
    }
    // A comma in an unquoted text within braces ends the text and begins a member that is null.
    #expect(!document.json.contains(":null"))
    let fetches = document.operations.filter { $0.scope == "fetch" }.count
    // The block list of PhoneBlock and address books need a key always.
    #expect(fetches == (needsKey ? 14 : 2))
  }

  @Test func `problems of the API description match the catalog`() throws {
    let document = try document(publicationsNeedKey: true)
    let examples = try #require(try components(document)["examples"])
    #expect(examples.count > 20)
    for (slug, example) in examples {
      let kind = try #require(ProblemKind(rawValue: slug), "\(slug)")
      let value = try #require(example["value"] as? [String: Any])
      #expect(value["type"] as? String == kind.path)
      #expect(value["title"] as? String == kind.documentation.title)
      #expect(value["status"] as? Int == kind.status.code)
    }
    for operation in document.operations {
      for problem in operation.problems {
        let kind = try #require(ProblemKind(rawValue: problem.slug), "\(operation.id): \(problem.slug)")
        #expect(problem.path == kind.path)
        #expect(problem.status == "\(kind.status.code)", "\(operation.id): \(problem.slug)")
      }
    }
  }

  @Test func `names and limits of the API description match the code`() throws {
    let document = try document(publicationsNeedKey: true)
    let schemas = try #require(try components(document)["schemas"])
    let names: [String: [String]] = [
      "KnownCategory": ReportCategory.allCases.map(\.slug), "KnownProblemType": ProblemKind.allCases.map(\.path),
      "KnownVerdict": Verdict.allCases.map(\.rawValue), "KnownQueueCause": QueueCause.allCases.map(\.rawValue),
      "KnownConditionKind": ListingCondition.Kind.allCases.map(\.rawValue),
      "KnownEventKind": Event.Kind.allCases.filter { ![.appealAnswered, .ownerCode, .invitation].contains($0) }.map(
        \.rawValue),
    ]
    for (schema, names) in names {
      #expect(Set(try #require(schemas[schema]?["enum"] as? [String])) == Set(names), "\(schema)")
    }
    let batch = try #require(schemas["IdentificationBatch"]?["properties"] as? [String: [String: Any]])
    #expect(batch["items"]?["maxItems"] as? Int == Batch.limit)
    let limits = document.json.matches(of: /"minItems":1,"maxItems":(\d+),"items":{"\$ref":"[^"]*\/Report"}/)
    #expect(limits.map { Int($0.1) } == [Batch.limit])
    // No operation needs history: it changes the day of a report.
    let scopes = AppScopes(rawValue: .max).subtracting(.history).names
    #expect(Set(document.operations.map(\.scope)) == Set(scopes + [""]))
  }

  /// A client that checks the pattern sends the cursor that it got.
  @Test func `cursors of the server match the described patterns`() throws {
    let root = try JSONSerialization.jsonObject(with: Data(try document().json.utf8)) as? [String: Any]
    let paths = try #require(root?["paths"] as? [String: [String: [String: Any]]])
    let heat = QueuePlace(value: Int64(bitPattern: 2.4.bitPattern), number: 33_199_000_123).text
    let event = AuditCursor(time: Date(timeIntervalSince1970: 1_795_226_400), id: UUID()).text
    for (path, cursor) in [("cases", heat), ("audit-log", event)] {
      let parameters = try #require(paths["/v1/moderation/\(path)"]?["get"]?["parameters"] as? [[String: Any]])
      let schema = parameters.first { $0["name"] as? String == "cursor" }?["schema"] as? [String: Any]
      let pattern = try Regex(try #require(schema?["pattern"] as? String))
      #expect(try pattern.wholeMatch(in: cursor) != nil, "\(cursor)")
    }
    #expect(QueuePlace(heat)?.text == heat && QueuePlace("9223372036854775807.1") == nil)
    #expect(AuditCursor(event)?.text == event && AuditCursor("9\(event)") == nil)
  }

  @Test func `an open enum is shown with its known names`() throws {
    let object = try #require(try document().objects.first { $0.name == "Hold" })
    let field = try #require(object.fields.first { $0.name == "ceiling" })
    #expect(field.kind == "string: nothing, identify; others may follow")
  }

  @Test func `schemas refuse the regions and numbers that the code refuses`() throws {
    let schemas = try #require(try components(try document())["schemas"])
    func property(_ schema: String, _ name: String) throws -> [String: Any] {
      try #require((schemas[schema]?["properties"] as? [String: [String: Any]])?[name])
    }
    let region = try #require(schemas["Region"]?["pattern"] as? String)
    let expression = try Regex(region)
    let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    let pairs = letters.flatMap { first in letters.map { "\(first)\($0)" } }
    let others = ["", "D", "dE", "De", "DEU", "D1", " D", "DE\n", "Ä1"]
    for text in pairs + pairs.map({ $0.lowercased() }) + others {
      #expect((try expression.wholeMatch(in: text) != nil) == PhoneRegion.isSupported(text), "\(text)")
    }
    for schema in ["Report", "IdentificationItem"] {
      #expect(try property(schema, "region")["pattern"] as? String == region)
    }
    for count in 1...3 {
      for digits in 0..<Int(pow(10, Double(count))) {
        let text = String(String(digits + Int(pow(10, Double(count)))).dropFirst())
        for region in ["DE", "FR", "GB", "NU", "RU", "SH", "US"] {
          #expect((try? PhoneNumber(parsing: text, region: region)) == nil, "\(text) in \(region)")
        }
      }
    }
    #expect(try PhoneNumber(parsing: "4002", region: "NU").digits == 6_834_002)
    let lengths = try document().json.matches(of: /"minLength":(\d+),"maxLength":\d+,"format":"phone-number"/)
    #expect(lengths.count == 2 + 7 && lengths.allSatisfy { $0.1 == "4" })
  }

  /// A key with all scopes but the described one is refused; a key with this scope alone is not.
  @Test(arguments: [false, true]) func `each operation needs exactly the described scope`(needsKey: Bool) async throws {
    let apps = AppStore(pool: TestDatabase.current.pool)
    let operations = try document(publicationsNeedKey: needsKey).operations
    try await TestServer.run(
      configure: { ($0.access.publicationsNeedKey, $0.access.limits) = (needsKey, .off) }, app: "App \(needsKey)"
    ) { server in
      for operation in operations {
        let uri = operation.path.replacing(/{\w+}/, with: "1")
        let method = try #require(HTTPRequest.Method(operation.method))
        func status(key: String?) async throws -> Int {
          let headers: HTTPFields = key.map { [.authorization: "Bearer \($0)"] } ?? [:]
          return try await server.client.execute(uri: uri, method: method, headers: headers).status.code
        }
        guard let scope = AppScopes(names: [operation.scope]) else {
          // Prometheus has its own token.
          let isRefused = [401, 403].contains(try await status(key: nil))
          #expect(isRefused == (operation.id == "readMetrics"), "\(operation.id)")
          continue
        }
        #expect(try await status(key: nil) == 401, "\(operation.id)")
        let name = "\(operation.id) \(needsKey)"
        let other = try await apps.create(
          name: "Not \(name)", scopes: AppScopes.standard.subtracting(scope), at: Date()
        ).key
        // PhoneBlock's clients know 401 alone.
        let refused = operation.path.hasPrefix("/phoneblock/") ? 401 : 403
        #expect(try await status(key: other) == refused, "\(operation.id)")
        let key = try await apps.create(name: name, scopes: scope, at: Date()).key
        #expect(![401, 403].contains(try await status(key: key)), "\(operation.id)")
      }
    }
  }

  @Test func `examples have the time of the server start`() throws {
    let now = Date(timeIntervalSince1970: 1_900_000_000)
    let document = try OpenAPIDocument(contentsOf: Checkout.openAPI, publicationsNeedKey: false, now: now)
    #expect(document.json.contains("\"reported_at\":\"2030-03-17T17:46:40Z\""))
    #expect(document.json.contains("\"day\":\"2030-03-17\""))
    #expect(!document.json.contains("${"))
  }

  @Test(
    arguments: [
      ("openapi: 3.1.0", "openapi: [3.1.0", "not valid YAML"),
      ("operationId: readBin\n", "\n", "operationId is missing"),
      ("responses/Limited", "responses/None", "#/components/responses/None does not exist"),
      ("type: /problems/limited", "kind: limited", "type is missing"),
    ])
  func `a broken API description is refused with the reason`(part: String, replacement: String, message: String)
    async throws
  {
    let text = try String(contentsOfFile: Checkout.openAPI, encoding: .utf8)
    try #require(text.contains(part))
    try await withTemporaryFolder { folder in
      let file = "\(folder)/openapi.yaml"
      let error = try #require(throws: OpenAPIFileError.self) {
        try OpenAPIDocument(contentsOf: file, publicationsNeedKey: false)
      }
      #expect(error.description.contains("\"\(file)\""))
      try text.replacing(part, with: replacement, maxReplacements: 1).write(
        toFile: file, atomically: true, encoding: .utf8)
      let fault = try #require(throws: OpenAPIFileError.self) {
        try OpenAPIDocument(contentsOf: file, publicationsNeedKey: false)
      }
      #expect(fault.description.contains("\"\(file)\"") && fault.problem.contains(message), "\(fault)")
    }
  }

  /// Each `type` of a problem in the sources has its entry in the catalog.
  @Test func `every problem type is in the catalog`() throws {
    for target in ["API", "HTTPServer", "ModerationSite"] {
      let root = "\(Checkout.root)/Sources/\(target)"
      for name in try FileManager.default.subpathsOfDirectory(atPath: root) where name.hasSuffix(".swift") {
        let text = try String(contentsOfFile: "\(root)/\(name)", encoding: .utf8)
        for match in text.matches(of: /Problem\(\s*\.\w+, type: "([^"]+)"/) {
          #expect(ProblemKind(rawValue: String(match.1)) != nil, "\(name): \(match.1)")
        }
      }
    }
    for kind in ProblemKind.allCases {
      let account = kind.documentation
      for text in [account.title, account.detail, account.cause, account.remedy] {
        #expect(!text.isEmpty && !text.contains("SQL") && !text.contains("/Sources"), "\(kind)")
      }
      #expect((400...599).contains(account.status.code))
    }
  }

  @Test func `every problem type leads to its page`() async throws {
    try await TestServer.run { server in
      for kind in ProblemKind.allCases {
        let json = try await server.client.execute(
          uri: kind.example.type, method: .get, headers: [.accept: "application/json"])
        #expect(json.status == .ok)
        #expect(String(buffer: json.body).contains(kind.documentation.remedy.prefix(20)))
        let page = try await server.client.execute(uri: kind.path, method: .get, headers: [.accept: "text/html"])
        #expect(page.status == .ok)
        #expect(page.headers[.contentType]?.hasPrefix("text/html") ?? false)
      }
      #expect(try await server.client.execute(uri: "/problems/none", method: .get).status == .notFound)
      let docs = try await server.client.execute(uri: "/docs", method: .get)
      let text = String(buffer: docs.body)
      for operation in try self.document().operations {
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
  func `the Accept header gives the quality of a media type`(field: String?, quality: Double) {
    #expect(AcceptField(field).quality(of: "application/json") == quality)
  }
}
