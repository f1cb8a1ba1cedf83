// SPDX-License-Identifier: Apache-2.0

/// The work that a publication or a background job does at the moment.
public enum JobStep: CodedData {
  public enum CodingKeys: MessageCode {
    case starting, findingBrigades, selectingNumbers, readingNumbers, writingPacks, writingPack, readingBack
    case changingPack, makingDeltas, signing, revealing, comparingThresholds
  }

  case starting
  case findingBrigades
  case selectingNumbers
  /// Numbers and names come from the database; with the count so far.
  case readingNumbers(count: Int)
  /// The step between two packs.
  case writingPacks
  case writingPack(pack: String)
  case readingBack(pack: String)
  /// A pack is copied with the changes of revocations.
  case changingPack(pack: String)
  /// The deltas and other formats of a pack are made.
  case makingDeltas(pack: String)
  case signing
  /// The publication becomes visible.
  case revealing
  /// Numbers are evaluated by the thresholds in force and by the change; with the count so far.
  case comparingThresholds(count: Int)
}
