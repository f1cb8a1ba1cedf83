// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Localization
import Curation
import Foundation
import PhoneNumbers

/// The text typed into the appeal form, with its errors.
struct AppealDraft: Encodable {
  var number = ""
  var country: String?
  var statement = ""
  var contact = ""
  var numberProblem = ""
  var statementProblem = ""
  var contactProblem = ""
  /// An error that concerns no single field.
  var problem = ""
  /// The error of a typed ticket.
  var ticketProblem = ""

  init(country: String?) {
    self.country = country
  }

  init(_ form: Form) {
    // Overlong text is cut before the page shows it again.
    number = String((form.text("number") ?? "").prefix(NumberField.longest + 1))
    country = form.text("country").flatMap { PhoneRegion($0)?.code }
    statement = form.text("statement") ?? ""
    contact = form.text("contact") ?? ""
  }

  var hasProblem: Bool { !(numberProblem + statementProblem + contactProblem).isEmpty }

  /// Checks the fields and notes their errors.
  /// - Returns: the number; nil if there is an error.
  mutating func check(_ texts: Localizer) -> PhoneNumber? {
    var phone: PhoneNumber?
    switch NumberField.read(number, country: country) {
    case .success(let read): phone = read
    case .failure(let problem): numberProblem = texts(problem.key)
    }
    do throws(RuleViolation) {
      statement = try AppealFiling.statement(statement)
    } catch {
      statementProblem =
        statement.isEmpty
        ? texts("appeal.statement-empty")
        : texts("appeal.statement-long", ["most": texts.number(AppealFiling.mostStatement)])
    }
    do throws(RuleViolation) {
      contact = try AppealFiling.contact(contact) ?? ""
    } catch {
      contactProblem = texts("appeal.contact-wrong", ["most": texts.number(AppealFiling.mostContact)])
    }
    return hasProblem ? nil : phone
  }

  func filing(_ number: PhoneNumber, at time: Date) -> AppealFiling? {
    try? AppealFiling(number: number.digits, statement: statement, contact: contact, filedAt: time)
  }
}

/// Values of the template `appeal`.
struct AppealFormPage: Encodable {
  let number: String
  let statement: String
  let contact: String
  let numberProblem: String
  let statementProblem: String
  let contactProblem: String
  let problem: String
  let ticketProblem: String
  let countries: [CountryChoice]
  let stamp: String
  let difficulty: Int
  let delay: Int
  let mostStatement = AppealFiling.mostStatement
  let mostContact = AppealFiling.mostContact

  init(_ draft: AppealDraft, countries: [CountryChoice], stamps: AppealStamps, stamp: String) {
    (number, statement, contact) = (draft.number, draft.statement, draft.contact)
    (numberProblem, statementProblem) = (draft.numberProblem, draft.statementProblem)
    (contactProblem, problem, ticketProblem) = (draft.contactProblem, draft.problem, draft.ticketProblem)
    self.countries = countries
    self.stamp = stamp
    difficulty = stamps.difficulty
    delay = stamps.delay
  }
}
