// SPDX-License-Identifier: Apache-2.0
package android.os;

/** Declares what the library and its example use of Android's class. */
public final class Bundle {}
