// SPDX-License-Identifier: Apache-2.0
package android.security.keystore;

import java.security.spec.AlgorithmParameterSpec;

/** Declares what the library and its example use of Android's class, and keeps the challenge. */
public final class KeyGenParameterSpec implements AlgorithmParameterSpec {
  public final String alias;
  public byte[] challenge;

  private KeyGenParameterSpec(String alias) {
    this.alias = alias;
  }

  /** Declares what the library and its example use of Android's class. */
  public static final class Builder {
    private final KeyGenParameterSpec spec;

    public Builder(String alias, int purposes) {
      spec = new KeyGenParameterSpec(alias);
    }

    public Builder setAlgorithmParameterSpec(AlgorithmParameterSpec parameters) {
      return this;
    }

    public Builder setDigests(String... digests) {
      return this;
    }

    public Builder setAttestationChallenge(byte[] challenge) {
      spec.challenge = challenge;
      return this;
    }

    public KeyGenParameterSpec build() {
      return spec;
    }
  }
}
