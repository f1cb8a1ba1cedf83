#pragma once
/* What glibc (2.34 or later) shows only under _GNU_SOURCE, which Swift's Glibc module does not define. */
#include <spawn.h>

#ifndef POSIX_SPAWN_SETSID
#define POSIX_SPAWN_SETSID 0x80
#endif

int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);
int pipe2(int ends[2], int flags);
int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned int flags);

#ifndef RENAME_EXCHANGE
#define RENAME_EXCHANGE 2
#endif
