// SPDX-License-Identifier: Apache-2.0

internal import Foundation

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
