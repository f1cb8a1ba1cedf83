// SPDX-License-Identifier: Apache-2.0
package ringfence.client;

/** The clock and the random numbers of a client. Tests replace them. */
public class Environment {
  /** Returns the time in milliseconds since 1970. */
  public long now() { return System.currentTimeMillis(); }
  /** Waits. */
  public void sleep(long milliseconds) throws InterruptedException { Thread.sleep(milliseconds); }
  /** Returns a random number from 0 to 1. */
  public double chance() { return Math.random(); }
}
