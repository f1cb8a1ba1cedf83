// SPDX-License-Identifier: Apache-2.0

import CQRCode

/// A QR code as the path of an SVG picture, drawn by libqrencode.
public struct QRCode: Sendable, Equatable, Encodable {
  /// Modules from edge to edge, including the quiet zone of four on each side.
  public let size: Int
  /// The path's `d`: dark modules of one unit each.
  public let path: String

  /// - Parameter text: the content; nil when it is too long for a code.
  public init?(_ text: String) {
    guard let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_M) else { return nil }
    defer { QRcode_free(code) }
    let width = Int(code.pointee.width)
    let modules = UnsafeBufferPointer(start: code.pointee.data, count: width * width)
    var path = ""
    for y in 0..<width {
      var x = 0
      while x < width {
        guard modules[y * width + x] & 1 == 1 else {
          x += 1
          continue
        }
        let start = x
        while x < width, modules[y * width + x] & 1 == 1 { x += 1 }
        path += "M\(start + 4) \(y + 4)h\(x - start)v1h-\(x - start)z"
      }
    }
    size = width + 8
    self.path = path
  }
}
