// SPDX-License-Identifier: Apache-2.0

import Accounts
package import Curation
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Localization
import Storage

/// Pages to set up and remove a second factor and to renew recovery codes.
struct SecondFactorPages: Sendable {
  let account: AccountPages

  static let address = AccountPages.address + "/second-factor"

  /// Values of the template `second-factor`.
  struct Values: Encodable {
    var hasSecondFactor = false
    /// The secret for typing into an authenticator app.
    var secret = ""
    var address = ""
    /// The encrypted secret in the form. Nothing is stored before a code confirms it.
    var sealed = ""
    var picture: QRCode?
    var isRequired = false
    var problem = ""
  }

  /// Values of the template `recovery-codes`.
  struct Codes: Encodable {
    let codes: [String]
  }

  private var services: AccountServices { account.services }

  @Sendable func form(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let moderator = try context.signedIn()
    if moderator.hasSecondFactor { return try show(Values(hasSecondFactor: true), moderator, context) }
    return try show(offer(TOTP.makeSecret(), moderator), moderator, context)
  }

  /// Stores a new secret after a code shows that the app has it.
  @Sendable func setUp(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let (moderator, time) = (try context.signedIn(), Date())
    guard !moderator.hasSecondFactor else { return .redirect(to: Self.address, type: .normal) }
    guard let sealed = Data(base64Encoded: context.form["secret"] ?? ""),
      let secret = services.key.open(Array(sealed), for: moderator.id)
    else { throw Problem.staleForm }
    let typed = (context.form["code"] ?? "").filter { !$0.isWhitespace }
    guard let step = TOTP.step(of: typed, secret: secret, at: time) else {
      var values = try offer(secret, moderator)
      values.problem = account.pages.texts(context)("second-factor.wrong-code")
      return try show(values, moderator, context, status: .unprocessableContent)
    }
    let codes = RecoveryCodes.make()
    let token = try await services.accounts.setSecondFactor(
      Array(sealed), step: step, recovery: RecoveryCodes.hashes(codes, key: services.key), of: moderator, at: time)
    return try show(codes, token, context)
  }

  @Sendable func renewCodes(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let moderator = try context.signedIn()
    if let refusal = try await refusal(moderator, context) { return refusal }
    let codes = RecoveryCodes.make()
    let token = try await services.accounts.setRecoveryCodes(
      RecoveryCodes.hashes(codes, key: services.key), of: moderator, at: Date())
    return try show(codes, token, context)
  }

  @Sendable func remove(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let moderator = try context.signedIn()
    if let refusal = try await refusal(moderator, context) { return refusal }
    let token = try await services.accounts.removeSecondFactor(of: moderator, at: Date())
    return account.back(.removed, token)
  }

  private func offer(_ secret: [UInt8], _ moderator: Session) throws -> Values {
    let address = TOTP.address(of: secret, account: moderator.name)
    return Values(
      secret: TOTP.text(of: secret), address: address,
      sealed: Data(try services.key.seal(secret, for: moderator.id)).base64EncodedString(), picture: QRCode(address))
  }

  /// The page that explains why the typed code was refused; nil if the code is right.
  private func refusal(_ moderator: Session, _ context: ServerRequestContext) async throws -> Response? {
    guard moderator.hasSecondFactor else { return .redirect(to: Self.address, type: .normal) }
    let typed = String((context.form["code"] ?? "").prefix(40))
    var values = Values(hasSecondFactor: true)
    switch try await services.signIn.confirm(moderator, code: typed, at: Date()) {
    case .confirmed: return nil
    case .refused: values.problem = account.pages.texts(context)("second-factor.wrong-code")
    case .later: values.problem = account.pages.texts(context)("account.later")
    }
    return try show(values, moderator, context, status: .unprocessableContent)
  }

  private func show(
    _ values: Values, _ moderator: Session, _ context: ServerRequestContext, status: HTTPResponse.Status = .ok
  ) throws -> Response {
    var values = values
    values.isRequired = account.policy.asks(moderator.role)
    return try account.pages.page("second-factor", values, context, status: status)
  }

  /// Shows new recovery codes once.
  private func show(_ codes: [String], _ token: String, _ context: ServerRequestContext) throws -> Response {
    var context = context
    context.csrf = FormToken.make(session: token)
    var response = try account.pages.page("recovery-codes", Codes(codes: codes), context)
    response.setCookie(account.cookies.make(.session, token, lifetime: SessionStore.sessionLifetime))
    return response
  }
}

/// The roles that must have a second factor. The first session works without one, so that it can be set up.
package enum SecondFactorPolicy: String, Sendable, CaseIterable {
  /// A second factor is optional.
  case nobody
  /// Accounts of the role administrator.
  case administrators
  /// All accounts.
  case everyone

  /// Whether accounts with the role must have one.
  package func asks(_ role: Role) -> Bool {
    switch self {
    case .nobody: false
    case .administrators: role == .administrator
    case .everyone: true
    }
  }
}
