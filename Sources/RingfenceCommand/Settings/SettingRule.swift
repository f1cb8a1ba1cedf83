// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Foundation
import PhoneNumbers
import Publishing

/// The values that a setting may have.
package struct SettingRule<Value: Sendable>: Sendable {
  /// Completes the sentence "It must be …".
  let text: String
  /// Names the value in help, with its unit.
  var value = ""
  /// Returns nil for a text that breaks the rule.
  let parse: @Sendable (String) -> Value?
}

extension SettingRule where Value == Bool {
  static var boolean: Self { Self(text: "true or false") { Bool($0) } }
}

extension SettingRule where Value == Int {
  static func number(_ range: ClosedRange<Int>, _ unit: String) -> Self {
    Self(text: "a number from \(range.lowerBound) to \(range.upperBound)", value: unit) { text in
      Int(text).flatMap { range.contains($0) ? $0 : nil }
    }
  }
}

extension SettingRule where Value: RawRepresentable<String> & CaseIterable {
  static var choice: Self {
    let names = Value.allCases.map(\.rawValue)
    return Self(text: "\(names.dropLast().joined(separator: ", ")) or \(names.last ?? "")", value: "choice") {
      Value(rawValue: $0)
    }
  }
}

extension SettingRule where Value == String {
  static var text: Self { text("text") }

  static func text(_ value: String) -> Self {
    Self(text: "a text that is not empty", value: value) { $0.isEmpty ? nil : $0 }
  }

  static func text(of bytes: ClosedRange<Int>) -> Self {
    Self(text: "\(bytes.lowerBound) to \(bytes.upperBound) characters, as openssl rand -hex 32 makes them") {
      bytes.contains($0.utf8.count) ? $0 : nil
    }
  }

  static var timeOfDay: Self {
    Self(text: "a time such as 03:00", value: "time") { PublicationSchedule(time: $0, zone: "UTC") == nil ? nil : $0 }
  }

  static var timeZone: Self {
    Self(text: "a time zone such as Europe/Berlin", value: "zone") { TimeZone(identifier: $0) == nil ? nil : $0 }
  }
}

extension SettingRule where Value == PhoneRegion {
  static var region: Self { Self(text: "two letters of ISO 3166, such as DE", value: "code") { PhoneRegion($0) } }
}

extension SettingRule where Value == [URL] {
  static var webAddresses: Self {
    Self(text: "addresses that begin with http:// or https://, with spaces between", value: "url") { text in
      let words = text.split(separator: " ")
      let urls = words.compactMap { URL(string: String($0)) }.filter { url in
        ["http", "https"].contains(url.scheme?.lowercased() ?? "") && !(url.host ?? "").isEmpty
          && url.absoluteString.utf8.count <= 2_000
      }
      guard !urls.isEmpty, urls.count == words.count else { return nil }
      return urls.enumerated().filter { !urls[..<$0.offset].contains($0.element) }.map(\.element)
    }
  }
}

extension SettingRule where Value == [UInt8] {
  static var key: Self {
    Self(text: "64 hex digits, as openssl rand -hex 32 makes them") { text in
      let digits = Array(text.utf8)
      guard digits.count == 64 else { return nil }
      let bytes = stride(from: 0, to: 64, by: 2).compactMap {
        UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
      }
      return bytes.count == 32 ? bytes : nil
    }
  }
}

extension SettingRule where Value == SigningKey {
  static var signingKey: Self {
    Self(text: "44 characters of Base64, as ringfence keys create writes them") { SigningKey($0) }
  }
}

extension SettingRule where Value == WebhookSecret {
  static var webhookSecret: Self {
    Self(text: "at least 16 characters, as openssl rand -hex 32 makes them") { WebhookSecret($0) }
  }
}
