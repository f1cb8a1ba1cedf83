// SPDX-License-Identifier: Apache-2.0

import Yams

/// Reads the contents of the documentation page from the YAML of an OpenAPI document.
struct OpenAPIReader {
  struct Fault: Error {
    /// From 1; nil for the complete file.
    let line: Int?
    let text: String
  }

  private static let problemType = "application/problem+json"

  let root: Node

  /// - Throws: ``Fault`` if a text is missing or a reference has no target.
  func document() throws -> OpenAPIDocument {
    let info = try required("info", of: root)
    let operations = try required("paths", of: root).members.flatMap { path, methods in
      try methods.members.map { method, operation in
        (tags: operation["tags"]?.array(of: String.self) ?? [], operation: try self.operation(operation, method, path))
      }
    }
    return OpenAPIDocument(
      json: root.json(), version: try text("version", of: info), introduction: try text("description", of: info),
      groups: try required("tags", of: root).array().map { tag in
        let name = try text("name", of: tag)
        return .init(
          name: name, anchor: name.lowercased(), text: try text("description", of: tag),
          operations: operations.filter { $0.tags.contains(name) }.map(\.operation))
      },
      objects: try required("schemas", of: try required("components", of: root)).members.compactMap(object))
  }

  private func operation(_ node: Node, _ method: String, _ path: String) throws -> OpenAPIDocument.Operation {
    let responses = try required("responses", of: node).members.map { (status: $0.name, node: try resolved($0.value)) }
    return .init(
      id: try text("operationId", of: node), method: method.uppercased(), path: path,
      summary: try text("summary", of: node),
      paragraphs: try text("description", of: node).split(separator: "\n\n").map(String.init),
      scope: scope(of: node),
      parameters: try (node["parameters"]?.array() ?? []).map(parameter),
      bodies: try (node["requestBody"]?["content"]?.members ?? []).map(body),
      answers: try responses.filter { $0.node["content"]?[Self.problemType] == nil }.map(answer),
      problems: try responses.flatMap(problems),
      curl: try text("source", of: node["x-codeSamples"]?.array().first ?? node))
  }

  /// The scope of the first requirement that has one. The others are for other places of the key, or another use.
  private func scope(of operation: Node) -> String {
    let requirements = operation["security"]?.array() ?? []
    return requirements.flatMap(\.members).flatMap { $0.value.array(of: String.self) }.first ?? ""
  }

  private func parameter(_ node: Node) throws -> OpenAPIDocument.Field {
    .init(
      name: try text("name", of: node), kind: try "\(text("in", of: node)), \(kind(required("schema", of: node)))",
      isRequired: node["required"]?.bool ?? false, text: try text("description", of: node))
  }

  private func body(_ mediaType: String, _ content: Node) throws -> OpenAPIDocument.Body {
    .init(
      mediaType: mediaType, text: try text("description", of: required("schema", of: content)),
      // Each line of NDJSON must stay one line.
      example: try example(of: content)?.json(isPretty: mediaType != "application/x-ndjson") ?? "")
  }

  private func answer(_ status: String, _ response: Node) throws -> OpenAPIDocument.Answer {
    let content = response["content"]?.members.first?.value
    return .init(
      status: status, text: try text("description", of: response),
      model: try content?["schema"].flatMap(objectName) ?? "",
      example: try content.flatMap(example)?.json(isPretty: true) ?? "")
  }

  private func problems(_ status: String, _ response: Node) throws -> [OpenAPIDocument.ProblemReference] {
    try (response["content"]?[Self.problemType]?["examples"]?.members ?? []).map { slug, example in
      .init(status: status, slug: slug, path: try text("type", of: required("value", of: resolved(example))))
    }
  }

  private func object(_ name: String, _ schema: Node) throws -> OpenAPIDocument.Object? {
    guard schema["type"]?.string == "object" else { return nil }
    let required = schema["required"]?.array(of: String.self) ?? []
    return .init(
      name: name, text: try text("description", of: schema),
      fields: try (schema["properties"]?.members ?? []).map { name, schema in
        .init(
          name: name, kind: try kind(schema), isRequired: required.contains(name),
          text: try text("description", of: schema))
      },
      example: schema["examples"]?.array().first?.json(isPretty: true) ?? "")
  }

  /// The first example of a media type, or of its schema.
  private func example(of content: Node) throws -> Node? {
    if let example = content["example"] { return example }
    if let example = content["examples"]?.members.first { return try resolved(example.value)["value"] }
    return try content["schema"].map(resolved)?["examples"]?.array().first
  }

  /// The name of the object that a schema refers to.
  private func objectName(_ schema: Node) throws -> String? {
    guard let reference = schema["$ref"]?.string, try resolved(schema)["type"]?.string == "object" else { return nil }
    return reference.split(separator: "/").last.map(String.init)
  }

  /// A schema in a few words, such as `string (uuid)`.
  private func kind(_ schema: Node) throws -> String {
    if let name = try objectName(schema) { return name }
    let schema = try resolved(schema)
    if let kinds = try schema["anyOf"]?.array().map(kind), let known = kinds.first, let any = kinds.last {
      // An open enum: the known names, and any string.
      return known.hasPrefix("\(any): ") ? "\(known); others may follow" : known
    }
    let types = schema["type"]?.string.map { [$0] } ?? schema["type"]?.array(of: String.self) ?? []
    if types == ["array"] { return "array of \(try schema["items"].map(kind) ?? "anything")" }
    let type = types.joined(separator: " or ")
    if let names = schema["enum"]?.array(of: String.self), names.count <= 20 {
      return "\(type): \(names.joined(separator: ", "))"
    }
    if let format = schema["format"]?.string { return "\(type) (\(format))" }
    if let least = schema["minimum"]?.int, let most = schema["maximum"]?.int { return "\(type), \(least) to \(most)" }
    if let most = schema["maxLength"]?.int { return "\(type), at most \(most) characters" }
    return type
  }

  /// The node itself, or the one that its `$ref` names.
  private func resolved(_ node: Node) throws -> Node {
    guard let reference = node["$ref"]?.string else { return node }
    let target = reference.split(separator: "/").dropFirst().reduce(root as Node?) { $0?[String($1)] }
    guard reference.hasPrefix("#/"), let target else {
      throw Fault(line: node.mark?.line, text: "\(reference) does not exist.")
    }
    return target
  }

  private func required(_ name: String, of node: Node) throws -> Node {
    guard let value = node[name] else { throw Fault(line: node.mark?.line, text: "\(name) is missing.") }
    return value
  }

  private func text(_ name: String, of node: Node) throws -> String {
    guard let text = try required(name, of: node).string else {
      throw Fault(line: node.mark?.line, text: "\(name) is not a text.")
    }
    return text
  }
}
