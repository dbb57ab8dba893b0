// SPDX-License-Identifier: GPL-2.0-only
// Drawing: rows, times, losses, the overview.

// Time by category and column of pixels, in columns.
function spread(to, width, lane, kindOf) {
	const { t0, t1 } = view, k = width / (t1 - t0);

	lane.load();
	for (let i = lane.find(t0); i < lane.n && lane.start[i] < t1; i++) {
		const a = Math.max((lane.start[i] - t0) * k, 0), b = Math.min((lane.end[i] - t0) * k, width);
		const span = lane.end[i] - lane.start[i], first = a | 0, last = Math.min(b | 0, width - 1);

		for (let j = lane.first[i]; j < lane.first[i + 1]; j++) {
			const base = kindOf(lane.key[j]) * width, w = span ? lane.ns[j] / span : 0;

			if (first === last) {
				to[base + first] += (b - a) * w;
				continue;
			}
			to[base + first] += (first + 1 - a) * w;
			for (let c = first + 1; c < last; c++)
				to[base + c] += w;
			to[base + last] += (b - last) * w;
		}
	}
}

// Bytes by category and column: they count where they were reported.
function spreadBytes(to, width, lane, kindOf) {
	const { t0, t1 } = view, k = width / (t1 - t0);

	lane.between(t0, t1, (j, share, i) => {
		const middle = Math.max(t0, Math.min(t1, (lane.start[i] + lane.end[i]) / 2));
		const c = Math.min((middle - t0) * k | 0, width - 1);

		to[kindOf(lane.key[j]) * width + c] += lane.bytes[j] * share;
	});
}

// Stack of categories from the bottom; equal columns become one rectangle.
function stack(g, acc, width, x, y, h, paints, scale) {
	const heights = new Int32Array(paints.length), before = new Int32Array(paints.length).fill(-1);
	let from = 0;

	const flush = to => {
		let bottom = y + h;

		for (let k = 0; k < paints.length && to > from; k++) {
			if (before[k] <= 0)
				continue;
			g.fillStyle = paints[k];
			bottom -= before[k];
			g.fillRect(x + from, bottom, to - from, before[k]);
		}
	};
	for (let c = 0; c <= width; c++) {
		let sum = 0, sumPx = 0, same = c < width;

		for (let k = 0; k < paints.length && c < width; k++) {
			const v = acc[k * width + c] * scale;
			let px = Math.round((sum + v) * h) - Math.round(sum * h);

			sum += v;
			if (!px && v > 0)
				px = 1;
			px = Math.min(px, h - sumPx);
			sumPx += px;
			heights[k] = px;
			same = same && px === before[k];
		}
		if (same)
			continue;
		flush(c);
		from = c;
		before.set(heights);
	}
}

// From the bottom. Threads of the kernel that idle are drawn as if they slept.
const STACK = [RUN, QUEUE, DISK, OTHER, UNKNOWN, SLEEP];
const PLACE = STATES.map((s, i) => STACK.indexOf(s === 'idle kernel thread' ? SLEEP : CATEGORY[i]));
const stackPaints = color => [TINTS[color], colors.queue, colors.disk, colors.other, colors.unknown, colors.sleep];

// Of several threads in a row, the most that are awake in a column of pixels, which is its height.
function mostAwake(acc, width) {
	let most = 1;

	for (let c = 0; c < width; c++)
		most = Math.max(most, acc[c] + acc[width + c] + acc[2 * width + c] + acc[3 * width + c]);
	return most;
}

// What is above them: as many of the others are not known, so much of it is. Behind it, the row is that of sleep.
function fillRest(acc, width, most) {
	for (let c = 0; c < width; c++) {
		const up = acc[c] + acc[width + c] + acc[2 * width + c] + acc[3 * width + c];
		const unknown = acc[4 * width + c], rest = unknown + acc[5 * width + c];

		acc[4 * width + c] = rest ? Math.max(0, most - up) * unknown / rest : 0;
		acc[5 * width + c] = 0;
	}
}

// Of much data, rows of many threads are drawn when the page is open: their lanes take the longest.
const MUCH = 1 << 22;
const isLater = row => LANES.length > MUCH && row.threads.length > 50 && !document.documentElement.dataset.opened;

function drawThreads(g, row, x, y, width, dpr) {
	if (isLater(row))
		return;
	const acc = new Float64Array(6 * width), under = new Float64Array(3 * width);
	const h = Math.round((row.h - 10) * dpr), line = Math.max(Math.round(2.5 * dpr), 1), many = row.threads.length > 1;

	for (const t of row.threads) {
		if (t.end < view.t0 || t.start > view.t1)
			continue;
		spread(acc, width, t.states, key => PLACE[stateOf(key)]);
		spread(under, width, t.calls, key => (isWrite(callOf(key)) ? 1 : 0));
		spread(under, width, t.faults, () => 2);
	}
	row.most = many ? mostAwake(acc, width) : 1;
	if (many)
		fillRest(acc, width, row.most);
	const from = Math.max(0, (row.process.start - view.t0) / (view.t1 - view.t0) * width);
	const to = Math.min(width, (row.process.end - view.t0) / (view.t1 - view.t0) * width);
	if (many && to > from) {
		g.fillStyle = colors.sleep;
		g.fillRect(x + from, y + 2 * dpr, to - from, h);
	}
	stack(g, acc, width, x, Math.round(y + 2 * dpr), h, stackPaints(row.process.color), 1 / row.most);
	for (const [from3, to3, paints, dy] of [[0, 2, [colors.read, colors.write], 3], [2, 3, [colors.fault], 6]])
		drawLine(g, under.subarray(from3 * width, to3 * width), width, x, Math.round(y + h + dy * dpr), line, paints);
}

// Where there is something; the paler the less.
function drawLine(g, acc, width, x, y, h, paints) {
	for (let k = 0; k < paints.length; k++) {
		g.fillStyle = paints[k];
		for (let c = 0; c < width; c++) {
			const v = acc[k * width + c];

			if (!v)
				continue;
			let to = c + 1;
			const alpha = 0.35 + 0.65 * Math.min(1, Math.sqrt(v));
			while (to < width && v > 0.999 && acc[k * width + to] > 0.999)
				to++;
			g.globalAlpha = alpha;
			g.fillRect(x + c, y, to - c, h);
			c = to - 1;
		}
	}
	g.globalAlpha = 1;
}

// Where none of the processes runs that are shown, others may.
const idleColor = () => (D.filtered ? colors.unknown : colors.sleep);

// In colors, by key; alone if there is room for a name.
function drawNames(g, row, lane, x, y, width, dpr, color, textOf) {
	const { t0, t1 } = view, k = width / (t1 - t0);
	const top = Math.round(y + 2 * dpr), h = Math.round((row.h - 4) * dpr), paints = [...TINTS, ...colors.pale], acc = new Float64Array(paints.length * width);

	g.fillStyle = row.kind === 'cpu' ? idleColor() : colors.sleep;
	g.fillRect(x, top, width, h);
	spread(acc, width, lane, color);
	stack(g, acc, width, x, top, h, paints, 1);
	g.font = `${11 * dpr}px system-ui, sans-serif`;
	for (let i = lane.find(t0); i < lane.n && lane.start[i] < t1; i++) {
		const a = Math.max((lane.start[i] - t0) * k, 0), b = Math.min((lane.end[i] - t0) * k, width);

		if (lane.mix[i] || b - a < 6)
			continue;
		g.fillStyle = colors.bg;
		g.fillRect(x + b - 1, top, 1, h);
		if (b - a > 34 * dpr)
			text(g, textOf(lane.key[lane.first[i]]), x + a + 5 * dpr, top + h / 2, b - a - 9 * dpr,
				color(lane.key[lane.first[i]]) < TINTS.length ? '#10161c' : colors.text);
	}
}

const whoRuns = key => (key < GROUP ? threads[key - 1] : groupOf(key));

function runColor(key) {
	const who = whoRuns(key);

	return who && key >= GROUP ? who.color : colorOf(who);
}

const cpuColor = key => runColor(key) + ((whoRuns(key) || {}).faded ? TINTS.length : 0);

function drawCpu(g, row, ...where) {
	drawNames(g, row, row.cpu.lane, ...where, cpuColor, key => (key < GROUP ? nameOf(threads[key - 1]) : names[key - GROUP]));
}

function drawMark(g, row, ...where) {
	drawNames(g, row, row.mark.lane, ...where, key => key % OTHERS, key => values[key - 1]);
}

function drawFile(g, row, x, y, width, dpr) {
	const acc = new Float64Array(4 * width), h = Math.round((row.h / 4 - 1) * dpr);

	spreadBytes(acc, width, row.file.lane, key => key - 1);
	for (let k = 0; k < 4; k++) {
		const line = Math.round(y + (k < 2 ? 0.25 : 0.75) * row.h * dpr), down = k % 2;

		g.fillStyle = colors.line;
		g.fillRect(x, line, width, 1);
		g.fillStyle = [colors.read, colors.write, colors.add, colors.remove][k];
		for (let c = 0; c < width; c++) {
			const v = acc[k * width + c];
			/* The root: small ones are to be seen beside large ones. */
			const px = v && Math.max(1, Math.round(Math.sqrt(Math.min(1, v / view.most)) * h));

			g.fillRect(x + c, down ? line + 1 : line - px, 1, px);
		}
	}
}

// The most bytes of one kind that a file has in a column of pixels: the scale of all files.
function mostBytes(list) {
	const width = Math.max(1, Math.round(widthOf($('rows')) * (window.devicePixelRatio || 1))), acc = new Float64Array(4 * width);
	let most = 0;

	for (const f of list) {
		if (!f.most)
			continue;
		acc.fill(0);
		spreadBytes(acc, width, f.lane, key => key - 1);
		most = acc.reduce((a, b) => Math.max(a, b), most);
	}
	return most;
}

function text(g, what, x, y, room, color, align) {
	let shown = what;

	g.fillStyle = color;
	g.textAlign = align || 'left';
	g.textBaseline = 'middle';
	if (g.measureText(shown).width > room) {
		const fits = Math.max(1, Math.floor(shown.length * room / g.measureText(shown).width) - 1);

		shown = `${shown.slice(0, fits)}\u2026`;
		if (room < 20)
			return;
	}
	g.fillText(shown, x, y);
}

// The end of a name, which tells more of a path than its beginning.
function endOf(g, name, room) {
	let cut = name;

	for (let n = name.length; n > 1 && g.measureText(cut).width > room; n--)
		cut = `\u2026${name.slice(1 - n)}`;
	return cut;
}

function drawLabel(g, row, y, dpr) {
	const middle = y + row.h / 2 * dpr, end = (LEFT - 10) * dpr;

	g.font = `${12 * dpr}px system-ui, sans-serif`;
	if (row.kind === 'section') {
		g.fillStyle = colors.bg2;
		g.fillRect(0, y, g.canvas.width, row.h * dpr);
		g.font = `600 ${12 * dpr}px system-ui, sans-serif`;
		text(g, `${fold[row.key] ? '\u25be' : '\u25b8'}  ${row.label}`, 10 * dpr, middle, 900 * dpr, colors.dim);
		return;
	}
	if (row.kind === 'cpu') {
		text(g, `CPU ${row.cpu.nr}`, 22 * dpr, middle, 100 * dpr, colors.text);
		const share = (row.cpu.here / (view.t1 - view.t0) * 100).toFixed(1);

		text(g, `${share} % busy${D.filtered ? ' with these' : ''}`, end, middle, 160 * dpr, colors.dim, 'right');
		return;
	}
	if (row.kind === 'file') {
		g.font = `${11 * dpr}px system-ui, sans-serif`;
		text(g, endOf(g, row.file.name, (LEFT - 32) * dpr), 22 * dpr, middle - 6 * dpr, (LEFT - 32) * dpr, colors.text);
		g.font = `${10 * dpr}px system-ui, sans-serif`;
		text(g, usesText(row.file.here), 22 * dpr, middle + 7 * dpr, (LEFT - 32) * dpr, colors.dim);
		return;
	}
	if (row.kind === 'mark') {
		g.font = `${11 * dpr}px system-ui, sans-serif`;
		text(g, row.mark.title, 48 * dpr, middle, (LEFT - 60) * dpr, colors.dim);
		return;
	}
	drawWho(g, row, y, middle, end, dpr);
}

// A program, process or thread.
function drawWho(g, row, y, middle, end, dpr) {
	const p = row.process, one = row.kind === 'thread' ? row.thread : p, x = (22 + 16 * row.depth) * dpr;
	const label = row.kind === 'thread' ? nameOf(one) : one.name, room = (LEFT - (LEFT < 250 ? 125 : 145) - 16 * row.depth) * dpr;

	if (view.chosen === one) {
		g.fillStyle = colors.mark;
		g.fillRect(0, y, g.canvas.width, row.h * dpr);
	}
	if (row.kind !== 'thread') {
		g.fillStyle = TINTS[p.color];
		g.fillRect(2 * dpr, y + 3 * dpr, 4 * dpr, (row.h - 7) * dpr);
	}
	if (row.kind !== 'thread')
		text(g, p.open ? '\u25be' : '\u25b8', x - 12 * dpr, middle, 20 * dpr, colors.dim);
	text(g, label, x, middle, room, colors.text);
	text(g, String(row.kind === 'thread' ? one.tid : p.pid), x + Math.min(g.measureText(label).width, room) + 6 * dpr, middle,
		75 * dpr, colors.dim);
	if (row.kind === 'thread')
		measure(one);
	const ns = beside().of(one);
	text(g, ns || view.sort === 'start' ? brief(ns) : '', end, middle, 80 * dpr, colors.dim, 'right');
}

// A time with the digits that tell it from the next one.
function timeLabel(t, step) {
	const unit = step >= 1e9 ? [1e9, 's', 0] : step >= 1e6 ? [1e9, 's', 9 - Math.floor(Math.log10(step))] :
		step >= 1e3 ? [1e6, 'ms', 6 - Math.floor(Math.log10(step))] : [1e6, 'ms', 6];

	return `${(t / unit[0]).toFixed(unit[2])} ${unit[1]}`;
}

// The shortest step whose labels have room.
function stepOf(g, span, width, dpr) {
	for (let power = 10 ** Math.max(0, Math.floor(Math.log10(span)) - 3); ; power *= 10) {
		for (const step of [power, 2 * power, 5 * power]) {
			if (step / span * width >= g.measureText(timeLabel(view.t1, step)).width + 20 * dpr)
				return step;
		}
	}
}

function drawTimes(g, x, width, dpr) {
	const span = view.t1 - view.t0;

	g.fillStyle = colors.bg2;
	g.fillRect(0, 0, g.canvas.width, RULER * dpr);
	g.font = `${11 * dpr}px system-ui, sans-serif`;
	text(g, D.since ? 'since the part began' : 'since the beginning', 12 * dpr, RULER / 2 * dpr, (LEFT - 20) * dpr, colors.dim);
	const step = stepOf(g, span, width, dpr), first = Math.ceil(view.t0 / step) * step;

	// Added up, a time beyond 2^53 ns would stay where it is.
	for (let i = 0; first + i * step <= view.t1 && i < 1000; i++) {
		const t = first + i * step;
		const at = Math.round(x + (t - view.t0) / span * width);

		g.fillStyle = colors.line;
		g.fillRect(at, 0, 1, g.canvas.height);
		const label = timeLabel(t, step);

		if (at + 4 * dpr + g.measureText(label).width <= g.canvas.width)
			text(g, label, at + 4 * dpr, RULER / 2 * dpr, 200 * dpr, colors.dim);
	}
}

function hatch(g, x, y, w, h, dpr) {
	g.save();
	g.beginPath();
	g.rect(x, y, Math.max(w, 2 * dpr), h);
	g.clip();
	g.fillStyle = colors.bg;
	g.globalAlpha = 0.6;
	g.fillRect(x, y, Math.max(w, 2 * dpr), h);
	g.globalAlpha = 1;
	g.strokeStyle = colors.loss;
	g.lineWidth = dpr;
	g.beginPath();
	for (let d = -h; d < w + h; d += 6 * dpr) {
		g.moveTo(x + d, y + h);
		g.lineTo(x + d + h, y);
	}
	g.stroke();
	g.restore();
}

function drawLosses(g, x, width, dpr) {
	const k = width / (view.t1 - view.t0);

	for (const [nr, start, end] of D.losses) {
		if (end < view.t0 || start > view.t1)
			continue;
		const a = x + Math.max(0, (start - view.t0) * k), b = x + Math.min(width, (end - view.t0) * k);
		const row = rows.find(r => r.kind === 'cpu' && r.cpu.nr === nr);

		g.fillStyle = colors.loss;
		g.fillRect(a, (RULER - 4) * dpr, Math.max(b - a, 2 * dpr), 4 * dpr);
		const y = row ? RULER + row.y - view.scroll : 0;
		if (row && y > RULER - row.h)
			hatch(g, a, (y + 2) * dpr, b - a, (row.h - 4) * dpr, dpr);
	}
}

// On demand: from who ended a wait to who had waited, at that time.
function drawArrow(g, at, from, to, dpr) {
	const way = to > from ? 1 : -1;

	g.beginPath();
	g.moveTo(at, from);
	g.lineTo(at, to);
	g.stroke();
	g.beginPath();
	g.moveTo(at, to);
	g.lineTo(at - 3 * dpr, to - 6 * way * dpr);
	g.lineTo(at + 3 * dpr, to - 6 * way * dpr);
	g.fill();
}

// Return: how many. Of those that are too near to be told apart, the first.
function drawArrowsTo(g, row, rowOf, x, width, dpr) {
	const lane = row.threads[0].states.load(), k = width / (view.t1 - view.t0), yOf = r => (RULER + r.y - view.scroll + (r.h - 10) / 2) * dpr;
	let n = 0, last = -Infinity;

	for (let i = lane.find(view.t0); i < lane.n && lane.end[i] <= view.t1; i++) {
		const waker = lane.mix[i] ? null : wakerThread(lane.key[lane.first[i]]), from = rowOf.get(waker);
		const at = Math.round(x + (lane.end[i] - view.t0) * k);

		if (!from || from === row || at - last < 5 * dpr)
			continue;
		drawArrow(g, at, yOf(from), yOf(row), dpr);
		last = at;
		n++;
	}
	return n;
}

function drawArrows(g, x, width, dpr, bottom) {
	const rowOf = new Map();
	let n = 0;

	if (view.arrows) {
		rows.forEach(row => (row.threads || []).forEach(t => rowOf.set(t, row)));
		g.strokeStyle = g.fillStyle = colors.text;
		g.lineWidth = dpr;
		for (const row of rows) {
			const y = RULER + row.y - view.scroll;

			if (row.threads && row.threads.length === 1 && rowOf.get(row.threads[0]) === row && y + row.h > RULER && y < bottom && isChosen(row.threads[0]))
				n += drawArrowsTo(g, row, rowOf, x, width, dpr);
		}
	}
	document.documentElement.dataset.arrows = n;
}

function fit(canvas) {
	const dpr = window.devicePixelRatio || 1, box = canvas.getBoundingClientRect();
	const w = Math.round(box.width * dpr), h = Math.round(box.height * dpr);

	if (canvas.width !== w || canvas.height !== h) {
		canvas.width = w;
		canvas.height = h;
	}
	return dpr;
}

const widthOf = canvas => canvas.getBoundingClientRect().width - LEFT - RIGHT;
const timeAt = x => view.t0 + (x - LEFT) / widthOf($('rows')) * (view.t1 - view.t0);

function drawRows() {
	const canvas = $('rows'), dpr = fit(canvas), g = canvas.getContext('2d', { alpha: false });
	const x = LEFT * dpr, width = Math.max(1, Math.round(widthOf(canvas) * dpr)), bottom = canvas.height / dpr;

	g.fillStyle = colors.bg;
	g.fillRect(0, 0, canvas.width, canvas.height);
	drawTimes(g, x, width, dpr);
	g.save();
	g.beginPath();
	g.rect(0, RULER * dpr, canvas.width, canvas.height);
	g.clip();
	for (const row of rows) {
		const y = RULER + row.y - view.scroll;

		if (y + row.h < RULER || y > bottom)
			continue;
		drawLabel(g, row, y * dpr, dpr);
		if (row.kind === 'cpu')
			drawCpu(g, row, x, y * dpr, width, dpr);
		else if (row.kind === 'file')
			drawFile(g, row, x, y * dpr, width, dpr);
		else if (row.kind === 'mark')
			drawMark(g, row, x, y * dpr, width, dpr);
		else if (row.kind !== 'section')
			drawThreads(g, row, x, y * dpr, width, dpr);
	}
	drawArrows(g, x, width, dpr, bottom);
	g.restore();
	drawLosses(g, x, width, dpr);
	if (view.select) {
		const [a, b] = view.select.map(t => x + (t - view.t0) / (view.t1 - view.t0) * width);

		g.fillStyle = colors.select;
		g.fillRect(Math.max(a, x), 0, Math.min(b, x + width) - Math.max(a, x), canvas.height);
	}
	if (total > bottom - RULER) {
		const room = bottom - RULER;

		g.fillStyle = colors.dim;
		g.fillRect(canvas.width - 7 * dpr, (RULER + view.scroll / total * room) * dpr, 5 * dpr,
			Math.max(room / total * room, 24) * dpr);
	}
}

let asked = false;

function draw() {
	asked = false;
	drawRows();
	drawOverview();
}

function redraw() {
	Object.assign(document.documentElement.dataset, { from: view.t0, to: view.t1, rows: rows.length, scroll: view.scroll });
	sayWhole();
	keepAddress();
	if (asked)
		return;
	asked = true;
	requestAnimationFrame(draw);
}
