// SPDX-License-Identifier: Apache-2.0

import PhoneNumbers
import TestData
import Testing

/// The reader of all forms, alone and from one place, and cells of lists.
@Suite struct NumberFormTests {
  @Test(arguments: NumberForm.all)
  func `a form has one meaning`(_ form: NumberForm) {
    var parser = PhoneNumberParser()
    for outcome in [
      reading(form.text, form.region), reading(form.text, form.region, by: &parser),
      reading(form.text, form.region, by: &parser),
    ] { #expect(result(outcome) == form.result) }
  }

  @Test(arguments: NumberForm.plainNumbers)
  func `digits alone may be international`(_ form: NumberForm) {
    #expect(reading(form.text, nil) == .failure(.needsRegion))
    let number = try? PhoneNumber(parsing: form.text, region: nil, isInternational: true)
    #expect(form.result == number.map { .number($0.digits) })
  }

  /// Both readings are numbers; regions that dial without a prefix, and plans of one length, have the national one.
  @Test(
    arguments: [
      ("3912345678", "IT", 393_912_345_678), ("393331234567", "IT", 393_331_234_567),
      ("9123456789", "IN", 919_123_456_789), ("919123456789", "IN", 919_123_456_789),
      ("847991119", "VN", 84_847_991_119), ("49421123456", "DE", 49_421_123_456), ("421123456", "DE", 49_421_123_456),
    ] as [(String, String, Int64)])
  func `digits of the own calling code`(_ text: String, _ region: String, _ digits: Int64) {
    #expect((try? reading(text, region).get())?.digits == digits)
  }

  @Test(
    arguments: [
      ("030/23125135 oder 0171/3920005", "DE", [493_023_125_135, 491_713_920_005], []),
      ("+493023125123|+493023125124|+493023125125", nil, [493_023_125_123, 493_023_125_124, 493_023_125_125], []),
      ("+493023125128;+493023125129", nil, [493_023_125_128, 493_023_125_129], []),
      ("212-555-0127 / 212-555-0128", "US", [12_125_550_127, 12_125_550_128], []),
      ("+49 30 23125123 ::: +49 30 23125124", nil, [493_023_125_123, 493_023_125_124], []),
      ("+493023125123+493023125124", nil, [493_023_125_123, 493_023_125_124], []),
      ("01 99 00 01 23 ou 01 99 00 01 24", "FR", [33_199_000_123, 33_199_000_124], []),
      ("030 23125135 (Büro), 0171 3920005 (mobil)", "DE", [493_023_125_135, 491_713_920_005], []),
      ("Tel. 030/23125135, Fax 030/23125136", "DE", [493_023_125_135, 493_023_125_136], []),
      ("0033199000XXX|0033199001XXX|", "DE", [], ["+33199000xxx", "+33199001xxx"]),
      ("+493023125200 # first", nil, [493_023_125_200], []), ("+493023125203 // note", nil, [493_023_125_203], []),
      ("+493023125202\tSurvey", nil, [493_023_125_202], []), ("+493023125202# Umfrage", nil, [493_023_125_202], []),
      ("+493023125202 ; removed 2026-01-02", nil, [493_023_125_202], []),
      ("201-555-0123    #= Unwanted Marketing Call", "US", [12_015_550_123], []),
      ("212 555 0130 (Secondary)", "US", [12_125_550_130], []), ("+33199000### # vente", "FR", [], ["+33199000xxx"]),
    ] as [(String, String?, [Int64], [String])])
  func `a cell may have several numbers and a remark`(
    _ text: String, _ region: String?, _ numbers: [Int64], _ masks: [String]
  ) {
    var parser = PhoneNumberParser()
    let cell = parser.readCell(text, region: region)
    #expect(cell.numbers.map(\.digits) == numbers && cell.masks == masks && cell.refusals.count == masks.count)
  }

  @Test(
    arguments: [
      ("030 23125136 / 137", "DE"), ("02012345678/79", "DE"), ("030 23125136 und 137", "DE"),
      ("+49 30 23125123 or 23125124", "DE"), ("030 / 23 125 123, 23 125 124, 0171 / 39 20 005", "DE"),
    ])
  func `parts that cannot be told for certain are refused`(_ text: String, _ region: String) {
    var parser = PhoneNumberParser()
    let cell = parser.readCell(text, region: region)
    #expect(cell.numbers.isEmpty && cell.refusals == [.severalNumbers])
  }

  @Test func `a cell may say that there is no number`() {
    var parser = PhoneNumberParser()
    for text in ["", " ", "n/a", "-", "None"] {
      let cell = parser.readCell(text, region: "DE")
      #expect(cell.numbers.isEmpty && cell.refusals.isEmpty)
    }
  }

  private func result(_ reading: Reading) -> NumberForm.Result {
    switch reading {
    case .success(let number): .number(number.digits)
    case .failure(let error): error.mask.map { .mask($0) } ?? .refused(error.code)
    }
  }
}
