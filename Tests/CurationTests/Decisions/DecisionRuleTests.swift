// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Testing

/// The rules of decisions, on both sides of each limit.
@Suite struct DecisionRuleTests {
  private let now = Date(timeIntervalSince1970: 1_795_000_000)

  private func problem(
    _ treatment: Decision.Treatment, _ category: ReportCategory? = nil, label: String? = nil, reason: String? = "x",
    note: String? = nil, by author: String = "Ada"
  ) -> String? {
    do throws(RuleViolation) {
      _ = try Decision(
        number: 1, treatment: treatment, label: label, category: category, reason: reason, note: note,
        decidedBy: author,
        decidedAt: now)
      return nil
    } catch {
      return "\(error.field) \(error.code.stringValue)" + (error.most.map { " \($0)" } ?? "")
    }
  }

  private func text(_ count: Int) -> String { String(repeating: "ä", count: count) }

  @Test func `a decision has the fields of its treatment`() {
    #expect(problem(.block) == nil && problem(.block, .fraud) == nil)
    #expect(problem(.block, .legitimate) == "category categoryNotToxic")
    #expect(problem(.block, label: "a") == nil)
    #expect(problem(.block, reason: nil) == "reason reasonMissing")
    #expect(problem(.identify, label: "a", reason: nil) == "reason reasonMissing")
    #expect(problem(.identify) == "label labelMissing")
    #expect(problem(.identify, .legitimate, label: "a") == nil)
    #expect(problem(.allow, reason: nil) == nil && problem(.allow, .legitimate) == nil)
    #expect(problem(.allow, label: "a") == "label labelOfAllowed")
  }

  @Test func `each text has one line and a limit`() {
    for (most, field, make) in [
      (100, "label", { problem(.identify, label: $0) }), (500, "reason", { problem(.block, reason: $0) }),
      (2_000, "note", { problem(.block, note: $0) }), (80, "decided_by", { problem(.block, by: $0) }),
    ] as [(Int, String, (String) -> String?)] {
      #expect(make(text(1)) == nil && make(text(most)) == nil && make(" \(text(most))\n") == nil)
      for wrong in ["", "  ", "\0", text(most + 1), String(repeating: " ", count: 4 * most) + "a"] {
        #expect(make(wrong) == "\(field) length \(most)")
      }
      #expect(make(String(repeating: " ", count: 4 * most - 1) + "a") == nil)
      for hidden in ["a\nb", "a\u{202E}b", "a\u{2028}b", "a\u{2029}b", "a\u{7}b"] {
        #expect(make(hidden) == (field == "note" ? nil : "\(field) notOneLine"))
      }
      #expect(make("می\u{200C}خواهم 👩\u{200D}🔧") == nil)
    }
  }

  @Test func `texts are read to a decision`() throws {
    func problem(_ texts: [String: String]) -> String? {
      do throws(RuleViolation) {
        _ = try Decision(number: 1, texts: texts, decidedBy: "Ada", decidedAt: now)
        return nil
      } catch {
        return "\(error.field) \(error.code.stringValue)"
      }
    }
    #expect(
      problem([:]) == "decision decisionNotOffered" && problem(["decision": "no"]) == "decision decisionNotOffered")
    #expect(problem(["decision": "block", "reason": "x", "category": "no"]) == "category categoryUnknown")
    #expect(problem(["decision": "block", "reason": "x", "expires_days": "31"]) == "expires_days expiryNotOffered")
    for days in Decision.lifetimes {
      let texts = ["decision": "block", "reason": "x", "category": "fraud", "expires_days": "\(days)"]
      let decision = try Decision(number: 1, texts: texts, decidedBy: "Ada", decidedAt: now)
      #expect(decision.category == .fraud && decision.expiresAt == now + Double(days) * 86_400)
      #expect(Decision.lifetime(from: now - 40_000, to: decision.expiresAt) == days)
      #expect(DecisionValues(decision).expiresAt == decision.expiresAt)
    }
    let allowed = try Decision(
      number: 1, texts: ["decision": "allow", "category": "fraud", "expires_days": ""], decidedBy: "Ada", decidedAt: now
    )
    #expect(allowed.category == nil && allowed.expiresAt == nil)
  }

  @Test func `to allow a guarded number needs a moderator and a reason`() {
    func code(_ rule: AllowRule, _ role: Role, _ reason: String?) -> RuleViolation.Code? {
      do throws(RuleViolation) {
        try rule.check(reason: reason, role: role)
        return nil
      } catch {
        return error.code
      }
    }
    let free = AllowRule(isHeld: false, isListed: false, isAppealed: false, reporters: 20)
    #expect(!free.isGuarded && code(free, .triage, nil) == nil)
    let changes: [(inout AllowRule) -> Void] = [
      { $0.isHeld = true }, { $0.isListed = true }, { $0.isAppealed = true }, { $0.reporters = 21 },
    ]
    for change in changes {
      var rule = free
      change(&rule)
      #expect(rule.isGuarded && code(rule, .triage, "x") == .allowNeedsModerator)
      #expect(code(rule, .moderator, nil) == .allowNeedsReason && code(rule, .moderator, "x") == nil)
    }
  }

  @Test func `the rule of allowing reads an explanation`() {
    var explanation = Explanation(number: 1, time: now)
    #expect(!AllowRule(explanation).isGuarded)
    explanation.openAppeals = 1
    #expect(AllowRule(explanation).isAppealed)
    explanation.hold = .init(reason: .split(complaints: 5, legitimate: 5), heldAt: now)
    explanation.listing = .init(category: .fraud, serial: 1, listedAt: now)
    #expect(AllowRule(explanation).isHeld && AllowRule(explanation).isListed)
  }

  @Test func `to block a named number or a neighbor of a protected one needs a confirmation`() {
    for (isNamed, hasNeighbour) in [(false, false), (true, false), (false, true), (true, true)] {
      let rule = BlockRule(isNamed: isNamed, hasProtectedNeighbour: hasNeighbour)
      let isPermitted = (try? rule.check(isConfirmed: false)) != nil
      #expect(rule.isGuarded == (isNamed || hasNeighbour) && isPermitted == !rule.isGuarded)
      #expect((try? rule.check(isConfirmed: true)) != nil)
    }
  }

  @Test func `the value of a wrong row is short and visible`() {
    let problem = DecisionRowProblem(
      line: 2, value: "a\u{1F}\n" + text(100), RuleViolation(.notARow, field: "number"))
    #expect(problem.value == "a  " + text(77))
  }
}
