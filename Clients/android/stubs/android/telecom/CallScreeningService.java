// SPDX-License-Identifier: Apache-2.0
package android.telecom;

import android.content.Context;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** Declares what the library and its example use of Android's class, and keeps the responses. */
public abstract class CallScreeningService extends Context {
  public final BlockingQueue<CallResponse> responses = new LinkedBlockingQueue<>();

  public abstract void onScreenCall(Call.Details call);

  public final void respondToCall(Call.Details call, CallResponse response) {
    responses.add(response);
  }

  /** Declares what the library and its example use of Android's class. */
  public static class CallResponse {
    public boolean isDisallowed;
    public boolean isRejected;
    public boolean skipsNotification;
    public boolean skipsCallLog;

    /** Declares what the library and its example use of Android's class. */
    public static class Builder {
      private final CallResponse response = new CallResponse();

      public Builder setDisallowCall(boolean value) {
        response.isDisallowed = value;
        return this;
      }

      public Builder setRejectCall(boolean value) {
        response.isRejected = value;
        return this;
      }

      public Builder setSkipNotification(boolean value) {
        response.skipsNotification = value;
        return this;
      }

      public Builder setSkipCallLog(boolean value) {
        response.skipsCallLog = value;
        return this;
      }

      public CallResponse build() {
        return response;
      }
    }
  }
}
