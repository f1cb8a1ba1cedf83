// SPDX-License-Identifier: Apache-2.0

/// Compiled templates. Partials and parents are resolved once when the library is created, so an unknown one is an
/// error then and rendering needs no lookup.
package struct TemplateLibrary: Sendable {
  /// The reason why a library is invalid.
  package struct Failure: Error, Equatable {
    /// The template's name.
    package let template: String
    package let error: TemplateError
  }

  /// Maximum nesting of partials and parents; recursive templates exceed it.
  static let maxDepth = 16

  private let templates: [String: Template]

  /// - Parameter sources: the text of each template, by name.
  /// - Throws: `Failure` for a template that is invalid, refers to an unknown one, or includes itself.
  package init(_ sources: [String: String]) throws(Failure) {
    var parsed: [String: [TemplateNode]] = [:]
    for (name, source) in sources {
      do throws(TemplateError) {
        parsed[name] = try TemplateParser.parse(source)
      } catch { throw Failure(template: name, error: error) }
    }
    var templates: [String: Template] = [:]
    for (name, nodes) in parsed {
      do throws(TemplateError) {
        templates[name] = Template(steps: try Self.linked(nodes, [:], parsed, depth: 0))
      } catch { throw Failure(template: name, error: error) }
    }
    self.templates = templates
  }

  package subscript(name: String) -> Template? { templates[name] }

  /// - Parameter blocks: the blocks of inheriting templates.
  private static func linked(
    _ nodes: [TemplateNode], _ blocks: [String: [TemplateStep]], _ known: [String: [TemplateNode]], depth: Int
  ) throws(TemplateError) -> [TemplateStep] {
    guard depth <= maxDepth else { throw TemplateError(line: nil, problem: "holds itself") }
    var steps: [TemplateStep] = []
    for node in nodes {
      switch node {
      case .text(let text): steps.append(.text(Array(text.utf8)))
      case .variable(let name): steps.append(.variable(name))
      case .section(let name, let isInverted, let content):
        steps.append(.section(name, isInverted: isInverted, try linked(content, blocks, known, depth: depth)))
      case .block(let name, let content):
        if let given = blocks[name] {
          steps += given
        } else {
          steps += try linked(content, blocks, known, depth: depth)
        }
      case .partial(let name):
        steps += try linked(try find(name, known), blocks, known, depth: depth + 1)
      case .parent(let name, let overriding):
        var inner: [String: [TemplateStep]] = [:]
        for (name, content) in overriding { inner[name] = try linked(content, blocks, known, depth: depth) }
        inner.merge(blocks) { _, outermost in outermost }
        steps += try linked(try find(name, known), inner, known, depth: depth + 1)
      }
    }
    return TemplateStep.joined(steps)
  }

  private static func find(
    _ name: String, _ known: [String: [TemplateNode]]
  ) throws(TemplateError) -> [TemplateNode] {
    guard let nodes = known[name] else {
      throw TemplateError(line: nil, problem: "asks for \(name), which is not there")
    }
    return nodes
  }
}

indirect enum TemplateStep: Sendable, Equatable {
  case text([UInt8])
  case variable(TemplateName)
  case section(TemplateName, isInverted: Bool, [TemplateStep])

  /// The steps with adjacent texts joined.
  static func joined(_ steps: [TemplateStep]) -> [TemplateStep] {
    steps.reduce(into: []) { all, step in
      if case .text(let text) = step, case .text(let before) = all.last {
        all[all.count - 1] = .text(before + text)
      } else {
        all.append(step)
      }
    }
  }
}

/// A compiled template, which may be rendered concurrently.
package struct Template: Sendable {
  let steps: [TemplateStep]

  /// Renders the template as UTF-8; each value is escaped for HTML.
  package func render(_ value: TemplateValue) -> [UInt8] {
    var rendering = TemplateRendering(value)
    rendering.run(steps)
    return rendering.output
  }
}

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
