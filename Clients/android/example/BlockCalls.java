// SPDX-License-Identifier: Apache-2.0
package com.example.calls;

import android.net.Uri;
import android.telecom.Call;
import android.telecom.CallScreeningService;
import android.telephony.PhoneNumberUtils;
import android.telephony.TelephonyManager;
import java.io.File;
import java.io.IOException;
import java.util.Locale;
import ringfence.reader.PackEntry;
import ringfence.reader.PackReader;

/** Rejects incoming calls from numbers of a pack that block, and lets every other call ring. */
public final class BlockCalls extends CallScreeningService {
  /** A pack of kind blocking. UpdatePack puts it into the folder of the app's files. */
  static final String PACK = "blocklist.rfpack";

  @Override
  public void onScreenCall(Call.Details call) {
    boolean isBlocked = false;
    try {
      isBlocked = call.getCallDirection() == Call.Details.DIRECTION_INCOMING && isBlocked(call.getHandle());
    } catch (IOException | RuntimeException exception) {
      // A call that cannot be checked rings.
    }
    respondToCall(
        call,
        new CallResponse.Builder()
            .setDisallowCall(isBlocked)
            .setRejectCall(isBlocked)
            .setSkipNotification(isBlocked)
            .build());
  }

  private boolean isBlocked(Uri handle) throws IOException {
    if (handle == null || !"tel".equals(handle.getScheme())) return false;
    // The network's country completes a national number: 030 23125123 becomes +493023125123.
    TelephonyManager telephony = (TelephonyManager) getSystemService(TELEPHONY_SERVICE);
    String country = telephony.getNetworkCountryIso().toUpperCase(Locale.ROOT);
    String number = PhoneNumberUtils.formatNumberToE164(handle.getSchemeSpecificPart(), country);
    File pack = new File(getFilesDir(), PACK);
    if (number == null || !pack.exists()) return false;
    // Opening reads the header and the index; the lookup reads one block.
    try (PackReader reader = PackReader.open(pack)) {
      PackEntry entry = reader.lookup(Long.parseLong(number.substring(1)));
      return entry != null && entry.blocks();
    }
  }
}
