// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Attestation
import AttestationSupport
import Crypto
import Foundation

/// `ringfence-benchmark attestations`
struct AttestationBenchmarkCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "attestations",
    abstract: "Check the statements of phones on one core, and compare with checks of a signature alone.",
    discussion: "The phones have keys and roots of the benchmark's own. Prints a table.")

  @Option(help: "Seconds for each kind of statement.")
  var seconds = 5

  func validate() throws {
    guard (1...600).contains(seconds) else { throw ValidationError("--seconds is 1 to 600.") }
  }

  func run() throws {
    let (apple, android) = (ApplePhone(), AndroidPhone())
    var used = apple
    used.counter = 1
    let (object, appleRoots, assertion) = (try apple.attestation(), try apple.roots(), try used.assertion())
    let (chain, androidRoots) = (try android.chain(), try android.roots())
    let message = Data(android.challenge)
    let signature = try android.key.signature(for: message)
    let der = Array(signature.derRepresentation)
    let point = Array(android.key.publicKey.x963Representation)
    let alone = try rate {
      guard android.key.publicKey.isValidSignature(signature, for: message) else { throw ExitCode(1) }
    }
    let kinds: [(name: String, rate: Double)] = [
      (
        "attestation of iOS, 2 certificates",
        try rate {
          _ = try AppAttest.verify(
            object, keyID: AttestedKey.keyID(of: apple.point), clientDataHash: apple.hash, policy: apple.policy,
            roots: appleRoots, at: apple.time)
        }
      ),
      (
        "assertion of iOS",
        try rate {
          _ = try AppAttest.verify(
            assertion: assertion, by: apple.point, clientDataHash: apple.hash, policy: apple.policy)
        }
      ),
      (
        "attestation of Android, \(chain.count) certificates",
        try rate {
          _ = try KeyAttestation.verify(
            chain, challenge: android.asked, policy: android.policy, roots: androidRoots, revoked: android.revoked,
            at: android.time)
        }
      ),
      (
        "renewal of Android",
        try rate {
          try KeyAttestation.verify(
            signature: der, by: point, message: Array(message), policy: android.policy)
        }
      ),
    ]
    print("| statement | checks per second | in signatures of P-256 |")
    print("| --- | ---: | ---: |")
    for kind in kinds { print("| \(kind.name) | \(Int(kind.rate)) | \(Self.tenths(alone / kind.rate)) |") }
    print("| a signature of P-256 alone | \(Int(alone)) | 1.0 |")
  }

  /// How often the work is done per second.
  private func rate(_ work: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    let end = start + .seconds(seconds)
    var count = 0.0
    repeat {
      for _ in 0..<10 { try work() }
      count += 10
    } while ContinuousClock.now < end
    return count / ((ContinuousClock.now - start) / .seconds(1))
  }

  private static func tenths(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}
