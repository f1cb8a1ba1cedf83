// SPDX-License-Identifier: Apache-2.0
package ringfence.android;

import android.security.keystore.KeyGenParameterSpec;
import android.security.keystore.KeyProperties;
import java.io.File;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.ProviderException;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.spec.ECGenParameterSpec;
import java.util.Base64;
import java.util.Collections;
import java.util.Map;
import ringfence.client.Codec;
import ringfence.client.Disk;
import ringfence.client.Environment;
import ringfence.client.RingfenceClient;
import ringfence.client.Transport;
import ringfence.reader.Json;

/** Proves with Key Attestation that a genuine app sends the reports. A failure costs the token; the next attempt is a day later. */
final class KeystoreAttestation implements RingfenceClient.Installation {
  private static final String STORE = "AndroidKeyStore", ALIAS = "ringfence-installation";

  /** The server's refusal of a proof: when to try again. */
  private static final class Refused extends IOException {
    private static final long serialVersionUID = 1;
    Refused(String tryAgain) { super(tryAgain); }
  }

  private final RingfenceClient client;
  private final File file;
  private final Disk disk;
  private final Environment environment;
  private String token, publicKey;
  private long expiresAt, renewFrom;
  /** No attempt is made before. */ private long notBefore;

  KeystoreAttestation(RingfenceClient client, File file, Disk disk, Environment environment) {
    this.client = client;
    this.file = file;
    this.disk = disk;
    this.environment = environment;
  }

  @Override
  public synchronized Map<String, String> fields() {
    read();
    long now = environment.now();
    if (now >= renewFrom && now >= notBefore) {
      notBefore = now + Codec.DAY;
      try {
        renew();
      } catch (Refused refused) {
        if (refused.getMessage().equals("never")) notBefore = now + 30 * Codec.DAY;
      } catch (IOException | GeneralSecurityException | RuntimeException exception) {
        // Some phones have a faulty keystore: the report is sent without a token.
      }
      write();
    }
    return token == null || now >= expiresAt ? Collections.<String, String>emptyMap() : Collections.singletonMap("Ringfence-Installation", token);
  }

  @Override
  public synchronized void answered(Transport.Head head) {
    String word = head.field("Ringfence-Attestation");
    if (word == null || word.equals("ok") || token == null) return;
    // Revoked, or ended by a clock that differs: its key, which is the reporter, renews it later.
    expiresAt = renewFrom = 0;
    notBefore = environment.now() + Codec.DAY / 24;
    write();
  }

  private void renew() throws IOException, GeneralSecurityException {
    if (publicKey != null) {
      byte[] challenge = challenge();
      try {
        take(Json.object(
            "platform", "android", "challenge", base64(challenge), "public_key", publicKey, "signature", base64(sign(challenge))));
        return;
      } catch (Refused refused) {
        if (!refused.getMessage().equals("with_new_key")) throw refused;
      } catch (GeneralSecurityException | ProviderException exception) {
        // The key is gone, after the phone was restored.
      }
    }
    byte[] challenge = challenge();
    KeyPairGenerator generator = KeyPairGenerator.getInstance(KeyProperties.KEY_ALGORITHM_EC, STORE);
    generator.initialize(new KeyGenParameterSpec.Builder(ALIAS, KeyProperties.PURPOSE_SIGN).setDigests(KeyProperties.DIGEST_SHA256)
        .setAlgorithmParameterSpec(new ECGenParameterSpec("secp256r1")).setAttestationChallenge(challenge).build());
    generator.generateKeyPair();
    StringBuilder certificates = new StringBuilder();
    for (Certificate certificate : keys().getCertificateChain(ALIAS)) {
      certificates.append(certificates.length() > 0 ? "," : "").append(Json.quoted(base64(certificate.getEncoded())));
    }
    take("{\"platform\":\"android\",\"challenge\":" + Json.quoted(base64(challenge)) + ",\"certificates\":[" + certificates + "]}");
  }

  private static String base64(byte[] bytes) { return Base64.getEncoder().encodeToString(bytes); }

  private static KeyStore keys() throws IOException, GeneralSecurityException {
    KeyStore keys = KeyStore.getInstance(STORE);
    keys.load(null);
    return keys;
  }

  private static byte[] sign(byte[] challenge) throws IOException, GeneralSecurityException {
    PrivateKey key = (PrivateKey) keys().getKey(ALIAS, null);
    if (key == null) throw new GeneralSecurityException("The key is gone.");
    Signature signature = Signature.getInstance("SHA256withECDSA");
    signature.initSign(key);
    signature.update("ringfence renewal v1\0".getBytes(Json.UTF8));
    signature.update(challenge);
    return signature.sign();
  }

  private byte[] challenge() throws IOException {
    return Base64.getDecoder().decode(Json.text(post("installations/challenges", null), "challenge"));
  }

  private void take(String proof) throws IOException {
    Map<?, ?> answer = post("installations", proof.getBytes(Json.UTF8));
    String fresh = Json.text(answer, "token");
    long end = Codec.time(Json.text(answer, "expires_at"));
    renewFrom = Codec.time(Json.text(answer, "renew_from"));
    publicKey = Json.text(answer, "public_key");
    token = fresh;
    expiresAt = end;
    notBefore = 0;
  }

  private Map<?, ?> post(String path, byte[] body) throws IOException {
    Transport.Answer answer = client.post(path, body);
    String tryAgain = answer.head.field("Ringfence-Try-Again");
    if (answer.head.status == 422 && answer.head.isProblem()) throw new Refused(tryAgain == null ? "later" : tryAgain);
    if (answer.head.status != 201) throw new IOException("The server answered with status " + answer.head.status + ".");
    return Json.object(answer.body());
  }

  private void read() {
    try {
      byte[] bytes = Disk.read(file, 8_192);
      if (bytes == null) return;
      Map<?, ?> state = Json.object(bytes);
      token = (String) state.get("token");
      publicKey = (String) state.get("public_key");
      expiresAt = Long.parseLong(Json.text(state, "expires_at"));
      renewFrom = Long.parseLong(Json.text(state, "renew_from"));
      // A clock that was set back must not stop attempts.
      notBefore = Math.min(environment.now() + 30 * Codec.DAY, Long.parseLong(Json.text(state, "not_before")));
    } catch (IOException | RuntimeException exception) {
      disk.delete(file);
    }
  }

  private void write() {
    String state = Json.object(
        "token", token, "public_key", publicKey, "expires_at", "" + expiresAt, "renew_from", "" + renewFrom, "not_before", "" + notBefore);
    try {
      disk.replace(file, state.getBytes(Json.UTF8));
    } catch (IOException exception) {
      // The next process attests again.
    }
  }
}
