import Accounts
import HTTPServer
import Crypto
import Foundation
import Storage

/// What keeps floods off the form of appeals, without an account and without a third party: a stamp that the server signs
/// when it shows the form, and that is good for one form.
///
/// A browser with scripts works for it: it looks for a number whose SHA-256 behind the stamp begins with so many zero bits,
/// about a second's work for a person and a day's for a hundred thousand forms. Without scripts a person has to take the
/// time that reading and writing take. Nothing is stored until a form is accepted; then its stamp is spent, in the same
/// transaction, on every server.
struct AppealStamps: Sendable {
  /// What a form's stamp is worth.
  enum Verdict: Equatable {
    /// It is good, and to be spent: 16 bytes, and until when it would be good. `isWorked`: a proof of work came with it.
    case good(id: [UInt8], expiresAt: Date, isWorked: Bool)
    /// Without work it is good in so many seconds.
    case tooSoon(seconds: Int)
    /// It is too old.
    case expired
    /// It was not made by us, or the work is not done.
    case invalid
  }

  /// How long a form can be sent, in seconds: two hours.
  static let lifetime: TimeInterval = 7_200

  private let key: SymmetricKey
  /// Zero bits, 0 to 32.
  let difficulty: Int
  /// Seconds from when on a form without work can be sent.
  let delay: Int

  /// - Parameter key: 32 bytes that all servers share.
  init(key: [UInt8], difficulty: Int, delay: Int) {
    self.key = SymmetricKey(data: key)
    self.difficulty = min(max(0, difficulty), 32)
    self.delay = max(0, delay)
  }

  /// A new one: `1.SECONDS.DIFFICULTY.ID.CODE`.
  func make(at time: Date) -> String {
    var generator = SystemRandomNumberGenerator()
    let id = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    let body = "1.\(Int(time.timeIntervalSince1970)).\(difficulty).\(Hexadecimal.text(id))"
    return "\(body).\(code(of: body))"
  }

  /// - Parameter nonce: what the browser found; nil or empty where it did not look.
  func check(_ stamp: String, nonce: String?, at time: Date) -> Verdict {
    let parts = stamp.split(separator: ".", omittingEmptySubsequences: false)
    guard stamp.utf8.count <= 160, parts.count == 5, parts[0] == "1",
      ConstantTime.areEqual(parts[4].utf8, code(of: parts[..<4].joined(separator: ".")).utf8),
      let seconds = Int(parts[1]), let difficulty = Int(parts[2]), let id = Self.bytes(parts[3])
    else { return .invalid }
    let age = time.timeIntervalSince1970 - Double(seconds)
    guard age < Self.lifetime else { return .expired }
    // Another server's clock may run ahead a little.
    guard age > -60 else { return .invalid }
    let expiresAt = Date(timeIntervalSince1970: Double(seconds) + Self.lifetime)
    if let nonce, !nonce.isEmpty {
      guard nonce.utf8.count <= 20, Self.zeroBits(SHA256.hash(data: Data("\(stamp)\(nonce)".utf8))) >= difficulty else {
        return .invalid
      }
      return .good(id: id, expiresAt: expiresAt, isWorked: true)
    }
    guard age >= Double(delay) else { return .tooSoon(seconds: max(1, Int((Double(delay) - age).rounded(.up)))) }
    return .good(id: id, expiresAt: expiresAt, isWorked: false)
  }

  /// The ticket of whoever sends the form with this stamp: of two clicks both get the same, and nobody else can make it.
  func ticket(for id: [UInt8]) -> AppealTicket? {
    AppealTicket(
      bytes: Array(HMAC<SHA256>.authenticationCode(for: Data("ticket ".utf8) + Data(id), using: key).prefix(20)))
  }

  private func code(of body: String) -> String {
    Hexadecimal.text(Array(HMAC<SHA256>.authenticationCode(for: Data(body.utf8), using: key)).prefix(16))
  }

  /// Zero bits that a hash begins with.
  static func zeroBits(_ hash: some Sequence<UInt8>) -> Int {
    var bits = 0
    for byte in hash {
      guard byte == 0 else { return bits + byte.leadingZeroBitCount }
      bits += 8
    }
    return bits
  }

  private static func bytes(_ text: Substring) -> [UInt8]? {
    guard text.utf8.count == 32 else { return nil }
    var bytes: [UInt8] = []
    var rest = text
    while !rest.isEmpty {
      guard let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
      bytes.append(byte)
      rest = rest.dropFirst(2)
    }
    return bytes
  }
}
