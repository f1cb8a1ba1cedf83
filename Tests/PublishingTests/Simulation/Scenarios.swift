// SPDX-License-Identifier: Apache-2.0

import Curation

extension Scenario {
  static let people = Scenario(name: "people")

  /// Three new reporters of three networks, who claim three days and send everything at once.
  static func attack(targets: Int) -> Scenario {
    var scenario = Scenario(name: "attack: 3 accounts, \(targets) numbers of a list, three claimed days")
    scenario.list = List(ceiling: .review)
    scenario.brigade = Brigade(
      accounts: 3, targets: targets, reporters: 3, start: 3, claimedDays: 3, networks: 3, copiesList: true)
    return scenario
  }

  /// People and a brigade.
  static func brigade(_ brigade: Brigade) -> Scenario {
    var scenario = people
    let targets = brigade.sharesTargets ? "share" : "split"
    scenario.name =
      "\(brigade.accounts) accounts \(targets) \(brigade.targets) targets, \(brigade.reporters) each, "
      + "\(brigade.networks) networks, \(brigade.days) days"
    if brigade.aging != .none { scenario.name += ", aged: \(brigade.aging)" }
    if brigade.copiesList { scenario.name += ", copy a list" }
    scenario.brigade = brigade
    return scenario
  }

  /// People with attested phones whose networks verify some calls of a campaign that borrows numbers, and phones that lie.
  static func verified(_ share: Double = 0, liars: Int = 0, areTrusted: Bool = true) -> Scenario {
    var scenario = people
    (scenario.installDays, scenario.reporters, scenario.hasAttestedUsers, scenario.days) = (1, 8...16, true, 14)
    (scenario.failedShare, scenario.liars, scenario.areLiarsTrusted) = (share, liars, areTrusted)
    scenario.name = "verified: \(Int(share * 100)) % fail, \(liars) \(areTrusted ? "trusted" : "other") phones lie"
    return scenario
  }

  private static let verified =
    [0, 0.3, 0.8].map { verified($0) } + [2, 3].map { verified(liars: $0) } + [verified(liars: 3, areTrusted: false)]

  static let all: [Scenario] = verified + variants + [attack(targets: 1), attack(targets: 100)] + brigades + devices

  /// Users with attested phones, and brigades without and with phones of their own. The last rows say how many of them
  /// label a number, and how many block it.
  private static var devices: [Scenario] {
    func scenario(_ brigade: Brigade?, unattested: Double? = nil) -> Scenario {
      var scenario = brigade.map(Scenario.brigade) ?? people
      scenario.hasAttestedUsers = true
      scenario.unattestedWeight = unattested
      scenario.name = "phones: \(scenario.name)"
      if brigade?.hasDevices == true { scenario.name += ", each a device" }
      if let unattested { scenario.name += ", weight \(unattested) without attestation" }
      return scenario
    }
    let shared = Brigade(accounts: 200, targets: 10, reporters: 200, days: 3)
    let split = Brigade(accounts: 200, targets: 10, reporters: 20, days: 3, sharesTargets: false)
    let few = [2, 3].flatMap { accounts in
      [2, 3].map { Brigade(accounts: accounts, targets: 1, reporters: accounts, days: $0, networks: accounts) }
    }
    func bought(_ brigade: Brigade) -> Brigade {
      var brigade = brigade
      brigade.hasDevices = true
      return brigade
    }
    return [scenario(nil), scenario(nil, unattested: 0)]
      + [shared, split].flatMap { [scenario($0), scenario($0, unattested: 0), scenario(bought($0))] }
      + few.flatMap { [scenario($0), scenario($0, unattested: 0), scenario(bought($0))] }
  }

  /// A scenario with attested users, by its name without `phones: `.
  static func phones(_ name: String) -> Scenario? { devices.first { $0.name == "phones: \(name)" } }

  /// People under other conditions.
  private static var variants: [Scenario] {
    var fewReports = people
    (fewReports.name, fewReports.reporters) = ("people: 2 to 5 reporters", 2...5)
    var staggered = people
    (staggered.name, staggered.firstCallDays) = ("people: nuisances begin on 14 days", 14)
    var mixed = people
    (mixed.name, mixed.categories) = ("people: five categories", [.fraud, .robocall, .telemarketing, .survey, .silent])
    var relay = people
    (relay.name, relay.hasOneNetwork) = ("relay: one network", true)
    var vouched = people
    (vouched.name, vouched.vouches) = ("relay that sends addresses and ages", true)
    let lists = [SourceCeiling.review, .identify].map { ceiling in
      var scenario = people
      (scenario.name, scenario.list) = ("people, a list with ceiling \(ceiling)", List(ceiling: ceiling))
      return scenario
    }
    return [people, fewReports, staggered, mixed, relay, vouched] + lists
  }

  private static var brigades: [Scenario] {
    var brigades: [Brigade] = []
    for days in [1, 2, 3, 7] {
      brigades.append(Brigade(accounts: 20, targets: 100, reporters: 20, days: days, networks: 20))
      brigades.append(Brigade(accounts: 20, targets: 100, reporters: 4, days: days, networks: 20))
      brigades.append(
        Brigade(accounts: 100, targets: 100, reporters: 5, days: days, networks: 100, sharesTargets: false))
    }
    brigades.append(Brigade(accounts: 200, targets: 500, reporters: 16, claimedDays: 3))
    brigades.append(Brigade(accounts: 200, targets: 500, reporters: 16, days: 7))
    brigades.append(Brigade(accounts: 10, targets: 100, reporters: 10, days: 7, networks: 1))
    brigades.append(Brigade(accounts: 200, targets: 50, reporters: 4, days: 3, sharesTargets: false))
    brigades.append(Brigade(accounts: 200, targets: 50, reporters: 8, days: 3, sharesTargets: false))
    brigades.append(Brigade(accounts: 100, targets: 50, reporters: 6, days: 7, networks: 5, sharesTargets: false))
    brigades.append(Brigade(accounts: 50, targets: 100, reporters: 5, start: 1, days: 3, sharesTargets: false))
    for aging in [Brigade.Aging.own, .shared, .genuine] {
      brigades.append(
        Brigade(accounts: 40, targets: 50, reporters: 5, start: 16, days: 3, networks: 40, aging: aging))
      brigades.append(
        Brigade(
          accounts: 100, targets: 50, reporters: 5, start: 16, days: 3, networks: 100, sharesTargets: false,
          aging: aging))
    }
    let copies = [
      Brigade(accounts: 10, targets: 100, reporters: 3, days: 3, networks: 10, copiesList: true),
      Brigade(
        accounts: 100, targets: 100, reporters: 2, days: 2, networks: 100, sharesTargets: false, copiesList: true),
      Brigade(
        accounts: 100, targets: 100, reporters: 5, days: 3, networks: 100, sharesTargets: false, copiesList: true),
    ].flatMap { brigade in
      [SourceCeiling.review, .identify].map { ceiling in
        var scenario = Scenario.brigade(brigade)
        scenario.name += " with ceiling \(ceiling)"
        scenario.list = List(ceiling: ceiling)
        return scenario
      }
    }
    return brigades.map(Scenario.brigade) + copies
  }
}
