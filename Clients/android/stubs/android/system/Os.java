// SPDX-License-Identifier: Apache-2.0
package android.system;

import java.io.FileDescriptor;

/** Declares what the library and its example use of Android's class, and counts the calls. */
public final class Os {
  /** The number of flushes. */
  public static int flushes;

  private Os() {}

  public static FileDescriptor open(String path, int flags, int mode) throws ErrnoException {
    return new FileDescriptor();
  }

  public static void fsync(FileDescriptor opened) throws ErrnoException {
    flushes++;
  }

  public static void close(FileDescriptor opened) throws ErrnoException {}
}
