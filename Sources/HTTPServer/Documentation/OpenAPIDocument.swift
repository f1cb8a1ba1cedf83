// SPDX-License-Identifier: Apache-2.0

package import Foundation
import Support
import Yams

/// The description of the API in `Resources/openapi.yaml`, for `/openapi.json`, the documentation page and tests.
///
/// Missing texts are empty, as the templates require.
package struct OpenAPIDocument: Sendable {
  /// A tag with its operations.
  package struct Group: Sendable {
    package let name: String
    /// The name as a fragment of an address.
    package let anchor: String
    package let text: String
    package let operations: [Operation]
  }

  package struct Operation: Sendable {
    package let id: String
    /// In upper case.
    package let method: String
    /// With parameters in braces.
    package let path: String
    package let summary: String
    package let paragraphs: [String]
    /// The scope that a key needs; empty if no key is needed.
    package let scope: String
    package let parameters: [Field]
    package let bodies: [Body]
    /// Responses that are not problems.
    package let answers: [Answer]
    package let problems: [ProblemReference]
    /// A command for a shell, with the server's address in `$SERVER` and a key in `$KEY`.
    package let curl: String
  }

  /// A parameter of an operation, or a member of an object.
  package struct Field: Sendable {
    package let name: String
    /// Its schema in a few words, such as `string (uuid)`.
    package let kind: String
    package let isRequired: Bool
    package let text: String
  }

  /// A form of a request's body.
  package struct Body: Sendable {
    package let mediaType: String
    package let text: String
    /// JSON.
    package let example: String
  }

  package struct Answer: Sendable {
    package let status: String
    package let text: String
    /// The name of an ``Object``.
    package let model: String
    /// JSON.
    package let example: String
  }

  /// A kind of problem that an operation may return.
  package struct ProblemReference: Sendable {
    package let status: String
    package let slug: String
    /// The path of its page.
    package let path: String
  }

  /// A schema of a JSON object.
  package struct Object: Sendable {
    package let name: String
    package let text: String
    package let fields: [Field]
    /// JSON.
    package let example: String
  }

  /// The document as JSON, with members in the order of the file.
  package let json: String
  package let version: String
  package let introduction: String
  package let groups: [Group]
  package let objects: [Object]

  package init(json: String, version: String, introduction: String, groups: [Group], objects: [Object]) {
    self.json = json
    self.version = version
    self.introduction = introduction
    self.groups = groups
    self.objects = objects
  }

  package var operations: [Operation] { groups.flatMap(\.operations) }
}

extension OpenAPIDocument {
  /// Reads the description of the API from a file.
  /// - Parameters:
  /// - file: path of `openapi.yaml`; its first lines explain the changes made when it is read.
  /// - publicationsNeedKey: whether this server requires a key for publications.
  /// - now: the time in examples.
  /// - Throws: ``OpenAPIFileError`` if the file cannot be read, is not YAML, or lacks a part of the documentation page.
  package init(contentsOf file: String, publicationsNeedKey: Bool, now: Date = Date()) throws(OpenAPIFileError) {
    do {
      guard let data = FileManager.default.contents(atPath: file), let text = String(validating: data, as: UTF8.self)
      else { throw OpenAPIReader.Fault(line: nil, text: "The file does not exist, or cannot be read as UTF-8.") }
      let time = Timestamp.format(now)
      let yaml = text.replacing("${NOW}", with: time).replacing("${TODAY}", with: time.prefix(10))
      // Yams' resolver would apply the types of YAML 1.1 to each scalar; `json()` applies the types of JSON.
      guard var root = try Yams.compose(yaml: yaml, .basic) else {
        throw OpenAPIReader.Fault(line: nil, text: "The file is empty.")
      }
      root.decideSecurity(needsKey: publicationsNeedKey)
      self = try OpenAPIReader(root: root).document()
    } catch let fault as OpenAPIReader.Fault {
      throw OpenAPIFileError(file: file, problem: fault.line.map { "Line \($0): \(fault.text)" } ?? fault.text)
    } catch {
      throw OpenAPIFileError(file: file, problem: "The file is not valid YAML: \(error)")
    }
  }
}

package struct OpenAPIFileError: Error, CustomStringConvertible {
  package let file: String
  /// A sentence, with an excerpt of the file below it if the YAML is not valid.
  package let problem: String

  package var description: String {
    """
    Cannot read "\(file)", the description of the API. Correct the file, or restore it from the release.
    \(problem)
    """
  }
}

extension Node {
  /// Applies the operator's choice to operations with optional security (`security: [{}, {key: [fetch]}]`).
  fileprivate mutating func decideSecurity(needsKey: Bool) {
    for (path, methods) in self["paths"]?.members ?? [] {
      for (method, operation) in methods.members
      where operation["security"]?.array().contains(where: { $0.mapping?.isEmpty ?? false }) ?? false {
        self["paths"]?[path]?[method] = needsKey ? operation.keyed : operation.open
      }
    }
  }

  private var keyed: Node {
    var operation = self
    operation["security"] = operation["security"].map { Node($0.array().filter { !($0.mapping?.isEmpty ?? false) }) }
    return operation
  }

  private var open: Node {
    var operation = self
    operation["security"] = []
    operation["responses"] = operation["responses"]?.removing(["401", "403", "429"])
    operation["x-codeSamples"] = operation["x-codeSamples"].map { samples in
      Node(
        samples.array().map { sample in
          var sample = sample
          sample["source"] = sample["source"]?.string.map {
            Node($0.replacing(#" -H "Authorization: Bearer $KEY""#, with: ""))
          }
          return sample
        })
    }
    return operation
  }

  private func removing(_ names: Set<String>) -> Node {
    Node((mapping ?? [:]).filter { !names.contains($0.key.string ?? "") }.map { ($0.key, $0.value) })
  }
}

extension Node {
  /// The members of a mapping, in the order of the file; empty for another node.
  var members: [(name: String, value: Node)] { mapping?.map { ($0.key.string ?? "", $0.value) } ?? [] }

  /// The node as JSON, with members in the order of the file.
  /// - Parameter isPretty: whether to break and indent lines.
  func json(isPretty: Bool = false) -> String { json(lineBreak: isPretty ? "\n" : "") }

  /// - Parameter lineBreak: a line break and the indentation of this value; empty for JSON in one line.
  private func json(lineBreak: String) -> String {
    let inner = lineBreak.isEmpty ? "" : "\(lineBreak)  "
    switch self {
    case .scalar(let scalar):
      return scalar.isLiteral ? scalar.string : Self.quoted(scalar.string)
    case .sequence(let items):
      guard !items.isEmpty else { return "[]" }
      return "[\(inner)\(items.map { $0.json(lineBreak: inner) }.joined(separator: ",\(inner)"))\(lineBreak)]"
    case .mapping:
      guard !members.isEmpty else { return "{}" }
      let space = lineBreak.isEmpty ? "" : " "
      let members = members.map { "\(Self.quoted($0.name)):\(space)\($0.value.json(lineBreak: inner))" }
      return "{\(inner)\(members.joined(separator: ",\(inner)"))\(lineBreak)}"
    case .alias:
      // The parser replaces aliases by the nodes that they refer to.
      return "null"
    }
  }

  private static let encoder = {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    return encoder
  }()

  private static func quoted(_ text: String) -> String {
    // A string always encodes.
    String(decoding: try! encoder.encode(text), as: UTF8.self)
  }
}

extension Node.Scalar {
  /// Whether a plain scalar is null, a boolean or a number, by the JSON schema of YAML 1.2, which OpenAPI recommends.
  fileprivate var isLiteral: Bool {
    guard style == .plain, let first = string.utf8.first else { return false }
    guard first == UInt8(ascii: "-") || (0x30...0x39).contains(first) else {
      return ["null", "true", "false"].contains(string)
    }
    return string.wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/) != nil
  }
}
