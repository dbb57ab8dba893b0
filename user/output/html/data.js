// SPDX-License-Identifier: GPL-2.0-only
// The data of the page: lanes as timeline/lane.h describes them, and their sums.
'use strict';

const $ = id => document.getElementById(id);

// Names as text on one line, in its order: what would change that is shown as its number. No two names are shown alike: what looks
// like such a number, or as who has no name, is changed, too; and bytes that are no characters, here U+DC80 to U+DCFF.
const HARMFUL = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\udc80-\udcff]|\\(?=u[0-9a-f]{4}|x[0-9a-f]{2})|^\?$/gu;
const shown = name => name.replace(HARMFUL, c => (c >= '\udc80' && c <= '\udcff' ? `\\x${(c.charCodeAt(0) & 0xff).toString(16)}` :
	`\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`));

const D = JSON.parse($('data').textContent);
const REPORT = JSON.parse($('report').textContent, (k, v) => (typeof v === 'string' ? shown(v) : v))[0];
const LANES = base64($('lanes').textContent);
for (const name of ['host', 'kernel', 'backend', 'command', 'part'])
	D[name] = shown(D[name]);
const LENGTH = Math.max(D.length, 1);

const RUN = 0, QUEUE = 1, SLEEP = 2, DISK = 3, OTHER = 4, UNKNOWN = 5;
const CATEGORIES = ['runs', 'waits for a CPU', 'sleeps', 'disk sleep', 'other waits', 'not known'];
const CALLS = ['', 'read', 'write', 'pread64', 'pwrite64', 'readv', 'writev', 'preadv/preadv2', 'pwritev/pwritev2',
	'sendfile', 'splice', 'copy_file_range', 'another call'];
const FAULTS = ['access not known', 'read', 'write', 'instruction fetch', 'read by the kernel', 'write by the kernel'];
const RESULTS = ['minor', 'major', 'failed', 'its end is not known'];
const USES = ['', 'read', 'written', 'added to the page cache', 'removed from the page cache'];
const STATES = ['?', 'runs', ...D.waits, 'not known'];
const CATEGORY = STATES.map((s, i) => {
	if (i < 2)
		return RUN;
	if (i === STATES.length - 1)
		return UNKNOWN;
	return s.startsWith('run queue') ? QUEUE : s === 'sleep' ? SLEEP : s === 'disk sleep' ? DISK : OTHER;
});

const isWrite = op => [2, 4, 6, 8, 9, 10, 11].includes(op);
const stateOf = key => key & 31;
const cpuOf = key => (stateOf(key) === 1 ? (key >>> 5) - 1 : -1);
const wakerThread = key => (stateOf(key) > 1 ? threads[(key >>> 5) - 2] : undefined);
// Who ended a wait. In old captures: who ran where it ended.
const wakerOf = key => {
	const nr = stateOf(key) > 1 ? key >>> 5 : 0, t = wakerThread(key);

	if (!nr)
		return '';
	return nr === 1 ? 'an interrupt' : `${nameOf(t)} ${t.tid}${D.wakers ? '' : ', or an interrupt while it ran'}`;
};
const faultOf = key => [(key & 31) - 1 & 7, (key & 31) - 1 >> 3];
const memoryOf = key => {
	const where = key >>> 6;

	return where < D.memory.length ? D.memory[where] : files[where - D.memory.length].name;
};
const callOf = key => key & 15;
const fileOf = key => files[(key >>> 6) - 1];
// The end of a call or fault that has been counted is no other one.
const counts = key => (key & 32 ? 0 : 1);

function base64(text) {
	const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
	const value = new Uint8Array(128), out = new Uint8Array(text.length / 4 * 3);

	for (let i = 0; i < 64; i++)
		value[digits.charCodeAt(i)] = i;
	for (let i = 0, o = 0; i < text.length; i += 4, o += 3) {
		const bits = value[text.charCodeAt(i)] << 18 | value[text.charCodeAt(i + 1)] << 12 |
			value[text.charCodeAt(i + 2)] << 6 | value[text.charCodeAt(i + 3)];

		out[o] = bits >> 16;
		out[o + 1] = bits >> 8;
		out[o + 2] = bits;
	}
	return out;
}

// Room for the largest lane; each lane gets a copy of what it needs.
const scratch = { size: 0 };

function makeScratch(bytes) {
	if (scratch.size >= bytes && scratch.size)
		return;
	const n = (bytes / 3 | 0) + 2;

	Object.assign(scratch, { size: bytes, number: new Float64Array(bytes), start: new Float64Array(n), end: new Float64Array(n),
		mix: new Uint8Array(n), first: new Uint32Array(n + 1), key: new Uint32Array(n), count: new Float64Array(n),
		ns: new Float64Array(n), bytes: new Float64Array(n) });
}

class Lane {
	constructor(at, len) {
		this.at = at;
		this.len = len;
		this.n = -1;
	}

	// All of its numbers: at first, for that loop is short.
	numbers() {
		const bytes = LANES, to = scratch.number, stop = this.at + this.len;
		let n = 0;

		for (let p = this.at; p < stop;) {
			let b = bytes[p++], v = b & 127;

			for (let m = 128; b > 127; m *= 128) {
				b = bytes[p++];
				v += (b & 127) * m;
			}
			to[n++] = v;
		}
		return n;
	}

	// Items have parts first[i] to first[i + 1]; one that is no mix has one.
	load() {
		if (this.n >= 0)
			return this;
		makeScratch(this.len);
		const s = scratch, from = s.number, stop = this.numbers();
		let p = 0, n = 0, parts = 0, time = 0;

		while (p < stop) {
			const head = from[p++], gap = Math.floor(head / 4), kind = head % 4, mix = kind & 1, some = kind & 2;
			const nr = mix ? from[p++] : 1;

			time += gap % 2 ? -(gap + 1) / 2 : gap / 2;
			s.start[n] = time;
			s.mix[n] = mix;
			s.first[n] = parts;
			const span = mix ? from[p++] : 0;
			for (let i = 0; i < nr; i++, parts++) {
				s.key[parts] = from[p++];
				s.count[parts] = mix ? from[p++] : 1;
				s.ns[parts] = from[p++];
				s.bytes[parts] = some ? from[p++] : 0;
			}
			time += mix ? span : s.ns[parts - 1];
			s.end[n++] = time;
		}
		s.first[n] = parts;
		for (const a of ['start', 'end', 'mix'])
			this[a] = s[a].slice(0, n);
		for (const a of ['key', 'count', 'ns', 'bytes'])
			this[a] = s[a].slice(0, parts);
		this.first = s.first.slice(0, n + 1);
		this.n = n;
		return this;
	}

	// The first item that ends after a time.
	find(time) {
		let low = 0, high = this.n;

		while (low < high) {
			const middle = (low + high) >> 1;

			if (this.end[middle] > time)
				high = middle;
			else
				low = middle + 1;
		}
		return low;
	}

	// Calls f(part, share, item) for what is between two times; instants at t0 are.
	between(t0, t1, f) {
		this.load();
		let i = this.find(t0);

		while (i > 0 && this.start[i - 1] === t0)
			i--;
		for (; i < this.n && (this.start[i] < t1 || this.start[i] === t0); i++) {
			const span = this.end[i] - this.start[i];
			const share = span ? (Math.min(this.end[i], t1) - Math.max(this.start[i], t0)) / span : 1;

			for (let j = this.first[i]; j < this.first[i + 1]; j++)
				f(j, share, i);
		}
	}
}

const NONE = new Lane(0, 0);
const laneOf = (row, i) => row[i + 1] ? new Lane(row[i], row[i + 1]) : NONE;

const cpus = D.cpus.map(c => ({ nr: c[0], busy: c[1], here: c[1], lane: laneOf(c, 2) }));
const files = D.files.map((f, i) => ({ i, name: shown(f[0]), lane: laneOf(f, 1), here: [0, 0, 0, 0], most: 0 }));
const pages = { name: 'page cache, all files', lane: laneOf(D.pages, 1), here: [0, 0, 0, 0], most: 0 };
const processes = D.processes.map((p, i) => ({ i, pid: p[0], start: p[1], end: p[2], name: shown(p[3]) || '?', leftOut: p[4] === 1,
	threads: [], sums: [0, 0, 0, 0, 0, 0], open: false }));

// Who recorded is none of those whom the user looks for: as in the report, it has this name, and is behind the others.
const RECORDER = 'recorder (ovnik)';

for (const r of REPORT.processes || []) {
	const p = processes[r.number - 1];

	if (r.process === RECORDER)
		Object.assign(p, { recorder: true, comm: p.name, name: RECORDER });
}

const threads = D.threads.map(t => ({ process: processes[t[0] - 1], tid: t[1], start: t[2], end: t[3], name: shown(t[4]),
	sums: t.slice(5, 11), states: laneOf(t, 11), calls: laneOf(t, 13), faults: laneOf(t, 15) }));

threads.forEach(t => { t.threads = [t]; });

// A filter does not cover the others: what they do is not recorded.
const shownProcesses = processes.filter(p => !p.leftOut);
const shownThreads = threads.filter(t => !D.filtered || (t.process && !t.process.leftOut));

const values = D.values.map(shown);
const marks = D.marks.map(m => ({ thread: threads[m[0] - 1], title: shown(m[1]), ns: m[2], lane: laneOf(m, 3) }));

for (const t of threads) {
	if (!t.process)
		continue;
	t.process.threads.push(t);
	t.sums.forEach((ns, i) => { t.process.sums[i] += ns; });
}
for (const m of marks) {
	if (!m.thread || !m.thread.process || !m.lane.len)
		continue;
	m.thread.marks = [...m.thread.marks || [], m];
	m.thread.process.marked = m.thread.process.open = true;
}

// Text for people.

function grouped(digits) {
	return digits.replace(/(\d{3})(?=\d)/g, '$1\u202f');
}

function time(ns) {
	const s = Math.floor(ns / 1e9);

	return `${count(s)}.${grouped(String(Math.round(ns - s * 1e9)).padStart(9, '0'))}\u202fs`;
}

function length(ns) {
	const units = [[1e9, 's', 9], [1e6, 'ms', 6], [1e3, '\u00b5s', 3]];

	ns = Math.round(ns);
	for (const [size, unit, digits] of units) {
		if (ns >= size)
			return `${count(Math.floor(ns / size))}.${grouped(String(ns % size).padStart(digits, '0'))}\u202f${unit}`;
	}
	return `${ns}\u202fns`;
}

function brief(ns) {
	const units = [[1e9, 's'], [1e6, 'ms'], [1e3, '\u00b5s']];

	for (const [size, unit] of units) {
		// What is rounded up to a unit has that unit.
		if (ns >= size * 0.9995)
			return `${(ns / size).toPrecision(3)}\u202f${unit}`;
	}
	return `${Math.round(ns)}\u202fns`;
}

function size(bytes) {
	const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
	let i = 0;

	for (; bytes >= 1024 && i < 4; i++)
		bytes /= 1024;
	return `${i ? bytes.toFixed(1) : Math.round(bytes)}\u202f${units[i]}`;
}

// Bytes where there is little room.
const short = bytes => size(bytes).replace(/(\d\d\d)\.\d/, '$1').replace(/\u202f(\w).*/, '$1');

// What was done with a file. These are never added up: the same byte is written, and in the page cache, and out of it.
const usesText = sums => ['read', 'written', 'in', 'out'].map((what, i) => (sums[i] ? `${what} ${short(sums[i])}` : ''))
	.filter(what => what).join(', ');

const count = n => Math.round(n).toLocaleString('en').replace(/,/g, '\u202f');

// Sums of the page against those that the decoder took on its way, and the report's.
function selfTest() {
	const wrong = [], all = [0, 0, 0, 0, 0, 0], parts = [0, 0];
	const same = (what, mine, theirs) => {
		if (theirs !== undefined && mine !== theirs)
			wrong.push(`${what}: ${mine}, not ${theirs}`);
	};
	const reported = r => [r.on_cpu_ns, r.run_queue_ns, r.sleep_ns, r.disk_ns, r.other_waits_ns, r.not_known_ns];
	let items = 0;

	for (const t of threads) {
		const sums = [0, 0, 0, 0, 0, 0], lane = t.states.load();

		items += lane.n + t.calls.load().n + t.faults.load().n;
		[t.calls, t.faults].forEach((of, i) => of.key.forEach((key, j) => { parts[i] += of.count[j] * counts(key); }));
		for (let j = 0; j < lane.key.length; j++)
			sums[CATEGORY[stateOf(lane.key[j])]] += lane.ns[j];
		sums.forEach((ns, i) => {
			same(`thread ${t.tid} ${CATEGORIES[i]}`, ns, t.sums[i]);
			all[i] += ns;
		});
	}
	for (const m of marks) {
		same(`mark ${m.title}`, m.lane.load().ns.reduce((a, b) => a + b, 0), m.ns);
		items += m.lane.n;
	}
	for (const c of cpus) {
		same(`CPU ${c.nr}`, c.lane.load().ns.reduce((a, b) => a + b, 0), c.busy);
		same(`CPU ${c.nr} of the report`, c.busy, ((REPORT.CPUs || []).find(r => r.cpu === c.nr) || {}).busy_ns);
		items += c.lane.n;
	}
	for (const r of REPORT.processes || [])
		reported(r).forEach((ns, i) => same(`process ${r.pid} ${CATEGORIES[i]}`, processes[r.number - 1].sums[i], ns));
	for (const r of REPORT.all_processes || []) {
		reported(r).forEach((ns, i) => same(`all processes ${CATEGORIES[i]}`, all[i], ns));
		[r.io_calls, r.page_faults].forEach((n, i) => same(`all processes ${['calls', 'faults'][i]}`, parts[i], n));
	}
	return { wrong, items };
}
