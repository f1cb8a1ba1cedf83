// SPDX-License-Identifier: Apache-2.0
package android.app.role;

import android.content.Intent;

/** Declares what the library and its example use of Android's class, where the role is free. */
public final class RoleManager {
  public static final String ROLE_CALL_SCREENING = "android.app.role.CALL_SCREENING";

  public boolean isRoleHeld(String role) {
    return false;
  }

  public Intent createRequestRoleIntent(String role) {
    return new Intent(role);
  }
}
