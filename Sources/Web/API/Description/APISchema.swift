/// Makes JSON Schemas of the shapes that the API has.
enum APISchema {
  static let text: JSONValue = ["type": "string"]
  static let flag: JSONValue = ["type": "boolean"]
  static let figure: JSONValue = ["type": "number"]
  static let count: JSONValue = ["type": "integer", "minimum": 0]
  static let time: JSONValue = ["type": "string", "format": "date-time"]
  static let day: JSONValue = ["type": "string", "format": "date"]
  static let uuid: JSONValue = ["type": "string", "format": "uuid"]
  static let hexDigest: JSONValue = ["type": "string", "pattern": "^[0-9a-f]{64}$"]

  /// Text of so many characters (code points).
  static func text(_ lengths: ClosedRange<Int>) -> JSONValue {
    ["type": "string", "minLength": .integer(lengths.lowerBound), "maxLength": .integer(lengths.upperBound)]
  }

  static func text(matching pattern: String) -> JSONValue { ["type": "string", "pattern": .string(pattern)] }

  static func integer(_ bounds: ClosedRange<Int>) -> JSONValue {
    ["type": "integer", "minimum": .integer(bounds.lowerBound), "maximum": .integer(bounds.upperBound)]
  }

  static func one(of names: [String]) -> JSONValue {
    ["type": "string", "enum": .array(names.map(JSONValue.string))]
  }

  static func model(_ name: String) -> JSONValue { ["$ref": "#/components/schemas/\(name)"] }

  static func list(_ item: JSONValue, _ counts: ClosedRange<Int>? = nil) -> JSONValue {
    let list: JSONValue = ["type": "array", "items": item]
    guard let counts else { return list }
    return list.merging(["minItems": .integer(counts.lowerBound), "maxItems": .integer(counts.upperBound)])
  }

  /// The same, or null, which is as if it were left out.
  static func orNull(_ schema: JSONValue) -> JSONValue {
    guard let type = schema["type"] else { return schema }
    return schema.merging(["type": [type, "null"]])
  }
}
