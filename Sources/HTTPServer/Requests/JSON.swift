// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import HTTPTypes
package import Hummingbird
import Intake
package import NIOCore

/// Encodes and decodes JSON and converts decoding errors to problems.
package enum JSON {
  private static let encoder = encoder(.useDefaultKeys)
  private static let snakeCaseEncoder = encoder(.convertToSnakeCase)

  private static func encoder(_ keys: JSONEncoder.KeyEncodingStrategy) -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.keyEncodingStrategy = keys
    return encoder
  }

  package static let contentType = "application/json; charset=utf-8"

  package static func response(_ value: some Encodable, status: HTTPResponse.Status = .ok) -> Response {
    Response(status: status, headers: [.contentType: contentType], body: .init(byteBuffer: encode(value)))
  }

  /// A response that no cache keeps. Its members are the properties in snake case.
  package static func uncachedResponse(
    _ value: some Encodable, status: HTTPResponse.Status = .ok
  ) throws -> Response {
    Response(
      status: status, headers: [.contentType: contentType, .cacheControl: "no-store"],
      body: .init(byteBuffer: ByteBuffer(bytes: try snakeCaseEncoder.encode(value))))
  }

  package static func encode(_ value: some Encodable) -> ByteBuffer { ByteBuffer(bytes: data(value)) }

  package static func data(_ value: some Encodable) -> Data {
    // Our own values can always be encoded: strings, finite numbers and arrays of them.
    try! encoder.encode(value)
  }

  /// Indented JSON with members sorted by name.
  package static func pretty(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    // As in `data(_:)`.
    return String(decoding: try! encoder.encode(value), as: UTF8.self)
  }

  /// The media type of a request's body, such as `application/json`, in lower case.
  package static func mediaType(of request: Request) -> String? {
    request.headers[.contentType]?.split(separator: ";").first?.trimmingCharacters(in: .whitespaces).lowercased()
  }

  /// - Throws: ``Problem`` for JSON of the wrong form or invalid JSON; and other errors of `type`.
  package static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    let notJSON = Problem.malformed("The body is not valid JSON in UTF-8.")
    guard JSONText.isUTF8(data) else { throw notJSON }
    do {
      let value = try JSONDecoder().decode(type, from: data)
      if let field = JSONText.repeatedMember(in: data) {
        throw Problem.malformed("An object has the same member twice. Send each member once.", errors: [field])
      }
      return value
    } catch let error as DecodingError {
      guard let field = field(of: error) else { throw notJSON }
      throw Problem.malformed("Correct the fields listed in `errors` and send the request again.", errors: [field])
    }
  }

  /// The field with the wrong form; nil if the text is not JSON.
  /// - Parameter depth: the count of path components before the start of the pointer.
  package static func field(of error: DecodingError, below depth: Int = 0) -> Problem.Field? {
    func field(_ path: [any CodingKey], _ code: String, _ detail: String) -> Problem.Field {
      let pointer = path.dropFirst(depth).map { "/" + ($0.intValue.map(String.init) ?? $0.stringValue) }.joined()
      return .init(pointer: pointer, code: code, detail: detail)
    }
    switch error {
    case .keyNotFound(let key, let context):
      return field(context.codingPath + [key], "missing", "This field is required.")
    case .typeMismatch(let type, let context):
      return field(context.codingPath, "wrong_type", "Send \(name(of: type)).")
    case .valueNotFound(let type, let context):
      return field(context.codingPath, "null", "Send \(name(of: type)), not null.")
    case .dataCorrupted(let context) where context.underlyingError is UnknownName:
      return field(context.codingPath, "unknown_value", (context.underlyingError as? UnknownName)?.detail ?? "")
    case .dataCorrupted(let context) where !context.codingPath.isEmpty:
      return field(context.codingPath, "malformed", "This value is not valid.")
    default:
      return nil
    }
  }

  private static func name(of type: any Any.Type) -> String {
    switch type {
    case is String.Type: "a string"
    case is Bool.Type: "true or false"
    case is any BinaryInteger.Type: "a whole number"
    case is [Any].Type: "an array"
    default: "an object"
    }
  }
}

/// A text that is none of the names of an enumeration.
private struct UnknownName: Error {
  let detail: String
}

extension RawRepresentable where Self: CaseIterable, RawValue == String {
  /// Reads a name in the JSON of a request. Use it as `init(from:)`.
  /// - Throws: `DecodingError`, which names the allowed values.
  package init(name decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let value = Self(rawValue: text) else {
      let detail = VisibleText.refusal(of: text, allowing: Self.allCases.map(\.rawValue))
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: decoder.codingPath, debugDescription: detail, underlyingError: UnknownName(detail: detail)))
    }
    self = value
  }
}

/// A value or its error, so that one wrong item of an array does not make the others fail.
package enum LenientItem<Value: Decodable>: Decodable {
  case value(Value)
  case malformed(Problem.Field)

  /// - Throws: never; text that is not JSON fails earlier.
  package init(from decoder: any Decoder) throws {
    do {
      self = .value(try Value(from: decoder))
    } catch {
      // Foundation parses strings and numbers late and reports their errors with its own type.
      let field = (error as? DecodingError).flatMap { JSON.field(of: $0, below: decoder.codingPath.count) }
      self = .malformed(field ?? .init(pointer: "", code: "malformed", detail: "A string or number is not valid."))
    }
  }
}

/// An array with a maximum count of items; a longer one is refused before any item is read.
package struct LenientArray<Value: Decodable>: Decodable {
  package let items: [LenientItem<Value>]

  package init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    let count = container.count ?? 0
    guard (1...Batch.limit).contains(count) else { throw Problem.tooMany(limit: Batch.limit) }
    var items: [LenientItem<Value>] = []
    items.reserveCapacity(count)
    while !container.isAtEnd { items.append(try container.decode(LenientItem<Value>.self)) }
    self.items = items
  }
}

/// Limits of batches.
package enum Batch {
  /// Maximum items.
  package static let limit = IdentificationSubmission.maxItems
}
