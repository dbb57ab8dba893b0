// SPDX-License-Identifier: GPL-2.0-only
/* The models of user runtimes against what the reference says of them, row by row. */
#define _GNU_SOURCE	/* for the harness */
#include "../fixture/emufix.h"
#include "emu/models.h"
#include "emu/task_type.h"
#include "emu/track.h"
#include "kselftest_harness.h"

#define FACTS	"tools/selftests/fixture/ovni-models.txt"
#define MODELS	6
#define MAX	160

struct fact_event {
	char mcv[4];
	char op[8];		/* push, pop, set, ignore, special */
	u32 type;
	s64 state;
	char size[16];		/* any, jumbo, min:N, exact:N */
};

struct fact_value {
	u32 type;
	s64 value;
	char label[80];
};

struct fact_chan {
	u32 type;
	char kind[8], dup[8], thread[8], cpu[8], flags[16], lint[8];
	char label[2][80];
};

struct fact_model {
	char letter;
	char name[16], version[16], need[8], out_of_cpu[8];
	struct fact_chan chan[8];
	struct fact_value value[MAX];
	struct fact_event event[MAX];
	u32 nchans, nvalues, nevents;
	u32 breakdown;
	char trace[32], breakdown_label[80];
};

FIXTURE(models)
{
	struct fact_model model[MODELS];
	u32 n;
	u32 ngids;
	struct emufix f;
};

static void read_chan(struct fact_model *m, const char *line)
{
	struct fact_chan *c = &m->chan[m->nchans++];

	sscanf(line, "chan %*s %u %7s %7s %7s %7s %15s %7s", &c->type, c->kind, c->dup, c->thread,
	       c->cpu, c->flags, c->lint);
}

static void read_label(struct fact_model *m, const char *line)
{
	struct fact_chan *c = &m->chan[m->nchans - 1];
	bool cpu = strstr(line, " cpu ") && strstr(line, " cpu ") < line + 12;
	const char *text = strchr(strchr(line + strlen("label "), ' ') + 1, ' ') + 1;

	snprintf(c->label[cpu], sizeof(c->label[cpu]), "%s", text);
}

static void read_value(struct fact_model *m, const char *line)
{
	struct fact_value *v = &m->value[m->nvalues++];
	long long value;
	int at = 0;

	sscanf(line, "value %u %lld %n", &v->type, &value, &at);
	v->value = value;
	snprintf(v->label, sizeof(v->label), "%s", line + at);
}

static void read_event(struct fact_model *m, const char *line)
{
	struct fact_event *e = &m->event[m->nevents++];
	long long state = 0;

	if (sscanf(line, "event %3s %7s %u %lld", e->mcv, e->op, &e->type, &state) < 4) {
		e->type = 0;
		sscanf(line, "event %3s %7s %15s", e->mcv, e->op, e->size);
	}
	e->state = state;
}

static void read_breakdown(struct fact_model *m, const char *line)
{
	int at = 0;

	sscanf(line, "breakdown %*s %u %31s %n", &m->breakdown, m->trace, &at);
	snprintf(m->breakdown_label, sizeof(m->breakdown_label), "%s", line + at);
}

static bool starts(const char *line, const char *word)
{
	return !strncmp(line, word, strlen(word));
}

FIXTURE_SETUP(models)
{
	struct fact_model *m = self->model;
	char line[256];
	FILE *file;

	file = fopen(FACTS, "r");
	ASSERT_NE(NULL, file) {
		TH_LOG("%s cannot be read: not run at the top of the sources?", FACTS);
	}
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		if (starts(line, "model ")) {
			ASSERT_GT(MODELS, self->n);
			m = &self->model[self->n++];
			sscanf(line, "model %c %15s %15s %7s %7s", &m->letter, m->name,
			       m->version, m->need, m->out_of_cpu);
		} else if (starts(line, "chan ")) {
			read_chan(m, line);
		} else if (starts(line, "label ")) {
			read_label(m, line);
		} else if (starts(line, "value ")) {
			read_value(m, line);
		} else if (starts(line, "event ")) {
			read_event(m, line);
		} else if (starts(line, "breakdown ")) {
			read_breakdown(m, line);
		} else if (starts(line, "gid ")) {
			const char *text = strchr(line + 4, ' ') + 1;

			self->ngids++;
			EXPECT_EQ(strtoul(line + 4, NULL, 10),
				  task_type_gid(text, strlen(text))) {
				TH_LOG("gid of '%s'", text);
			}
		}
	}
	fclose(file);
}

FIXTURE_TEARDOWN(models)
{
}

static const struct model *find(const struct fact_model *fact)
{
	u32 i;

	for (i = 0; i < EMU_NR_MODELS; i++) {
		if (!strcmp(emu_models[i]->name, fact->name))
			return emu_models[i];
	}
	return NULL;
}

static const char *track_name(u8 mode)
{
	static const char *const name[] = {
		[TRACK_NONE] = "any", [TRACK_RUNNING] = "running", [TRACK_ACTIVE] = "active",
	};

	return name[mode];
}

static const char *flag_name(u8 flags)
{
	switch (flags) {
	case PRV_SKIP_DUP:
		return "skip-dup";
	case PRV_SKIP_DUP_NULL:
		return "skip-dup-null";
	case PRV_EMIT_DUP:
		return "emit-dup";
	default:
		return "?";
	}
}

static s32 chan_of_type(const struct model *m, u32 type)
{
	u32 i;

	for (i = 0; i < m->nchans; i++) {
		if (m->chans[i].type == type)
			return i;
	}
	return -1;
}

TEST_F(models, gids)
{
	/* Looked at in the setup. */
	EXPECT_EQ(14, self->ngids);
}

TEST_F(models, ids_and_order)
{
	u32 i;

	ASSERT_EQ(MODELS, self->n);
	for (i = 0; i < EMU_NR_MODELS; i++) {
		EXPECT_EQ(i, emu_models[i]->id);
		EXPECT_TRUE(!i || emu_models[i - 1]->letter < emu_models[i]->letter);
	}
}

TEST_F(models, types_are_of_one_channel)
{
	u32 i, j, k;

	for (i = 0; i < EMU_NR_MODELS; i++) {
		for (j = 0; j < emu_models[i]->nchans; j++) {
			u32 type = emu_models[i]->chans[j].type;

			for (k = 0; k < EMU_NR_MODELS; k++)
				EXPECT_TRUE(k == i || chan_of_type(emu_models[k], type) < 0);
		}
	}
}

TEST_F(models, what_they_need)
{
	u32 i;

	for (i = 0; i < self->n; i++) {
		const struct fact_model *fact = &self->model[i];
		const struct model *m = find(fact);
		char version[16];

		ASSERT_NE(NULL, m);
		EXPECT_EQ(fact->letter, m->letter);
		snprintf(version, sizeof(version), "%u.%u", m->major, m->minor);
		EXPECT_EQ(0, strncmp(version, fact->version, strlen(version)));
		EXPECT_STREQ(fact->need, m->need == NEED_ACTIVE ? "active" : "running");
		EXPECT_STREQ(fact->out_of_cpu, m->need_in_cpu ? "error" : "allowed");
		EXPECT_EQ(!fact->breakdown, !m->breakdown);
		if (!m->breakdown)
			continue;
		EXPECT_EQ(fact->breakdown, m->breakdown->type);
		EXPECT_STREQ(fact->trace, m->breakdown->trace);
		EXPECT_STREQ(fact->breakdown_label, m->breakdown->label);
	}
}

TEST_F(models, channels)
{
	u32 i, j;

	for (i = 0; i < self->n; i++) {
		const struct fact_model *fact = &self->model[i];
		const struct model *m = find(fact);

		ASSERT_EQ(fact->nchans, m->nchans);
		for (j = 0; j < m->nchans; j++) {
			const struct fact_chan *want = &fact->chan[j];
			const struct model_chan *c = &m->chans[j];

			EXPECT_EQ(want->type, c->type);
			EXPECT_STREQ(want->kind, c->kind == CHAN_STACK ? "stack" : "single");
			EXPECT_STREQ(want->dup, c->dup == CHAN_DUP_ALLOW ? "allow" : "error");
			EXPECT_NE(CHAN_DUP_IGNORE, c->dup);
			EXPECT_STREQ(want->thread, track_name(c->thread));
			EXPECT_STREQ(want->cpu, track_name(c->cpu));
			EXPECT_STREQ(want->flags, flag_name(c->flags));
			EXPECT_STREQ(want->lint, c->lint ? "lint" : "-");
			EXPECT_FALSE(c->plain_label || c->optional || c->punctual);
			/* The two idle channels. */
			EXPECT_EQ(want->type == 16 || want->type == 40 ? 100 : 0, c->init);
			EXPECT_EQ(want->type == 16 || want->type == 40 ? 101 : 0, c->cpu_null);
		}
	}
}

TEST_F(models, labels_in_order)
{
	u32 i, j;

	for (i = 0; i < self->n; i++) {
		const struct fact_model *fact = &self->model[i];
		const struct model *m = find(fact);
		u32 seen[8] = { 0 };
		u32 total = 0;

		for (j = 0; j < fact->nvalues; j++) {
			const struct fact_value *want = &fact->value[j];
			s32 c = chan_of_type(m, want->type);

			ASSERT_LE(0, c);
			ASSERT_GT(m->chans[c].nlabels, seen[c]);
			EXPECT_EQ(want->value, m->chans[c].labels[seen[c]].value);
			EXPECT_STREQ(want->label, m->chans[c].labels[seen[c]].text);
			seen[c]++;
		}
		for (j = 0; j < m->nchans; j++)
			total += m->chans[j].nlabels;
		EXPECT_EQ(fact->nvalues, total);
	}
}

static const char *op_name(u8 op)
{
	static const char *const name[] = {
		[OP_CALL] = "special", [OP_IGNORE] = "ignore", [OP_PUSH] = "push",
		[OP_POP] = "pop", [OP_SET] = "set", [OP_CLEAR] = "clear",
	};

	return name[op];
}

static void size_name(char name[16], const struct model_event *ev)
{
	/* Of a jumbo event, that it is one; what it carries is looked at by its function. */
	switch (ev->check) {
	case SIZE_MIN:
		snprintf(name, 16, "min:%u", ev->size);
		break;
	case SIZE_EXACT:
		snprintf(name, 16, "exact:%u", ev->size);
		break;
	default:
		strcpy(name, ev->check == SIZE_JUMBO ? "jumbo" : "any");
	}
}

TEST_F(models, events)
{
	u32 i, j;

	for (i = 0; i < self->n; i++) {
		const struct fact_model *fact = &self->model[i];
		const struct model *m = find(fact);
		struct model_run run;

		ASSERT_EQ(0, model_compile(&run, m));
		for (j = 0; j < fact->nevents; j++) {
			const struct fact_event *want = &fact->event[j];
			const struct model_event *ev = model_event_find(&run, (u8 *)want->mcv);
			char size[16];

			ASSERT_NE(NULL, ev) {
				TH_LOG("no event %s", want->mcv);
			}
			EXPECT_STREQ(want->op, op_name(ev->op)) {
				TH_LOG("event %s", want->mcv);
			}
			size_name(size, ev);
			EXPECT_STREQ(want->type ? "any" : want->size, size) {
				TH_LOG("event %s", want->mcv);
			}
			if (!want->type)
				continue;
			EXPECT_EQ(want->type, m->chans[ev->chan].type);
			EXPECT_EQ(want->state, ev->state) {
				TH_LOG("event %s", want->mcv);
			}
		}
		/* No other; 6TC is accepted as of former times. */
		EXPECT_EQ(fact->nevents + (m->letter == '6'), m->nevents);
		model_run_free(&run);
	}
}

TEST_F(models, versions)
{
	struct emufix *f = &self->f;
	u32 i;

	for (i = 0; i < self->n; i++) {
		const struct fact_model *fact = &self->model[i];
		const struct model *m = find(fact);
		char version[32];

		ASSERT_EQ(0, emufix_open(f, fact->name, fact->version));
		snprintf(version, sizeof(version), "%u.0.99", m->major);
		EXPECT_EQ(0, emu_require(f->emu, fact->name, version));
		snprintf(version, sizeof(version), "%u.%u.0", m->major, m->minor + 1);
		EXPECT_NE(0, emu_require(f->emu, fact->name, version));
		EXPECT_NE(NULL, strstr(emu_reason(f->emu), "is required"));
		snprintf(version, sizeof(version), "%u.%u.0", m->major + 1, m->minor);
		EXPECT_NE(0, emu_require(f->emu, fact->name, version));
		snprintf(version, sizeof(version), "%u.%u", m->major, m->minor);
		EXPECT_NE(0, emu_require(f->emu, fact->name, version));
		emufix_close(f);
	}
}

static void expect_refused(struct __test_metadata *_metadata, struct emufix *f, const char *mcv,
			   int ret, const char *why)
{
	EXPECT_NE(0, ret) {
		TH_LOG("event %.3s is accepted, expected: %s", mcv, why);
	}
	EXPECT_NE(NULL, strstr(emu_reason(f->emu), why)) {
		TH_LOG("event %.3s: %s, expected: %s", mcv, emu_reason(f->emu), why);
	}
	emufix_forgive(f);
}

#define REFUSED(mcv, why) expect_refused(_metadata, f, mcv, emufix_ev(f, 0, mcv), why)

static struct chan *chan(struct emufix *f, const struct model *m, u32 type)
{
	return emu_thread_chan(f->emu, f->th[0], m->id, chan_of_type(m, type));
}

/* Another state of the same stack. */
static const struct fact_event *another(const struct fact_model *fact, const struct fact_event *of)
{
	u32 i;

	for (i = 0; i < fact->nevents; i++) {
		const struct fact_event *e = &fact->event[i];

		if (e->type == of->type && !strcmp(e->op, of->op) && e->state != of->state)
			return e;
	}
	return NULL;
}

static const struct fact_event *pop_of(const struct fact_model *fact, const struct fact_event *push)
{
	u32 i;

	for (i = 0; i < fact->nevents; i++) {
		const struct fact_event *e = &fact->event[i];

		if (e->type == push->type && e->state == push->state && !strcmp(e->op, "pop"))
			return e;
	}
	return NULL;
}

static void drive_push(struct __test_metadata *_metadata, struct emufix *f,
		       const struct fact_model *fact, const struct fact_event *push)
{
	const struct model *m = find(fact);
	struct chan *c = chan(f, m, push->type);
	const struct fact_event *pop = pop_of(fact, push);
	const struct fact_event *other = another(fact, push);
	bool again = !strcmp(fact->chan[chan_of_type(m, push->type)].dup, "allow");

	ASSERT_NE(NULL, pop);
	ASSERT_NE(NULL, other);
	REFUSED(pop->mcv, "stack is empty");
	ASSERT_EQ(0, emufix_ev(f, 0, push->mcv)) {
		TH_LOG("event %s: %s", push->mcv, emu_reason(f->emu));
	}
	EXPECT_TRUE(chan_value_eq(c->state, CHAN_INT(push->state)));
	if (again) {
		EXPECT_EQ(0, emufix_ev(f, 0, push->mcv));
		EXPECT_EQ(0, emufix_ev(f, 0, pop->mcv));
	} else {
		REFUSED(push->mcv, "this state already");
	}
	EXPECT_EQ(0, emufix_ev(f, 0, other->mcv));
	REFUSED(pop->mcv, "another state");
	EXPECT_EQ(0, emufix_ev(f, 0, pop_of(fact, other)->mcv));
	/* What these carry is not looked at. */
	EXPECT_EQ(0, emufix_u32(f, 0, pop->mcv, 2, 1, 2));
	EXPECT_TRUE(chan_value_eq(c->state, CHAN_NULL));
}

static void drive_set(struct __test_metadata *_metadata, struct emufix *f,
		      const struct fact_model *fact, const struct fact_event *set)
{
	const struct model *m = find(fact);
	struct chan *c = chan(f, m, set->type);

	ASSERT_TRUE(c->state.i != set->state || !emufix_ev(f, 0, another(fact, set)->mcv));
	ASSERT_EQ(0, emufix_ev(f, 0, set->mcv));
	EXPECT_TRUE(chan_value_eq(c->state, CHAN_INT(set->state)));
	REFUSED(set->mcv, "this state already");
}

static void drive_ignore(struct __test_metadata *_metadata, struct emufix *f,
			 const struct fact_event *e)
{
	EXPECT_EQ(0, emufix_ev(f, 0, e->mcv));
	EXPECT_EQ(0, emufix_u32(f, 0, e->mcv, 2, 1, 2));
}

static void drive_size(struct __test_metadata *_metadata, struct emufix *f,
		       const struct fact_event *e)
{
	u8 payload[16] = { 0 };
	u32 n = 0;

	if (!strcmp(e->size, "jumbo")) {
		REFUSED(e->mcv, "a jumbo event is expected");
		return;
	}
	sscanf(e->size, "%*[a-z]:%u", &n);
	ASSERT_LT(2, n);
	expect_refused(_metadata, f, e->mcv, emufix_event(f, 0, e->mcv, payload, n - 1, false),
		       "expected");
	expect_refused(_metadata, f, e->mcv, emufix_event(f, 0, e->mcv, payload, n, true),
		       "a normal event is expected");
	if (e->size[0] == 'e')
		expect_refused(_metadata, f, e->mcv,
			       emufix_event(f, 0, e->mcv, payload, n + 1, false), "expected");
}

TEST_F(models, every_event_where_it_may_be)
{
	struct emufix *f = &self->f;
	u32 i, j;

	for (i = 0; i < self->n; i++) {
		const struct fact_model *fact = &self->model[i];

		ASSERT_EQ(0, emufix_open(f, fact->name, fact->version));
		ASSERT_EQ(0, emu_freeze(f->emu, f->dir));
		ASSERT_EQ(0, emufix_execute(f, 0, 0));
		for (j = 0; j < fact->nevents; j++) {
			const struct fact_event *e = &fact->event[j];

			if (!strcmp(e->op, "push"))
				drive_push(_metadata, f, fact, e);
			else if (!strcmp(e->op, "set"))
				drive_set(_metadata, f, fact, e);
			else if (!strcmp(e->op, "ignore"))
				drive_ignore(_metadata, f, e);
			else if (!strcmp(e->op, "special"))
				drive_size(_metadata, f, e);
		}
		emufix_close(f);
	}
}

/* Accept or refuse an event by the state of its thread, whatever else is wrong with it. */
static bool state_refuses(struct emufix *f, const char *mcv)
{
	int ret = emufix_ev(f, 0, mcv);
	const char *why = emu_reason(f->emu);
	bool refused = ret && (strstr(why, "thread 101 is not ") || strstr(why, "out of the CPU"));

	emufix_forgive(f);
	f->emu->reason[0] = '\0';
	return refused;
}

static void drive_states(struct __test_metadata *_metadata, struct emufix *f,
			 const struct fact_model *fact, const char *mcv)
{
	bool active = !strcmp(fact->need, "active");

	EXPECT_TRUE(state_refuses(f, mcv));	/* unknown */
	ASSERT_EQ(0, emufix_execute(f, 0, 0));
	EXPECT_FALSE(state_refuses(f, mcv));	/* running */
	ASSERT_EQ(0, emufix_ev(f, 0, "KCO"));
	EXPECT_EQ(!strcmp(fact->out_of_cpu, "error"), state_refuses(f, mcv)) {
		TH_LOG("event %s out of the CPU", mcv);
	}
	ASSERT_EQ(0, emufix_ev(f, 0, "KCI"));
	ASSERT_EQ(0, emufix_ev(f, 0, "OHc"));
	EXPECT_EQ(!active, state_refuses(f, mcv));	/* cooling */
	ASSERT_EQ(0, emufix_ev(f, 0, "OHp"));
	EXPECT_TRUE(state_refuses(f, mcv));	/* paused */
	ASSERT_EQ(0, emufix_ev(f, 0, "OHw"));
	EXPECT_EQ(!active, state_refuses(f, mcv));	/* warming */
	ASSERT_EQ(0, emufix_ev(f, 0, "OHr"));
	ASSERT_EQ(0, emufix_ev(f, 0, "OHe"));
	EXPECT_TRUE(state_refuses(f, mcv));	/* dead */
}

TEST_F(models, every_event_in_every_state)
{
	struct emufix *f = &self->f;
	u32 i, j;

	for (i = 0; i < self->n; i++) {
		const struct fact_model *fact = &self->model[i];

		for (j = 0; j < fact->nevents; j++) {
			ASSERT_EQ(0, emufix_open(f, fact->name, fact->version));
			ASSERT_EQ(0, emu_freeze(f->emu, f->dir));
			drive_states(_metadata, f, fact, fact->event[j].mcv);
			emufix_close(f);
		}
	}
}

static bool is_listed(const struct fact_model *fact, const char *mcv)
{
	u32 i;

	for (i = 0; i < fact->nevents; i++) {
		if (!memcmp(fact->event[i].mcv, mcv, 3))
			return true;
	}
	return !memcmp(mcv, "6TC", 3);
}

TEST_F(models, no_other_event)
{
	struct emufix *f = &self->f;
	u32 i, mcv;

	for (i = 0; i < self->n; i++) {
		const struct fact_model *fact = &self->model[i];
		u32 accepted = 0;

		ASSERT_EQ(0, emufix_open(f, fact->name, fact->version));
		ASSERT_EQ(0, emu_freeze(f->emu, f->dir));
		ASSERT_EQ(0, emufix_execute(f, 0, 0));
		for (mcv = 0; mcv < 1 << 16; mcv++) {
			const char text[3] = { fact->letter, (char)mcv, (char)(mcv >> 8) };

			if (is_listed(fact, text))
				continue;
			accepted += !emufix_ev(f, 0, text);
			accepted += !strstr(emu_reason(f->emu), "has no such event");
			emufix_forgive(f);
		}
		EXPECT_EQ(0, accepted);
		emufix_close(f);
	}
}

TEST_HARNESS_MAIN
