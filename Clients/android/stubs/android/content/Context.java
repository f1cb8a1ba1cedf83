// SPDX-License-Identifier: Apache-2.0
package android.content;

import android.content.pm.PackageManager;
import android.content.res.Resources;
import java.io.File;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Declares what the library and its example use of Android's class, and has what a phone gives. */
public abstract class Context {
  public static final String NOTIFICATION_SERVICE = "notification";
  public static final String ROLE_SERVICE = "role";
  public static final String TELEPHONY_SERVICE = "phone";

  /** The phone, shared by all parts of the app. */
  public static File folder;
  public static ContentResolver resolver;
  public static final Set<String> granted = new HashSet<>();
  public static final Map<String, Object> services = new HashMap<>();

  public Context getApplicationContext() {
    return this;
  }

  public File getNoBackupFilesDir() {
    return folder;
  }

  public String getPackageName() {
    return "org.example.caller";
  }

  public PackageManager getPackageManager() {
    return new PackageManager();
  }

  public Object getSystemService(String name) {
    return services.get(name);
  }

  public int checkSelfPermission(String permission) {
    return granted.contains(permission) ? PackageManager.PERMISSION_GRANTED : PackageManager.PERMISSION_DENIED;
  }

  public ContentResolver getContentResolver() {
    return resolver;
  }

  public Resources getResources() {
    return new Resources();
  }

  public final String getString(int id) {
    return Resources.TEXTS.get(id);
  }
}
