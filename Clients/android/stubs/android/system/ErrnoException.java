// SPDX-License-Identifier: Apache-2.0
package android.system;

/** Declares what the library and its example use of Android's class. */
public final class ErrnoException extends Exception {
  private static final long serialVersionUID = 1;

  public ErrnoException(String function, int errno) {
    super(function + " " + errno);
  }
}
