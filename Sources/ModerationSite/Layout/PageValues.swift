// SPDX-License-Identifier: Apache-2.0

/// A page's own values plus the layout's.
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
