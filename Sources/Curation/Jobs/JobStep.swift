// SPDX-License-Identifier: Apache-2.0

/// The work that a publication or a background job does at the moment.
public struct JobStep: CodedData {
  /// The kinds of work.
  public enum Code: String, CaseIterable, Sendable {
    case starting
    case findingBrigades = "finding_brigades"
    case selectingNumbers = "selecting_numbers"
    case readingNumbers = "reading_numbers"
    case writingPacks = "writing_packs"
    case writingPack = "writing_pack"
    case readingBack = "reading_back"
    case changingPack = "changing_pack"
    case makingDeltas = "making_deltas"
    case signing
    case revealing
    case comparingThresholds = "comparing_thresholds"
  }

  /// The kind of work.
  public let code: Code
  /// The values of the message by their names.
  public let values: [String: CodedValue]

  /// - Parameters: see the properties; the functions below make each code with its values.
  public init(code: Code, values: [String: CodedValue] = [:]) {
    self.code = code
    self.values = values
  }

  /// Nothing was done yet.
  public static let starting = JobStep(code: .starting)
  /// Numbers to be held because of brigading are searched.
  public static let findingBrigades = JobStep(code: .findingBrigades)
  /// The numbers of the packs are selected.
  public static let selectingNumbers = JobStep(code: .selectingNumbers)

  /// Numbers and names come from the database.
  /// - Parameter count: the numbers and names so far.
  public static func readingNumbers(_ count: Int) -> JobStep {
    JobStep(code: .readingNumbers, values: ["count": CodedValue(count)])
  }

  /// A pack is written.
  /// - Parameter pack: its name; nil between two packs.
  public static func writing(pack: String?) -> JobStep {
    pack.map { JobStep(code: .writingPack, values: ["pack": .text($0)]) } ?? JobStep(code: .writingPacks)
  }

  /// A written pack is read back.
  public static func readingBack(pack: String) -> JobStep {
    JobStep(code: .readingBack, values: ["pack": .text(pack)])
  }

  /// A pack is copied with the changes of revocations.
  public static func changing(pack: String) -> JobStep {
    JobStep(code: .changingPack, values: ["pack": .text(pack)])
  }

  /// The deltas and other formats of a pack are made.
  public static func makingDeltas(pack: String) -> JobStep {
    JobStep(code: .makingDeltas, values: ["pack": .text(pack)])
  }

  /// The manifest is signed.
  public static let signing = JobStep(code: .signing)
  /// The publication becomes visible.
  public static let revealing = JobStep(code: .revealing)

  /// Numbers are evaluated by the thresholds in force and by the change.
  /// - Parameter count: the numbers so far.
  public static func comparingThresholds(_ count: Int) -> JobStep {
    JobStep(code: .comparingThresholds, values: ["count": CodedValue(count)])
  }
}
