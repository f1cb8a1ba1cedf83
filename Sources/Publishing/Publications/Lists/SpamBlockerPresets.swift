// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The JSON texts that SpamBlocker imports. `KEY` in them is for the user to replace.
package struct SpamBlockerPresets: Sendable {
  private let needsKey: Bool

  package init(needsKey: Bool) {
    self.needsKey = needsKey
  }

  // Functions take the address of the server, without a slash at its end.

  /// A workflow that imports a list each day at some minute of the early morning.
  ///
  /// An import renews the numbers of the list, and the clean-up removes those that were not renewed for two days. A
  /// download that fails ends the workflow before the clean-up.
  package func workflow(path: String, server: String) -> String {
    var download: [String: JSONValue] = [
      "type": "HttpDownload", "url": .text("\(server)\(path)"), "enableRetry": true, "retryTimes": 3,
      "retryDelayMs": 60_000,
    ]
    if needsKey { download["header"] = "{bearer_auth(KEY)}" }
    let time: [String: JSONValue] = ["hour": .number(.random(in: 1...5)), "min": .number(.random(in: 0...59))]
    return text([
      "desc": "Ringfence",
      "actions": [
        .object(download), ["type": "ParseCSV", "columnMapping": "{}"], ["type": "ImportToSpamDB"],
        ["type": "CleanupSpamDB", "expiry": 2],
      ],
      "trigger": [
        "type": "Schedule", "enabled": true, "schedule": ["type": "Daily", "time": .object(time)],
      ],
    ])
  }

  /// A query for each call, which sends the number to the server.
  package func query(server: String) -> String {
    text([
      "desc": "Ringfence", "enabled": true,
      "actions": [
        ["type": "ParseIncomingNumber", "numberFilter": ".*", "forwardType": 1],
        [
          "type": "HttpDownload", "url": .text("\(server)/v1/numbers/{cc}{domestic}"),
          "header": "{bearer_auth(KEY)}",
        ],
        [
          "type": "ParseQueryResult", "negativeSig": #""listed":\{[^}]*"block":true"#,
          "categorySig": #""listed":\{[^}]*"category":"(.+?)""#,
        ],
      ],
    ])
  }

  /// A query for each call through PhoneBlock's API, which sends hashes of the number.
  package func hashQuery(server: String) -> String {
    let number = "+{cc}{domestic}"
    let hashes =
      "sha1={sha1(\(number))}&prefix10={sha1({drop_last(\(number),1)})}&prefix100={sha1({drop_last(\(number),2)})}"
    return text([
      "desc": "Ringfence", "enabled": true,
      "actions": [
        ["type": "ParseIncomingNumber", "numberFilter": ".*", "forwardType": 1],
        [
          "type": "HttpDownload", "url": .text("\(server)/phoneblock/api/check?\(hashes)"),
          "header": "{bearer_auth(KEY)}",
        ],
        [
          "type": "ParseQueryResult", "negativeSig": #""rating":"[B-G]_"#, "positiveSig": #""whiteListed":true"#,
          "categorySig": #""rating":"(.+?)""#,
        ],
      ],
    ])
  }

  /// A report of a number through PhoneBlock's API. Calls that rules stopped are not reported by themselves, because
  /// the user has not confirmed them.
  package func report(server: String) -> String {
    let body = #"{"phone":"+{cc}{domestic}","rating":"{category}","comment":"{comment}"}"#
    return text([
      "desc": "Ringfence", "enabled": true, "autoReportTypes": 0,
      "actions": [
        ["type": "ParseIncomingNumber", "numberFilter": ".*", "forwardType": 1],
        [
          "type": "CategoryConfig",
          "map": [
            "{valid}": "A_LEGITIMATE", "{other}": "B_MISSED", "{fraud}": "G_FRAUD", "{marketing}": "E_ADVERTISING",
            "{survey}": "D_POLL", "{political}": "E_ADVERTISING",
          ],
        ],
        [
          "type": "HttpDownload", "method": 1, "url": .text("\(server)/phoneblock/api/rate"),
          "header": "{bearer_auth(KEY)}\nContent-Type: application/json", "body": .text(body),
        ],
      ],
    ])
  }

  private func text(_ value: JSONValue) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Texts, integers and arrays of them can always be encoded.
    return String(decoding: (try? encoder.encode(value)) ?? Data(), as: UTF8.self)
  }

  private enum JSONValue: Encodable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
  {
    case text(String)
    case number(Int)
    case truth(Bool)
    case list([JSONValue])
    case object([String: JSONValue])

    init(stringLiteral value: String) { self = .text(value) }
    init(integerLiteral value: Int) { self = .number(value) }
    init(booleanLiteral value: Bool) { self = .truth(value) }
    init(arrayLiteral elements: JSONValue...) { self = .list(elements) }
    init(dictionaryLiteral elements: (String, JSONValue)...) {
      self = .object(Dictionary(elements) { first, _ in first })
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .text(let value): try container.encode(value)
      case .number(let value): try container.encode(value)
      case .truth(let value): try container.encode(value)
      case .list(let value): try container.encode(value)
      case .object(let value): try container.encode(value)
      }
    }
  }
}
