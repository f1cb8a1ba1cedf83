// SPDX-License-Identifier: Apache-2.0
package android.text;

/** Declares what the library and its example use of Android's class. */
public interface Editable extends CharSequence {}
