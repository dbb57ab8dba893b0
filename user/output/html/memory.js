// SPDX-License-Identifier: GPL-2.0-only
// What ovnik-merge --stat has counted: miss ratio curves and working sets, as charts.

const MEMORY = JSON.parse($('memory').textContent);

// Rows of CSV, of which at most the second field is quoted.
function rowsOf(csv) {
	const row = /^([^,]*),(?:"((?:[^"]|"")*)",)?(.*)$/;

	return csv.split('\n').slice(1).map(l => row.exec(l)).filter(Boolean).map(([, first, name, rest]) =>
		({ first, name: name && shown(name.replace(/""/g, '"')), numbers: rest.split(',') }));
}

function curves() {
	const all = new Map();

	for (const { first, name, numbers } of rowsOf(MEMORY.curves)) {
		const key = `${name}${first === '0' ? '' : ` ${first}`}`;

		if (!all.has(key))
			all.set(key, []);
		all.get(key).push([Number(numbers[0]), Number(numbers[1]) / Number(numbers[2])]);
	}
	return all;
}

function drawn(tag, attributes, text) {
	const e = document.createElementNS('http://www.w3.org/2000/svg', tag);

	for (const [name, value] of Object.entries(attributes))
		e.setAttribute(name, value);
	e.textContent = text || '';
	return e;
}

// Powers of a base, or multiples of a round number, that lie in an axis.
function ticks(a) {
	const marks = [];
	let step = 10 ** Math.floor(Math.log10(a.max / 5 || 1));

	if (a.log) {
		for (let v = a.log ** Math.ceil(Math.log(a.min) / Math.log(a.log) - 1e-9); v <= a.max * 1.0001; v *= a.log)
			marks.push(v);
		return marks;
	}
	step *= [1, 2, 5, 10].find(m => a.max / (step * m) <= 6) || 10;
	for (let v = 0; v <= a.max; v += step)
		marks.push(v);
	return marks;
}

// A chart of lines, each [name, [[x, y], ...], colour]. x and y: { min, max, log: base, show, title }
function chart(lines, x, y) {
	const W = 400, H = 250, L = 58, R = 16, B = 34, T = 8;
	const scale = (v, a) => (a.log ? Math.log(v / a.min) / Math.log(a.max / a.min) : (v - a.min) / (a.max - a.min)) || 0;
	const at = ([vx, vy]) => [L + (W - L - R) * scale(vx, x), H - B - (H - B - T) * scale(vy, y)].map(v => v.toFixed(1));
	const svg = drawn('svg', { viewBox: `0 0 ${W} ${H}`, class: 'chart' });

	for (const v of ticks(x)) {
		const [px] = at([v, y.min]);

		svg.append(drawn('path', { d: `M${px} ${T}V${H - B}`, class: 'grid' }),
			drawn('text', { x: px, y: H - B + 13, 'text-anchor': 'middle' }, x.show(v)));
	}
	for (const v of ticks(y)) {
		const [, py] = at([x.min, v]);

		svg.append(drawn('path', { d: `M${L} ${py}H${W - R}`, class: 'grid' }),
			drawn('text', { x: L - 4, y: Number(py) + 4, 'text-anchor': 'end' }, y.show(v)));
	}
	for (const [name, points, colour] of lines) {
		const line = drawn('path', { d: `M${points.map(p => at(p).join(' ')).join('L')}`, stroke: `var(--${colour})` });

		line.append(drawn('title', {}, name));
		svg.append(line);
	}
	svg.append(drawn('text', { x: (W + L) / 2, y: H - 4, 'text-anchor': 'middle' }, x.title));
	return svg;
}

function legendOf(lines) {
	const names = element('p', lines.map(([name, , colour]) => {
		const e = element('b', name);

		e.style.color = `var(--${colour})`;
		return e;
	}));

	names.className = 'names';
	return names;
}

function missRatios(all, chosen) {
	const lines = [['machine', all.get('machine'), 'accent'], ['machine without files', all.get('machine without files'), 'queue']];

	if (chosen)
		lines.push([chosen, all.get(chosen), 'fault']);
	const there = lines.filter(([, points]) => points), points = there.flatMap(([, p]) => p);
	const most = points.reduce((a, p) => Math.max(a, p[0]), 2), least = points.reduce((a, p) => Math.min(a, p[1] || 1), 1);

	return [legendOf(there), chart(there, { min: 1, max: most, log: 8, show: v => count(Math.round(v)),
		title: 'pages of memory (4 KiB)' }, { min: 10 ** Math.floor(Math.log10(Math.min(least, 0.5))), max: 1, log: 10,
		show: v => String(Number(v.toPrecision(1))) })];
}

function workingSets() {
	const rows = rowsOf(MEMORY.sets), begin = rows.length ? parseInt(rows[0].first, 16) : 0;
	const when = r => (parseInt(r.first, 16) - begin) / 1e6;
	const line = (name, i, colour) => [name, rows.map(r => [when(r), Number(r.numbers[i])]), colour];
	const lines = [line('pages in use', 2, 'accent'), line('of processes', 3, 'run'), line('of files', 4, 'queue')];
	const most = rows.reduce((a, r) => Math.max(a, Number(r.numbers[2])), 1);

	return [legendOf(lines), chart(lines, { min: 0, max: rows.length ? when(rows[rows.length - 1]) || 1 : 1,
		show: v => v.toFixed(0), title: 'million ticks since the first reference' },
	{ min: 0, max: most, show: v => count(Math.round(v)) })];
}

function memoryTab() {
	const to = $('memory-charts'), button = document.querySelector('[data-tab="memory"]');

	button.hidden = !MEMORY.curves;
	if (!MEMORY.curves)
		return;
	const all = curves(), choice = element('select'), box = element('div');

	choice.append(...['', ...[...all.keys()].filter(k => !k.startsWith('machine'))].map(k => {
		const option = element('option', k || 'and a process \u2026');

		option.value = k;
		return option;
	}));
	choice.addEventListener('change', () => box.replaceChildren(...missRatios(all, choice.value)));
	box.append(...missRatios(all, ''));
	to.append(element('h3', 'Miss ratio of a memory that replaces the page used least recently'), choice, box,
		element('h3', 'Working set: pages used in each part of the time'), ...workingSets());
	if (MEMORY.cut)
		to.append(element('p', 'There are more processes: see miss-ratio.csv.'));
	document.documentElement.dataset.curves = all.size;
}
