// SPDX-License-Identifier: GPL-2.0-only
// What is shown: the view, colors, and which rows there are.

const LEFT = 230, RULER = 26, RIGHT = 10;
const view = { t0: 0, t1: LENGTH, scroll: 0, select: null, chosen: null, words: [], sort: 'cpu' };
const colors = {};
let rows = [], total = 0;

function readColors() {
	const style = getComputedStyle(document.documentElement);

	for (const name of ['bg', 'bg2', 'line', 'text', 'dim', 'accent', 'run', 'queue', 'disk', 'other', 'sleep', 'unknown',
		'read', 'write', 'fault', 'add', 'remove', 'loss', 'select', 'mark'])
		colors[name] = style.getPropertyValue(`--${name}`).trim();
	colors.dark = document.documentElement.classList.contains('dark');
}

// The programs that run most have a color each, which is the same everywhere.
const PALETTE = ['#5b8ff9', '#f6bd16', '#e8684a', '#5ad8a6', '#9270ca', '#6dc8ec', '#ff9d4d', '#d87aa9', '#7f9c3c', '#269a99', '#b08d6e',
	'#8a94a6'];
const programs = new Map();

for (const p of processes)
	programs.set(p.name, (programs.get(p.name) || 0) + p.sums[RUN]);
[...programs].sort((a, b) => b[1] - a[1]).forEach(([name], i) => programs.set(name, Math.min(i, PALETTE.length - 1)));

const programOf = t => (t && t.process ? programs.get(t.process.name) : PALETTE.length - 1);

// Rows

const nameOf = t => t.name || (t.process ? t.process.name : '?');
const matches = (...texts) => view.words.every(w => texts.some(t => String(t).toLowerCase().includes(w)));
const fold = { CPUs: true, processes: true, files: true };

function section(key, label) {
	rows.push({ kind: 'section', key, label, h: 24 });
	return fold[key];
}

function order(list) {
	const by = { cpu: (a, b) => b.sums[RUN] - a.sums[RUN], queue: (a, b) => b.sums[QUEUE] - a.sums[QUEUE],
		start: (a, b) => a.start - b.start, pid: (a, b) => a.pid - b.pid,
		name: (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.pid - b.pid) };

	return list.sort(by[view.sort]);
}

function makeRows() {
	const shown = order(processes.filter(p => p.threads.length &&
		(matches(p.name, p.pid) || p.threads.some(t => matches(t.name, t.tid)))));
	const used = files.filter(f => f.lane.len && matches(f.name)).sort((a, b) => b.bytes - a.bytes);

	rows = [];
	if (section('CPUs', `${cpus.length} CPU${cpus.length > 1 ? 's' : ''}: what runs`))
		cpus.forEach(cpu => rows.push({ kind: 'cpu', cpu, h: 26 }));
	if (section('processes', `${count(shown.length)} of ${count(processes.length)} processes`)) {
		for (const p of shown) {
			rows.push({ kind: 'process', process: p, threads: p.threads, h: 24 });
			for (const t of p.open ? p.threads : []) {
				if (p.threads.length > 1)
					rows.push({ kind: 'thread', process: p, thread: t, threads: [t], h: 22 });
				(t.marks || []).forEach(mark => rows.push({ kind: 'mark', process: p, mark, h: 20 }));
			}
		}
	}
	if (section('files', `Page cache, and ${count(used.length)} of ${count(files.length)} files`)) {
		if (pages.len)
			rows.push({ kind: 'file', file: { name: 'page cache, all files', lane: pages }, h: 28 });
		used.slice(0, 500).forEach(file => rows.push({ kind: 'file', file, h: 20 }));
	}
	total = 0;
	for (const row of rows) {
		row.y = total;
		total += row.h;
	}
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
