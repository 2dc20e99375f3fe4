// io/file.h: reads whole files, writes files atomically. Needs base/.
#ifndef CSIM_IO_FILE_H
#define CSIM_IO_FILE_H

#include "base/log.h"

/// Reads a whole file or pipe. Devices are refused; a pipe may hold 256 MiB and pause for 5
/// seconds.
/// @param limit      largest size accepted [bytes]
/// @param[out] data  heap memory with one more byte, 0, behind the contents; release with free().
///                   NULL on failure
/// @param[out] size  [bytes] without that 0
/// @return CSIM_IO, naming the file and the reason; CSIM_INVALID beyond the limit; CSIM_MEMORY
csim_status csim_file_read(const char *path, size_t limit, csim_log *log, char **data,
                           size_t *size);

/// Opens a regular file for reading.
/// @param[out] fd    for close(); -1 on failure
/// @param[out] size  [bytes]
/// @return CSIM_OK; CSIM_IO, naming the file and the reason
csim_status csim_file_open(const char *path, csim_log *log, int *fd, uint64_t *size);

// ------------------------------------------------------------------------------------------ out

/// A file being written. It appears under its name, complete, when committed: no reader, crash or
/// full disk leaves a partial one. Devices and pipes are written in place.
typedef struct csim_file csim_file;

/// Starts writing. The bytes go to `path` + ".<pid>-<k>.tmp" in the same directory.
/// @param path       copied; a symbolic link is followed, so that it stays a link
/// @param log        kept until commit or abandon; may be NULL
/// @param[out] file  for csim_file_commit or csim_file_abandon; NULL on failure
/// @return CSIM_IO naming the file and the reason, CSIM_MEMORY
csim_status csim_file_create(const char *path, csim_log *log, csim_file **file);

/// The same for a name that is ours: a symbolic link, device or pipe of that name is replaced
/// by the file, and what it leads to is left alone.
csim_status csim_file_replace(const char *path, csim_log *log, csim_file **file);

/// Appends. After the first failure writes are ignored, and csim_file_commit returns the failure.
void csim_file_write(csim_file *file, const void *data, size_t size);
void csim_file_text(csim_file *file, const char *text);
void csim_file_print(csim_file *file, const char *format, ...)
    __attribute__((format(printf, 2, 3))); ///< no floating point: it would obey the locale
void csim_file_print_number(csim_file *file, double value, int digits); ///< see base/number.h

/// Buffer of n <= CSIM_FILE_RESERVE bytes for the caller to fill; csim_file_advance then appends
/// the first `used` of them. For writers that format by hand.
enum { CSIM_FILE_RESERVE = 1 << 16 };
char *csim_file_reserve(csim_file *file, size_t n);
void csim_file_advance(csim_file *file, size_t used);

/// Overwrites bytes appended before, for headers that are known only at the end of a run. Fails
/// like csim_file_write; not for devices and pipes.
/// @param offset  offset + size <= csim_file_position(file)
void csim_file_patch(csim_file *file, uint64_t offset, const void *data, size_t size);

/// Bytes appended so far.
uint64_t csim_file_position(const csim_file *file);

/// Whether a write has failed: a long writer may stop early. Commit still returns it.
int csim_file_failed(const csim_file *file);

/// Writes buffered data, checks every write, renames the file to its name and frees `file`. After a
/// failure only the earlier file, if any, remains.
/// @param sync  1: the contents reach the disk before the name does (survives a power cut)
/// @return CSIM_OK or CSIM_IO, naming the file and the reason
csim_status csim_file_commit(csim_file *file, int sync);

/// Makes renames in the directory of `path` survive a power cut. Some file systems cannot sync a
/// directory: not an error.
void csim_sync_directory(const char *path);

/// Removes the temporary file and frees `file`. NULL is allowed.
void csim_file_abandon(csim_file *file);

/// Keeps other processes from locking the open file or directory for as long as this one lives.
/// Waits up to ten seconds for a lock, and says so: a killed process may take a while to end.
/// @param path  of the file, for the message
/// @return 0, also where the file system knows no such locks; -1 when another process has it
int csim_lock(int fd, const char *path, csim_log *log);

/// Makes a directory and those above it; existing ones are fine.
csim_status csim_make_directories(const char *path, csim_log *log);

#endif
