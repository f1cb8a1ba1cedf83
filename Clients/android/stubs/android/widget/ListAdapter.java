// SPDX-License-Identifier: Apache-2.0
package android.widget;

/** Declares what the library and its example use of Android's class. */
public interface ListAdapter {}
