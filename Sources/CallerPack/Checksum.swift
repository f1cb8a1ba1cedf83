// SPDX-License-Identifier: Apache-2.0

internal import CZlib

/// Returns the CRC-32 of zlib, PNG and gzip.
package func checksum(_ bytes: [UInt8]) -> UInt32 {
  bytes.withUnsafeBytes { checksum($0) }
}

/// Returns the CRC-32 of zlib, PNG and gzip, continued from `sum`.
package func checksum(_ bytes: UnsafeRawBufferPointer, after sum: UInt32 = 0) -> UInt32 {
  guard let base = bytes.baseAddress, bytes.count > 0 else { return sum }
  return UInt32(truncatingIfNeeded: crc32_z(UInt(sum), base.assumingMemoryBound(to: UInt8.self), bytes.count))
}
