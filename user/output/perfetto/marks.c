// SPDX-License-Identifier: GPL-2.0-only
/* Marks and functions of a merged application: a track for each mark of a thread, below it. */
#include <errno.h>

#include "output/perfetto/perfetto.h"

/* Its own track of the thread, which stays empty: the marks are below it. */
static u64 put_thread(struct perfetto *o, const struct marks_change *c)
{
	const struct inventory_thread *who = &o->marks.inventory->threads[c->track->thread];
	u64 uuid = perfetto_uuid(o, ++o->mark_tracks, PERFETTO_TRACK_MARK);
	u8 *track, *thread, *p;

	track = pb_begin(perfetto_event(o, c->ns), PACKET_TRACK_DESCRIPTOR);
	thread = pb_begin(pb_uint(track, TRACK_UUID, uuid), TRACK_THREAD);
	p = pb_uint(thread, TRACK_THREAD_PID, who->pid);
	p = pb_end(thread, pb_uint(p, TRACK_THREAD_TID, who->tid));
	trace_end(&o->trace, pb_end(track, p));
	return uuid;
}

static u64 put_track(struct perfetto *o, const struct marks_change *c)
{
	u64 parent = put_thread(o, c);
	u64 uuid = perfetto_uuid(o, ++o->mark_tracks, PERFETTO_TRACK_MARK);
	u8 *track, *p;

	track = pb_begin(perfetto_event(o, c->ns), PACKET_TRACK_DESCRIPTOR);
	p = pb_text(pb_uint(track, TRACK_UUID, uuid), TRACK_NAME, c->type->title);
	p = pb_end(track, pb_uint(p, TRACK_PARENT, parent));
	trace_end(&o->trace, p);
	return uuid;
}

static int on_change(void *data, const struct marks_change *c)
{
	u32 category = c->type->functions ? CATEGORY_FUNCTION : CATEGORY_MARK;
	struct perfetto *o = data;
	u8 *event, *p;

	if (!c->track->user)
		c->track->user = put_track(o, c);
	p = perfetto_event(o, c->ns);
	if (c->begins && !c->label->user) {
		c->label->user = ++o->iids;
		p = perfetto_intern(p, INTERNED_NAME, c->label->user, c->label->text);
	}
	event = pb_begin(p, PACKET_TRACK_EVENT);
	p = pb_uint(event, TRACK_EVENT_TYPE, c->begins ? TYPE_BEGIN : TYPE_END);
	p = pb_uint(p, TRACK_EVENT_UUID, c->track->user);
	p = pb_uint(p, TRACK_EVENT_CATEGORY, category);
	if (c->begins)
		p = pb_uint(p, TRACK_EVENT_NAME_IID, c->label->user);
	trace_end(&o->trace, pb_end(event, p));
	return 0;
}

int perfetto_attach_marks(struct perfetto *o, const struct output_env *env)
{
	return marks_attach(&o->marks, env->events, env->loom, on_change, o);
}
