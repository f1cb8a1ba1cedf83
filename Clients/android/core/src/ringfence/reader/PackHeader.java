// SPDX-License-Identifier: Apache-2.0
package ringfence.reader;

import static ringfence.reader.FormatException.require;
import static ringfence.reader.LittleEndian.u16;
import static ringfence.reader.LittleEndian.u32;
import static ringfence.reader.LittleEndian.u64;

/** The header of a pack (section 4), checked. */
public final class PackHeader {
  /** The greatest number of a pack. */ public static final long MAXIMUM_NUMBER = 999_999_999_999_999L;

  /** The most content of a published pack that a reader hashes (Publication.md, section 11). */
  static final long MAXIMUM_CONTENT = 1L << 30;

  static final int BYTES = 128;
  static final byte[] MAGIC = {0x52, 0x46, 0x50, 0x41, 0x43, 0x4B, 0x1A, 0x0A};

  final byte[] bytes;
  final int kind, shift, entries, blocking, identifying, blocks, stored, text, tokens, maximumBlock, maximumLabel;
  final long serial, created, indexChecksum, dictionaryChecksum, last, length;
  final String region;

  /** Decodes the 128 bytes from a position on. */
  PackHeader(byte[] data, int from) throws FormatException {
    bytes = new byte[BYTES];
    System.arraycopy(data, from, bytes, 0, BYTES);
    require(Bytes.equal(MAGIC, bytes, 0), "this is not a pack");
    require(u16(bytes, 8) == 1, "the pack's version is unknown");
    require(u32(bytes, 124) == Digests.crc(bytes, 0, 124), "the header is corrupt");
    require(u16(bytes, 10) == 0 && bytes[15] == 0 && u32(bytes, 116) == 0, "a flag or a reserved byte is not 0");
    kind = bytes[12];
    require(kind >= 1 && kind <= 3, "the kind is unknown");
    require(bytes[13] == 1 || bytes[13] == 2, "the profile is unknown");
    shift = bytes[14];
    require(shift >= 2 && shift <= 14, "the block shift is out of range");
    serial = u64(bytes, 16);
    created = u64(bytes, 32);
    entries = limited(40, 16_777_216, "entries");
    blocking = limited(44, entries, "blocking entries");
    identifying = limited(48, entries, "identifying entries");
    if (kind == 1) require(blocking == entries && identifying == 0, "the counts do not fit the kind");
    if (kind == 2) require(blocking == 0 && identifying == entries, "the counts do not fit the kind");
    require(blocking + identifying >= entries, "the counts do not fit the kind");
    blocks = limited(52, 16_384, "blocks");
    require(blocks == entries + (1 << shift) - 1 >> shift, "the number of blocks does not fit the entries");
    stored = limited(56, 1_572_864, "bytes of the dictionary");
    text = limited(60, 1_048_576, "bytes of tokens");
    tokens = limited(64, 131_072, "tokens");
    dictionaryChecksum = u32(bytes, 112);
    require(kind != 1 || stored == 0, "a pack that only blocks has a dictionary");
    require(stored > 0 || text == 0 && tokens == 0 && identifying == 0 && dictionaryChecksum == 0, "the dictionary is missing");
    maximumBlock = limited(68, 524_288, "bytes of a block");
    maximumLabel = limited(72, 65_534, "bytes of a label");
    require(maximumLabel > 0 == identifying > 0, "the maximum label does not fit the counts");
    require((long) identifying * maximumLabel <= 0xFFFFFFFFL, "the labels are too long in total");
    indexChecksum = u32(bytes, 76);
    last = u64(bytes, 80);
    require(last >= 0 && last <= MAXIMUM_NUMBER && last == 0 == (entries == 0), "the last number is out of range");
    length = u32(bytes, 120);
    int count = bytes[88] & 0xFF;
    require(count <= 23, "the region is too long");
    for (int at = 89 + count; at < 112; at++) require(bytes[at] == 0, "bytes follow the region");
    region = new String(bytes, 89, count, Json.UTF8);
    require(region.matches("[0-9A-Za-z._-]*"), "the region has another character");
  }

  private int limited(int at, int most, String what) throws FormatException {
    long value = u32(bytes, at);
    require(value <= most, "there are " + value + " " + what + ", more than " + most);
    return (int) value;
  }

  /** Returns what all entries do. */
  public PackKind kind() { return PackKind.values()[kind - 1]; }
  /** Returns the serial of the publication that wrote the pack; 0 when it is not numbered. */
  public long serial() { return serial; }
  /** Returns when the pack was made, in seconds since 1970; 0 when that is not known. */
  public long created() { return created; }
  /** Returns the region, or an empty text. */
  public String region() { return region; }
  /** Returns the number of entries. */
  public int entries() { return entries; }
  /** Returns the last number; 0 when there is none. */
  public long lastNumber() { return last; }

  /** Checks that the content of a published pack is not too long to be hashed. */
  void checkContent() throws FormatException {
    long content = 11L * entries + (long) identifying * maximumLabel;
    require(content <= MAXIMUM_CONTENT, "the entries have " + content + " bytes, more than " + MAXIMUM_CONTENT);
  }

  /** Returns the bytes of memory that a reader of this pack needs, by section 9.2. */
  public int readerBytes() {
    int numbers = (8 << shift) + maximumBlock + 16 * blocks + 4_096;
    return stored == 0 ? numbers : numbers + text + 4 * tokens + maximumLabel + 81_920;
  }
}
