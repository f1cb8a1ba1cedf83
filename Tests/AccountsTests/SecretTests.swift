// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Testing

@testable import Accounts

@Suite struct SecretTests {
  private static let cheap = PasswordHash.Cost(log2N: 4, r: 1, p: 1)

  @Test func `a stored hash verifies only the password that it was made of`() throws {
    let hash = try PasswordHash("correct horse", cost: Self.cheap)
    let stored = try #require(PasswordHash(hash.text))
    #expect(stored == hash)
    #expect(try stored.matches("correct horse") && !stored.matches("correct horse ") && !stored.matches("x"))
    #expect(try PasswordHash("correct horse", cost: Self.cheap).text != hash.text)
    // Composed and decomposed, as typed on two keyboards.
    #expect(try PasswordHash("caf\u{E9}", cost: Self.cheap).matches("cafe\u{301}"))
  }

  @Test(arguments: [
    "", "scrypt$15$8$1$", "bcrypt$4$1$1$AAAA$AAAA", "scrypt$60$8$1$AAAA$AAAA", "scrypt$18$32$1$AAAA$AAAA",
    "scrypt$4$1$1$$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "scrypt$4$1$1$AAAA$AAAA",
  ]) func `a malformed password hash is refused`(_ text: String) { #expect(PasswordHash(text) == nil) }

  @Test func `verification without a stored hash fails`() async throws {
    let hasher = PasswordHasher(slots: 1, queueLimit: 1, cost: Self.cheap)
    for typed in ["", "anything"] { #expect(try await !hasher.verify(typed, nil, isKnown: false)) }
    let stored = try await hasher.hash("something")
    #expect(try await hasher.verify("something", stored, isKnown: false))
    #expect(try await !hasher.verify("anything", stored, isKnown: true))
  }

  @Test func `requests beyond the hashing queue are refused`() async throws {
    // Each takes long enough that all are requested before the first has finished.
    let hasher = PasswordHasher(slots: 1, queueLimit: 2, cost: .init(log2N: 15, r: 8, p: 4))
    let outcomes = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<10 {
        group.addTask {
          do {
            _ = try await hasher.hash("password")
            return true
          } catch {
            return false
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    let done = outcomes.count { $0 }
    #expect((1..<10).contains(done))
    // Afterwards no request waits.
    #expect(try await !hasher.hash("password").isEmpty)
  }

  @Test func `a TOTP code is valid one step around now and only once`() throws {
    let secret = TOTP.makeSecret()
    let now = Date(timeIntervalSince1970: 1_795_000_000)
    let step = TOTP.step(at: now)
    for offset in Int64(-3)...3 {
      let code = TOTP.code(secret: secret, step: step + offset)
      // Codes of two steps are equal once in a million.
      let taken = TOTP.step(of: code, secret: secret, at: now)
      if abs(offset) <= 1 { #expect(taken != nil) }
      if abs(offset) > 1, let taken { #expect(TOTP.code(secret: secret, step: taken) == code) }
    }
    let code = TOTP.code(secret: secret, step: step)
    #expect(TOTP.step(of: code, secret: secret, at: now, after: step) == nil)
    #expect(TOTP.step(of: code, secret: secret, at: now, after: step - 1) == step)
    #expect(TOTP.step(of: String(code.dropLast()), secret: secret, at: now) == nil)
    #expect(
      TOTP.address(of: secret, account: "Ada & Co/ü").hasPrefix(
        "otpauth://totp/Ringfence:Ada%20%26%20Co%2F%C3%BC?secret="))
  }

  @Test(
    arguments: [
      "123456": "123456", " 123 456\t": "123456", "123\u{A0}456\u{202F}": "123456",
      "12\u{2009}34\u{3000}56\n": "123456",
      "١٢٣٤٥٦": "123456", "۱۲۳۴۵۶": "123456", "１２３ ４５６": "123456", "१२३४५६": "123456",
      "\u{200E}123\u{2011}456": "123456",
      "123456 654321": "123456654321", "12345": nil, "1234567": nil, "12345a": nil, "½23456": nil, "１２３４５²": nil,
      "": nil,
      "k3xq7-mn2pa": nil,
    ] as [String: String?])
  func `a code is read with any white space and the digits of any script`(typed: String, digits: String?) {
    #expect(TOTP.digits(of: typed) == digits)
  }

  @Test func `two successive codes are right together and in their order only`() {
    let secret = Array("12345678901234567890".utf8)
    let now = Date(timeIntervalSince1970: 1_795_000_000)
    let step = TOTP.step(at: now)
    func codes(_ first: Int64, _ second: Int64) -> String {
      TOTP.code(secret: secret, step: step + first) + TOTP.code(secret: secret, step: step + second)
    }
    #expect(TOTP.step(of: codes(-1, 0), secret: secret, at: now) == step)
    #expect(TOTP.step(of: codes(-2, -1), secret: secret, at: now) == step - 1)
    for (first, second) in [(0, 0), (0, -1), (-1, 1), (-3, -2)] as [(Int64, Int64)] {
      #expect(TOTP.step(of: codes(first, second), secret: secret, at: now) == nil, "\(first) \(second)")
    }
    // Both are new.
    #expect(TOTP.step(of: codes(-1, 0), secret: secret, at: now, after: step - 2) == step)
    #expect(TOTP.step(of: codes(-1, 0), secret: secret, at: now, after: step - 1) == nil)
  }

  @Test func `a sealed secret opens for its own account only`() throws {
    let key = AccountKey([UInt8](repeating: 7, count: 32))
    let sealed = try key.seal([1, 2, 3], for: 5)
    #expect(key.open(sealed, for: 5) == [1, 2, 3])
    #expect(key.open(sealed, for: 6) == nil)
    #expect(AccountKey([UInt8](repeating: 8, count: 32)).open(sealed, for: 5) == nil)
    for place in sealed.indices {
      var changed = sealed
      changed[place] ^= 1
      #expect(key.open(changed, for: 5) == nil)
    }
    #expect(key.subject("a", [1], [2, 3]) != key.subject("a", [1, 2], [3]))
    #expect(key.subject("a", [1]) != key.subject("b", [1]))
  }

  @Test func `recovery codes are accepted with spaces and capitals`() {
    let codes = RecoveryCodes.make()
    #expect(Set(codes).count == RecoveryCodes.count)
    for code in codes {
      #expect(RecoveryCodes.normalised(code) == code)
      #expect(RecoveryCodes.normalised(" \(code.uppercased().replacing("-", with: " ")) ") == code)
    }
    #expect(RecoveryCodes.normalised("abcde-fghi") == nil && RecoveryCodes.normalised("") == nil)
  }

  @Test func `a QR code contains the finder pattern and refuses a text that is too long`() throws {
    let code = try #require(QRCode("otpauth://totp/Ringfence:Ada?secret=AAAA"))
    #expect(code.size == 33 + 8 || code.size == 29 + 8)
    // The finder pattern in the corner: seven dark modules.
    #expect(code.path.hasPrefix("M4 4h7v1h-7z"))
    #expect(QRCode(String(repeating: "a", count: 10_000)) == nil)
  }

  @Test func `a constant-time comparison accepts only equal bytes`() {
    #expect(ConstantTime.areEqual("".utf8, "".utf8) && ConstantTime.areEqual("abc".utf8, "abc".utf8))
    #expect(!ConstantTime.areEqual("ab".utf8, "abc".utf8) && !ConstantTime.areEqual("abc".utf8, "ab".utf8))
    for place in 0..<8 {
      for bit in 0..<8 {
        var other = [UInt8](repeating: 0x5A, count: 8)
        other[place] ^= 1 << bit
        #expect(!ConstantTime.areEqual([UInt8](repeating: 0x5A, count: 8), other))
      }
    }
  }
}
