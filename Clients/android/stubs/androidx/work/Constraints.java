// SPDX-License-Identifier: Apache-2.0
package androidx.work;

/** Declares what the library uses of Jetpack's class. */
public final class Constraints {
  public final NetworkType network;

  private Constraints(NetworkType network) {
    this.network = network;
  }

  /** Declares what the library uses of Jetpack's class. */
  public static final class Builder {
    private NetworkType network;

    public Builder setRequiredNetworkType(NetworkType network) {
      this.network = network;
      return this;
    }

    public Constraints build() {
      return new Constraints(network);
    }
  }
}
