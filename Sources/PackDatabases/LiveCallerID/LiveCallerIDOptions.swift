// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Options of the dataset for Apple's Live Caller ID Lookup.
public struct LiveCallerIDOptions: Sendable, Equatable {
  /// The two databases of a service.
  public enum Database: String, Sendable, CaseIterable {
    /// Numbers to refuse.
    case block
    /// Names to show.
    case identity
  }

  public enum Category: String, Sendable, CaseIterable {
    case unspecified
    case person
    case business
  }

  /// The databases to write. A selected database without a row is an error.
  public var databases: Set<Database> = [.block, .identity]
  /// The bundle id of the app's extension; use cases are named `<id>.block` and `<id>.identity`.
  public var extensionBundleID: String
  /// The category of every identity.
  public var category: Category = .unspecified
  /// Minutes for which a phone may cache an identity; 0 lets the phone decide.
  public var cacheExpiryMinutes: UInt32 = 0
  /// Adds the identity that Apple's check of a production service looks up: +14085551212, "Johnny Appleseed".
  public var includesAppleTestRow = false
  /// The value of PIRProcessDatabase's `rlweParameters`.
  public var rlweParameters = "n_4096_logq_27_28_28_logt_5"
  /// Shards of each database: 1…10,000. The count is fixed, so that the parameters of phones stay constant.
  public var shardCount = 1
  /// Buckets of each shard's cuckoo table; nil lets the tool choose a count, which may change with the data.
  public var bucketCount: Int?
  /// Trial lookups of the tool in each shard.
  public var trialsPerShard = 1

  /// The defaults, for an app without a name.
  public static let standard = LiveCallerIDOptions(extensionBundleID: "")

  public init(extensionBundleID: String) { self.extensionBundleID = extensionBundleID }

  static let appleTestNumber: Int64 = 14_085_551_212
  static let appleTestName = "Johnny Appleseed"
}

/// The JSON configuration of `PIRProcessDatabase` for one database; paths are relative to its working directory.
struct ProcessDatabaseConfiguration: Encodable {
  struct Sharding: Encodable { let shardCount: Int }
  struct CuckooTable: Encodable {
    struct BucketCount: Encodable {
      struct FixedSize: Encodable { let bucketCount: Int }
      let fixedSize: FixedSize
    }
    let hashFunctionCount = 2
    let maxEvictionCount = 100
    let maxSerializedBucketSize = 1_024
    let bucketCount: BucketCount

    enum CodingKeys: String, CodingKey {
      case hashFunctionCount, maxEvictionCount, maxSerializedBucketSize, bucketCount
    }
  }

  let rlweParameters: String
  let inputDatabase: String
  let outputDatabase: String
  let outputPirParameters: String
  let sharding: Sharding
  let trialsPerShard: Int
  let cuckooTableArguments: CuckooTable?

  init(database: LiveCallerIDOptions.Database, options: LiveCallerIDOptions) {
    rlweParameters = options.rlweParameters
    inputDatabase = "\(database.rawValue).binpb"
    outputDatabase = "\(database.rawValue)-SHARD_ID.bin"
    outputPirParameters = "\(database.rawValue)-SHARD_ID.params.txtpb"
    sharding = Sharding(shardCount: options.shardCount)
    trialsPerShard = options.trialsPerShard
    cuckooTableArguments = options.bucketCount.map {
      CuckooTable(bucketCount: .init(fixedSize: .init(bucketCount: $0)))
    }
  }

  func encoded() throws -> Data {
    let encoder = JSONEncoder()
    // Sorted, so that the same options give the same bytes.
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(self) + Data("\n".utf8)
  }
}
