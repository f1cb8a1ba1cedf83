public import Foundation
import Timestamps

/// What the database holds that this version does not understand.
public enum StorageError: Error, Equatable, CustomStringConvertible {
  /// A row names a category that this version does not know.
  case unknownCategory(id: Int16)
  /// There is no such version of the thresholds; nil: there is none at all.
  case noThresholds(version: Int32?)
  /// Somebody else has saved this version of the thresholds meanwhile.
  case thresholdsChanged(version: Int32)
  /// Another manifest was recorded under a serial that is to be recorded now.
  case serialTaken(Int64)
  /// A row names a kind of decision that this version does not know.
  case unknownTreatment(String)
  /// A row names a rule against brigades that this version does not know.
  case unknownRule(String)
  /// A row has a state that this version does not know.
  case unknownState(String)
  /// A background job is of a kind that this version does not know.
  case unknownJob(kind: String)
  /// A row has a code with values that this version does not know.
  case unknownCode(String)
  /// A row names a role that this version does not know.
  case unknownRole(String)
  /// A directory was replaced by another process while it was being read.
  case directoryChanged(source: String)
  /// Nothing was handed in to replace the entries of a directory.
  case emptyDirectory(source: String, kept: Int64)
  /// Reports of before this moment were dropped, and one of those that are to be stored is older.
  case reportsDropped(before: Date)
  /// Reports of up to this moment were to be dropped, and by the database's clock that is too early.
  case monthsTooYoung(until: Date, here: Date, database: Date)

  /// What it is, and what to do, in plain English.
  public var description: String {
    switch self {
    case .unknownCategory(let id):
      "The database has a category \(id) that this version does not know. Run the version that added it, or a later one."
    case .noThresholds(nil):
      "The database has no thresholds. Restore threshold_versions, threshold_rules and source_rules from a backup."
    case .noThresholds(.some(let version)):
      "There is no version \(version) of the thresholds. See `ringfence thresholds history`."
    case .thresholdsChanged(let version):
      "Somebody else has saved version \(version) of the thresholds meanwhile. Look at it, then make your change again."
    case .serialTaken(let serial):
      """
      The database has another publication \(serial) than the folder. Two folders are in use: point all servers at one, \
      or move this one away.
      """
    case .unknownRule(let name):
      "The database names a rule \(name) that this version does not know. Run the version that added it, or a later one."
    case .unknownState(let name):
      "The database has a state \(name) that this version does not know. Run the version that added it, or a later one."
    case .unknownJob(let kind):
      "The database has a background job \(kind) that this version does not know. Run the version that added it, or a later one."
    case .unknownTreatment(let name):
      "The database has decisions of a kind \(name) that this version does not know. Run the version that added it, or a later one."
    case .unknownCode(let json):
      "The database has the code \(json), which this version does not know. Run the version that added it, or a later one."
    case .unknownRole(let name):
      "An account has a role \(name) that this version does not know. Run the version that added it, or a later one."
    case .directoryChanged(let source):
      "The directory \(source) was replaced while it was being read. Try again."
    case .emptyDirectory(let source, let kept):
      """
      Nothing in the file names a number, so the \(kept) entries of \(source) stay. Check its columns and --region; \
      --rejects FILE says what is wrong with each row.
      """
    case .reportsDropped(let before):
      """
      Reports of before \(Timestamp.format(before)) were dropped, and an older one would perhaps be counted twice: none \
      is taken any more.
      """
    case .monthsTooYoung(let until, let here, let database):
      """
      No reports were dropped: those of before \(Timestamp.format(until)) are due by this machine's clock, which says \
      \(Timestamp.format(here)), and younger than \(RetentionStore.leastMonths) months by the database's, which says \
      \(Timestamp.format(database)). Let both keep time with NTP; if the database's is right, look at what this one did \
      meanwhile.
      """
    }
  }
}
