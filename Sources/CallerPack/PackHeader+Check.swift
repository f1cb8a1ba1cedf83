// SPDX-License-Identifier: Apache-2.0

extension PackHeader {
  /// The memory that a cursor of this pack needs, in bytes, computed from the declared maxima. Profiles limit this
  /// value.
  public var readerBytes: Int {
    var bytes = 8 * blockEntries + maximumBlockBytes + indexBytes + 4096
    if dictionaryTokens > 0 {
      bytes += dictionaryTextBytes + 4 * dictionaryTokens + maximumLabelBytes + PackDictionary.fixedBytes
    }
    return bytes
  }

  /// Size of the index in bytes.
  package var indexBytes: Int { blockCount * Self.indexEntryBytes }

  /// The offset of the first block.
  package var blocksOffset: Int { Self.byteCount + dictionaryStoredBytes }

  /// The offset of the index.
  package var indexOffset: Int { fileBytes - indexBytes }

  /// Returns the number of entries of the block at `index`.
  package func entries(inBlock index: Int) -> Int { min(blockEntries, entryCount - index * blockEntries) }

  /// Checks every field against the limits and against the other fields, before any memory is allocated.
  func check() throws(PackError) {
    try limit("entries", entryCount, PackLimits.entries)
    try limit("blocks", blockCount, PackLimits.blocks)
    try limit("bytes of a block", maximumBlockBytes, PackLimits.blockBytes)
    try limit("bytes of a label", maximumLabelBytes, PackLimits.labelBytes)
    try limit("bytes of the dictionary's text", dictionaryTextBytes, PackLimits.dictionaryTextBytes)
    try limit("tokens of the dictionary", dictionaryTokens, PackLimits.dictionaryTokens)
    try limit("bytes of the dictionary", dictionaryStoredBytes, PackLimits.dictionaryStoredBytes)
    guard blockEntries >= PackLimits.leastBlockEntries, blockEntries <= PackLimits.greatestBlockEntries else {
      throw PackError(
        .malformed, "the entries of a block are out of range",
        expected: "\(PackLimits.leastBlockEntries) to \(PackLimits.greatestBlockEntries)", got: "\(blockEntries)")
    }
    let blocks = (entryCount + blockEntries - 1) / blockEntries
    guard blockCount == blocks else {
      throw PackError(.malformed, "blocks do not fit entries", expected: "\(blocks) blocks", got: "\(blockCount)")
    }
    let counts: Bool =
      switch kind {
      case .blocking: blockingCount == entryCount && identificationCount == 0
      case .identification: identificationCount == entryCount && blockingCount == 0
      case .both:
        blockingCount <= entryCount && identificationCount <= entryCount
          && blockingCount + identificationCount >= entryCount
      }
    guard counts else {
      throw PackError(
        .malformed, "the counts do not fit the kind", expected: "\(entryCount) entries of kind \(kind)",
        got: "\(blockingCount) blocking, \(identificationCount) identifying")
    }
    guard lastNumber >= 0, lastNumber <= PackLimits.greatestNumber, (lastNumber == 0) == (entryCount == 0) else {
      throw PackError(.malformed, "the last number is out of range", got: "\(lastNumber)")
    }
    let hasLabels = identificationCount > 0
    let hasDictionary = dictionaryStoredBytes > 0
    guard hasLabels ? hasDictionary && maximumLabelBytes > 0 : maximumLabelBytes == 0 else {
      throw PackError(.malformed, "the dictionary and the longest label do not fit the counts")
    }
    try limit("bytes of all labels", identificationCount * maximumLabelBytes, PackLimits.totalLabelBytes)
    guard kind != .blocking || !hasDictionary, hasDictionary || dictionaryTextBytes + dictionaryTokens == 0 else {
      throw PackError(.malformed, "there is a dictionary where none belongs")
    }
    guard blocksOffset + blockCount * 4 + indexBytes <= fileBytes else {
      throw PackError(
        .malformed, "the parts do not fit the file", expected: "at least \(blocksOffset + indexBytes) bytes",
        got: "\(fileBytes)")
    }
  }

  /// Compares a declared value with the one that was counted.
  static func check(_ what: String, declared: Int, found: Int) throws(PackError) {
    guard declared == found else {
      throw PackError(.malformed, "the header declares \(what) wrongly", expected: "\(declared)", got: "\(found)")
    }
  }

  private func limit(_ what: String, _ value: Int, _ most: Int) throws(PackError) {
    guard value <= most else {
      throw PackError(.tooLarge, "too many \(what) are declared", expected: "\(most) at most", got: "\(value)")
    }
  }
}
