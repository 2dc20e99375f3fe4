// view/png.c: see png.h.
#include "png.h"

#include <errno.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

view_picture view_picture_make(int width, int height, const uint8_t rgb[3]) {
  view_picture picture = {0};
  if (width < 1 || height < 1 || width > VIEW_MAX_SIDE || height > VIEW_MAX_SIDE) return picture;
  size_t n = (size_t)width * (size_t)height;
  picture.rgb = malloc(n * 3);
  if (!picture.rgb) return picture;
  picture.width = width;
  picture.height = height;
  for (size_t i = 0; i < n; i++) memcpy(picture.rgb + 3 * i, rgb, 3);
  return picture;
}

void view_picture_free(view_picture *picture) {
  free(picture->rgb);
  *picture = (view_picture){0};
}

void view_picture_paste(view_picture *to, const view_picture *from, int x, int y) {
  int first = x < 0 ? -x : 0;
  int last = from->width < to->width - x ? from->width : to->width - x;
  for (int j = 0; first < last && j < from->height; j++) {
    if (y + j < 0 || y + j >= to->height) continue;
    memcpy(to->rgb + 3 * ((ptrdiff_t)(y + j) * to->width + x + first),
           from->rgb + 3 * ((ptrdiff_t)j * from->width + first), 3 * (size_t)(last - first));
  }
}

static csim_status write_rows(png_structp png, png_infop info, FILE *file,
                              const view_picture *picture) {
  // libpng leaves by longjmp to here; nothing of ours lives between
  if (setjmp(png_jmpbuf(png))) return CSIM_IO;
  png_init_io(png, file);
  png_set_compression_level(png, 6);
  png_set_IHDR(png, info, (png_uint_32)picture->width, (png_uint_32)picture->height, 8,
               PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
  png_write_info(png, info);
  for (int j = 0; j < picture->height; j++)
    png_write_row(png, picture->rgb + csim_xyz(j) * picture->width);
  png_write_end(png, info);
  return CSIM_OK;
}

csim_status view_picture_write(const view_picture *picture, const char *path, csim_log *log) {
  csim_status status = CSIM_MEMORY;
  FILE *file = NULL;
  png_structp png = NULL;
  png_infop info = NULL;
  size_t length = strlen(path);
  char *temporary = malloc(length + 8);
  if (!temporary) goto done;
  snprintf(temporary, length + 8, "%s.tmp", path);
  png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  if (png) info = png_create_info_struct(png);
  if (!info) goto done;
  status = CSIM_IO;
  file = fopen(temporary, "wb");
  if (!file) goto done;
  status = write_rows(png, info, file, picture);
  if (fclose(file)) status = CSIM_IO;
  if (!status && rename(temporary, path)) status = CSIM_IO;
  if (status) {
    int reason = errno;
    unlink(temporary);
    errno = reason;
  }
done:
  if (status == CSIM_IO) csim_log_print(log, CSIM_ERROR, path, "cannot write: %s", strerror(errno));
  if (status == CSIM_MEMORY) csim_log_print(log, CSIM_ERROR, path, "out of memory");
  png_destroy_write_struct(&png, &info);
  free(temporary);
  return status;
}
