/// What Apple's Live Caller ID Lookup dataset is to hold.
public struct LiveCallerIDOptions: Sendable, Equatable {
  /// The two databases of a service.
  public enum Database: String, Sendable, CaseIterable {
    /// Numbers to refuse.
    case block
    /// Names to show.
    case identity
  }

  /// What an identity is said to be.
  public enum Category: String, Sendable, CaseIterable {
    /// Nothing is said.
    case unspecified
    /// A person.
    case person
    /// A business.
    case business
  }

  /// Which databases are written. A database in this set without a row is refused.
  public var databases: Set<Database> = [.block, .identity]
  /// The bundle id of the app's extension; use cases are named `<id>.block` and `<id>.identity`.
  public var extensionBundleID: String
  /// The category of every identity.
  public var category: Category = .unspecified
  /// Minutes a phone may keep an identity; 0 leaves it to the phone.
  public var cacheExpiryMinutes: UInt32 = 0
  /// Adds the identity that Apple's check of a production service looks up: +14085551212, "Johnny Appleseed".
  public var includesAppleTestRow = false
  /// PIRProcessDatabase's `rlweParameters`.
  public var rlweParameters = "n_4096_logq_27_28_28_logt_5"
  /// Shards of each database: 1…10,000. Fixed, so that phones' parameters stay the same from day to day.
  public var shardCount = 1
  /// Buckets of each shard's cuckoo table, or nil to let the tool choose, which may change with the data.
  public var bucketCount: Int?
  /// Trial lookups that the tool makes in each shard.
  public var trialsPerShard = 1

  /// The defaults for an extension.
  public init(extensionBundleID: String) { self.extensionBundleID = extensionBundleID }

  /// The number of Apple's check.
  static let appleTestNumber: Int64 = 14_085_551_212
  /// The name of Apple's check.
  static let appleTestName = "Johnny Appleseed"
}
