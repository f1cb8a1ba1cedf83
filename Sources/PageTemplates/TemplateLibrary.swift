// SPDX-License-Identifier: Apache-2.0

/// Compiled templates. Partials and parents are resolved once when the library is created, so an unknown one is an
/// error then and rendering needs no lookup.
public struct TemplateLibrary: Sendable {
  /// The reason why a library is invalid.
  public struct Failure: Error, Equatable {
    /// The template's name.
    public let template: String
    /// The error in it.
    public let error: TemplateError
  }

  /// Maximum nesting of partials and parents; recursive templates exceed it.
  static let greatestDepth = 16

  private let templates: [String: Template]

  /// - Parameter sources: the text of each template, by name.
  /// - Throws: `Failure` for a template that is invalid, refers to an unknown one, or includes itself.
  public init(_ sources: [String: String]) throws(Failure) {
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

  /// The template of a name; nil if there is none.
  public subscript(name: String) -> Template? { templates[name] }

  /// - Parameter blocks: the blocks of inheriting templates.
  private static func linked(
    _ nodes: [TemplateNode], _ blocks: [String: [TemplateStep]], _ known: [String: [TemplateNode]], depth: Int
  ) throws(TemplateError) -> [TemplateStep] {
    guard depth <= greatestDepth else { throw TemplateError(line: nil, problem: "holds itself") }
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
