// SPDX-License-Identifier: Apache-2.0

import Foundation
import Importing

/// A moderator in a browser, who repeats three steps: the queue, a case of it, a decision.
struct SimulatedModerator {
  private enum Stage {
    case start
    case queue
    case numberCase(String)
    case decision(HTMLForm, from: String)
  }

  private let authority: String
  private let token: String
  private var cookie: String?
  private var stage = Stage.start
  private var list = "/moderation/queue"
  private var random: SplitMix64

  /// - Parameter token: of a sign-in link, which is valid once.
  init(target: LoadTarget, token: String, seed: UInt64) {
    authority = target.authority
    self.token = token
    random = SplitMix64(seed: seed)
  }

  /// The next request.
  func request() -> (kind: MixedRequestKind, bytes: [UInt8]) {
    guard cookie != nil else { return (.signIn, post("/sign-in", "token=\(token)")) }
    return switch stage {
    case .start, .queue: (.queue, get(list))
    case .numberCase(let path): (.numberCase, get(path))
    case .decision(let form, let page): (.postDecision, post(form.action.isEmpty ? page : form.action, form.body))
    }
  }

  /// Chooses the next stage by the answer.
  mutating func take(status: Int, head: String, body: String) {
    guard cookie != nil else {
      cookie = Self.cookie(in: head)
      stage = .queue
      return
    }
    switch stage {
    case .start, .queue:
      if status == 404 { list = "/moderation" }
      let cases = HTMLForm.links(in: body).filter(Self.isCase)
      stage = cases.isEmpty || status != 200 ? .queue : .numberCase(cases[random.below(cases.count)])
    case .numberCase(let path):
      stage = status == 200 ? decision(in: body, from: path) : .queue
    case .decision:
      stage = .queue
    }
  }

  /// The form of the case that decides it, filled in; the queue when the page has none.
  private mutating func decision(in page: String, from path: String) -> Stage {
    let wanted = ["allow", "block", "identify"]
    for form in HTMLForm.all(in: page) {
      let offers = form.offers.filter { wanted.contains($0.value) }
      guard !offers.isEmpty else { continue }
      let choice = offers[random.below(offers.count)]
      return .decision(form.choosing(choice.value, of: choice.name), from: path)
    }
    return .queue
  }

  private static func isCase(_ link: String) -> Bool {
    ["/moderation/queue/", "/moderation/cases/", "/moderation/case/", "/moderation/numbers/"].contains {
      link.hasPrefix($0) && link.dropFirst($0.count).first.map { $0.isNumber || $0 == "+" || $0 == "%" } == true
    }
  }

  private static func cookie(in head: String) -> String? {
    head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("set-cookie:") }.map {
      $0.dropFirst("set-cookie:".count).prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces)
    }
  }

  private func get(_ path: String) -> [UInt8] {
    Array("GET \(path) HTTP/1.1\r\nHost: \(authority)\r\nCookie: \(cookie ?? "")\r\n\r\n".utf8)
  }

  private func post(_ path: String, _ body: String) -> [UInt8] {
    let session = cookie.map { "Cookie: \($0)\r\n" } ?? ""
    return Array(
      """
      POST \(path) HTTP/1.1\r
      Host: \(authority)\r
      Origin: http://\(authority)\r
      \(session)Content-Type: application/x-www-form-urlencoded\r
      Content-Length: \(body.utf8.count)\r
      \r
      \(body)
      """.utf8)
  }
}
