// SPDX-License-Identifier: GPL-2.0-only
/* Models take the events of their tables, in the states where they may be, and no others. */
#define _GNU_SOURCE	/* for the harness */
#include "../fixture/modelfacts.h"

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
