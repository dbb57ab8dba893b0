// SPDX-License-Identifier: GPL-2.0-only
#include "fileact.h"
#include "stamp.h"

struct filelog *filelog;
int proc_fd;

void make_log(void)
{
	filelog = mmap(NULL, sizeof(*filelog), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	if (filelog == MAP_FAILED)
		err(1, "no memory");
	filelog->text_used = 1;	/* 0 is the empty path */
	proc_fd = open("/proc", O_PATH | O_DIRECTORY);
	if (proc_fd < 0)
		err(1, "/proc");
}

__u64 now(void)
{
	return stamp_now();
}

struct log_entry *new_entry(enum log_kind kind)
{
	__u32 nr = __atomic_fetch_add(&filelog->nr, 1, __ATOMIC_SEQ_CST);
	struct log_entry *entry = &filelog->entry[nr];

	if (nr >= LOG_ENTRIES)
		errx(1, "the log is full");
	entry->kind = kind;
	entry->tid = syscall(SYS_gettid);
	entry->tgid = getpid();
	return entry;
}

__u32 add_text(const char *text)
{
	size_t len = strlen(text) + 1;
	__u32 at = __atomic_fetch_add(&filelog->text_used, len, __ATOMIC_SEQ_CST);

	if (at + len > LOG_TEXT)
		errx(1, "no room for paths");
	memcpy(filelog->text + at, text, len);
	return at;
}

/* The inode's generation is part of a file handle. */
static void find_generation(struct identity *id, int fd, const char *name, int flags)
{
	struct {
		struct file_handle head;
		__u32 words[MAX_HANDLE_SZ / 4];
	} handle;
	int mount;

	id->generation = 0;
	id->flags = 0;
	handle.head.handle_bytes = MAX_HANDLE_SZ;
	if (name_to_handle_at(fd, name, &handle.head, &mount, flags))
		id->flags = LOG_ANY_GEN;
	else if (handle.head.handle_bytes == 8)		/* inode number, generation */
		memcpy(&id->generation, handle.head.f_handle + 4, 4);
	else if (handle.head.handle_bytes == 12)	/* tmpfs has it first */
		memcpy(&id->generation, handle.head.f_handle, 4);
	else
		id->flags = LOG_ANY_GEN;
}

__u32 kernel_dev(dev_t dev)
{
	return major(dev) << 20 | minor(dev);
}

struct identity identify_at(int dir, const char *name, int flags)
{
	struct identity id;
	struct stat st;

	if (fstatat(dir, name, &st, flags | AT_SYMLINK_NOFOLLOW))
		err(1, "stat %s", name);
	id.ino = st.st_ino;
	id.dev = kernel_dev(st.st_dev);
	id.type = st.st_mode & S_IFMT;
	id.size = st.st_size;
	find_generation(&id, dir, name, flags);
	return id;
}

struct identity identify(int fd)
{
	return identify_at(fd, "", AT_EMPTY_PATH);
}

struct log_entry *note(enum log_kind kind, const struct identity *id, __u64 begin)
{
	struct log_entry *entry = new_entry(kind);

	entry->begin = begin;
	entry->end = now();
	entry->ino = id->ino;
	entry->dev = id->dev;
	entry->generation = id->generation;
	entry->flags = id->flags;
	return entry;
}

__u32 open_flags(int fd)
{
	return fcntl(fd, F_GETFL);
}

bool counts(const struct identity *id)
{
	return id->type == S_IFREG || id->type == S_IFBLK;
}

/* What /proc says is what the path is to be; "" for one that is too long. */
static void path_of(int fd, char *path)
{
	char name[64];
	ssize_t len;

	snprintf(name, sizeof(name), "self/fd/%d", fd);
	len = readlinkat(proc_fd, name, path, PATH_MAX);
	if (len < 0 && errno != ENAMETOOLONG)
		err(1, "readlink %s", name);
	path[len < 0 ? 0 : len] = '\0';
}

struct log_entry *note_open(int fd, __u64 begin, const char *path)
{
	struct identity id = identify(fd);
	char real[PATH_MAX + 1];
	struct log_entry *entry;

	path_of(fd, real);
	if (path && strcmp(path, real))
		errx(1, "opened '%s' instead of '%s'", real, path);
	entry = note(LOG_OPEN, &id, begin);
	entry->mode = open_flags(fd);
	entry->text = add_text(real);
	return entry;
}

int open_at(int dir, const char *name, int flags, const char *path)
{
	__u64 begin = now();
	int fd = openat(dir, name, flags, 0600);

	if (fd < 0)
		err(1, "open %s", name);
	note_open(fd, begin, path);
	return fd;
}

int open_file(const char *name, int flags)
{
	return open_at(AT_FDCWD, name, flags, NULL);
}

void note_truncate(const struct identity *id, __u64 begin, __u64 length)
{
	note(LOG_TRUNCATE, id, begin)->result = length;
}

struct log_entry *expect_close(int fd)
{
	struct identity id = identify(fd);
	struct log_entry *entry = note(LOG_CLOSE, &id, now());

	entry->mode = open_flags(fd);
	entry->end = ~0ULL;
	return entry;
}

void close_file(int fd)
{
	struct log_entry *entry = expect_close(fd);

	close(fd);
	entry->end = now();
}

struct log_entry *expect_delete(const struct identity *id)
{
	struct log_entry *entry = note(LOG_DELETE, id, now());

	entry->result = id->size;
	entry->end = ~0ULL;
	if (id->type != S_IFREG)
		entry->flags |= LOG_ANY_SIZE;
	return entry;
}

void split(const struct io *io, struct iovec *parts)
{
	size_t third = io->len / NR_PARTS;
	int i;

	for (i = 0; i < NR_PARTS; i++) {
		parts[i].iov_base = (char *)io->buf + i * third;
		parts[i].iov_len = third;
	}
	parts[NR_PARTS - 1].iov_len = io->len - (NR_PARTS - 1) * third;
}

static ssize_t call_vector(const struct io *io)
{
	struct iovec parts[NR_PARTS];

	split(io, parts);
	switch (io->op) {
	case OVNIK_OP_READV:
		return readv(io->in, parts, NR_PARTS);
	case OVNIK_OP_WRITEV:
		return writev(io->out, parts, NR_PARTS);
	case OVNIK_OP_PREADV:
		if (io->flags < 0)
			return preadv(io->in, parts, NR_PARTS, io->in_at);
		return syscall(SYS_preadv2, io->in, parts, NR_PARTS, io->in_at, 0, io->flags);
	default:
		if (io->flags < 0)
			return pwritev(io->out, parts, NR_PARTS, io->out_at);
		return syscall(SYS_pwritev2, io->out, parts, NR_PARTS, io->out_at, 0, io->flags);
	}
}

static ssize_t call_copy(const struct io *io)
{
	loff_t in_at = io->in_at, out_at = io->out_at;
	loff_t *from = in_at < 0 ? NULL : &in_at, *to = out_at < 0 ? NULL : &out_at;

	switch (io->op) {
	case OVNIK_OP_SENDFILE:
		return sendfile(io->out, io->in, from, io->len);
	case OVNIK_OP_SPLICE:
		return splice(io->in, from, io->out, to, io->len, SPLICE_F_NONBLOCK);
	default:
		return copy_file_range(io->in, from, io->out, to, io->len, 0);
	}
}

ssize_t call_io(const struct io *io)
{
	switch (io->op) {
	case OVNIK_OP_READ:
		return read(io->in, io->buf, io->len);
	case OVNIK_OP_WRITE:
		return write(io->out, io->buf, io->len);
	case OVNIK_OP_PREAD:
		return pread(io->in, io->buf, io->len, io->in_at);
	case OVNIK_OP_PWRITE:
		return pwrite(io->out, io->buf, io->len, io->out_at);
	case OVNIK_OP_SENDFILE:
	case OVNIK_OP_SPLICE:
	case OVNIK_OP_COPY:
		return call_copy(io);
	default:
		return call_vector(io);
	}
}

/* Where it will read or write: what is appended goes to the end. */
static __u64 place_of(const struct io *io, int fd, loff_t at, const struct identity *id)
{
	bool append = open_flags(fd) & O_APPEND || (io->flags > 0 && io->flags & RWF_APPEND);

	if (fd == io->out && append)
		return id->size;
	return at >= 0 ? (__u64)at : (__u64)lseek(fd, 0, SEEK_CUR);
}

struct log_entry *note_io(const struct io *io, enum log_kind kind, int fd, loff_t at,
			  struct identity *id)
{
	struct log_entry *entry;

	if (fd < 0 || io->silent)
		return NULL;
	*id = identify(fd);
	if (!counts(id))
		return NULL;
	entry = note(kind, id, 0);
	entry->op = io->op;
	entry->offset = place_of(io, fd, at, id);
	return entry;
}

void end_entry(struct log_entry *entry, __u64 begin, __u64 end, ssize_t result)
{
	if (!entry)
		return;
	entry->begin = begin;
	entry->end = end;
	entry->result = result;
}

static void note_silent(const struct io *io)
{
	struct log_entry *entry = new_entry(LOG_SILENT);

	entry->op = io->op;
}

ssize_t do_io(const struct io *io)
{
	struct log_entry *reads, *writes;
	struct identity in, out;
	__u64 begin;
	ssize_t ret;

	reads = note_io(io, LOG_READ, io->in, io->in_at, &in);
	writes = note_io(io, LOG_WRITE, io->out, io->out_at, &out);
	if (reads && writes)
		writes->flags |= LOG_JOINED;
	if (!reads && !writes)
		note_silent(io);
	begin = now();
	ret = call_io(io);
	if (ret < 0)
		ret = -errno;
	end_entry(reads, begin, now(), ret);
	end_entry(writes, begin, now(), ret);
	return ret;
}

ssize_t read_file(int fd, void *buf, size_t len)
{
	struct io io = {
		.op = OVNIK_OP_READ, .in = fd, .out = -1, .in_at = -1, .buf = buf, .len = len
	};

	return do_io(&io);
}

ssize_t write_file(int fd, const void *buf, size_t len)
{
	struct io io = {
		.op = OVNIK_OP_WRITE, .in = -1, .out = fd, .out_at = -1,
		.buf = (void *)buf, .len = len
	};

	return do_io(&io);
}

void must_be(ssize_t is, ssize_t want, const char *what)
{
	if (is != want)
		errx(1, "%s: %zd instead of %zd", what, is, want);
}

void must(bool ok, const char *what)
{
	if (!ok)
		err(1, "%s", what);
}
