// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A request or outcome of a background job, stored as JSON.
protocol JobMessage: Codable {}

extension JobMessage {
  init(_ text: String) throws {
    self = try JSONDecoder().decode(Self.self, from: Data(text.utf8))
  }

  var text: String {
    get throws { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
  }
}
