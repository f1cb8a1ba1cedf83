// SPDX-License-Identifier: Apache-2.0
package android.telecom;

import android.content.Context;
import android.telephony.TelephonyManager;
import java.io.File;

/** Declares what the example uses of Android's class, and keeps the last response. */
public abstract class CallScreeningService extends Context {
  /** The folder of the app's files. */
  public File folder;
  /** The response to the last call. */
  public CallResponse response;

  public abstract void onScreenCall(Call.Details call);

  public final void respondToCall(Call.Details call, CallResponse response) {
    this.response = response;
  }

  @Override
  public File getFilesDir() {
    return folder;
  }

  @Override
  public Object getSystemService(String name) {
    return new TelephonyManager();
  }

  /** Declares what the example uses of Android's class. */
  public static class CallResponse {
    public final boolean isDisallowed;

    private CallResponse(boolean isDisallowed) {
      this.isDisallowed = isDisallowed;
    }

    /** Declares what the example uses of Android's class. */
    public static class Builder {
      private boolean isDisallowed;

      public Builder setDisallowCall(boolean value) {
        isDisallowed = value;
        return this;
      }

      public Builder setRejectCall(boolean value) {
        return this;
      }

      public Builder setSkipNotification(boolean value) {
        return this;
      }

      public CallResponse build() {
        return new CallResponse(isDisallowed);
      }
    }
  }
}
