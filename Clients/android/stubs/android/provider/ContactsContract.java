// SPDX-License-Identifier: Apache-2.0
package android.provider;

import android.net.Uri;

/** Declares what the library and its example use of Android's class. */
public final class ContactsContract {
  private ContactsContract() {}

  /** Declares what the library and its example use of Android's class. */
  public static final class PhoneLookup {
    public static final Uri CONTENT_FILTER_URI = Uri.parse("content://com.android.contacts/phone_lookup");

    private PhoneLookup() {}
  }
}
