import Foundation
import HTTPTypes
import Storage

/// The API's description as OpenAPI 3.1.
struct OpenAPIDocument: Sendable {
  let description: APIDescription

  var json: JSONValue {
    [
      "openapi": "3.1.0",
      "jsonSchemaDialect": "https://spec.openapis.org/oas/3.1/dialect/base",
      "info": [
        "title": .string(APIDescription.title), "version": .string(APIDescription.version),
        "description": .string(APIDescription.introduction),
        "license": ["name": "Apache-2.0", "identifier": "Apache-2.0"],
      ],
      "servers": [["url": "/", "description": "This server."]],
      "externalDocs": ["url": "/docs", "description": "The same for people, with examples."],
      "tags": .array(
        description.groups.map { ["name": .string($0.name), "description": .string($0.text)] }),
      "paths": paths,
      "components": [
        "schemas": .object(
          Dictionary(APIDescription.models.map { ($0.name, $0.schema) }, uniquingKeysWith: { $1 })),
        "securitySchemes": [
          "key": [
            "type": "http", "scheme": "bearer", "bearerFormat": "rf_…",
            "description": """
            An app's key, from the operator. It may do some of: report, identify, lookup, fetch; each operation says \
            which it needs. Two keys can be valid at once, so that one follows the other without a gap.
            """,
          ]
        ],
      ],
    ]
  }

  private var paths: JSONValue {
    var paths: [String: [String: JSONValue]] = [:]
    for group in description.groups {
      for operation in group.operations {
        paths[operation.path, default: [:]][operation.method.rawValue.lowercased()] = json(operation, in: group)
      }
    }
    return .object(paths.mapValues(JSONValue.object))
  }

  private func json(_ operation: APIOperation, in group: APIGroup) -> JSONValue {
    var members: [String: JSONValue] = [
      "operationId": .string(operation.id), "tags": [.string(group.name)], "summary": .string(operation.summary),
      "description": .string(operation.text), "responses": responses(operation),
      "externalDocs": ["url": "/docs#\(operation.id)"],
      "x-codeSamples": [["lang": "Shell", "label": "curl", "source": .string(operation.curl)]],
    ]
    if let scope = operation.scope {
      members["security"] = [["key": []]]
      members["x-scope"] = .string(scope.names.joined(separator: " "))
    } else {
      members["security"] = []
    }
    if !operation.parameters.isEmpty { members["parameters"] = .array(operation.parameters.map(\.json)) }
    if !operation.bodies.isEmpty {
      members["requestBody"] = [
        "required": true,
        "content": .object(Dictionary(operation.bodies.map { ($0.mediaType, $0.json) }, uniquingKeysWith: { $1 })),
      ]
    }
    return .object(members)
  }

  private func responses(_ operation: APIOperation) -> JSONValue {
    var responses: [String: JSONValue] = [:]
    for answer in operation.answers { responses["\(answer.status)"] = answer.json }
    for (status, kinds) in Dictionary(grouping: operation.allProblems, by: \.status.code) {
      responses["\(status)"] = Self.problems(kinds, hasLimits: operation.scope != nil)
    }
    return .object(responses)
  }

  /// Problems that share a status.
  private static func problems(_ kinds: [ProblemKind], hasLimits: Bool) -> JSONValue {
    var headers: [(name: String, text: String)] = hasLimits ? APIDescription.limits : []
    if kinds.contains(where: { $0.account.retryAfter != nil }) {
      headers.append(("Retry-After", "Seconds to wait before trying again."))
    }
    if kinds.contains(.unauthorized) { headers.append(("WWW-Authenticate", "Bearer")) }
    if kinds.contains(.range) { headers.append(("Content-Range", "How many bytes there are.")) }
    return [
      "description": .string(kinds.map(\.account.title).joined(separator: "; ") + "."),
      "headers": headers.json,
      "content": [
        "application/problem+json": [
          "schema": APISchema.model("Problem"),
          "examples": .object(
            Dictionary(
              kinds.map { ($0.rawValue, ["summary": .string($0.account.title), "value": $0.example.json]) },
              uniquingKeysWith: { $1 })),
        ]
      ],
    ]
  }
}

extension APIOperation.Parameter {
  fileprivate var json: JSONValue {
    [
      "name": .string(name), "in": .string(place.rawValue), "required": .boolean(place == .path), "schema": schema,
      "description": .string(text), "example": .string(example),
    ]
  }
}

extension APIOperation.Body {
  fileprivate var json: JSONValue {
    [
      "schema": schema,
      "examples": .object(Dictionary(examples.map { ($0.name, ["value": $0.value]) }, uniquingKeysWith: { $1 })),
    ]
  }
}

extension APIOperation.Answer {
  fileprivate var json: JSONValue {
    var members: [String: JSONValue] = ["description": .string(text), "headers": headers.json]
    if let mediaType {
      var content: [String: JSONValue] = ["schema": schema]
      if let example { content["example"] = example }
      members["content"] = [mediaType: .object(content)]
    }
    if !links.isEmpty {
      members["links"] = .object(
        Dictionary(
          links.map { ($0.name, ["operationId": .string($0.operation), "parameters": .object($0.parameters)]) },
          uniquingKeysWith: { $1 }))
    }
    return .object(members)
  }
}

extension [(name: String, text: String)] {
  fileprivate var json: JSONValue {
    .object(
      Dictionary(
        map { ($0.name, ["description": .string($0.text), "schema": APISchema.text]) }, uniquingKeysWith: { $1 }))
  }
}

extension Problem {
  /// As it is answered.
  var json: JSONValue {
    var members: [String: JSONValue] = [
      "type": .string(type), "title": .string(title), "status": .integer(status), "detail": .string(detail),
    ]
    if !errors.isEmpty {
      members["errors"] = .array(
        errors.map {
          ["pointer": .string($0.pointer), "code": .string($0.code), "detail": .string($0.detail)]
        })
    }
    return .object(members)
  }
}
