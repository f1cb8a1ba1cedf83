// SPDX-License-Identifier: Apache-2.0

import Accounts
package import Curation
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Storage

/// Pages to set up and remove a second factor and to renew recovery codes.
struct SecondFactorPages: Sendable {
  let account: AccountPages

  static let address = AccountPages.address + "/second-factor"

  private var services: AccountServices { account.services }

  @Sendable func form(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let moderator = try context.signedIn()
    return try show(try offerIfNeeded(moderator), moderator, context)
  }

  /// Stores a new secret after a code shows that the app has it.
  @Sendable func setUp(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let (moderator, time) = (try context.signedIn(), Date())
    guard !moderator.hasAuthenticator else { return .redirect(to: Self.address, type: .normal) }
    guard let sealed = Data(base64Encoded: context.form["secret"] ?? ""),
      let secret = services.key.open(Array(sealed), for: moderator.id)
    else { throw Problem.staleForm }
    // The recovery codes that belong to the passkeys are replaced.
    if moderator.hasPasskeys, let problem = try await account.passwordProblem(moderator, "password", context) {
      return try show(offer(secret, moderator), moderator, context, problem: problem)
    }
    guard let typed = TOTP.digits(of: context.form["code"] ?? ""),
      let step = TOTP.step(of: typed, secret: secret, at: time)
    else {
      return try show(offer(secret, moderator), moderator, context, problem: "second-factor.wrong-code")
    }
    let codes = RecoveryCodes.make()
    let token = try await services.accounts.setSecondFactor(
      Array(sealed), step: step, recovery: RecoveryCodes.hashes(codes, key: services.key), of: moderator, at: time)
    return try account.show(codes, token, context)
  }

  @Sendable func renewCodes(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let moderator = try context.signedIn()
    if let refusal = try await refusal(moderator, context) { return refusal }
    let codes = RecoveryCodes.make()
    let token = try await services.accounts.setRecoveryCodes(
      RecoveryCodes.hashes(codes, key: services.key), of: moderator, at: Date())
    return try account.show(codes, token, context)
  }

  @Sendable func remove(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let moderator = try context.signedIn()
    if let refusal = try await refusal(moderator, context) { return refusal }
    let token = try await services.accounts.removeSecondFactor(of: moderator, at: Date())
    return account.back(.removed, token)
  }

  private func offerIfNeeded(_ moderator: Session) throws -> TemplateRecord {
    moderator.hasAuthenticator ? [:] : try offer(TOTP.makeSecret(), moderator)
  }

  /// A new secret as a picture and as text. Nothing is stored before a code confirms it: the form has the encrypted
  /// secret.
  private func offer(_ secret: [UInt8], _ moderator: Session) throws -> TemplateRecord {
    let address = TOTP.address(of: secret, account: moderator.name)
    return [
      "secret": TOTP.text(of: secret), "address": address,
      "sealed": Data(try services.key.seal(secret, for: moderator.id)).base64EncodedString(),
      "picture": QRCode(address).map { ["size": $0.size, "path": $0.path] as TemplateRecord },
    ]
  }

  /// The page that explains why the typed code was refused; nil if the code is right.
  private func refusal(_ moderator: Session, _ context: ServerRequestContext) async throws -> Response? {
    guard moderator.hasSecondFactor else { return .redirect(to: Self.address, type: .normal) }
    let typed = String((context.form["code"] ?? "").prefix(40))
    switch try await services.signIn.confirm(moderator, code: typed, at: Date()) {
    case .confirmed: return nil
    case .refused:
      return try show(try offerIfNeeded(moderator), moderator, context, problem: "second-factor.wrong-code")
    case .later: return try show(try offerIfNeeded(moderator), moderator, context, problem: "account.later")
    }
  }

  /// - Parameter problem: the key of the message for an error; nil for none.
  private func show(
    _ values: TemplateRecord, _ moderator: Session, _ context: ServerRequestContext, problem: String? = nil
  ) throws -> Response {
    let form: TemplateRecord = [
      "isRequired": account.policy.asks(moderator.role), "hasAuthenticator": moderator.hasAuthenticator,
      "hasSecondFactor": moderator.hasSecondFactor, "hasPasskeys": moderator.hasPasskeys,
      "problem": problem.map { account.pages.texts(context)($0) } ?? "",
    ]
    return try account.pages.page(
      "second-factor", values.adding(form), context, status: problem == nil ? .ok : .unprocessableContent)
  }
}

/// The roles that must have a second factor. The first session works without one, so that it can be set up.
package enum SecondFactorPolicy: String, Sendable, CaseIterable {
  case nobody
  case administrators
  case everyone

  package func asks(_ role: Role) -> Bool {
    switch self {
    case .nobody: false
    case .administrators: role == .administrator
    case .everyone: true
    }
  }
}
