import Foundation
import HTTPTypes
import Storage

/// What the documentation page shows: stored properties alone, as the templates need them.
struct DocumentationPage: Sendable, Encodable {
  struct Row: Sendable, Encodable {
    let name: String
    let kind: String
    let isRequired: Bool
    let text: String
  }

  struct Model: Sendable, Encodable {
    let name: String
    let text: String
    let fields: [Row]
    let example: String
  }

  struct Answer: Sendable, Encodable {
    let status: String
    let text: String
    let mediaType: String
    /// Name of a model; empty where it is none.
    let model: String
    /// Empty where there is none.
    let example: String
    let headers: [Row]
  }

  struct Operation: Sendable, Encodable {
    let id: String
    let method: String
    let path: String
    let summary: String
    let paragraphs: [String]
    /// Empty where no key is needed.
    let scope: String
    let parameters: [Row]
    let bodies: [Answer]
    let answers: [Answer]
    let problems: [ProblemView]
    let curl: String
  }

  struct Group: Sendable, Encodable {
    let name: String
    let anchor: String
    let text: String
    let operations: [Operation]
  }

  let introduction: String
  let version: String
  let groups: [Group]
  let models: [Model]
  let problems: [ProblemView]

  init(_ description: APIDescription) {
    introduction = APIDescription.introduction
    version = APIDescription.version
    groups = description.groups.map { group in
      Group(
        name: group.name, anchor: group.name.lowercased(), text: group.text,
        operations: group.operations.map(Operation.init))
    }
    models = APIDescription.models.map(Model.init)
    problems = ProblemKind.allCases.map(ProblemView.init)
  }
}

/// A kind of problem, as pages show it.
struct ProblemView: Sendable, Encodable {
  let slug: String
  let path: String
  let status: Int
  let title: String
  let cause: String
  let remedy: String
  let example: String

  init(_ kind: ProblemKind) {
    let account = kind.account
    slug = kind.rawValue
    path = kind.path
    status = account.status.code
    title = account.title
    cause = account.cause
    remedy = account.remedy
    example = kind.example.json.pretty
  }
}

extension DocumentationPage.Operation {
  init(_ operation: APIOperation) {
    id = operation.id
    method = operation.method.rawValue
    path = operation.path
    summary = operation.summary
    paragraphs = operation.text.split(separator: "\n\n").map(String.init)
    scope = operation.scope?.names.joined(separator: ", ") ?? ""
    parameters = operation.parameters.map { parameter in
      .init(
        name: parameter.name, kind: "\(parameter.place.rawValue), \(parameter.schema.kind)",
        isRequired: parameter.place == .path, text: parameter.text)
    }
    bodies = operation.bodies.map { body in
      .init(
        status: "", text: body.text, mediaType: body.mediaType, model: "",
        example: body.examples.first?.value.pretty ?? "",
        headers: [])
    }
    answers = operation.answers.map { answer in
      .init(
        status: "\(answer.status)", text: answer.text, mediaType: answer.mediaType ?? "",
        model: answer.schema.modelName ?? "",
        example: answer.example?.pretty ?? "",
        headers: answer.headers.map { .init(name: $0.name, kind: "", isRequired: false, text: $0.text) })
    }
    problems = operation.allProblems.map(ProblemView.init)
    curl = operation.curl
  }
}

extension DocumentationPage.Model {
  init(_ model: APIModel) {
    name = model.name
    text = model.text
    fields = model.fields.map { .init(name: $0.name, kind: $0.schema.kind, isRequired: $0.isRequired, text: $0.text) }
    example = model.example.pretty
  }
}

extension JSONValue {
  /// In lines, with members in the order of their names.
  var pretty: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  /// The model that a schema refers to.
  fileprivate var modelName: String? {
    self["$ref"]?.text.map { String($0.split(separator: "/").last ?? "") }
  }

  /// A schema in a few words, such as `string (uuid)`.
  fileprivate var kind: String {
    if let modelName { return modelName }
    let types = self["type"]?.items?.compactMap(\.text) ?? self["type"]?.text.map { [$0] } ?? []
    if types == ["array"] { return "array of \(self["items"]?.kind ?? "anything")" }
    let type = types.joined(separator: " or ")
    if let names = self["enum"]?.items?.compactMap(\.text), names.count <= 20 {
      return "\(type): \(names.joined(separator: ", "))"
    }
    if let format = self["format"]?.text { return "\(type) (\(format))" }
    if case .integer(let least)? = self["minimum"], case .integer(let most)? = self["maximum"] {
      return "\(type), \(least) to \(most)"
    }
    if case .integer(let most)? = self["maxLength"] { return "\(type), at most \(most) characters" }
    return type
  }
}
