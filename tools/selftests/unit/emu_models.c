// SPDX-License-Identifier: GPL-2.0-only
/* The tables of the models of user runtimes are what the reference says, row by row. */
#define _GNU_SOURCE	/* for the harness */
#include "../fixture/modelfacts.h"
#include "emu/track.h"

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

TEST_HARNESS_MAIN
