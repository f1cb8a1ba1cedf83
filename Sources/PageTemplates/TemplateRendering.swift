// SPDX-License-Identifier: Apache-2.0

/// A template that is being rendered.
struct TemplateRendering {
  private(set) var output: [UInt8] = []
  /// The values of the enclosing sections, innermost last.
  private var around: [TemplateValue]

  init(_ value: TemplateValue) {
    around = [value]
    output.reserveCapacity(32_768)
  }

  mutating func run(_ steps: [TemplateStep]) {
    for step in steps {
      switch step {
      case .text(let text): output += text
      case .variable(let name): write(find(name))
      case .section(let name, let isInverted, let content): section(name, isInverted, content)
      }
    }
  }

  private mutating func section(_ name: TemplateName, _ isInverted: Bool, _ content: [TemplateStep]) {
    let value = find(name)
    if name.asksIfEmpty {
      if (value?.isEmpty ?? false) != isInverted { run(content) }
      return
    }
    if isInverted {
      if Self.isNothing(value) { run(content) }
      return
    }
    switch value {
    case .none, .flag(false): return
    case .flag(true): run(content)
    case .list(let items): for item in items { run(content, about: item) }
    case .some(let value): run(content, about: value)
    }
  }

  private mutating func run(_ steps: [TemplateStep], about value: TemplateValue) {
    around.append(value)
    run(steps)
    around.removeLast()
  }

  private static func isNothing(_ value: TemplateValue?) -> Bool {
    switch value {
    case .none, .flag(false): true
    case .list(let items): items.isEmpty
    case .flag(true), .text, .record: false
    }
  }

  private func find(_ name: TemplateName) -> TemplateValue? {
    guard let first = name.path.first else { return around.last }
    for value in around.reversed() {
      guard case .record(let record) = value, var found = record[first] else { continue }
      for part in name.path.dropFirst() {
        guard case .record(let inner) = found, let next = inner[part] else { return nil }
        found = next
      }
      return found
    }
    return nil
  }

  private mutating func write(_ value: TemplateValue?) {
    switch value {
    case .text(let text): escape(text)
    case .flag(let flag): output += flag ? "true".utf8 : "false".utf8
    case .none, .list, .record: return
    }
  }

  /// Escapes the five characters with a meaning in HTML's text and quoted attributes.
  private mutating func escape(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      var written = 0
      for (index, byte) in bytes.enumerated() {
        guard let reference = Self.reference(byte) else { continue }
        output += bytes[written..<index]
        output += reference.utf8
        written = index + 1
      }
      output += bytes[written...]
    }
  }

  private static func reference(_ byte: UInt8) -> String? {
    switch byte {
    case UInt8(ascii: "&"): "&amp;"
    case UInt8(ascii: "<"): "&lt;"
    case UInt8(ascii: ">"): "&gt;"
    case UInt8(ascii: "\""): "&quot;"
    case UInt8(ascii: "'"): "&#39;"
    default: nil
    }
  }
}
