// SPDX-License-Identifier: Apache-2.0
package com.example.calls;

import android.Manifest;
import android.app.Activity;
import android.app.AlertDialog;
import android.app.role.RoleManager;
import android.content.Context;
import android.content.Intent;
import android.net.Uri;
import android.os.Bundle;
import android.widget.ArrayAdapter;
import android.widget.EditText;
import android.widget.ListView;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;

/** Shows the last calls, and asks what to do with one. */
public class CallsActivity extends Activity {
  private interface Work {
    void run() throws IOException;
  }

  // Files and the outbox are not for the main thread.
  static Executor background = Executors.newSingleThreadExecutor();
  private ListView list;

  @Override
  protected void onCreate(Bundle state) {
    super.onCreate(state);
    list = new ListView(this);
    setContentView(list);
    RoleManager roles = (RoleManager) getSystemService(Context.ROLE_SERVICE);
    // Without the role Android asks another app about calls, or none.
    boolean isAsked = roles != null && !roles.isRoleHeld(RoleManager.ROLE_CALL_SCREENING);
    if (isAsked) startActivityForResult(roles.createRequestRoleIntent(RoleManager.ROLE_CALL_SCREENING), 1);
    requestPermissions(new String[] {Manifest.permission.POST_NOTIFICATIONS, Manifest.permission.READ_CONTACTS}, 2);
  }

  @Override
  protected void onResume() {
    super.onResume();
    inBackground(() -> {
      List<RecentCalls.Item> items = new RecentCalls(this).items();
      runOnUiThread(() -> show(items));
    });
  }

  private void show(List<RecentCalls.Item> items) {
    list.setAdapter(new ArrayAdapter<RecentCalls.Item>(this, android.R.layout.simple_list_item_1, items));
    list.setOnItemClickListener((parent, view, position, id) -> ask(items.get(position).number));
  }

  private void ask(long number) {
    CharSequence[] actions = {
      getString(R.string.block), getString(R.string.allow), getString(R.string.name), getString(R.string.report), getString(R.string.appeal)
    };
    new AlertDialog.Builder(this).setTitle("+" + number).setItems(actions, (dialog, which) -> act(number, which)).show();
  }

  private void act(long number, int which) {
    CallActions actions = new CallActions(this);
    if (which == 0) inBackground(() -> actions.block(number));
    if (which == 1) inBackground(() -> actions.allow(number));
    if (which == 2) askName(number, actions);
    if (which == 3) inBackground(() -> actions.report(number, "fraud"));
    if (which == 4) startActivity(new Intent(Intent.ACTION_VIEW, Uri.parse(CallActions.appealAddress(number))));
  }

  private void askName(long number, CallActions actions) {
    EditText text = new EditText(this);
    new AlertDialog.Builder(this).setView(text).setPositiveButton(R.string.save, (dialog, which) -> {
      String name = text.getText().toString();
      inBackground(() -> actions.name(number, name));
    }).show();
  }

  private static void inBackground(Work work) {
    background.execute(() -> {
      try {
        work.run();
      } catch (IOException exception) {
        android.util.Log.w("calls", "Nothing was stored: " + exception.getMessage());
      }
    });
  }
}
