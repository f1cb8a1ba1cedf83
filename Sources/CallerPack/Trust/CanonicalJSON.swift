// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Encodes documents as JSON in one form: sorted keys, no spaces, RFC 3339 times in whole seconds, a newline at the
/// end.
/// The JSON of published documents; see ``CanonicalForm``.
enum CanonicalJSON {
  /// The longest document that is read: 1 MiB.
  static let limit = 1 << 20

  static func encode(_ value: some Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    return [UInt8](try encoder.encode(value)) + [0x0A]
  }

  /// Decodes a document after a check of its type and version.
  static func decode<Value: Decodable>(
    _ value: Value.Type, from bytes: [UInt8], type: String, version: Int
  ) throws(UpdateError) -> Value {
    guard bytes.count <= limit else { throw .tooLarge(bytes: bytes.count, limit: limit) }
    guard CanonicalForm.isKept(by: bytes) else { throw .malformed("The \(type) is not in canonical form") }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .custom { decoder in
      let text = try decoder.singleValueContainer().decode(String.self)
      guard let date = Date(documentTime: text) else {
        throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "not a time"))
      }
      return date
    }
    do {
      let start = try decoder.decode(Start.self, from: Data(bytes))
      guard start.type == type else {
        throw UpdateError.malformed("The document is of type \(start.type), not \(type)")
      }
      guard start.version == version else { throw UpdateError.unsupported(version: start.version, known: version) }
      return try decoder.decode(Value.self, from: Data(bytes))
    } catch let error as UpdateError {
      throw error
    } catch {
      throw .malformed("The \(type) is not JSON of the documented form")
    }
  }

  private struct Start: Decodable {
    let type: String
    let version: Int
  }
}

extension Date {
  /// Reads a time in the form of documents: RFC 3339 in UTC of whole seconds, such as `2026-11-22T01:10:00Z`.
  fileprivate init?(documentTime text: String) {
    guard let date = try? Date(text, strategy: .iso8601), date.documentTime == text else { return nil }
    self = date
  }

  /// This time in the form of documents.
  var documentTime: String { formatted(.iso8601) }
}

extension Data {
  /// Decodes Base64 in its only form: padded, with zeros in the bits that carry nothing.
  init?(canonicalBase64 text: String) {
    guard let data = Data(base64Encoded: text), data.base64EncodedString() == text else { return nil }
    self = data
  }
}
