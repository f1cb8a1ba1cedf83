// SPDX-License-Identifier: Apache-2.0

import Accounts
import Crypto
import Curation
package import Foundation
import HTTPTypes
package import Hummingbird

/// The fields of a form, in the order sent.
package struct Form: Sendable {
  private let fields: [(name: String, value: String)]

  /// Maximum fields of a form.
  package static let limit = 2_000

  package init() { self.init(fields: []) }

  /// The id that its page gave it, by which a form that is sent again finds what it has made; a new one where it has none.
  package var id: UUID { self["id"].flatMap { UUID(uuidString: $0) } ?? UUID() }

  private init(fields: [(name: String, value: String)]) { self.fields = fields }

  /// - Parameter encoded: `application/x-www-form-urlencoded` (WHATWG URL, 5.1); nil for another format or more than
  ///   ``limit`` fields.
  package init?(encoded: String) {
    var fields: [(String, String)] = []
    for part in encoded.utf8.split(separator: UInt8(ascii: "&")) {
      let name = part.prefix { $0 != UInt8(ascii: "=") }
      guard fields.count < Self.limit, let key = Self.decode(name),
        let value = Self.decode(part.dropFirst(name.count + 1))
      else { return nil }
      fields.append((key, key.contains("password") ? value : Self.visible(value)))
    }
    self.fields = fields
  }

  /// The first field of this name.
  package subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

  /// The trimmed first field of this name; nil if it is missing or empty.
  package func text(_ name: String) -> String? {
    guard let text = self[name]?.trimmingCharacters(in: .whitespacesAndNewlines), !text.isEmpty else { return nil }
    return text
  }

  package func all(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

  package func without(_ names: Set<String>) -> Form { Form(fields: fields.filter { !names.contains($0.name) }) }

  /// The fields as `application/x-www-form-urlencoded`.
  package func encoded(without names: Set<String>) -> String {
    without(names).fields.map { "\(Self.escaped($0.name))=\(Self.escaped($0.value))" }.joined(separator: "&")
  }

  /// A name or a value for an address or a form.
  package static func escaped(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: CharacterSet(charactersIn: "-._~").union(.alphanumerics)) ?? ""
  }

  private static func decode(_ bytes: Substring.UTF8View.SubSequence) -> String? {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(bytes.count)
    var rest = bytes.makeIterator()
    while let byte = rest.next() {
      switch byte {
      case UInt8(ascii: "+"): decoded.append(0x20)
      case UInt8(ascii: "%"):
        guard let high = rest.next().flatMap(Self.digit), let low = rest.next().flatMap(Self.digit) else { return nil }
        decoded.append(high << 4 | low)
      default: decoded.append(byte)
      }
    }
    // PostgreSQL's type text cannot store NUL.
    guard !decoded.contains(0) else { return nil }
    return String(validating: decoded, as: UTF8.self)
  }

  /// A text without invisible marks, which come with numbers and names that people copy. Persian, the scripts of India and
  /// emoji sequences need joiners.
  private static func visible(_ text: String) -> String {
    let scalars = text.unicodeScalars
    let isInvisible = { (scalar: Unicode.Scalar) in
      scalar.value >= 0xAD && scalar.properties.generalCategory == .format && scalar != "\u{200C}"
        && scalar != "\u{200D}"
    }
    guard scalars.contains(where: isInvisible) else { return text }
    return String(String.UnicodeScalarView(scalars.filter { !isInvisible($0) }))
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

/// Reads the fields of a form before its controller runs, and puts them into `context.form`.
package struct FormMiddleware: RouterMiddleware {
  /// Maximum bytes of a form.
  package static let limit = 65_536

  /// Whether the form must include the session's token. Only pages without a session do not need it.
  package let needsToken: Bool

  package init(needsToken: Bool) {
    self.needsToken = needsToken
  }

  package func handle(
    _ request: Request, context: ServerRequestContext, next: (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    guard request.method == .post else { return try await next(request, context) }
    let type = request.headers[.contentType]?.prefix { $0 != ";" }.lowercased()
    guard type == "application/x-www-form-urlencoded" || type == nil else { throw Problem.noForm }
    let body = try await BodyReader.readShort(request, limit: Self.limit, context: context)
    guard let form = Form(encoded: String(buffer: body)) else { throw Problem.noForm }
    if needsToken {
      guard FormToken.matches(form["csrf"] ?? "", context.csrf) else { throw Problem.staleForm }
    }
    var context = context
    context.form = form
    var response = try await next(request, context)
    if let draft = form["draft"], Self.isDraft(draft), response.status.code < 400 {
      response.setCookie(
        Cookie(
          name: "ringfence_saved", value: draft, maxAge: 600, path: "/", httpOnly: false, sameSite: .strict))
    }
    return response
  }

  /// Whether a text is a name that our script gives to the input of a form. The script deletes its copy of the input when
  /// an answer names it.
  private static func isDraft(_ text: String) -> Bool {
    (1...40).contains(text.utf8.count)
      && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) }
  }
}

/// A token that proves that a form was created for the session that sends it. It is derived from the session's secret,
/// so nothing is stored, and it becomes invalid with the session.
package enum FormToken {
  /// - Parameter session: the cookie's value.
  package static func make(session: String) -> String {
    let code = HMAC<SHA256>.authenticationCode(
      for: Data("ringfence form".utf8), using: SymmetricKey(data: Data(session.utf8)))
    return Hexadecimal.text(code)
  }

  /// Whether a form's token is the expected one; false if that is empty. Runs in constant time.
  package static func matches(_ sent: String, _ expected: String) -> Bool {
    !expected.isEmpty && ConstantTime.areEqual(sent.utf8, expected.utf8)
  }
}
