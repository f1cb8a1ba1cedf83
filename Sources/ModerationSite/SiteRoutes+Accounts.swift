// SPDX-License-Identifier: Apache-2.0

import Accounts
import Curation
import HTTPServer
import Hummingbird
import Intake
import Storage

/// Sign-in, and the pages of accounts.
extension SiteRoutes {
  func signInRoutes(
    _ router: DeadlineRoutes, networkLimit: NetworkLimitMiddleware,
    signOut: RouterGroup<ServerRequestContext>
  ) {
    let (signIn, passkeys) = (signInPages, passkeyPages)
    router.get("sign-in", use: signIn.form)
    router.get("sign-in/code", use: signIn.codeForm)
    router.group("sign-in")
      .add(middleware: networkLimit)
      .add(middleware: FormMiddleware(needsToken: false))
      .post(use: signIn.signIn)
      .post("code", use: signIn.signInByCode)
      .post("passkey/challenge", use: passkeys.startSignIn)
      .post("passkey", use: passkeys.finishSignIn)
      .post("code/passkey/challenge", use: passkeys.startStep)
      .post("code/passkey", use: passkeys.finishStep)
    guard let signOn else {
      signOut.post(use: signIn.signOut)
      return
    }
    let provider = SignOnPages(service: signOn, signIn: signIn, access: access)
    router.group("sign-in/provider")
      .add(middleware: networkLimit)
      .get(use: provider.start)
      .get("callback", use: provider.finish)
    signOut.post(use: provider.signOut)
  }

  private var signInPages: SignInPages {
    SignInPages(
      sessions: stores.sessions, signIn: services.accounts.signIn, pages: pages, cookies: cookies, access: access,
      provider: signOn?.name, network: services.pseudonymizer.network(of:))
  }

  private var accountPages: AccountPages {
    AccountPages(services: services.accounts, pages: pages, cookies: cookies, policy: configuration.secondFactor)
  }

  private var passkeyPages: PasskeyPages {
    let accounts = services.accounts
    return PasskeyPages(
      service: PasskeyService(sessions: accounts.sessions, accounts: accounts.accounts, key: accounts.key),
      account: accountPages, signIn: signInPages, access: access)
  }

  func accountRoutes(_ moderation: RouterGroup<ServerRequestContext>) {
    let (account, passkeys) = (accountPages, passkeyPages)
    let second = SecondFactorPages(account: account)
    let mail = MailPages(outbox: stores.outbox, isSent: configuration.sendsMail, pages: pages)
    moderation.group("account")
      .get(use: account.account)
      .post("password", use: account.setPassword)
      .post("language", use: account.setLanguage)
      .post("shortcuts", use: account.setShortcuts)
      .post("sessions", use: account.endSessions)
      .get("mail", use: mail.form)
      .post("mail", use: mail.choose)
      .get("second-factor", use: second.form)
      .post("second-factor", use: second.setUp)
      .post("second-factor/codes", use: second.renewCodes)
      .post("second-factor/remove", use: second.remove)
      .get("passkeys", use: passkeys.list)
      .post("passkeys", use: passkeys.add)
      .post("passkeys/challenge", use: passkeys.startAdding)
      .post("passkeys/remove", use: passkeys.remove)
    let accounts = AccountsPages(
      services: services.accounts, sessions: stores.sessions, pages: pages, access: access,
      invitations: configuration.sendsMail
        ? Invitations(outbox: stores.outbox, secrets: OwnerCodeMessage(pseudonymizer: services.pseudonymizer)) : nil)
    moderation.group("accounts")
      .add(middleware: RequireRole(.administrator))
      .get(use: accounts.list)
      .post(use: accounts.add)
      .get(":account", use: accounts.one)
      .post(":account", use: accounts.change)
  }
}
