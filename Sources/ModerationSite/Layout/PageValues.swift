/// A page's own values, and beside them the frame.
struct PageValues<Values: Encodable>: Encodable {
  let values: Values
  let frame: PageLayout

  private enum CodingKeys: CodingKey {
    case frame
  }

  func encode(to encoder: any Encoder) throws {
    try values.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(frame, forKey: .frame)
  }
}
