import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/** A validator of packs and an applier of deltas, written from PackFormat.md. */
final class PackReader {
  static final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1;

    Refused(String rule) {
      super(rule);
    }
  }

  static void must(boolean condition, String rule) {
    if (!condition) throw new Refused(rule);
  }

  record Entry(long number, int roles, byte[] label) {
    boolean isSame(Entry other) {
      return number == other.number && roles == other.roles && Arrays.equals(label, other.label);
    }
  }

  record Pack(Header header, Dictionary dictionary, byte[] stored, List<Entry> entries) {}

  static final class Bits {
    private final byte[] data;
    private final int end;
    private int at;

    Bits(byte[] data, int from, int to) {
      this.data = data;
      at = 8 * from;
      end = 8 * to;
    }

    long read(int count) {
      must(at + (long) count <= end, "a column ends early");
      long value = 0;
      for (int i = 0; i < count; i++, at++) value = value << 1 | data[at >> 3] >> (7 - (at & 7)) & 1;
      return value;
    }

    void finish() {
      must(end - at < 8, "bits follow a column");
      must(read(end - at) == 0, "the bits that fill a column's last byte are not 0");
    }
  }

  static final class BitWriter {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private int pending;
    int count;

    void put(long value, int bits) {
      for (int i = bits - 1; i >= 0; i--) {
        pending = pending << 1 | (int) (value >> i & 1);
        if ((++count & 7) == 0) {
          out.write(pending);
          pending = 0;
        }
      }
    }

    byte[] bytes() {
      while ((count & 7) != 0) put(0, 1);
      return out.toByteArray();
    }
  }

  // Number columns. Ranges have at most 50 bits.

  private static int floorLog2(long value) {
    return 63 - Long.numberOfLeadingZeros(value);
  }

  private static long first(long range, long shorts, int variant) {
    return variant == 0 ? (range - shorts) / 2 : range - shorts / 2;
  }

  static long[] readNumbers(Bits bits, int variant, int count, long low, long high) {
    must(high - low + 1 >= count, "numbers do not fit");
    long[] out = new long[count];
    readRun(bits, variant, out, 0, count, low, high);
    return out;
  }

  private static void readRun(Bits bits, int variant, long[] out, int at, int count, long low, long high) {
    if (count == 0) return;
    if (high - low + 1 == count) {
      for (int i = 0; i < count; i++) out[at + i] = low + i;
      return;
    }
    int left = count / 2;
    long base = low + left;
    long range = high - (count - 1 - left) - base + 1;
    long middle = base;
    if (range > 1) {
      int b = floorLog2(range);
      long shorts = (2L << b) - range;
      long code = bits.read(b);
      if (code >= shorts) code = 2 * code + bits.read(1) - shorts;
      middle = base + (code + first(range, shorts, variant)) % range;
    }
    out[at + left] = middle;
    readRun(bits, variant, out, at, left, low, middle - 1);
    readRun(bits, variant, out, at + left + 1, count - left - 1, middle + 1, high);
  }

  private static void writeRun(BitWriter bits, int variant, long[] values, int at, int count, long low, long high) {
    if (count == 0 || high - low + 1 == count) return;
    int left = count / 2;
    long base = low + left;
    long middle = values[at + left];
    long range = high - (count - 1 - left) - base + 1;
    if (range > 1) {
      int b = floorLog2(range);
      long shorts = (2L << b) - range;
      long code = Math.floorMod(middle - base - first(range, shorts, variant), range);
      if (code < shorts) bits.put(code, b);
      else bits.put(code + shorts, b + 1);
    }
    writeRun(bits, variant, values, at, left, low, middle - 1);
    writeRun(bits, variant, values, at + left + 1, count - left - 1, middle + 1, high);
  }

  // The dictionary.

  record Symbol(int kind, byte[] text, boolean ends) {}

  private static final int TOKEN = 0, AGAIN = 1, SPELL = 2;

  private record Word(int bits, int word) {}

  static final class Dictionary {
    private final byte[] data;
    private int at;
    private final List<Map<Word, Symbol>> codes = List.of(new HashMap<>(), new HashMap<>());
    private final List<Map<String, Word>> words = List.of(new HashMap<>(), new HashMap<>());
    private Word again, spell;

    Dictionary(byte[] stored, long tokens, long textBytes) {
      must(stored.length >= 5 && (stored[0] & 0xFF) <= 1, "the dictionary's start is wrong");
      long size = u32(stored, 1);
      must(size <= 3_145_728, "the dictionary expands to too much");
      data = stored[0] == 0 ? Arrays.copyOfRange(stored, 5, stored.length) : inflated(stored, (int) size);
      must(data.length == size, "the dictionary has another size");
      int againBits = next(), spellBits = next();
      must(againBits <= 24 && spellBits <= 24, "a code word is too long");
      long[][][] counts = new long[2][25][2];
      long total = 0;
      for (int code = 0; code < 2; code++) {
        int longest = next();
        must(longest <= 24, "a code word is too long");
        for (int bits = 1; bits <= longest; bits++) {
          for (int half = 0; half < 2; half++) total += counts[code][bits][half] = varint();
        }
      }
      must(total == tokens, "tokens do not add up");
      long text = 0;
      for (int code = 0; code < 2; code++) {
        long word = 0;
        for (int bits = 1; bits <= 24; bits++) {
          word *= 2;
          if (code == 0 && bits == againBits) {
            again = new Word(bits, (int) word++);
            codes.get(0).put(again, new Symbol(AGAIN, null, true));
          }
          if (code == 0 && bits == spellBits) {
            spell = new Word(bits, (int) word++);
            codes.get(0).put(spell, new Symbol(SPELL, null, true));
          }
          must(word + counts[code][bits][0] + counts[code][bits][1] <= 1L << bits, "too many code words");
          for (int half = 0; half < 2; half++) {
            byte[] before = {};
            for (long i = 0; i < counts[code][bits][half]; i++) {
              int shared = next(), own = next();
              must(shared <= before.length && own >= 1 && shared + own <= 255, "a token's length is wrong");
              byte[] token = Arrays.copyOf(before, shared + own);
              for (int k = 0; k < own; k++) token[shared + k] = (byte) next();
              must(shared == before.length || (token[shared] & 0xFF) > (before[shared] & 0xFF), "tokens do not ascend");
              text += token.length;
              must(text <= textBytes, "the text has another size");
              Word here = new Word(bits, (int) word++);
              codes.get(code).put(here, new Symbol(TOKEN, token, half == 1));
              words.get(code).putIfAbsent(key(token, 0, token.length, half == 1), here);
              before = token;
            }
          }
        }
      }
      must(text == textBytes, "the text has another size");
      must(at == data.length, "bytes follow the tokens");
    }

    private static byte[] inflated(byte[] stored, int size) {
      Inflater inflater = new Inflater(true);
      try {
        // The inflater may want a byte after the stream; without it, the stream must end by itself.
        inflater.setInput(stored, 5, stored.length - 5);
        byte[] out = new byte[size + 1];
        int count = 0;
        while (count < out.length) {
          int more = inflater.inflate(out, count, out.length - count);
          if (more == 0) break;
          count += more;
        }
        must(inflater.finished() && inflater.getRemaining() == 0, "the deflated dictionary is broken");
        return Arrays.copyOf(out, count);
      } catch (DataFormatException exception) {
        throw new Refused("the deflated dictionary is broken");
      } finally {
        inflater.end();
      }
    }

    private static String key(byte[] text, int from, int to, boolean ends) {
      return new String(text, from, to - from, StandardCharsets.ISO_8859_1) + (ends ? "1" : "0");
    }

    private int next() {
      must(at < data.length, "the dictionary ends early");
      return data[at++] & 0xFF;
    }

    private long varint() {
      long value = 0;
      for (int shift = 0; shift <= 21; shift += 7) {
        int part = next();
        value |= (long) (part & 127) << shift;
        if (part < 128) return value;
      }
      throw new Refused("a varint is too long");
    }

    private Symbol symbol(Bits bits, int code) {
      int word = 0;
      for (int length = 1; length <= 24; length++) {
        word = 2 * word + (int) bits.read(1);
        Symbol found = codes.get(code).get(new Word(length, word));
        if (found != null) return found;
      }
      throw new Refused("bits are no code word");
    }

    byte[] read(Bits bits, byte[] last, long most) {
      Symbol symbol = symbol(bits, 0);
      if (symbol.kind == AGAIN) {
        must(last.length > 0, "there is no label to repeat");
        return last;
      }
      ByteArrayOutputStream text = new ByteArrayOutputStream();
      if (symbol.kind == SPELL) {
        int count = (int) bits.read(16);
        must(count >= 1 && count <= most, "a label is empty or too long");
        for (int i = 0; i < count; i++) text.write((int) bits.read(8));
      } else {
        text.writeBytes(symbol.text);
        while (!symbol.ends) {
          must(text.size() <= most, "a label is too long");
          symbol = symbol(bits, 1);
          text.writeBytes(symbol.text);
        }
        must(text.size() <= most, "a label is too long");
      }
      byte[] label = text.toByteArray();
      try {
        StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(label));
      } catch (CharacterCodingException exception) {
        throw new Refused("a label is not UTF-8");
      }
      return label;
    }

    void write(BitWriter bits, byte[] label, byte[] last) {
      if (again != null && Arrays.equals(label, last)) {
        bits.put(again.word, again.bits);
        return;
      }
      int n = label.length;
      long[] costs = new long[n + 1];
      int[] choices = new int[n];
      Arrays.fill(costs, 0, n, Long.MAX_VALUE);
      for (int start = n - 1; start >= 0; start--) {
        for (int end = start + 1; end <= Math.min(n, start + 255); end++) {
          if (costs[end] == Long.MAX_VALUE) continue;
          Word word = words.get(start == 0 ? 0 : 1).get(key(label, start, end, end == n));
          if (word == null || word.bits + costs[end] > costs[start]) continue;
          costs[start] = word.bits + costs[end];
          choices[start] = end;
        }
      }
      if (spell != null && (costs[0] == Long.MAX_VALUE || spell.bits + 16 + 8L * n < costs[0])) {
        bits.put(spell.word, spell.bits);
        bits.put(n, 16);
        for (byte part : label) bits.put(part & 0xFF, 8);
        return;
      }
      must(costs[0] != Long.MAX_VALUE, "the dictionary cannot write a label");
      for (int start = 0; start < n; start = choices[start]) {
        Word word = words.get(start == 0 ? 0 : 1).get(key(label, start, choices[start], choices[start] == n));
        bits.put(word.word, word.bits);
      }
    }
  }

  // Roles and labels.

  static final class Labels {
    final Bits bits;
    private final Dictionary dictionary;
    private final Header header;
    private int roles = 2;
    private byte[] label = {};

    Labels(Bits bits, Dictionary dictionary, Header header) {
      this.bits = bits;
      this.dictionary = dictionary;
      this.header = header;
    }

    Entry next(long number) {
      if (header.kind == 3 && bits.read(1) == 1) roles = (roles + (int) bits.read(1)) % 3 + 1;
      if ((roles & 2) != 0) label = dictionary.read(bits, label, header.maximumLabel);
      return new Entry(number, roles, (roles & 2) != 0 ? label : new byte[0]);
    }
  }

  // Packs.

  static final byte[] MAGIC = {0x52, 0x46, 0x50, 0x41, 0x43, 0x4B, 0x1A, 0x0A};
  static final byte[] DELTA_MAGIC = {0x52, 0x46, 0x44, 0x4C, 0x54, 0x41, 0x1A, 0x0A};
  static final long MOST_NUMBER = 999_999_999_999_999L;

  static int u16(byte[] data, int at) {
    return data[at] & 0xFF | (data[at + 1] & 0xFF) << 8;
  }

  static long u32(byte[] data, int at) {
    return u16(data, at) | (long) u16(data, at + 2) << 16;
  }

  static long u64(byte[] data, int at) {
    return u32(data, at) | u32(data, at + 4) << 32;
  }

  static long crc(byte[] data, int from, int to) {
    CRC32 crc = new CRC32();
    crc.update(data, from, to - from);
    return crc.getValue();
  }

  static byte[] sha256(byte[] data) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(data);
    } catch (java.security.NoSuchAlgorithmException exception) {
      throw new IllegalStateException(exception);
    }
  }

  static boolean startsWith(byte[] data, byte[] magic) {
    return data.length >= 8 && Arrays.equals(data, 0, 8, magic, 0, 8);
  }

  static final class Header {
    final byte[] bytes;
    final int kind, shift;
    final long serial, entries, blocking, identifying, blocks, stored, text, tokens, maximumBlock, maximumLabel, last, length;
    final String region;

    Header(byte[] data) {
      must(startsWith(data, MAGIC), "this is no pack");
      must(data.length >= 128, "the file is shorter than a header");
      bytes = Arrays.copyOf(data, 128);
      must(u16(data, 8) == 1, "the version is unknown");
      must(u32(data, 124) == crc(data, 0, 124), "the header is corrupt");
      must(u16(data, 10) == 0 && data[15] == 0 && u32(data, 116) == 0, "a flag or reserved byte is not 0");
      kind = data[12];
      must(kind >= 1 && kind <= 3 && data[13] >= 1 && data[13] <= 2, "the kind or the profile is unknown");
      shift = data[14];
      must(shift >= 2 && shift <= 14, "the block shift is out of range");
      serial = u64(data, 16);
      entries = u32(data, 40);
      blocking = u32(data, 44);
      identifying = u32(data, 48);
      blocks = u32(data, 52);
      stored = u32(data, 56);
      text = u32(data, 60);
      tokens = u32(data, 64);
      maximumBlock = u32(data, 68);
      maximumLabel = u32(data, 72);
      last = u64(data, 80);
      length = u32(data, 120);
      int count = data[88] & 0xFF;
      must(count <= 23, "the region is too long");
      region = new String(data, 89, count, StandardCharsets.ISO_8859_1);
      must(region.matches("[A-Za-z0-9._-]*"), "the region has other characters");
      for (int at = 89 + count; at < 112; at++) must(data[at] == 0, "bytes follow the region");
      must(entries <= 16_777_216, "too many entries");
      boolean fits = switch (kind) {
        case 1 -> blocking == entries && identifying == 0;
        case 2 -> blocking == 0 && identifying == entries;
        default -> blocking <= entries && identifying <= entries && blocking + identifying >= entries;
      };
      must(fits, "the counts do not fit the kind");
      must(blocks == entries + (1 << shift) - 1 >> shift && blocks <= 16_384, "blocks do not fit entries");
      must(stored <= 1_572_864 && text <= 1_048_576 && tokens <= 131_072, "the dictionary is too large");
      must(kind != 1 || stored == 0, "a pack that only blocks has a dictionary");
      must(stored > 0 || text == 0 && tokens == 0 && identifying == 0 && u32(data, 112) == 0, "there is no dictionary");
      must(maximumBlock <= 524_288, "blocks are too large");
      must(maximumLabel <= 65_534 && maximumLabel > 0 == identifying > 0, "the maximum label is wrong");
      must(identifying * maximumLabel <= 0xFFFFFFFFL, "the labels are too long in total");
      must(last >= 0 && last <= MOST_NUMBER && last == 0 == (entries == 0), "the last number is out of range");
    }
  }

  static Pack read(byte[] data) {
    Header h = new Header(data);
    must(h.length == data.length, "the file has another length");
    long indexAt = h.length - 16 * h.blocks;
    must(128 + h.stored + 4 * h.blocks <= indexAt, "the parts do not fit the file");
    int blocks = (int) h.blocks, at = (int) indexAt, body = 128 + (int) h.stored;
    must(crc(data, at, data.length) == u32(data, 76), "the index is corrupt");
    must(crc(data, 128, body) == u32(data, 112), "the dictionary is corrupt");
    long[] firsts = new long[blocks];
    long[] starts = new long[blocks + 1];
    starts[blocks] = indexAt;
    long largest = 0;
    for (int i = 0; i < blocks; i++) {
      firsts[i] = u64(data, at + 16 * i);
      starts[i] = u32(data, at + 16 * i + 8);
      must(firsts[i] >= 1 && firsts[i] <= h.last, "a first number is out of range");
      must(i == 0 || firsts[i] - firsts[i - 1] >= 1L << h.shift, "first numbers collide");
    }
    must(starts[0] == body, "the first block is elsewhere");
    for (int i = 0; i < blocks; i++) {
      must(starts[i] < starts[i + 1], "blocks overlap");
      largest = Math.max(largest, starts[i + 1] - starts[i]);
    }
    must(largest == h.maximumBlock, "the maximum block is not exact");
    if (blocks > 0) {
      long room = h.last - firsts[blocks - 1], left = h.entries - ((h.blocks - 1) << h.shift);
      must(room >= left - 1 && (left > 1 || room == 0), "the last number does not fit");
    }
    byte[] stored = Arrays.copyOfRange(data, 128, body);
    Dictionary dictionary = stored.length > 0 ? new Dictionary(stored, h.tokens, h.text) : null;
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < blocks; i++) {
      int from = (int) starts[i], to = (int) starts[i + 1];
      must(crc(data, from, to) == u32(data, at + 16 * i + 12), "a block is corrupt");
      must(to - from >= 4 && (data[from] & 0xFF) <= 1, "a block's start is wrong");
      int count = (int) Math.min(1 << h.shift, h.entries - ((long) i << h.shift));
      long high = i + 1 < blocks ? firsts[i + 1] - 1 : h.last;
      int size = u16(data, from + 1) | (data[from + 3] & 0xFF) << 16;
      must(4 + size <= to - from, "the number column is longer than the block");
      Bits bits = new Bits(data, from + 4, from + 4 + size);
      long[] others = readNumbers(bits, data[from], count - 1, firsts[i] + 1, high);
      bits.finish();
      must(dictionary != null || from + 4 + size == to, "bytes follow the numbers");
      Labels labels = dictionary == null ? null : new Labels(new Bits(data, from + 4 + size, to), dictionary, h);
      for (int k = 0; k < count; k++) {
        long number = k == 0 ? firsts[i] : others[k - 1];
        entries.add(labels == null ? new Entry(number, 1, new byte[0]) : labels.next(number));
      }
      if (labels != null) labels.bits.finish();
    }
    must(entries.isEmpty() || entries.get(entries.size() - 1).number == h.last, "the last number is not the greatest");
    must(entries.stream().filter(entry -> (entry.roles & 1) != 0).count() == h.blocking, "the blocking count is wrong");
    must(entries.stream().filter(entry -> (entry.roles & 2) != 0).count() == h.identifying, "the identification count is wrong");
    must(entries.stream().mapToLong(entry -> entry.label.length).max().orElse(0) == h.maximumLabel, "the maximum label is wrong");
    return new Pack(h, dictionary, stored, entries);
  }

  /** Writes the entries with the fields of a header that the maker chooses; the other fields are computed. */
  static byte[] write(Header h, byte[] stored, Dictionary dictionary, List<Entry> entries) {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    ByteBuffer index = ByteBuffer.allocate(16 * ((entries.size() >> h.shift) + 1)).order(ByteOrder.LITTLE_ENDIAN);
    int maximumBlock = 0, maximumLabel = 0, blocking = 0, identifying = 0, blocks = 0;
    for (int at = 0; at < entries.size(); at += 1 << h.shift, blocks++) {
      List<Entry> block = entries.subList(at, Math.min(entries.size(), at + (1 << h.shift)));
      boolean isLast = at + (1 << h.shift) >= entries.size();
      long high = isLast ? entries.get(entries.size() - 1).number : entries.get(at + (1 << h.shift)).number - 1;
      long[] numbers = block.stream().skip(1).mapToLong(Entry::number).toArray();
      BitWriter[] columns = {new BitWriter(), new BitWriter()};
      for (int variant = 0; variant < 2; variant++) {
        writeRun(columns[variant], variant, numbers, 0, numbers.length, block.get(0).number + 1, high);
      }
      int variant = columns[1].count < columns[0].count ? 1 : 0;
      byte[] column = columns[variant].bytes();
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      out.write(variant);
      for (int shift = 0; shift < 24; shift += 8) out.write(column.length >> shift);
      out.writeBytes(column);
      if (dictionary != null) {
        BitWriter bits = new BitWriter();
        int roles = 2;
        byte[] last = {};
        for (Entry entry : block) {
          if (h.kind == 3) {
            int step = Math.floorMod(entry.roles - roles, 3);
            bits.put(step == 0 ? 0 : step + 1, step == 0 ? 1 : 2);
            roles = entry.roles;
          }
          if ((entry.roles & 2) == 0) continue;
          dictionary.write(bits, entry.label, last);
          last = entry.label;
        }
        out.writeBytes(bits.bytes());
      }
      byte[] bytes = out.toByteArray();
      index.putLong(block.get(0).number).putInt(128 + stored.length + body.size()).putInt((int) crc(bytes, 0, bytes.length));
      maximumBlock = Math.max(maximumBlock, bytes.length);
      body.writeBytes(bytes);
    }
    for (Entry entry : entries) {
      blocking += entry.roles & 1;
      identifying += entry.roles >> 1;
      maximumLabel = Math.max(maximumLabel, entry.label.length);
    }
    byte[] rows = Arrays.copyOf(index.array(), index.position());
    ByteBuffer head = ByteBuffer.wrap(h.bytes.clone()).order(ByteOrder.LITTLE_ENDIAN);
    head.putInt(40, entries.size()).putInt(44, blocking).putInt(48, identifying).putInt(52, blocks).putInt(56, stored.length);
    head.putInt(68, maximumBlock).putInt(72, maximumLabel).putInt(76, (int) crc(rows, 0, rows.length));
    head.putLong(80, entries.isEmpty() ? 0 : entries.get(entries.size() - 1).number);
    head.putInt(112, (int) crc(stored, 0, stored.length)).putInt(120, 128 + stored.length + body.size() + rows.length);
    head.putInt(124, (int) crc(head.array(), 0, 124));
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    file.writeBytes(head.array());
    file.writeBytes(stored);
    file.writeBytes(body.toByteArray());
    file.writeBytes(rows);
    return file.toByteArray();
  }

  /** SHA-256 of the entries, as a manifest names it. */
  static byte[] contentDigest(List<Entry> entries) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (Entry entry : entries) {
      ByteBuffer start = ByteBuffer.allocate(11).order(ByteOrder.LITTLE_ENDIAN);
      out.writeBytes(start.putLong(entry.number).put((byte) entry.roles).putShort((short) entry.label.length).array());
      out.writeBytes(entry.label);
    }
    return sha256(out.toByteArray());
  }

  // Deltas.

  private static long[] column(byte[] data, int from, int size, long count, long low, long high) {
    if (count == 0) return new long[0];
    must((data[from] & 0xFF) <= 1, "the variant of a column is unknown");
    must(high - low + 1 >= count, "a column does not fit");
    Bits bits = new Bits(data, from + 1, from + size);
    long[] values = readNumbers(bits, data[from], (int) count, low, high);
    bits.finish();
    return values;
  }

  static byte[] apply(byte[] baseBytes, byte[] data) {
    must(startsWith(data, DELTA_MAGIC), "this is no delta");
    must(data.length >= 264, "the file is shorter than a header");
    must(u16(data, 8) == 1, "the version is unknown");
    must(u32(data, 260) == crc(data, 0, 260), "the header is corrupt");
    must(u16(data, 10) == 0 && u32(data, 128) == 0, "a flag is unknown");
    Header h = new Header(Arrays.copyOfRange(data, 132, 260));
    long baseEntries = u32(data, 12), removed = u32(data, 88), added = u32(data, 92), changed = u32(data, 96);
    long[] sizes = new long[5];
    long length = 264;
    for (int i = 0; i < 5; i++) length += sizes[i] = u32(data, 100 + 4 * i);
    must(length == data.length && u32(data, 124) == length, "the file has another length");
    must(length - 264 <= 67_108_864, "the delta is too large");
    long kept = baseEntries - removed;
    must(baseEntries <= 16_777_216 && kept >= changed && kept + added == h.entries, "the counts do not add up");
    must(h.kind != 1 || changed == 0, "an entry that only blocks changes");
    must(sizes[0] > 0 == removed > 0 && sizes[1] > 0 == changed > 0 && sizes[2] > 0 == added > 0, "a column is missing");
    must(sizes[3] == 0 || sizes[3] == h.stored, "the dictionary has another size");
    must(sizes[4] > 0 == (h.stored > 0 && added + changed > 0), "the label column does not fit");
    must(Arrays.equals(sha256(baseBytes), Arrays.copyOfRange(data, 24, 56)), "this is not the base");
    Pack base = read(baseBytes);
    must(base.header.kind == h.kind && base.entries.size() == baseEntries, "the base has another kind or count");
    must(base.header.serial == u64(data, 16), "the base has another serial");
    must(crc(data, 264, data.length) == u32(data, 120), "the payload is corrupt");
    int[] at = new int[6];
    at[0] = 264;
    for (int i = 0; i < 5; i++) at[i + 1] = at[i] + (int) sizes[i];
    long[] gone = column(data, at[0], (int) sizes[0], removed, 0, baseEntries - 1);
    long[] other = column(data, at[1], (int) sizes[1], changed, 0, baseEntries - 1);
    long[] fresh = column(data, at[2], (int) sizes[2], added, 1, h.last);
    byte[] stored = h.stored == 0 ? new byte[0] : sizes[3] > 0 ? Arrays.copyOfRange(data, at[3], at[4]) : base.stored;
    must(stored.length == h.stored && crc(stored, 0, stored.length) == u32(h.bytes, 112), "the dictionary is another one");
    Dictionary dictionary = stored.length > 0 ? new Dictionary(stored, h.tokens, h.text) : null;
    TreeMap<Long, Entry> result = new TreeMap<>();
    for (Entry entry : base.entries) result.put(entry.number, entry);
    TreeMap<Long, Entry> coded = new TreeMap<>();
    for (long rank : other) {
      Entry entry = base.entries.get((int) rank);
      coded.put(entry.number, entry);
    }
    for (long rank : gone) {
      long number = base.entries.get((int) rank).number;
      must(!coded.containsKey(number), "an entry is removed and changed");
      result.remove(number);
    }
    for (long number : fresh) {
      // Also a removed number is in the base.
      must(base.entries.stream().noneMatch(entry -> entry.number == number), "an added number is in the base");
      coded.put(number, new Entry(number, 0, new byte[0]));
    }
    Labels labels = sizes[4] > 0 ? new Labels(new Bits(data, at[4], at[5]), dictionary, h) : null;
    for (Entry entry : coded.values()) {
      Entry now = labels == null ? new Entry(entry.number, 1, new byte[0]) : labels.next(entry.number);
      must(!now.isSame(entry), "an entry changes into itself");
      result.put(entry.number, now);
    }
    if (labels != null) labels.bits.finish();
    byte[] written = write(h, stored, dictionary, new ArrayList<>(result.values()));
    must(Arrays.equals(sha256(written), Arrays.copyOfRange(data, 56, 88)), "the result is another one");
    must(Arrays.equals(written, 0, 128, h.bytes, 0, 128), "the result has another header");
    return written;
  }

  // The dump of `ringfence pack dump --format tsv`.

  static byte[] dump(List<Entry> entries) {
    StringBuilder out = new StringBuilder();
    for (Entry entry : entries) {
      out.append(entry.number);
      if ((entry.roles & 2) != 0) {
        out.append('\t');
        for (char c : new String(entry.label, StandardCharsets.UTF_8).toCharArray()) {
          switch (c) {
            case '\\' -> out.append("\\\\");
            case '\t' -> out.append("\\t");
            case '\n' -> out.append("\\n");
            case '\r' -> out.append("\\r");
            default -> {
              boolean isControl = c < 0x20 || c >= 0x7F && c <= 0x9F || c == 0x2028 || c == 0x2029;
              if (isControl) out.append(String.format("\\u%04x", (int) c));
              else out.append(c);
            }
          }
        }
        if (entry.roles == 3) out.append("\tblock");
      }
      out.append('\n');
    }
    return out.toString().getBytes(StandardCharsets.UTF_8);
  }
}
