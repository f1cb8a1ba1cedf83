// SPDX-License-Identifier: Apache-2.0

import Foundation
import NIOCore
import Support

/// Bodies of test requests, and their responses.
enum Reports {
  /// A valid report with changes; nil omits a field.
  static func json(_ changes: [String: Any?] = [:]) throws -> String {
    var report: [String: Any] = [
      "number": "+33199000248", "category": "fraud", "reporter": "user-1", "report_id": UUID().uuidString.lowercased(),
      "reported_at": Timestamp.format(Date()),
    ]
    for (key, value) in changes { report[key] = value }
    return String(decoding: try JSONSerialization.data(withJSONObject: report), as: UTF8.self)
  }

  struct Answer: Decodable {
    struct Item: Decodable {
      struct Field: Decodable {
        let pointer: String
        let code: String
      }
      let status: String
      let number: String?
      let report_id: String?
      let errors: [Field]?
    }
    let results: [Item]
  }

  /// The results of a batch by status.
  static func status(_ response: TestResponse) -> [String] { (try? results(of: response).map(\.status)) ?? [] }

  static func results(of response: TestResponse) throws -> [Answer.Item] {
    try JSONDecoder().decode(Answer.self, from: Data(response.body.readableBytesView)).results
  }
}
