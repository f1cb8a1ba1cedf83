// SPDX-License-Identifier: Apache-2.0

import Accounts
import CallerPack
import Curation
import Foundation
import Jobs
import PhoneNumbers
import Publishing

/// One setting: its names, its rule, its default and its meaning.
package struct Setting<Value: Sendable>: Sendable {
  let description: SettingDescription
  /// The value if no source sets it.
  let standard: Value
  /// Returns nil for a text that breaks the rule.
  let parse: @Sendable (String) -> Value?

  /// - Parameters:
  ///   - name: its key in a file of settings. The option and the environment variable are named after it.
  ///   - variable: the environment variable, where that has another name.
  ///   - hasOption: whether the command line can set it.
  init(
    _ name: String, _ rule: SettingRule<Value>, default standard: Value, variable: String? = nil,
    hasOption: Bool = true, _ meaning: String
  ) {
    self.init(
      SettingDescription(
        name: name, ownVariable: variable, hasOption: hasOption, isSecret: false, rule: rule.text, value: rule.value,
        standard: rule.format(standard), meaning: meaning),
      standard: standard, parse: rule.parse)
  }

  /// A setting that may be absent.
  /// - Parameter absent: description of the default.
  init<Given>(
    _ name: String, _ rule: SettingRule<Given>, absent: String, variable: String? = nil, hasOption: Bool = true,
    isSecret: Bool = false, _ meaning: String
  ) where Value == Given? {
    self.init(
      SettingDescription(
        name: name, ownVariable: variable, hasOption: hasOption, isSecret: isSecret, rule: rule.text, value: rule.value,
        standard: absent, meaning: meaning),
      standard: nil, parse: { rule.parse($0).map(Optional.some) })
  }

  /// A secret from an environment variable, or from the file that the setting `name-file` names. No option takes it,
  /// because every account of the machine can read command lines, and settings files do not contain it.
  init<Given>(
    secret name: String, _ rule: SettingRule<Given>, absent: String, variable: String? = nil, _ meaning: String
  ) where Value == Given? {
    self.init(name, rule, absent: absent, variable: variable, hasOption: false, isSecret: true, meaning)
  }

  private init(_ description: SettingDescription, standard: Value, parse: @escaping @Sendable (String) -> Value?) {
    self.description = description
    self.standard = standard
    self.parse = parse
  }
}

/// The description of a setting in help, errors and Documentation/configuration.md.
package struct SettingDescription: Sendable {
  let name: String
  fileprivate let ownVariable: String?
  let hasOption: Bool
  let isSecret: Bool
  /// Completes the sentence "It must be …".
  let rule: String
  /// Names the value in help, with its unit.
  let value: String
  let standard: String
  let meaning: String

  var variable: String { ownVariable ?? Self.variable(of: name) }

  /// The environment variable of a setting with this name, unless the setting names its own.
  static func variable(of name: String) -> String { "RINGFENCE_" + name.uppercased().replacing("-", with: "_") }

  /// The key in a settings file; for a secret the key that names its file.
  var key: String { isSecret ? "\(name)-file" : name }

  /// The environment variable of each key that a source may have.
  var variables: [String: String] {
    isSecret ? [name: variable, "\(name)-file": "\(variable)_FILE"] : [name: variable]
  }
}

protocol AnySetting {
  var description: SettingDescription { get }
}

extension Setting: AnySetting {}

/// The values that a setting may have.
package struct SettingRule<Value: Sendable>: Sendable {
  /// Completes the sentence "It must be …".
  let text: String
  /// Names the value in help, with its unit.
  var value = ""
  /// The text of a value.
  var format: @Sendable (Value) -> String = { "\($0)" }
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

extension SettingRule where Value == Double {
  /// A whole number, which is converted to the unit of the program.
  static func number(
    _ range: ClosedRange<Int>, _ unit: String, times factor: Double = 1, per divisor: Double = 1
  ) -> Self {
    let rule = SettingRule<Int>.number(range, unit)
    return Self(text: rule.text, value: unit, format: { "\(Int(($0 * divisor / factor).rounded()))" }) {
      rule.parse($0).map { Double($0) * factor / divisor }
    }
  }

  static func percent(_ range: ClosedRange<Int>) -> Self { number(range, "percent", per: 100) }
  static func days(_ range: ClosedRange<Int>) -> Self { number(range, "days", times: 86_400) }
  static func hours(_ range: ClosedRange<Int>) -> Self { number(range, "hours", times: 3_600) }
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

extension SettingRule where Value == String {
  static var issuer: Self {
    Self(text: "an address that begins with https://, without a query; http:// is for this machine only", value: "url")
    {
      guard let url = URL(string: $0), SignOnConfiguration.isSafe(url), url.query == nil, $0.utf8.count <= 2_000 else {
        return nil
      }
      return $0
    }
  }

  static var webAddress: Self {
    Self(text: "an address that begins with http:// or https://", value: "url") {
      SettingRule<[URL]>.webAddresses.parse($0)?.count == 1 ? $0 : nil
    }
  }

  /// The address before the paths of the server.
  static var serverAddress: Self {
    Self(text: "an address such as https://ringfence.example, without a query", value: "url") { text in
      let url = URLComponents(string: text)
      let port = url?.port ?? 0
      return webAddress.parse(text) != nil && url?.query == nil && url?.fragment == nil && url?.user == nil
        && (0...65_535).contains(port) ? text : nil
    }
  }

  static var label: Self {
    Self(text: "a text of 1 to 40 characters", value: "name") { (1...40).contains($0.count) ? $0 : nil }
  }

  static var scopes: Self {
    Self(text: "scopes with spaces between, with openid among them", value: "scopes") {
      $0.split(separator: " ").contains("openid") ? $0 : nil
    }
  }
}

extension SettingRule where Value == [String] {
  static var values: Self {
    Self(text: "values with commas between", value: "values") { text in
      let values = text.split(separator: ",", omittingEmptySubsequences: false)
        .map { $0.trimmingCharacters(in: .whitespaces) }
      return values.contains("") ? nil : values
    }
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

extension SettingRule where Value == String {
  /// Refused at the start, because otherwise the first failure would come at night.
  static var program: Self {
    Self(text: "the path of an executable file, which begins with /", value: "program") {
      $0.hasPrefix("/") && FileManager.default.isExecutableFile(atPath: $0) ? $0 : nil
    }
  }

  static var mailUser: Self {
    Self(text: "a name without a colon", value: "name") { text in
      !text.isEmpty && !text.utf8.contains { $0 < 0x20 || $0 == UInt8(ascii: ":") } ? text : nil
    }
  }
}

extension SettingRule where Value == Mailer.Transport {
  static var mailTransport: Self {
    Self(text: "smtp://HOST:PORT, smtps://HOST:PORT or the path of a program", value: "address") {
      Mailer.Transport($0)
    }
  }
}

extension SettingRule where Value == MailAddress {
  static var mailAddress: Self {
    Self(text: "an address such as ringfence@example.org", value: "address") { MailAddress($0) }
  }
}

extension SettingRule where Value == AuditOutput {
  static var auditOutput: Self {
    Self(
      text: "an absolute path of a file, syslog, unix:/PATH, udp://HOST:PORT or tcp://HOST:PORT", value: "target"
    ) { AuditOutput($0) }
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
