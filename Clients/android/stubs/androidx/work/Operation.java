// SPDX-License-Identifier: Apache-2.0
package androidx.work;

/** Declares what the library uses of Jetpack's class. */
public interface Operation {}
