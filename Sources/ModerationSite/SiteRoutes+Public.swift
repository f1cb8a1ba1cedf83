// SPDX-License-Identifier: Apache-2.0

import Curation
import HTTPServer
import Hummingbird
import Intake
import Moderation
import Publishing
import Storage

/// Pages of people without an account: rights, appeals, lists and numbers.
extension SiteRoutes {
  func publicRoutes(_ router: DeadlineRoutes, networkLimit: NetworkLimitMiddleware) {
    let hashes = services.pseudonymizer
    let owners = OwnerRightsPages(
      rights: services.rights, appeals: services.moderation.appeals,
      stamps: stamps("owner forms"), limits: AppealRateLimit(limits: access.limits, clock: clock),
      pages: pages)
    router.group("rights")
      .add(middleware: networkLimit)
      .add(middleware: FormMiddleware(needsToken: false))
      .get(use: owners.form)
      .post(use: owners.send)
      .post("code", use: owners.enter)
      .get(":pass", use: owners.data)
      .get(":pass/data.json", use: owners.json)
      .post(":pass/object", use: owners.object)
      .post(":pass/suppress", use: owners.suppress)
    let appeals = PublicAppealPages(
      appeals: stores.appeals, explanations: stores.explanations,
      newest: newest, service: services.moderation.appeals, stamps: stamps(AppealTicket.purpose),
      limits: AppealRateLimit(limits: access.limits, clock: clock), target: configuration.caseTarget,
      sendsMail: configuration.sendsMail,
      origin: { FilingOrigin(network: hashes.network(of: $0), area: hashes.area(of: $0)) }, pages: pages)
    router.group("appeal")
      .add(middleware: networkLimit)
      .add(middleware: FormMiddleware(needsToken: false))
      .get(use: appeals.form)
      .post(use: appeals.file)
      .get("find", use: appeals.find)
      .get(":ticket", use: appeals.status)
    if access.interfaces.contains(.lists) {
      let lists = ListPages(
        newest: newest, lists: ListFiles(folder: services.folder),
        presets: SpamBlockerPresets(needsKey: access.publicationsNeedKey),
        hasPhoneBlock: access.interfaces.contains(.phoneBlock), access: access, pages: pages)
      router.group("lists")
        .add(middleware: networkLimit)
        .get(use: lists.list)
    }
    if configuration.host.hasTransparency {
      let transparency = TransparencyPages(
        transparency: stores.transparency, pseudonymizer: services.pseudonymizer, pages: pages)
      router.group("transparency")
        .add(middleware: networkLimit)
        .get(use: transparency.show)
    }
    guard configuration.publicNumbers != .off else { return }
    let numbers = PublicNumberPages(
      explanations: stores.explanations, appeals: stores.appeals, history: history, pages: pages,
      visibility: configuration.publicNumbers)
    router.group("number")
      .add(middleware: networkLimit)
      .get(":number", use: numbers.number)
  }

  /// - Parameter purpose: of the forms; a stamp of another purpose is not accepted.
  private func stamps(_ purpose: String) -> AppealStamps {
    AppealStamps(
      key: services.pseudonymizer.secret(for: purpose), difficulty: configuration.appealDifficulty,
      delay: configuration.appealDelay)
  }
}
