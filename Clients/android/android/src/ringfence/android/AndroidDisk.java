// SPDX-License-Identifier: Apache-2.0
package ringfence.android;

import android.system.ErrnoException;
import android.system.Os;
import android.system.OsConstants;
import java.io.File;
import java.io.FileDescriptor;
import java.io.IOException;
import ringfence.client.Disk;

/** Writes the names of a folder to the disk on every version of Android. */
final class AndroidDisk extends Disk {
  @Override
  public void syncFolder(File folder) throws IOException {
    try {
      FileDescriptor opened = Os.open(folder.getPath(), OsConstants.O_RDONLY, 0);
      try {
        Os.fsync(opened);
      } finally {
        Os.close(opened);
      }
    } catch (ErrnoException exception) {
      throw new IOException(exception);
    }
  }
}
