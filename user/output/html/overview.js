// SPDX-License-Identifier: GPL-2.0-only
// All of the capture: which programs ran, how many threads waited for a CPU, and what is shown of it.

const overview = { width: 0, busy: null, waits: null, most: 0 };
const WAITS = 18, BUSY = 30;	/* pixels high */

// In all of the time, whatever is shown.
function overAll(f) {
	const { t0, t1 } = view;

	Object.assign(view, { t0: 0, t1: LENGTH });
	f();
	Object.assign(view, { t0, t1 });
}

// The first takes all CPUs, the second all threads: that can be later.
function sumBusy(width) {
	Object.assign(overview, { width, waits: null, busy: new Float64Array(TINTS.length * width) });
	overAll(() => cpus.forEach(c => spread(overview.busy, width, c.lane, runColor)));
}

function sumWaits() {
	const { width } = overview, acc = new Float64Array(2 * width);

	overAll(() => threads.filter(t => t.sums[QUEUE])
		.forEach(t => spread(acc, width, t.states, key => (CATEGORY[stateOf(key)] === QUEUE ? 0 : 1))));
	overview.waits = acc.subarray(0, width);
	overview.most = overview.waits.reduce((a, b) => Math.max(a, b), 0);
	redraw();
}

function drawLoad(g, x, width, dpr) {
	const waits = Math.round(WAITS * dpr), busy = Math.round(BUSY * dpr), at = waits + Math.round(5 * dpr);
	const ns = cpus.reduce((sum, c) => sum + c.busy, 0), share = ns / cpus.length / LENGTH;

	g.font = `${12 * dpr}px system-ui, sans-serif`;
	text(g, `CPUs busy${D.filtered ? ' with these' : ''}`, 12 * dpr, at + busy / 2, 200 * dpr, colors.text);
	text(g, `${(share * 100).toFixed(1)} %`, (LEFT - 10) * dpr, at + busy / 2, 150 * dpr, colors.dim, 'right');
	g.fillStyle = idleColor();
	g.fillRect(x, at, width, busy);
	stack(g, overview.busy, width, x, at, busy, TINTS, 1 / cpus.length);
	text(g, 'wait for a CPU', 12 * dpr, 2 * dpr + waits / 2, 200 * dpr, colors.text);
	if (!overview.waits)
		return;
	g.font = `${11 * dpr}px system-ui, sans-serif`;
	text(g, `${LEFT < 250 ? '' : 'mean, '}at most ${overview.most.toFixed(1)}`, (LEFT - 10) * dpr, 2 * dpr + waits / 2, 150 * dpr, colors.dim, 'right');
	stack(g, overview.waits, width, x, Math.round(2 * dpr), waits, [colors.queue], 1 / Math.max(overview.most, 1));
}

function drawOverview() {
	const canvas = $('overview'), dpr = fit(canvas), g = canvas.getContext('2d', { alpha: false });
	const x = LEFT * dpr, width = Math.max(1, Math.round(widthOf(canvas) * dpr)), h = canvas.height;

	if (overview.width !== width) {
		sumBusy(width);
		setTimeout(sumWaits, 20);
	}
	g.fillStyle = colors.bg;
	g.fillRect(0, 0, canvas.width, h);
	drawLoad(g, x, width, dpr);
	for (const [, start, end] of D.losses) {
		g.fillStyle = colors.loss;
		g.fillRect(x + start / LENGTH * width, 0, Math.max((end - start) / LENGTH * width, dpr), 4 * dpr);
	}
	const a = x + view.t0 / LENGTH * width, b = x + view.t1 / LENGTH * width;
	g.fillStyle = colors.bg;
	g.globalAlpha = 0.72;
	g.fillRect(x, 0, a - x, h);
	g.fillRect(b, 0, x + width - b, h);
	g.globalAlpha = 1;
	g.strokeStyle = colors.accent;
	g.lineWidth = dpr;
	g.strokeRect(a + dpr / 2, dpr / 2, Math.max(b - a - dpr, dpr), h - dpr);
}
