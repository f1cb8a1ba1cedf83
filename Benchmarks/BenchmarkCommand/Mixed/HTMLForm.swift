// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A form of a page, as a browser would send it.
struct HTMLForm: Equatable {
  let action: String
  /// Hidden and filled fields.
  var fields: [(name: String, value: String)]
  /// Values that buttons, radio buttons and lists offer, by name.
  let offers: [(name: String, value: String)]

  static func == (one: HTMLForm, other: HTMLForm) -> Bool {
    one.action == other.action && one.fields.map(\.name) == other.fields.map(\.name)
      && one.fields.map(\.value) == other.fields.map(\.value) && one.offers.map(\.value) == other.offers.map(\.value)
  }

  /// The fields as application/x-www-form-urlencoded.
  var body: String {
    var safe = CharacterSet.alphanumerics
    safe.insert(charactersIn: "-._~")
    return fields.map { name, value in
      "\(name.addingPercentEncoding(withAllowedCharacters: safe) ?? "")"
        + "=\(value.addingPercentEncoding(withAllowedCharacters: safe) ?? "")"
    }.joined(separator: "&")
  }

  /// The form of a case with a treatment and the fields that it requires.
  func choosing(_ treatment: String, of name: String) -> HTMLForm {
    var form = self
    form.fields.removeAll { $0.name == name }
    form.fields.append((name, treatment))
    for index in form.fields.indices where form.fields[index].value.isEmpty {
      switch form.fields[index].name {
      case "reason": form.fields[index].value = "Decided in a load test."
      case "label" where treatment == "identify": form.fields[index].value = "A caller"
      default: break
      }
    }
    if !form.fields.contains(where: { $0.name == "category" }),
      let category = offers.first(where: { $0.name == "category" && !$0.value.isEmpty })
    {
      form.fields.append(category)
    }
    return form
  }

  /// The forms of a page with the method POST.
  static func all(in page: String) -> [HTMLForm] {
    page.components(separatedBy: "<form ").dropFirst().compactMap { part in
      let text = part.components(separatedBy: "</form>")[0]
      let opening = "<form " + text.prefix { $0 != ">" }
      guard attribute("method", of: opening)?.lowercased() == "post" else { return nil }
      var fields: [(String, String)] = []
      var offers: [(String, String)] = []
      var list: String?
      for tag in text.components(separatedBy: "<").dropFirst() {
        let tag = "<" + tag.prefix { $0 != ">" }
        let name = attribute("name", of: tag)
        let value = attribute("value", of: tag)
        if tag.hasPrefix("<select") { list = name }
        if tag.hasPrefix("</select") { list = nil }
        if tag.hasPrefix("<option"), let list, let value { offers.append((list, value)) }
        if tag.hasPrefix("<button"), let name, let value { offers.append((name, value)) }
        if tag.hasPrefix("<textarea"), let name { fields.append((name, "")) }
        guard tag.hasPrefix("<input"), let name else { continue }
        switch attribute("type", of: tag) ?? "text" {
        case "radio", "checkbox", "submit": offers.append((name, value ?? "on"))
        default: fields.append((name, value ?? ""))
        }
      }
      return HTMLForm(action: attribute("action", of: opening) ?? "", fields: fields, offers: offers)
    }
  }

  /// The targets of the links of a page.
  static func links(in page: String) -> [String] {
    page.components(separatedBy: "href=\"").dropFirst().map { unescaped(String($0.prefix { $0 != "\"" })) }
  }

  private static func attribute(_ name: String, of tag: String) -> String? {
    guard let start = tag.range(of: " \(name)=\"") else { return nil }
    return unescaped(String(tag[start.upperBound...].prefix { $0 != "\"" }))
  }

  private static func unescaped(_ text: String) -> String {
    guard text.contains("&") else { return text }
    return [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&#43;", "+"), ("&amp;", "&")]
      .reduce(text) { $0.replacing($1.0, with: $1.1) }
  }
}
