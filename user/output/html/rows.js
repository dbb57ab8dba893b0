// SPDX-License-Identifier: GPL-2.0-only
// What is shown: the view, colors, and which rows there are.

// The labels are narrower where the chart would be, too.
let LEFT = 250;
const RULER = 26, RIGHT = 10;
const view = { t0: 0, t1: LENGTH, scroll: 0, select: null, chosen: null, words: [], sort: 'cpu', group: true, asleep: false,
	arrows: false, theme: '', tab: 'report', measured: null, most: 0 };
const colors = {};
let rows = [], total = 0;

function readColors() {
	const style = getComputedStyle(document.documentElement);

	for (const name of ['bg', 'bg2', 'line', 'text', 'dim', 'accent', 'run', 'queue', 'disk', 'other', 'sleep', 'unknown',
		'read', 'write', 'fault', 'add', 'remove', 'loss', 'select', 'mark'])
		colors[name] = style.getPropertyValue(`--${name}`).trim();
	colors.dark = document.documentElement.classList.contains('dark');
	colors.pale = TINTS.map(paler);
}

// Who runs is cool, who waits is warm, and only what is not known is grey. The programs that run most have a tint each,
// which is the same everywhere, also in --to svg; the last one is of all others. host/html.sh proves that they are told apart.
const TINTS = D.tints;
const OTHERS = TINTS.length - 1;
const programs = new Map();

processes.forEach(p => { p.color = OTHERS; });
for (const p of shownProcesses) {
	const g = programs.get(p.name) || { name: p.name, pid: '', processes: [], threads: [], sums: [0, 0, 0, 0, 0, 0], start: p.start,
		end: p.end, open: false };

	programs.set(p.name, g);
	Object.assign(g, { recorder: p.recorder, comm: p.comm });
	p.program = g;
	g.processes.push(p);
	g.threads.push(...p.threads);
	p.sums.forEach((ns, i) => { g.sums[i] += ns; });
	g.start = Math.min(g.start, p.start);
	g.end = Math.max(g.end, p.end);
	g.open = g.open || p.open;
}
const byColor = D.tinted.map(name => programs.get(shown(name) || '?'));
programs.forEach(g => { g.color = OTHERS; });
byColor.forEach((g, i) => { g.color = i; });
shownProcesses.forEach(p => { p.color = p.program.color; });

// On a CPU, what has too many threads is summed up by program.
const GROUP = 2 ** 31;
const names = D.programs.map(shown);
const groupOf = key => programs.get(names[key - GROUP] || '?') || [...programs.values()].find(g => g.comm === names[key - GROUP]);

const colorOf = t => (t && t.process ? t.process.color : OTHERS);
// Of what is not looked for: its tint, halfway to the background.
const paler = tint => `#${[1, 3, 5].map(i => Math.round(0.4 * parseInt(tint.slice(i, i + 2), 16) +
	0.6 * parseInt(colors.bg.slice(i, i + 2), 16)).toString(16).padStart(2, '0')).join('')}`;

// Rows

const nrOfCpus = cpus.length < D.nr_cpus ? `${cpus.length} of ${D.nr_cpus}` : D.nr_cpus;
const cpusOfAll = `${nrOfCpus} CPU${D.nr_cpus > 1 ? 's' : ''}`;
const nameOf = t => t.name || (t.process ? t.process.name : '?');
// A program, process or thread that is chosen has threads.
const isChosen = t => !view.chosen || t === view.chosen || t.process === view.chosen || (t.process && t.process.program === view.chosen);
const processOf = who => who.process || who;
const matches = (...texts) => view.words.every(w => texts.some(t => String(t).toLowerCase().includes(w)));
const isFound = t => t.process && !t.process.leftOut && matches(t.process.name, t.process.pid, t.name, t.tid);
const found = p => p.threads.some(isFound);
// Those of the sums.
const wanted = t => (view.chosen ? isChosen(t) : !view.words.length || isFound(t));
const fold = { CPUs: true, processes: true, files: true };

// What is looked for may be below a program or process: that is unfolded, until others are looked for.
function unfoldFound() {
	for (const p of [...programs.values(), ...shownProcesses]) {
		p.open = p.open && !p.unfolded;
		p.unfolded = !p.open && view.words.length > 0 && !(p.processes ? matches(p.name) : matches(p.name, p.pid)) &&
			p.threads.some(isFound);
		p.open = p.open || p.unfolded;
	}
}

function section(key, label) {
	rows.push({ kind: 'section', key, label, h: 24 });
	return fold[key];
}

// The time that threads run, wait for a CPU, and wait for a disk or the like, in what is shown.
function measure(p) {
	const all = view.t0 === 0 && view.t1 === LENGTH, here = all ? p.sums : [0, 0, 0, 0, 0, 0];

	for (const t of all ? [] : p.threads) {
		if (t.end <= view.t0 || t.start >= view.t1)
			continue;
		t.states.between(view.t0, view.t1, (j, share) => { here[CATEGORY[stateOf(t.states.key[j])]] += t.states.ns[j] * share; });
	}
	p.here = here;
}

// Of a CPU, in what is shown.
function busyHere(lane) {
	let sum = 0;

	lane.between(view.t0, view.t1, (j, share) => { sum += lane.ns[j] * share; });
	return sum;
}

function measureFile(f) {
	f.here = [0, 0, 0, 0];
	f.lane.between(view.t0, view.t1, (j, share) => { f.here[f.lane.key[j] - 1] += f.lane.bytes[j] * share; });
	f.most = Math.max(...f.here);
}

// Files that only the recorder read or wrote: their calls have no other bytes.
function findOwnFiles() {
	const own = new Map(), sum = (lane, j, f) => own.set(f, (own.get(f) || 0) + lane.bytes[j]);

	for (const t of threads.filter(t => t.process && t.process.recorder))
		t.calls.load().key.forEach((key, j) => fileOf(key) && sum(t.calls, j, fileOf(key)));
	for (const [f, bytes] of own) {
		const lane = f.lane.load(), all = lane.bytes.reduce((n, b, j) => n + (lane.key[j] < 3 ? b : 0), 0);

		f.own = bytes > 0 && bytes === all;
	}
}
findOwnFiles();

function measureAll() {
	if (view.measured && view.measured[0] === view.t0 && view.measured[1] === view.t1)
		return;
	view.measured = [view.t0, view.t1];
	cpus.forEach(c => { c.here = busyHere(c.lane); });
	[pages, ...files].forEach(measureFile);
	shownProcesses.forEach(measure);
	for (const g of programs.values()) {
		g.here = [0, 0, 0, 0, 0, 0];
		g.processes.forEach(p => p.here.forEach((ns, i) => { g.here[i] += ns; }));
	}
}

const awake = p => p.here[RUN] + p.here[QUEUE] + p.here[DISK] > 0 || (view.chosen && p === processOf(view.chosen)) || p.marked;

function isUsed(f) {
	const lane = f.lane.load(), i = lane.find(view.t0);

	return (i < lane.n && lane.start[i] < view.t1) || (i > 0 && lane.start[i - 1] === view.t0);
}

// What the names have beside them: what they are sorted by, if that is not there anyway.
const BESIDE = {
	queue: { what: 'wait for a CPU', of: who => who.here[QUEUE] },
	start: { what: 'start', of: who => who.start },
	cpu: { what: 'time on a CPU', of: who => who.here[RUN] },
};
const beside = () => BESIDE[view.sort] || BESIDE.cpu;

function order(list) {
	const by = { cpu: (a, b) => b.here[RUN] - a.here[RUN], queue: (a, b) => b.here[QUEUE] - a.here[QUEUE],
		start: (a, b) => a.start - b.start, pid: (a, b) => a.pid - b.pid,
		name: (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.pid - b.pid) };

	return list.sort((a, b) => !!a.recorder - !!b.recorder || by[view.sort](a, b));
}

function addProcess(p, depth) {
	rows.push({ kind: 'process', process: p, threads: p.threads, depth, h: 24 });
	for (const t of p.open ? p.threads : []) {
		if (p.unfolded && !isFound(t))
			continue;
		if (p.threads.length > 1 || !p.marked)
			rows.push({ kind: 'thread', process: p, thread: t, threads: [t], depth: depth + 1, h: 22 });
		(t.marks || []).forEach(mark => rows.push({ kind: 'mark', process: p, mark, h: 20 }));
	}
}

// Programs with several processes have a row of their own, which unfolds to them.
function addPrograms(shown) {
	const groups = [...new Set(shown.map(p => p.program))];
	const units = view.sort === 'pid' || view.sort === 'start' ? shown.map(p => (p.program.processes.length > 1 ? p.program : p)) : groups;

	for (const unit of order([...new Set(units)])) {
		const g = unit.program || unit;

		if (g.processes.length === 1) {
			addProcess(g.processes[0], 0);
			continue;
		}
		const its = shown.filter(p => p.program === g);

		g.pid = `\u00d7${its.length}${its.length < g.processes.length ? ` of ${g.processes.length}` : ''}`;
		rows.push({ kind: 'program', process: g, threads: g.threads, depth: 0, h: 24 });
		if (g.open)
			order(its).forEach(p => addProcess(p, 1));
	}
}

function makeRows() {
	measureAll();
	const shown = shownProcesses.filter(p => p.threads.length && (view.words.length ? found(p) : view.asleep || awake(p)));
	const ofAll = files.filter(f => view.asleep || !f.own);
	const used = ofAll.filter(f => f.lane.len && (view.words.length ? matches(f.name) : view.asleep || isUsed(f)))
		.sort((a, b) => b.most - a.most);
	const those = `${count(shown.length)} of ${count(shownProcesses.length)} processes`, names = new Set(shown.map(p => p.program)).size;
	const what = view.words.length ? ' found' : view.asleep ? '' : ' active here';

	rows = [];
	if (section('CPUs', `${cpusOfAll}: which ${D.filtered ? 'of these programs' : 'program'} runs`))
		cpus.forEach(cpu => rows.push({ kind: 'cpu', cpu, h: 26 }));
	if (section('processes', `${view.group ? `${count(names)} program${names === 1 ? '' : 's'}, ` : ''}${those}${what}; beside the names: ${beside().what}`)) {
		if (view.group)
			addPrograms(shown);
		else
			order(shown).forEach(p => addProcess(p, 0));
	}
	view.most = mostBytes([pages, ...ofAll]);
	if (section('files', `Page cache, and ${count(used.length)} of ${count(ofAll.length)} files${what}${
		view.most ? `; full height: ${size(view.most)} per pixel column` : ''}`)) {
		if (pages.lane.len)
			rows.push({ kind: 'file', file: pages, h: 32 });
		used.slice(0, 500).forEach(file => rows.push({ kind: 'file', file, h: 32 }));
	}
	total = 0;
	for (const row of rows) {
		row.y = total;
		total += row.h;
	}
	fade();
}

// On the CPUs, what is not looked for is paler.
function fade() {
	for (const g of programs.values())
		g.faded = view.chosen ? g !== view.chosen : !matches(g.name);
	for (const t of threads)
		t.faded = !wanted(t);
}

function rowAt(y) {
	const at = y - RULER + view.scroll;
	let low = 0, high = rows.length;

	while (low < high) {
		const middle = (low + high) >> 1;

		if (rows[middle].y + rows[middle].h > at)
			high = middle;
		else
			low = middle + 1;
	}
	return y >= RULER ? rows[low] : undefined;
}
