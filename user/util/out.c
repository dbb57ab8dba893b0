// SPDX-License-Identifier: GPL-2.0-only
/* Small text files, with every error reported. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/out.h"
#include "util/msg.h"
#include "util/utf8.h"

char *out_path(const char *dir, const char *name)
{
	size_t a = strlen(dir);
	size_t b = strlen(name) + 1;
	char *path = malloc(a + 1 + b);

	if (!path)
		return NULL;
	memcpy(path, dir, a);
	path[a] = '/';
	memcpy(path + a + 1, name, b);
	return path;
}

int out_open(struct out *out, const char *dir, const char *name)
{
	int ret;

	out->f = NULL;
	out->path = out_path(dir, name);
	if (!out->path)
		return -ENOMEM;
	if (!unlink(out->path) || errno == ENOENT)
		out->f = fopen(out->path, "wxe");
	if (out->f)
		return 0;
	ret = report_error(out->path, "cannot create", errno);
	free(out->path);
	out->path = NULL;
	return ret;
}

void out_label(struct out *out, const char *text)
{
	unsigned int len;
	const char *p;

	for (p = text; *p == ' ' || (u8)*p < 0x20; p++) {
		if (!*p) {
			fputc('-', out->f);
			return;
		}
	}
	for (p = text; *p; p += len ? len : 1) {
		len = utf8_len(p);
		if (!len)
			fputc('?', out->f);
		else if (utf8_shown(p))
			fwrite(p, 1, len, out->f);
		else
			fputc(' ', out->f);
	}
}

int out_flush(FILE *f)
{
	errno = 0;
	if (!fflush(f) && !ferror(f))
		return 0;
	/* stdio may have forgotten why: what did not fit does not fit again. */
	if (!errno && fputc('\n', f) != EOF)
		fflush(f);
	return errno ? -errno : -EIO;
}

int out_end(FILE *f)
{
	int ret = out_flush(f);

	if (fclose(f) && !ret)
		ret = -errno;
	return ret;
}

int out_close(struct out *out)
{
	int ret = out_end(out->f);

	if (ret)
		report_error(out->path, "cannot write", -ret);
	free(out->path);
	out->path = NULL;
	out->f = NULL;
	return ret;
}
