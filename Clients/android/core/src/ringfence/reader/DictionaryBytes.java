// SPDX-License-Identifier: Apache-2.0
package ringfence.reader;

import static ringfence.reader.FormatException.require;

import java.io.IOException;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/** Expands a stored dictionary piece by piece (section 7.1). */
final class DictionaryBytes {
  private static final int PIECE = 4096;
  private final PackSource source;
  private final Inflater inflater;
  private final byte[] in = new byte[PIECE];
  private final byte[] out;
  private final int size;
  private long at;
  private int left, from, to, expanded;

  DictionaryBytes(PackSource source, long at, int stored) throws IOException {
    require(stored >= 5, "the dictionary is shorter than its start");
    byte[] start = new byte[5];
    source.read(at, start, 0, 5);
    require(start[0] == 0 || start[0] == 1, "the coding of the dictionary is unknown");
    long declared = LittleEndian.u32(start, 1);
    require(declared <= 3_145_728, "the dictionary expands to " + declared + " bytes, more than 3145728");
    size = (int) declared;
    require(start[0] == 1 || size == stored - 5, "the dictionary has another length");
    this.source = source;
    this.at = at + 5;
    left = stored - 5;
    inflater = start[0] == 1 ? new Inflater(true) : null;
    out = inflater == null ? in : new byte[PIECE];
  }

  int next() throws IOException {
    if (from == to) require(fill(), "the dictionary ends early");
    return out[from++] & 0xFF;
  }

  int varint() throws IOException {
    int value = 0;
    for (int shift = 0; shift <= 21; shift += 7) {
      int part = next();
      value |= (part & 127) << shift;
      if (part < 128) return value;
    }
    throw new FormatException("a varint has more than four bytes");
  }

  void finish() throws IOException {
    require(from == to && !fill(), "bytes follow the tokens");
    require(expanded == size, "the dictionary expands to another length");
    boolean isComplete = inflater == null || inflater.finished() && inflater.getRemaining() == 0;
    require(isComplete && left == 0, "the deflated dictionary does not end with its stream");
  }

  void close() { if (inflater != null) inflater.end(); }

  private int readPiece() throws IOException {
    int count = Math.min(PIECE, left);
    source.read(at, in, 0, count);
    at += count;
    left -= count;
    return count;
  }

  private boolean fill() throws IOException {
    from = 0;
    to = inflater == null ? readPiece() : inflate();
    expanded += to;
    require(expanded <= size, "the dictionary expands to more bytes than it declares");
    return to > 0;
  }

  private int inflate() throws IOException {
    try {
      while (!inflater.finished()) {
        int count = inflater.inflate(out, 0, PIECE);
        if (count > 0) return count;
        if (inflater.finished()) break;
        require(!inflater.needsDictionary() && inflater.needsInput() && left > 0, "the deflated dictionary is broken");
        inflater.setInput(in, 0, readPiece());
      }
      return 0;
    } catch (DataFormatException exception) {
      throw new FormatException("the deflated dictionary is broken");
    }
  }
}
