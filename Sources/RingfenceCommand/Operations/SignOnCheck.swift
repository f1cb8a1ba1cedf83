// SPDX-License-Identifier: Apache-2.0

import Accounts
import Foundation

/// The doctor's check of the identity provider.
enum SignOnCheck {
  /// No finding without an identity provider.
  static func findings(_ settings: Settings) async throws -> [Finding] {
    let (what, now) = ("identity provider", Date())
    let configuration: SignOnConfiguration
    do {
      guard let read = try SignOnConfiguration.read(settings) else { return [] }
      configuration = read
    } catch let failure as CommandFailure {
      return [.bad(what, failure.description, "See Documentation/sign-on.md.")]
    }
    let (provider, issuer) = (IdentityProvider(configuration), configuration.issuer)
    do {
      let metadata = try await provider.metadata(at: now)
      guard try await provider.keyCount(at: now) > 0 else {
        return [.bad(what, "\(issuer) has no key for RS256 or ES256", "Choose one of them for tokens at the provider.")]
      }
      return [
        metadata.knowsPKCE
          ? .ok(what, "\(issuer) answers, and has keys")
          : .warning(what, "\(issuer) does not name PKCE with S256", "Turn it on at the provider, or upgrade it.")
      ]
    } catch SignOnRefusal.issuer {
      return [
        .bad(
          what, "\(issuer) names itself otherwise in /.well-known/openid-configuration",
          "Set oidc-issuer to the value of \"issuer\" there, character by character.")
      ]
    } catch is SignOnRefusal {
      return [
        .bad(
          what, "\(issuer) gives no valid answer within 5 seconds",
          "Open \(issuer)/.well-known/openid-configuration from this machine. Local accounts can sign in meanwhile.")
      ]
    }
  }
}
