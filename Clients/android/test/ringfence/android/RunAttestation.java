// SPDX-License-Identifier: Apache-2.0
package ringfence.android;

import android.security.keystore.KeyGenParameterSpec;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.security.InvalidAlgorithmParameterException;
import java.security.Key;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyPairGeneratorSpi;
import java.security.KeyStoreSpi;
import java.security.Provider;
import java.security.ProviderException;
import java.security.SecureRandom;
import java.security.Security;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.ECGenParameterSpec;
import java.util.Arrays;
import java.util.Collections;
import java.util.Date;
import java.util.Enumeration;
import java.util.List;
import ringfence.client.ClientConfiguration;
import ringfence.client.Codec;
import ringfence.client.Disk;
import ringfence.client.Environment;
import ringfence.client.Report;
import ringfence.client.RingfenceClient;
import ringfence.client.UrlTransport;
import ringfence.reader.Digests;

/**
 * A phone whose keystore is a program that makes certificates, and a server that trusts its root: RunAttestation SERVER KEY FOLDER
 * PROGRAM.
 */
public final class RunAttestation {
  private static String[] program;
  private static KeyPair key;
  private static Certificate[] chain;
  private static int keys;
  private static boolean isFaulty;

  /** A keystore with Android's name. */
  private static final class Keystore extends Provider {
    private static final long serialVersionUID = 1;

    Keystore() {
      super("AndroidKeyStore", "1.0", "A phone's keystore");
      put("KeyPairGenerator.EC", Generator.class.getName());
      put("KeyStore.AndroidKeyStore", Store.class.getName());
    }
  }

  public static void main(String[] arguments) throws Exception {
    program = arguments[3].split(" ");
    Security.addProvider(new Keystore());
    long[] shift = new long[1];
    Environment clock = new Environment() {
      @Override
      public long now() { return System.currentTimeMillis() + shift[0]; }
    };
    int[] delivered = new int[1];
    File folder = new File(arguments[2]);
    String[] word = new String[1];
    UrlTransport transport = new UrlTransport();
    RingfenceClient client = new RingfenceClient(
        new ClientConfiguration(arguments[0], arguments[1], folder),
        (request, receiver) -> transport.send(request, new ringfence.client.Transport.Receiver() {
          @Override
          public boolean head(ringfence.client.Transport.Head head) throws IOException {
            if (request.url.getPath().endsWith("/reports")) word[0] = head.field("Ringfence-Attestation");
            return receiver.head(head);
          }

          @Override
          public void body(byte[] piece, int count) throws IOException { receiver.body(piece, count); }
        }), clock, new Disk(), event -> delivered[0]++);
    for (int i = 1; i <= 5; i++) {
      // A new process each time, which has only the file.
      client.attest(new KeystoreAttestation(client, new File(folder, "installation"), new Disk(), clock));
      if (i == 3) shift[0] = 16 * Codec.DAY;
      // The server's clock does not move, so the token is due again.
      if (i == 4) key = null;
      if (i == 5) {
        new File(folder, "installation").delete();
        isFaulty = true;
      }
      client.report(new Report("+" + (493023125120L + i), null, "fraud", "Ada", null));
      client.flush(true);
      System.out.println("report " + i + " " + word[0] + (i == 5 ? ", no proof" : ""));
      if (i > 1 && i < 5) System.out.println("keys " + keys + (i == 3 ? ", renewed" : i == 4 ? ", the first one was lost" : ""));
    }
    System.out.println("delivered " + delivered[0]);
  }

  public static final class Generator extends KeyPairGeneratorSpi {
    private byte[] challenge;

    @Override
    public void initialize(int size, SecureRandom random) {}

    @Override
    public void initialize(AlgorithmParameterSpec parameters, SecureRandom random) throws InvalidAlgorithmParameterException {
      challenge = ((KeyGenParameterSpec) parameters).challenge;
    }

    @Override
    public KeyPair generateKeyPair() {
      if (isFaulty) throw new ProviderException("Failed to generate a key pair.");
      try {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC", "SunEC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        key = generator.generateKeyPair();
        keys++;
        String[] command = Arrays.copyOf(program, program.length + 2);
        command[program.length] = Digests.hex(challenge);
        command[program.length + 1] = Digests.hex(key.getPublic().getEncoded());
        Process made = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        List<String> lines = Arrays.asList(new String(made.getInputStream().readAllBytes(), "UTF-8").split("\n"));
        chain = new Certificate[lines.size()];
        for (int i = 0; i < chain.length; i++) {
          byte[] bytes = new java.math.BigInteger(lines.get(i), 16).toByteArray();
          chain[i] = CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(bytes));
        }
        return key;
      } catch (Exception exception) {
        throw new ProviderException(exception);
      }
    }
  }

  public static final class Store extends KeyStoreSpi {
    @Override
    public Key engineGetKey(String alias, char[] password) { return key == null ? null : key.getPrivate(); }

    @Override
    public Certificate[] engineGetCertificateChain(String alias) { return chain; }

    @Override
    public void engineLoad(InputStream stream, char[] password) {}

    @Override
    public Certificate engineGetCertificate(String alias) { return chain[0]; }

    @Override
    public Date engineGetCreationDate(String alias) { return null; }

    @Override
    public void engineSetKeyEntry(String alias, Key key, char[] password, Certificate[] chain) {}

    @Override
    public void engineSetKeyEntry(String alias, byte[] key, Certificate[] chain) {}

    @Override
    public void engineSetCertificateEntry(String alias, Certificate certificate) {}

    @Override
    public void engineDeleteEntry(String alias) {}

    @Override
    public Enumeration<String> engineAliases() { return Collections.emptyEnumeration(); }

    @Override
    public boolean engineContainsAlias(String alias) { return key != null; }

    @Override
    public int engineSize() { return 1; }

    @Override
    public boolean engineIsKeyEntry(String alias) { return true; }

    @Override
    public boolean engineIsCertificateEntry(String alias) { return false; }

    @Override
    public String engineGetCertificateAlias(Certificate certificate) { return null; }

    @Override
    public void engineStore(OutputStream stream, char[] password) {}
  }
}
