// SPDX-License-Identifier: GPL-2.0-only
/*
 * FDR logs: each sentence of the document's grammar and layouts, and of what later versions
 * changed, with a log that keeps it and one that breaks it. Letters: fixture/xraygen.h.
 */
#include <errno.h>
#include <stdio.h>

#include "../fixture/xrayread.h"
#include "kselftest_harness.h"

#define EXTENTS_FIRST	"a buffer must begin with BufferExtents"
#define SHORT_FILE	"a record must end within the file"
#define SHORT_BUFFER	"a record must end within its buffer"
#define NO_ARGS		"CallArgument must follow a function or CallArgument"
#define ONLY_PID	"Pid must not occur but after WallClockTime"

/* The last letter "$": no sound buffer follows. */
static const struct sentence {
	const char *text;
	u16 from;
	u16 to;
	const char *kept;
	const char *broken;
	const char *rule;
} sentences[] = {
	{ "Format := Header ThreadBuffer* EOF", 1, 1,
		"HfxHfx.Hfx", "Hfx.!*", "a buffer must begin with NewBuffer" },
	{ "ThreadBuffer := BufferExtents NewBuffer ... (2 and later)", 2, 5,
		"HfxHfx", "Hfx!***", EXTENTS_FIRST },
	{ "BufferExtents, in place of EndOfBuffer, says where a buffer ends", 2, 2,
		"ENWCfx", "!NWCfx", EXTENTS_FIRST },
	{ "ThreadBuffer := NewBuffer WallClockTime NewCPUId BodySequence* End", 1, 1,
		"NWC.", "!WC", "a buffer must begin with NewBuffer" },
	{ "Each buffer begins with a NewBuffer record immediately after the header", 1, 1,
		"NWCf", "!fxf", "a buffer must begin with NewBuffer" },
	{ "NewBuffer follows BufferExtents", 2, 5,
		"ENWCf", "E!WCTf", "NewBuffer must follow BufferExtents" },
	{ "Following the NewBuffer record, each buffer records an absolute time", 1, 5,
		"Hf", "EN!CTf", "WallClockTime must follow NewBuffer" },
	{ "... WallClockTime NewCPUId ...", 1, 2,
		"Hfx", "ENW!fx", "NewCPUId must follow WallClockTime" },
	{ "Pid between WallClockTime and NewCPUId (3 and later)", 3, 5,
		"ENWPCf", "ENWP!fx", "NewCPUId must follow Pid" },
	{ "Pid may be missing", 3, 5,
		"ENWCf", "ENW!fx", "NewCPUId must follow WallClockTime" },
	{ "Pid of version 3 and later", 3, 5, "ENWPCf", "EN!PWCf",
		"WallClockTime must follow NewBuffer" },
	{ "no Pid before version 3", 2, 2, "ENWCf", "ENW!PCf",
		"Pid must not occur before version 3" },
	{ "no BufferExtents before version 2", 1, 1, "NWCf", "NWCf!e*",
		"BufferExtents must not occur before version 2" },
	{ "BodySequence := NewCPUId | TSCWrap | Function | CustomEvent: no WallClockTime", 1, 5,
		"HCTfuCTuxTuCf", "HCTfu!WfC",
		"WallClockTime must not occur but after NewBuffer" },
	{ "BodySequence: no Pid", 3, 5, "HCTfu", "HfCTfu!Pf", ONLY_PID },
	{ "BodySequence: no NewBuffer", 2, 5, "HCTfu", "HfCTfu!NWCf",
		"NewBuffer must follow BufferExtents" },
	{ "BodySequence, TypedEvent", 1, 5, "HfvfxvvuvCvTv", "Hfv!K",
		"kinds of metadata must be 0 to 9" },
	{ "Function := (Function_Entry_Args CallArgument*) | Function_Other_Type", 1, 5,
		"HaAAAxafaAfax", "HfAv!A", NO_ARGS },
	{ "CallArgument: immediately following an Entry_Args type function record", 1, 5,
		"HaAx", "HaAu!A", NO_ARGS },
	{ "CallArgument: after a plain Entry, as old runtimes write it", 1, 5,
		"HfAxfAAx", "Hu!A", NO_ARGS },
	{ "CallArgument: not after NewCPUId", 1, 5, "HaACf", "HaAC!A", NO_ARGS },
	{ "CallArgument: not after TSCWrap", 1, 5, "HaATf", "HaAT!A", NO_ARGS },
	{ "CallArgument: not after a typed event", 1, 5, "HaAvf", "HaAv!A", NO_ARGS },
	{ "Function action types are as follows", 1, 5, "Hfxta", "Hfx!Ff",
		"actions of functions must be 0 to 3" },
	{ "Here is a table of the enumerated record kinds", 1, 5, "HCTuaA", "Hf!Kf",
		"kinds of metadata must be 0 to 9" },
	{ "CustomEvent := CustomEventMarker CustomEventUnstructuredMemory", 1, 5,
		"Hfufuu", "Hfuf!V", "the data of an event must end within its buffer" },
	{ "event_size: size of preceded event", 1, 5,
		"Hu", "Hf!U", "the size of an event must not be negative" },
	{ "End := EndOfBuffer RemainingBufferSizeToSkip", 1, 1,
		"Hfx./Hfxu./Hf./", "Hfx.!*****f", "a buffer must begin with NewBuffer" },
	{ "the next buffer may follow at once, though one begins where the size leads", 1, 1,
		"H.H.H.H.H.H.H.H.H.H.", "H.!f", "a buffer must begin with NewBuffer" },
	{ "look for either another header or EOF", 1, 1,
		"Hfx./hHfx.hHfx.", "Hfx.!f/**", "a buffer must begin with NewBuffer" },
	{ "EndOfBuffer is of version 1", 1, 1, "Hfx.Hfx.", "H.!.",
		"a buffer must begin with NewBuffer" },
	{ "no EndOfBuffer from version 2 on", 2, 5, "HfxHfx", "Hfx!.",
		"EndOfBuffer must not occur from version 2 on" },
	{ "EndOfBuffer only ends a buffer that has begun", 1, 1, "NWC.", "NW!.",
		"NewCPUId must follow WallClockTime" },
	{ "The format is not padded: zeros between buffers (2 and later)", 2, 5,
		"Hfx000Hfx0Hfx0", "Hfx00!**", EXTENTS_FIRST },
	{ "Function Records have an 8 byte layout", 1, 5, "Hfxf", "Hfx!f<$", SHORT_FILE },
	{ "Metadata records have 16 bytes each", 1, 5, "HfC", "Hf!C<$", SHORT_FILE },
	{ "a head is whole", 1, 1, "H", "NW!$", "a buffer must not end before its first NewCPUId" },
	{ "BufferExtents measures from the start of the buffer", 2, 5,
		"ENWCf", "!e", "BufferExtents must be 48 at least, or 0 without a buffer" },
	{ "thread_Id: thread ID for buffer", 1, 1, "NWCf", "!nWCf",
		"the thread of NewBuffer must not be negative" },
	{ "thread_Id: thread ID for buffer (2 and later)", 2, 5, "ENWCf", "E!nWCf",
		"the thread of NewBuffer must not be negative" },
	{ "Pid: a process", 3, 5, "ENWPCf", "ENW!pCf",
		"the process of Pid must not be negative" },
	{ "microseconds: the microsecond component of the time", 1, 5,
		"Hf", "EN!wC", "WallClockTime must be seconds and a fraction of one" },
	{ "tsc_delta: ticks since a previous record; TSCWrap before it does not fit", 1, 5,
		"HfTf", "HfO!f", "the TSC must not exceed 64 bits" },
};

static struct xraygen gen;
static struct xrayread got;

/* Of letters, those whose records a cursor gives, up to the fault. */
static void filter(char *to, const char *letters, bool to_fault)
{
	for (; *letters && !(to_fault && *letters == '!'); letters++) {
		if (*letters == 'H')
			*to++ = 'C';
		else if (strchr("CTOfxtaAuv", *letters))
			*to++ = *letters;
	}
	*to = '\0';
}

static void accept(struct __test_metadata *_metadata, const struct sentence *s, u16 version,
		   bool big)
{
	char want[256];

	xraygen_begin(&gen, version, big);
	xraygen_letters(&gen, s->kept);
	xraygen_end_extents(&gen);
	filter(want, s->kept, false);
	xrayread(&got, gen.data, gen.size);
	EXPECT_EQ(0, got.ret);
	EXPECT_STREQ(want, got.letters)
		TH_LOG("%s: version %u%s: %s", s->text, version, big ? ", big-endian" : "", said);
	EXPECT_EQ(0, got.log.breaks);
	EXPECT_EQ(0, got.log.lost_bytes);
	EXPECT_EQ(1, got.log.nr_threads);
	EXPECT_EQ(version, got.log.header.version);
	EXPECT_EQ(big, got.log.header.big_endian);
	xray_log_close(&got.log);
}

static void reject(struct __test_metadata *_metadata, const struct sentence *s, u16 version,
		   bool big)
{
	char want[256], place[128];
	bool alone = strchr(s->broken, '$');

	xraygen_begin(&gen, version, big);
	xraygen_letters(&gen, s->broken);
	if (!alone)
		xraygen_letters(&gen, "Hfxu");
	xraygen_end_extents(&gen);
	filter(want, s->broken, true);
	if (!alone)
		strcat(want, "Cfxu");
	xrayread(&got, gen.data, gen.size);
	EXPECT_EQ(*want ? 0 : -ENODATA, got.ret);
	EXPECT_STREQ(want, got.letters)
		TH_LOG("%s: version %u%s: %s", s->text, version, big ? ", big-endian" : "", said);
	EXPECT_EQ(1, got.log.breaks);
	snprintf(place, sizeof(place), ": offset %u: %s\n", gen.fault, s->rule);
	EXPECT_TRUE(strstr(said, place))
		TH_LOG("%s: version %u%s: not%s but %s", s->text, version,
		       big ? ", big-endian" : "", place, said);
	xray_log_close(&got.log);
}

static void each(struct __test_metadata *_metadata,
		 void (*test)(struct __test_metadata *_metadata, const struct sentence *s,
			      u16 version, bool big))
{
	u32 i, version;

	for (i = 0; i < ARRAY_SIZE(sentences); i++) {
		for (version = sentences[i].from; version <= sentences[i].to; version++) {
			test(_metadata, &sentences[i], version, false);
			test(_metadata, &sentences[i], version, true);
		}
	}
}

TEST(sentences_that_are_kept)
{
	each(_metadata, accept);
}

TEST(sentences_that_are_broken)
{
	each(_metadata, reject);
}

/* Version 1 does not say where a buffer ends: not where data look like the next one's head. */
static void look_alike(struct __test_metadata *_metadata, const char *behind, u64 breaks,
		       const char *want)
{
	xraygen_begin(&gen, 1, false);
	xraygen_letters(&gen, "Hf");
	xraygen_event(&gen, false, 48);
	gen.size -= 5;
	xraygen_letters(&gen, "NWC");
	xraygen_letters(&gen, behind);
	xrayread(&got, gen.data, gen.size);
	EXPECT_EQ(0, got.ret);
	EXPECT_STREQ(want, got.letters)
		TH_LOG("%s", said);
	EXPECT_EQ(breaks, got.log.breaks);
	EXPECT_EQ(!breaks, got.log.doubts);
	xray_log_close(&got.log);
}

TEST(what_looks_like_a_head)
{
	look_alike(_metadata, "fx", 0, "Cfufx");
	look_alike(_metadata, "fx.Hfx.", 0, "CfufxCfx");
	look_alike(_metadata, "fxHfx", 0, "CfufxCfx");
	look_alike(_metadata, "fxhHfx", 0, "CfufxCfx");
	/* Where there is damage, what is a head is not known: both parts are read. */
	look_alike(_metadata, "fx*Hfx", 2, "CfCfxCfx");
}

/* Nor does the kind of NewBuffer end it: here it is a byte of the next buffer's tid. */
TEST(a_damaged_size_ends_within_the_next_head)
{
	xraygen_begin(&gen, 1, false);
	xraygen_letters(&gen, "Hf");
	xraygen_event(&gen, false, 5 + 3);
	xraygen_letters(&gen, "Hfx");
	ASSERT_EQ(1, gen.data[gen.size - 2 * 8 - 48 + 3]);
	xrayread(&got, gen.data, gen.size);
	EXPECT_EQ(0, got.ret);
	EXPECT_STREQ("CfCfx", got.letters)
		TH_LOG("%s", said);
	EXPECT_EQ(1, got.log.breaks);
	xray_log_close(&got.log);
}

/* A size that leads past a whole buffer breaks no rule, but there is a warning. */
TEST(a_damaged_size_leads_past_a_buffer)
{
	char doubt[128];

	xraygen_begin(&gen, 1, false);
	xraygen_letters(&gen, "Hf");
	xraygen_event(&gen, false, 5 + 3 * 16 + 2 * 8);
	snprintf(doubt, sizeof(doubt), ": offset %u: what looks like a buffer here is read as data",
		 gen.size);
	xraygen_letters(&gen, "HfxHfx");
	xrayread(&got, gen.data, gen.size);
	EXPECT_EQ(0, got.ret);
	EXPECT_STREQ("CfuCfx", got.letters);
	EXPECT_EQ(0, got.log.breaks);
	EXPECT_EQ(1, got.log.doubts);
	EXPECT_TRUE(strstr(said, doubt))
		TH_LOG("not%s but %s", doubt, said);
	xray_log_close(&got.log);
}

TEST_HARNESS_MAIN
