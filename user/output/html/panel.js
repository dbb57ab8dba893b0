// SPDX-License-Identifier: GPL-2.0-only
// Beside the rows: sums of what is selected, the report's tables, the tip under the mouse.

function element(tag, content, className) {
	const e = document.createElement(tag);

	if (className)
		e.className = className;
	if (Array.isArray(content))
		content.forEach(c => e.append(c));
	else if (content !== undefined)
		e.textContent = content;
	return e;
}

// Cells are texts, or [text, share]: a bar left of the text.
function table(heads, lines) {
	const cell = c => {
		const td = element('td', Array.isArray(c) ? c[0] : c);

		td.title = td.textContent;
		if (Array.isArray(c)) {
			td.className = 'bar';
			td.prepend(element('i'));
			td.firstChild.style.setProperty('--share', `${Math.min(100, c[1] * 100).toFixed(1)}%`);
		}
		return td;
	};
	const body = lines.map(line => element('tr', line.map(cell)));

	const head = h => Object.assign(element('th', h.head || h), { title: h.meaning || '' });

	return element('table', heads.length ? [element('tr', heads.map(head)), ...body] : body);
}

// As the report says it.
function ranMeanwhile(wait) {
	const share = Math.floor(wait.most_ran_ns / wait.wait_ns * 100);

	if (!wait.most_process)
		return '';
	return `; ran meanwhile: ${wait.most_process} ${wait.most_pid}${wait.others > 1 ? `: ${share}\u202f%, and ${wait.others - 1} more` : ''}`;
}

// The sentences with which the report begins.
function glance() {
	const all = (REPORT.all_processes || [{}])[0], [wait] = REPORT.worst_waits || [], lines = [];
	const file = (REPORT.files || []).find(r => !files.some(f => f.own && f.name === r.path));
	const ns = cpus.reduce((sum, c) => sum + c.busy, 0), share = v => `${(v / LENGTH / cpus.length * 100).toFixed(1)}\u202f%`;
	const most = (REPORT.programs || []).filter(r => r.on_cpu_ns && r.program !== RECORDER).slice(0, 3)
		.map(r => `${r.program || '?'} ${share(r.on_cpu_ns)}`);

	lines.push(['CPUs', `${share(ns)} busy${most.length ? `: ${most.join(', ')}` : ''}`]);
	if (wait)
		lines.push(['worst wait for a CPU', `${brief(wait.wait_ns)}: ${wait.process || '?'} ${wait.pid}${ranMeanwhile(wait)}`]);
	if (all.disk_ns)
		lines.push(['waits for a disk', `${brief(all.disk_ns)} in ${count(all.disk_sleeps)} ${all.disk_sleeps === 1 ? 'wait' : 'waits'}`]);
	if (all.page_fault_ns)
		lines.push(['page faults', `${brief(all.page_fault_ns)} in ${count(all.page_faults)}`]);
	if (file && file.io_ns)
		lines.push(['hottest file', `${file.path || `inode ${file.inode}`}: ${brief(file.io_ns)} in ${count(file.io_calls)} calls`]);
	const to = table([], lines);

	to.className = 'glance';
	return to;
}

function reportTables() {
	const to = $('report-tables'), all = (REPORT.all_processes || [{}])[0];
	const part = (name, heads, lines) => lines.length && to.append(element('h3', name), table(heads, lines));
	const ns = v => (v ? brief(v) : '\u2013');
	const known = (v, how) => (v === undefined ? '\u2013' : how(v));
	const share = v => [`${(v / LENGTH * 100).toFixed(1)} %`, v / LENGTH];
	// As user/sums/measures.def has them.
	const columns = D.measures.map(([name, key, time, meaning]) => ({ head: name, meaning, show: time ? brief : count,
		key: key.replace(/ /g, '_') + (time ? '_ns' : '') }));
	const cell = (r, c) => (r[c.key] ? c.show(r[c.key]) : '\u2013');
	const line = (r, who) => [`${who || '?'}${r.pid ? ` ${r.pid}` : r.processes > 1 ? ` \u00d7${r.processes}` : ''}`,
		...columns.map((c, i) => (i ? cell(r, c) : [cell(r, c), r[c.key] / all[c.key] || 0]))];
	// Local time and its zone, as in the report: Swedes write dates in this way.
	const day = ms => new Date(ms).toLocaleString('sv', { timeZoneName: 'short' });
	const began = D.began > 0 ? day((Number(D.began) + D.since) / 1e6) : '';
	const heads = ['', ...columns], did = r => columns.some(c => r[c.key]);

	to.append(element('h3', 'At a glance'), glance());
	part('Programs by time on a CPU', heads, (REPORT.programs || []).filter(did).map(r => line(r, r.program)));
	part('Processes by time on a CPU', heads, (REPORT.processes || []).filter(did).map(r => line(r, r.process)));
	part('Worst waits for a CPU', ['', 'wait', 'at', 'why'], (REPORT.worst_waits || []).map(r =>
		[`${r.process || '?'} ${r.tid}`, brief(r.wait_ns), time(r.at_ns), r.why]));
	part('Files by time in calls', ['', 'in calls', 'calls', 'read', 'written'], (REPORT.files || []).map(r =>
		[r.path || `inode ${r.inode}`, ns(r.io_ns), known(r.io_calls, count), known(r.read_bytes, size), known(r.written_bytes, size)]));
	part('CPUs', ['', D.filtered ? 'busy with these' : 'busy', 'runs', 'gaps'], (REPORT.CPUs || []).map(r =>
		[`CPU ${r.cpu}`, known(r.busy_ns, share), known(r.runs, count), count(r.gaps)]));
	part('Capture', [], [['host', D.host], ['kernel', D.kernel], ['recorded by', D.backend], ['command', D.command],
		[D.since ? 'this part was recorded from' : 'recorded from', began], ['it begins in the capture at', D.since ? time(D.since) : ''],
		['length', time(LENGTH)], ['CLOCK_MONOTONIC', `${count(D.begin)}\u202fns`], ['CPUs', nrOfCpus],
		['part', D.part], ['processes', count(shownProcesses.length)], ['threads', count(shownThreads.length)], ['events', count(REPORT.events)],
		['events lost', count(REPORT.events_lost)], ['times', REPORT.times || ''],
		['not all recorded', REPORT.not_all_recorded || '']].filter(l => l[1] !== ''));
}

// Sums of threads between two times.
function sumUp(list, t0, t1) {
	const sums = { states: new Float64Array(STATES.length), runs: 0, faults: 0, inFaults: 0, major: 0, calls: 0, inCalls: 0,
		read: 0, written: 0, about: false };
	const cut = (lane, i, share) => { sums.about = sums.about || (share < 1 && lane.mix[i]); };

	for (const t of list) {
		if (t.end < t0 || t.start > t1)
			continue;
		t.states.between(t0, t1, (j, share, i) => {
			const s = stateOf(t.states.key[j]);

			cut(t.states, i, share);
			sums.states[s] += t.states.ns[j] * share;
			sums.runs += s === 1 ? t.states.count[j] * share : 0;
		});
		t.faults.between(t0, t1, (j, share, i) => {
			cut(t.faults, i, share);
			sums.faults += t.faults.count[j] * counts(t.faults.key[j]) * share;
			sums.inFaults += t.faults.ns[j] * share;
			sums.major += faultOf(t.faults.key[j])[1] === 1 ? t.faults.count[j] * share : 0;
		});
		t.calls.between(t0, t1, (j, share, i) => {
			cut(t.calls, i, share);
			sums.calls += t.calls.count[j] * counts(t.calls.key[j]) * share;
			sums.inCalls += t.calls.ns[j] * share;
			sums[isWrite(callOf(t.calls.key[j])) ? 'written' : 'read'] += t.calls.bytes[j] * share;
		});
	}
	return sums;
}

// Who is chosen, and how many of its threads there are.
function titleOf(who, t0, t1) {
	const here = who.threads.filter(t => t.end >= t0 && t.start <= t1).length, all = who.threads.length;
	const number = who.tid || (who.processes ? '' : who.pid), name = who.tid ? nameOf(who) : who.name;

	const those = `${here < all ? `${count(here)} of ` : ''}${count(all)} thread${all > 1 ? 's' : ''}`;

	return `${name}${number === '' ? '' : ` ${number}`}, ${those}`;
}

function titleOfFound(list) {
	const nr = new Set(list.map(t => t.process)).size;

	return `Found: ${count(nr)} process${nr === 1 ? '' : 'es'}, ${count(list.length)} thread${list.length === 1 ? '' : 's'}`;
}

function showSums() {
	const [t0, t1] = view.select || [view.t0, view.t1], to = $('sums'), p = view.chosen, some = p || view.words.length > 0;
	const list = p ? p.threads : some ? shownThreads.filter(isFound) : shownThreads;
	const sums = sumUp(list, t0, t1), states = [], its = t => !some || (t && wanted(t));
	const mayBe = new Set(p ? [processOf(p).program] : some ? list.map(t => t.process.program) : []);
	const most = sums.states.reduce((a, b) => a + b, 0);

	to.replaceChildren(element('h3', p ? titleOf(p, t0, t1) : some ? titleOfFound(list) : `${D.filtered ? 'These' : 'All'} processes`), table([], [['from', time(t0)], ['to', time(t1)],
		['length', `${length(t1 - t0)}, ${view.select ? 'selected' : 'shown'}`]]));
	sums.states.forEach((ns, i) =>
		ns && states.push([STATES[i], [length(ns), ns / most], `${(ns / most * 100).toFixed(1)} %`]));
	to.append(element('h3', `Time of ${p ? 'its' : some ? 'these' : D.filtered ? 'their' : 'all'} threads${sums.about ? ' (about: the ends are in mixes)' : ''}`),
		table([], states), element('h3', 'Activity'), table([], [['times put on a CPU', count(sums.runs)],
			['page faults', count(sums.faults), length(sums.inFaults)], ['of them major', count(sums.major)],
			['calls on files', count(sums.calls), length(sums.inCalls)], ['read', size(sums.read)],
			['written', size(sums.written)]].map(l => (l.length < 3 ? [...l, ''] : l))));
	let others = false;
	const cpuLines = cpus.map(c => {
		let ns = 0;

		c.lane.between(t0, t1, (j, share) => {
			const key = c.lane.key[j], group = key >= GROUP ? groupOf(key) : null;

			others = others || (some && (!key || mayBe.has(group)));
			ns += (group ? !some || group === p : its(threads[key - 1])) ? c.lane.ns[j] * share : 0;
		});
		return [`CPU ${c.nr}`, [length(ns), ns / (t1 - t0)], `${(ns / (t1 - t0) * 100).toFixed(1)} %`];
	});
	to.append(element('h3', others ? 'CPUs (at least: in mixes of many threads, they may be among the others)' :
		D.filtered && !p ? 'CPUs, busy with these' : 'CPUs'),
		table([], cpuLines));
	sumMarks(to, its, t0, t1);
	if (!p)
		to.append(element('h3', `${view.group ? 'Programs' : 'Processes'} that ran longest`), table([], longest(some ? list : threads, t0, t1)));
}

// The innermost values of each mark; "about" is said of the threads' time only.
function sumMarks(to, its, t0, t1) {
	const titles = new Map();

	for (const m of marks) {
		if (!its(m.thread))
			continue;
		const sums = titles.get(m.title) || new Map();

		titles.set(m.title, sums);
		m.lane.between(t0, t1, (j, share) => {
			const what = KEYS.mark(m.lane.key[j]), [n, ns] = sums.get(what) || [0, 0];

			sums.set(what, [n + m.lane.count[j] * share, ns + m.lane.ns[j] * share]);
		});
	}
	for (const [title, sums] of titles) {
		const list = [...sums].sort((a, b) => b[1][1] - a[1][1]).slice(0, 15);

		if (list.length)
			to.append(element('h3', title), table([], list.map(([what, [n, ns]]) =>
				[what, [length(ns), ns / list[0][1][1]], `${count(n)}\u00d7`])));
	}
}

function longest(list, t0, t1) {
	const ns = new Map();

	for (const t of list) {
		if (!t.process || t.end < t0 || t.start > t1)
			continue;
		const who = view.group ? t.process.program : t.process;
		let sum = ns.get(who) || 0;

		t.states.between(t0, t1, (j, share) => { sum += stateOf(t.states.key[j]) === 1 ? t.states.ns[j] * share : 0; });
		ns.set(who, sum);
	}
	const most = [...ns].filter(([, sum]) => sum).sort((a, b) => b[1] - a[1]).slice(0, 15);

	return most.map(([p, sum]) => [view.group ? p.name : `${p.name} ${p.pid}`, [length(sum), sum / most[0][1]]]);
}

const TABS = { sums: 'sums', report: 'report-tables', memory: 'memory-charts', help: 'help' };
const hasTab = name => Object.keys(TABS).includes(name) && !document.querySelector(`[data-tab="${name}"]`).hidden;

// The report does not follow what is shown, and says so when that is less.
function sayWhole() {
	const less = view.t0 > 0 || view.t1 < LENGTH || view.select || view.chosen || view.words.length;

	$('whole').textContent = less ? `These tables are of the whole ${D.part ? 'part' : 'capture'}. The tab Sums has what is shown, selected, chosen or found.` : '';
}

function showTab(name) {
	if (!hasTab(name))
		name = 'report';
	for (const b of document.querySelectorAll('nav button'))
		b.classList.toggle('on', b.dataset.tab === name);
	for (const [tab, id] of Object.entries(TABS))
		$(id).classList.toggle('on', tab === name);
	if (name === 'sums')
		showSums();
	view.tab = name;
	keepAddress();
}

// The tip

const KEYS = {
	states: key => STATES[stateOf(key)] + (cpuOf(key) >= 0 ? ` on CPU ${cpuOf(key)}` : ''),
	calls: key => `${CALLS[callOf(key)]}()${key & 16 ? ', failed' : ''}${counts(key) ? '' : ', went on'}${fileOf(key) ? ` ${fileOf(key).name}` : ''}`,
	faults: key => `page fault: ${FAULTS[faultOf(key)[0]]}, ${RESULTS[faultOf(key)[1]]}${counts(key) ? '' : ', went on'}`,
	cpu: key => {
		const t = threads[key - 1];

		return t ? `${nameOf(t)} ${t.tid}` : key >= GROUP ? `others of ${names[key - GROUP] || '?'}` : 'other threads';
	},
	file: key => USES[key],
	mark: key => values[key - 1] || 'other values',
};

// What is said of an item alone, besides. A mix knows none of it.
const none = () => [];
const MORE = {
	states: key => (wakerOf(key) ? [['ended by', wakerOf(key)]] : []),
	faults: key => [['in', memoryOf(key)]],
};

// An item alone with its times; several as sums of that time. Return: whether there is any.
function tipOf(to, lane, kind, t0, t1) {
	const parts = [], sums = new Map(), seen = new Set();

	lane.between(t0, t1, (j, share, i) => {
		parts.push([j, share, lane.mix[i]]);
		seen.add(i);
	});
	const alone = seen.size === 1, [one] = seen;

	for (const [j, share, mix] of parts) {
		const what = KEYS[kind](lane.key[j]), s = sums.get(what) || [0, 0, 0], part = alone ? 1 : share;

		sums.set(what, [s[0] + lane.count[j] * (mix ? part : 1), s[1] + lane.ns[j] * part, s[2] + lane.bytes[j] * part]);
	}
	if (!seen.size)
		return false;
	const bytes = b => (b ? size(b) : '');
	if (alone && !lane.mix[one]) {
		const [[what, s]] = sums;

		to.append(element('b', what), table([], [['from', time(lane.start[one])], ['to', time(lane.end[one])],
			['length', length(s[1])], ...(s[2] ? [['bytes', count(s[2])]] : []),
			...(MORE[kind] || none)(lane.key[lane.first[one]])]));
		return true;
	}
	to.append(element('b', alone ? `together ${length(lane.end[one] - lane.start[one])}` : `in ${length(t1 - t0)}`),
		table([], [...sums].sort((a, b) => b[1][1] - a[1][1] || b[1][2] - a[1][2]).slice(0, 8).map(([what, s]) =>
			[what, `${count(s[0])}\u00d7`, s[1] ? length(s[1]) : '', bytes(s[2])])));
	return true;
}

// Nothing is known of where events are missing.
function tipOfCpu(to, cpu, t0, t1) {
	const losses = D.losses.filter(([nr, start, end]) => nr === cpu.nr && end >= t0 && start <= t1);

	for (const [, start, end, lost] of losses)
		to.append(element('b', `${lost ? count(lost) : 'some'} events are missing`),
			table([], [['from', time(start)], ['to', time(end)]]));
	if (!tipOf(to, cpu.lane, 'cpu', t0, t1) && !losses.length)
		to.append(D.filtered ? 'none of these processes' : 'idle');
}

// Of several threads: where they are, on average, and what they did.
function tipOfMany(to, row, t0, t1) {
	const sums = sumUp(row.threads, t0, t1), lines = [];
	const does = (what, n, ns) => n && lines.push([what, `${count(n)}\u00d7, ${length(ns)}`]);

	sums.states.forEach((ns, i) => ns && lines.push([STATES[i], `${(ns / (t1 - t0)).toFixed(1)}`]));
	if (!lines.length) {
		to.append('no thread alive');
		return;
	}
	lines.unshift(['threads, on average:', '']);
	does('page faults', sums.faults, sums.inFaults);
	does('calls on files', sums.calls, sums.inCalls);
	if (row.most)
		lines.push(['height of the row', `${row.most.toFixed(1)} threads`]);
	to.append(table([], lines));
}

function showTip(x, y, clientX, clientY) {
	const tip = $('tip'), row = rowAt(y), half = (view.t1 - view.t0) / widthOf($('rows')) * 0.75, t = timeAt(x);

	tip.hidden = !row || row.kind === 'section' || x < LEFT || t > LENGTH;
	if (tip.hidden)
		return;
	tip.replaceChildren();
	if (row.kind === 'cpu') {
		tip.append(element('b', `CPU ${row.cpu.nr} at ${time(t)}`));
		tipOfCpu(tip, row.cpu, t - half, t + half);
	} else if (row.kind === 'file') {
		tip.append(element('b', row.file.name));
		tipOf(tip, row.file.lane, 'file', t - 2 * half, t + 2 * half);
	} else if (row.kind === 'mark') {
		tip.append(element('b', `${row.mark.title}, ${nameOf(row.mark.thread)} ${row.mark.thread.tid} at ${time(t)}`));
		tipOf(tip, row.mark.lane, 'mark', t - half, t + half);
	} else if (row.threads.length === 1) {
		const th = row.threads[0];

		tip.append(element('b', `${nameOf(th)} ${th.tid} at ${time(t)}`));
		if (!['states', 'calls', 'faults'].map(kind => tipOf(tip, th[kind], kind, t - half, t + half)).some(any => any))
			tip.append(t < th.start ? 'it has not begun' : 'it has ended');
	} else {
		tip.append(element('b', `${row.process.name} ${row.process.pid} at ${time(t)}`));
		tipOfMany(tip, row, t - half, t + half);
	}
	const box = tip.getBoundingClientRect();
	tip.style.left = `${Math.min(clientX + 14, innerWidth - box.width - 8)}px`;
	tip.style.top = `${clientY + 18 + box.height > innerHeight ? clientY - box.height - 10 : clientY + 18}px`;
}
