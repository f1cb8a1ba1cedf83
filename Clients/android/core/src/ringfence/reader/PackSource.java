// SPDX-License-Identifier: Apache-2.0
package ringfence.reader;

import java.io.Closeable;
import java.io.EOFException;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.security.MessageDigest;

/** Bytes at positions: a file or an array. Several threads may share a source. */
public abstract class PackSource implements Closeable {
  /** Returns the number of bytes. */
  public abstract long length() throws IOException;

  /**
   * Reads bytes into an array.
   * @param at the position of the first byte
   * @throws EOFException when the source has fewer bytes
   */
  public abstract void read(long at, byte[] into, int from, int count) throws IOException;

  /** Releases the file. */
  @Override
  public void close() throws IOException {}

  /** Returns a source of bytes in memory, which are not copied. */
  public static PackSource of(byte[] bytes) { return of(ByteBuffer.wrap(bytes)); }

  private static PackSource of(final ByteBuffer bytes) {
    return new PackSource() {
      @Override
      public long length() { return bytes.capacity(); }

      @Override
      public void read(long at, byte[] into, int from, int count) throws IOException {
        if (at < 0 || at + count > bytes.capacity()) throw new EOFException("The source has " + bytes.capacity() + " bytes.");
        ByteBuffer view = bytes.duplicate();
        view.position((int) at);
        view.get(into, from, count);
      }
    };
  }

  /** Opens a file. Close the source, or the reader that has it. */
  public static PackSource open(File file) throws IOException {
    final RandomAccessFile opened = new RandomAccessFile(file, "r");
    return new PackSource() {
      @Override
      public long length() throws IOException { return opened.length(); }

      @Override
      public synchronized void read(long at, byte[] into, int from, int count) throws IOException {
        opened.seek(at);
        opened.readFully(into, from, count);
      }

      @Override
      public void close() throws IOException { opened.close(); }
    };
  }

  /**
   * Maps a file, so that its bytes take no memory of the heap. The file must be replaced by renaming, never written in place. The
   * mapping ends when the source is no longer used.
   */
  public static PackSource map(File file) throws IOException {
    try (RandomAccessFile opened = new RandomAccessFile(file, "r")) {
      FormatException.require(opened.length() <= Integer.MAX_VALUE, "the file has more than 2 GiB");
      return of(opened.getChannel().map(FileChannel.MapMode.READ_ONLY, 0, opened.length()));
    }
  }

  /** Computes the SHA-256 of all bytes. */
  public final byte[] sha256() throws IOException {
    MessageDigest digest = Digests.sha256();
    byte[] piece = new byte[8192];
    long length = length();
    for (long at = 0; at < length; at += piece.length) {
      int count = (int) Math.min(piece.length, length - at);
      read(at, piece, 0, count);
      digest.update(piece, 0, count);
    }
    return digest.digest();
  }
}
