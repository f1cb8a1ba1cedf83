// SPDX-License-Identifier: Apache-2.0
package ringfence.client;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;

/** A disk whose power fails at an operation, or that is full from an operation on. It knows what has reached the disk. */
final class FaultyDisk extends Disk {
  /** Ends a program as a power cut does: nothing catches it. */
  static final class PowerCut extends Error {
    private static final long serialVersionUID = 1;
  }

  /** The content of a disk after a power cut. */
  enum Rest {
    /** Everything: the process was killed. */
    ALL,
    /** The names, and of each file what was flushed. */
    FLUSHED_CONTENT,
    /** The names, and half of what was not flushed. */
    TORN_CONTENT,
    /** The flushed content, under the flushed names. */
    FLUSHED_NAMES
  }

  private static final class Content {
    byte[] flushed = {};
  }

  int operations;
  /** The operation at which the power fails; 0 for none. */
  int cutAt;
  /** The first operation for which there is no room; 0 for none. */
  int fullFrom;
  private final Map<File, Content> files = new HashMap<>();
  private final Map<File, Content> names = new HashMap<>();

  /** Takes a file that is on the disk already. */
  void adopt(File file) throws IOException {
    Content content = new Content();
    content.flushed = Files.readAllBytes(file.toPath());
    files.put(file, content);
    names.put(file, content);
  }

  private void step(boolean needsRoom) throws IOException {
    operations++;
    if (operations == cutAt) throw new PowerCut();
    if (needsRoom && fullFrom > 0 && operations >= fullFrom) throw new IOException("No space left on device");
  }

  @Override
  public Appender append(File file, long length) throws IOException {
    step(!file.exists());
    Content content = files.computeIfAbsent(file, path -> new Content());
    return new Appender(file, length) {
      @Override
      public void write(byte[] bytes, int from, int count) throws IOException {
        try {
          step(true);
        } catch (PowerCut | IOException fault) {
          super.write(bytes, from, count / 2);
          throw fault;
        }
        super.write(bytes, from, count);
      }

      @Override
      public void sync() throws IOException {
        step(false);
        content.flushed = Files.readAllBytes(file.toPath());
      }
    };
  }

  @Override
  public void rename(File file, File to) throws IOException {
    step(false);
    super.rename(file, to);
    files.put(to, files.remove(file));
  }

  @Override
  public void delete(File file) {
    operations++;
    if (operations == cutAt) throw new PowerCut();
    super.delete(file);
    files.remove(file);
  }

  @Override
  public void syncFolder(File folder) throws IOException {
    step(false);
    for (File file : new HashSet<>(names.keySet())) if (file.getParentFile().equals(folder)) names.remove(file);
    for (File file : files.keySet()) if (file.getParentFile().equals(folder)) names.put(file, files.get(file));
  }

  /** Leaves in the files what a power cut leaves. */
  void lose(Rest rest) throws IOException {
    if (rest == Rest.ALL) return;
    Map<File, Content> left = rest == Rest.FLUSHED_NAMES ? names : files;
    for (File file : files.keySet()) if (!left.containsKey(file)) Files.deleteIfExists(file.toPath());
    for (Map.Entry<File, Content> entry : left.entrySet()) {
      byte[] flushed = entry.getValue().flushed;
      byte[] written = entry.getKey().exists() ? Files.readAllBytes(entry.getKey().toPath()) : flushed;
      boolean isTorn = rest == Rest.TORN_CONTENT && written.length > flushed.length;
      byte[] content = isTorn ? Arrays.copyOf(written, (flushed.length + written.length) / 2) : flushed;
      Files.write(entry.getKey().toPath(), content);
    }
  }
}
