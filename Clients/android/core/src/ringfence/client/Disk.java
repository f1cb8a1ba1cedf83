// SPDX-License-Identifier: Apache-2.0
package ringfence.client;

import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/** Changes of files: complete or absent, even if the power fails. Tests replace it to cut the power and to fill the disk. */
public class Disk {
  private static final Map<String, ReentrantLock> LOCKS = new HashMap<String, ReentrantLock>();

  /** A file to which bytes are appended. */
  public static class Appender extends OutputStream {
    private final RandomAccessFile file;

    Appender(File file, long length) throws IOException {
      this.file = new RandomAccessFile(file, "rw");
      cut(length);
    }

    @Override
    public void write(int part) throws IOException {
      write(new byte[] {(byte) part}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int count) throws IOException { file.write(bytes, from, count); }
    /** Waits until the bytes are on the disk. */
    public void sync() throws IOException { file.getFD().sync(); }

    /** Removes all bytes behind a length. */
    public void cut(long length) throws IOException {
      if (file.length() > length) file.setLength(length);
      file.seek(length);
    }

    @Override
    public void close() throws IOException { file.close(); }
  }

  /** Opens a file for appending, behind a number of its bytes; creates it. */
  public Appender append(File file, long length) throws IOException { return new Appender(file, length); }

  /** Gives a file a name, and replaces the file that had it. */
  public void rename(File file, File to) throws IOException {
    if (!file.renameTo(to)) throw new IOException("Cannot rename " + file.getName() + " to " + to.getName() + ".");
  }

  /** Deletes a file, if there is one. */
  public void delete(File file) { file.delete(); }

  /** Waits until the names in a folder are on the disk, where the system can open a folder. */
  public void syncFolder(File folder) throws IOException {
    try (FileChannel channel = FileChannel.open(folder.toPath(), StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  /** Replaces a file in one step, which is on the disk when this returns. */
  public final void replace(File file, byte[] bytes) throws IOException {
    File fresh = new File(file.getPath() + ".new");
    try (Appender out = append(fresh, 0)) {
      out.write(bytes, 0, bytes.length);
      out.sync();
    }
    rename(fresh, file);
    syncFolder(file.getParentFile());
  }

  /** Makes a folder, if there is none. */
  public static void makeFolder(File folder) throws IOException {
    if (!folder.isDirectory() && !folder.mkdirs() && !folder.isDirectory()) throw new IOException("Cannot make a folder.");
  }

  /** Reads a file; null when it is missing, or longer than the limit. */
  public static byte[] read(File file, int limit) throws IOException {
    return file.exists() ? read(file, 0, -1, limit) : null;
  }

  /** Reads bytes from a place on; -1 for all. The length is of the opened file, which another process may replace by name. */
  static byte[] read(File file, long from, long count, int limit) throws IOException {
    try (RandomAccessFile opened = new RandomAccessFile(file, "r")) {
      long all = count < 0 ? opened.length() - from : count;
      if (all > limit) return null;
      byte[] bytes = new byte[(int) all];
      opened.seek(from);
      opened.readFully(bytes);
      return bytes;
    }
  }

  /** Takes a lock of all threads and processes. Without waiting, the result is null while it is taken. */
  public static Closeable lock(File file, boolean waits) throws IOException {
    final ReentrantLock threads;
    synchronized (LOCKS) {
      String path = file.getCanonicalPath();
      if (!LOCKS.containsKey(path)) LOCKS.put(path, new ReentrantLock());
      threads = LOCKS.get(path);
    }
    if (waits) threads.lock();
    else if (threads.isHeldByCurrentThread() || !threads.tryLock()) return null;
    RandomAccessFile opened = null;
    try {
      opened = new RandomAccessFile(file, "rw");
      FileLock processes = waits ? opened.getChannel().lock() : opened.getChannel().tryLock();
      if (processes != null) {
        final RandomAccessFile held = opened;
        return () -> {
          try {
            held.close();
          } finally {
            threads.unlock();
          }
        };
      }
    } catch (IOException | RuntimeException exception) {
      if (opened != null) opened.close();
      threads.unlock();
      throw exception;
    }
    opened.close();
    threads.unlock();
    return null;
  }
}
