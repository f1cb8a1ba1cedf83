/// An object of the API's JSON.
struct APIModel: Sendable {
  /// A member.
  struct Field: Sendable {
    let name: String
    let schema: JSONValue
    let text: String
    var isRequired = true

    init(_ name: String, _ schema: JSONValue, _ text: String, isRequired: Bool = true) {
      self.name = name
      self.schema = schema
      self.text = text
      self.isRequired = isRequired
    }
  }

  let name: String
  let text: String
  let example: JSONValue
  let fields: [Field]

  /// As JSON Schema has it. More members may come with later versions.
  var schema: JSONValue {
    [
      "type": "object", "description": .string(text),
      "required": .array(fields.filter(\.isRequired).map { .string($0.name) }),
      "properties": .object(
        Dictionary(
          fields.map { ($0.name, $0.schema.merging(["description": .string($0.text)])) }, uniquingKeysWith: { $1 })),
      "examples": [example],
    ]
  }
}
