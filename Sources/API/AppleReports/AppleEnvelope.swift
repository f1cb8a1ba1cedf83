// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPServer
import Intake

/// The JSON that iOS sends for a reporting extension. Other members are dropped.
struct AppleEnvelope: Decodable {
  /// The dictionary that the app's extension has made.
  let classification: [String: AppleValue]
}

/// The JSON that iOS sends for a message filter. The text of the message is not read.
struct AppleMessageQuery: Decodable {
  struct Query: Decodable {
    let sender: AppleValue?
  }
  let query: Query
}

/// Limits of requests that iOS sends without a key.
enum AppleBody {
  /// The deepest nesting of objects and arrays.
  static let greatestDepth = 16

  static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    guard !JSONText.isDeeper(than: greatestDepth, data) else {
      throw Problem.malformed("The body can have at most \(greatestDepth) levels of objects and arrays.")
    }
    return try JSON.decode(type, from: data)
  }
}
