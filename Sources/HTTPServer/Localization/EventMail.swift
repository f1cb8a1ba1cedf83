// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PhoneNumbers

/// Writes mails about events: `events.mail.KIND.subject` and `events.mail.KIND.text`, with the details of the event as
/// values.
package struct EventMail: Sendable {
  private let catalog: MessageCatalog
  private let address: String
  private let ticket: @Sendable ([UInt8]) -> String?

  /// - Parameters:
  ///   - address: of the server for browsers, without a slash at the end.
  ///   - ticket: the code of the ticket for the stamp of an appeal's form.
  package init(
    catalog: MessageCatalog, address: String, ticket: @escaping @Sendable ([UInt8]) -> String? = { _ in nil }
  ) {
    (self.catalog, self.address, self.ticket) = (catalog, address, ticket)
  }

  /// - Parameters:
  ///   - kind: of the event.
  ///   - body: its JSON.
  ///   - language: English where it is nil or unknown.
  /// - Returns: nil if the body cannot be read, or there is no text for the kind.
  package func write(kind: String, body: String, language: String?) -> (subject: String, text: String)? {
    let texts = catalog[language.flatMap(Language.init(rawValue:)) ?? .english]
    guard let object = try? JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any] else { return nil }
    var values = object.compactMapValues { value in
      (value as? String) ?? (value as? NSNumber).map { texts.number($0.int64Value) }
    }
    values["address"] = address
    let ticket = values["stamp"].flatMap { Hexadecimal.bytes($0) }.flatMap { $0.isEmpty ? nil : self.ticket($0) }
    values["ticket"] = "\(address)/appeal\(ticket.map { "/\($0)" } ?? "")"
    values["number"] =
      values["number"].flatMap { Int64($0.dropFirst()) }.flatMap(PhoneNumber.init(digits:))?
      .formatted(.international) ?? values["number"]
    for (name, value) in values where ["expires", "occurred_at"].contains(name) { values[name] = texts.time(value) }
    if let cause = values["cause"] { values["cause"] = texts("events.mail.\(kind).\(cause)") }
    if let state = values["state"] { values["state"] = texts("appeal.state-\(state)") }
    if let answer = values["answer"] { values["answer"] = answer.isEmpty ? "" : texts.reason(answer) + "\n" }
    guard let subject = texts.find("events.mail.\(kind).subject"),
      let text = texts.find("events.mail.\(kind).text", values)
    else { return nil }
    let why =
      switch Event.Kind(rawValue: kind) {
      case .appealAnswered: "-answer"
      case .invitation: "-invitation"
      default: ""
      }
    return (subject, "\(text)\n\n\(texts("events.mail.why\(why)", values))\n")
  }
}
