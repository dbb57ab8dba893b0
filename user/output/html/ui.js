// SPDX-License-Identifier: GPL-2.0-only
// What the user does: mouse, keys, buttons; and the beginning.

const NARROWEST = 20;	/* ns */

function move(t0, t1) {
	const span = Math.min(Math.max(t1 - t0, NARROWEST), LENGTH);

	view.t0 = Math.min(Math.max(t0, 0), LENGTH - span);
	view.t1 = view.t0 + span;
	clearTimeout(settle.timer);
	settle.timer = setTimeout(settle, 150);
	redraw();
}

// When the user has stopped to move: the rows are those of what is shown. What is chosen stays where it is.
function settle() {
	const place = () => (rows.find(r => view.chosen && (r.thread || r.process) === view.chosen) || { y: view.scroll }).y - view.scroll;
	const before = place();

	makeRows();
	scroll(view.chosen ? place() - before : 0);
	if ($('sums').classList.contains('on'))
		showSums();
}

function zoom(factor, at) {
	const middle = at === undefined ? (view.t0 + view.t1) / 2 : at;

	move(middle - (middle - view.t0) * factor, middle + (view.t1 - middle) * factor);
}

const pan = part => move(view.t0 + part * (view.t1 - view.t0), view.t1 + part * (view.t1 - view.t0));

function scroll(pixels) {
	const room = $('rows').getBoundingClientRect().height - RULER;

	view.scroll = Math.max(0, Math.min(view.scroll + pixels, total - room));
	redraw();
}

function select(range) {
	view.select = range && range[1] > range[0] ? range : null;
	redraw();
	if ($('sums').classList.contains('on'))
		showSums();
}

function search(words) {
	view.words = words.toLowerCase().split(/\s+/).filter(w => w);
	unfoldFound();
	makeRows();
	if ($('sums').classList.contains('on'))
		showSums();
	scroll(0);
}

function click(row) {
	if (!row)
		return;
	if (row.kind === 'section') {
		fold[row.key] = !fold[row.key];
		makeRows();
	} else if (row.process) {
		const opens = row.kind === 'process' || row.kind === 'program', who = row.thread || row.process;

		if (opens)
			row.process.open = !row.process.open;
		view.chosen = view.chosen === who && !(opens && row.process.open) ? null : who;
		makeRows();
		showTab('sums');
	}
	scroll(0);
}

function choose(who) {
	view.chosen = who;
	makeRows();
	showTab('sums');
	scroll(0);
}

const inside = (e, canvas) => {
	const box = canvas.getBoundingClientRect();

	return [e.clientX - box.left, e.clientY - box.top];
};

// A line through all rows, with its time.
function showCross(x) {
	const cross = $('cross');

	cross.hidden = x < 0 || timeAt(x) > LENGTH;
	if (cross.hidden)
		return;
	cross.style.left = `${x}px`;
	cross.firstChild.textContent = time(timeAt(x));
	cross.firstChild.className = x > (LEFT + widthOf($('rows'))) / 2 ? 'left' : '';
}

function mouseOnRows() {
	const canvas = $('rows');
	let drag = null;

	canvas.addEventListener('mousedown', e => {
		const [x, y] = inside(e, canvas), selects = (e.shiftKey || y < RULER) && x > LEFT;

		drag = { x, y, moved: false, selects, from: timeAt(x), t0: view.t0, t1: view.t1, scroll: view.scroll };
		e.preventDefault();
		document.activeElement.blur();
	});
	window.addEventListener('mousemove', e => {
		const [x, y] = inside(e, canvas);

		showCross(e.target === canvas && x > LEFT ? x : -1);
		if (!drag) {
			if (e.target === canvas)
				showTip(x, y, e.clientX, e.clientY);
			else
				$('tip').hidden = true;
			return;
		}
		drag.moved = drag.moved || Math.abs(x - drag.x) + Math.abs(y - drag.y) > 4;
		$('tip').hidden = true;
		if (!drag.moved)
			return;
		if (drag.selects) {
			const to = Math.min(Math.max(timeAt(x), 0), LENGTH);

			select([Math.round(Math.min(drag.from, to)), Math.round(Math.max(drag.from, to))]);
			return;
		}
		const by = (x - drag.x) / widthOf(canvas) * (drag.t1 - drag.t0);
		move(drag.t0 - by, drag.t1 - by);
		view.scroll = drag.scroll;
		scroll(drag.y - y);
	});
	window.addEventListener('mouseup', () => {
		if (drag && drag.moved && drag.selects)
			showTab('sums');
		else if (drag && !drag.moved)
			click(rowAt(drag.y));
		drag = null;
	});
	canvas.addEventListener('wheel', e => {
		const [x, y] = inside(e, canvas), step = e.deltaMode ? 30 : 1;

		e.preventDefault();
		if (e.ctrlKey || e.metaKey || e.altKey || y < RULER)
			zoom(1.0015 ** (e.deltaY * step), timeAt(Math.max(x, LEFT)));
		else if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY))
			pan((e.deltaX || e.deltaY) * step / 1200);
		else
			scroll(e.deltaY * step);
		showTip(x, y, e.clientX, e.clientY);
	}, { passive: false });
}

function mouseOnOverview() {
	const canvas = $('overview'), at = e => (inside(e, canvas)[0] - LEFT) / widthOf(canvas) * LENGTH;
	let from = null;

	canvas.addEventListener('mousedown', e => {
		from = at(e);
		e.preventDefault();
	});
	window.addEventListener('mousemove', e => {
		if (from !== null && Math.abs(at(e) - from) > LENGTH / 500)
			move(Math.min(from, at(e)), Math.max(from, at(e)));
	});
	window.addEventListener('mouseup', e => {
		const half = (view.t1 - view.t0) / 2;

		if (from !== null && Math.abs(at(e) - from) <= LENGTH / 500)
			move(from - half, from + half);
		from = null;
	});
	canvas.addEventListener('wheel', e => {
		e.preventDefault();
		zoom(1.0015 ** e.deltaY, at(e));
	}, { passive: false });
}

const ACTIONS = {
	w: () => zoom(0.7), '+': () => zoom(0.7), '=': () => zoom(0.7), s: () => zoom(1 / 0.7), '-': () => zoom(1 / 0.7),
	a: () => pan(-0.2), d: () => pan(0.2), ArrowLeft: () => pan(-0.2), ArrowRight: () => pan(0.2),
	ArrowUp: () => scroll(-60), ArrowDown: () => scroll(60), PageUp: () => scroll(-500), PageDown: () => scroll(500),
	Home: () => scroll(-1e9), End: () => scroll(1e9), 0: () => move(0, LENGTH),
	f: () => view.select && move(...view.select), t: () => toggleSide(), g: () => toggle('group'), h: () => toggle('asleep'), e: () => toggle('arrows'), '/': () => $('search').focus(), '?': () => {
		showSide(true);
		showTab('help');
		redraw();
	},
	Escape: () => {
		view.chosen = null;
		view.measured = null;
		$('misread').textContent = '';
		$('search').value = '';
		search('');
		select(null);
	},
};

function keys() {
	window.addEventListener('keydown', e => {
		const typing = ['INPUT', 'SELECT'].includes(e.target.tagName), action = ACTIONS[e.key.length > 1 ? e.key : e.key.toLowerCase()];

		if (!action || e.ctrlKey || e.metaKey || e.altKey || (typing && e.key !== 'Escape'))
			return;
		e.preventDefault();
		e.target.blur();
		action();
	});
}

// Of the view, with a button.
function toggle(what) {
	view[what] = !view[what];
	$(what).classList.toggle('on', view[what]);
	makeRows();
	scroll(0);
}

function showSide(on) {
	$('panel').classList.toggle('off', !on);
	$('side').classList.toggle('on', on);
}

const isSideShown = () => !$('panel').classList.contains('off');

function toggleSide() {
	showSide(!isSideShown());
	redraw();
}

// Where there is little room, the chart has it: the tables lie over it when they are asked for.
const narrow = matchMedia('(max-width: 1100px)');

const foldSide = () => showSide(!narrow.matches);

function layOut() {
	LEFT = innerWidth < 900 ? 200 : 250;
	if (rows.length)
		makeRows();
	redraw();
}

function setTheme(dark) {
	document.documentElement.classList.toggle('dark', dark);
	readColors();
	makeLegend();
	redraw();
}

function makeLegend() {
	const entries = [['queue', 'waits for a CPU'], ['disk', 'waits for a disk'], ['other', 'other waits'],
		['sleep', 'sleeps'], ['unknown', 'not known'], ['read', 'reads'], ['write', 'writes'], ['fault', 'page faults'],
		['add', 'into the page cache'], ['remove', 'out of the page cache'], ...(D.nr_losses ? [['loss', 'events lost']] : [])];

	const entry = (paint, label) => {
		const box = element('i');

		box.style.background = paint;
		return element('span', [box, label]);
	};
	const names = byColor.map(g => {
		const e = entry(TINTS[g.color], g.name);

		e.className = 'name';
		e.onclick = () => choose(view.chosen === g ? null : g);
		return e;
	});

	$('legend').replaceChildren(element('b', 'runs'), ...names, ...(programs.size > byColor.length ? [entry(TINTS[OTHERS], 'others')] : []),
		element('hr'), ...entries.map(([name, label]) => entry(colors[name], label)));
}

function buttons() {
	$('in').onclick = ACTIONS['+'];
	$('out').onclick = ACTIONS['-'];
	$('fit').onclick = ACTIONS[0];
	$('side').onclick = toggleSide;
	for (const what of FLAGS) {
		$(what).onclick = () => toggle(what);
	}
	$('theme').onclick = () => {
		setTheme(!colors.dark);
		view.theme = colors.dark ? 'dark' : 'light';
	};
	$('search').oninput = e => search(e.target.value);
	$('sort').onchange = e => {
		view.sort = e.target.value;
		makeRows();
		redraw();
		e.target.blur();
	};
	for (const b of document.querySelectorAll('nav button'))
		b.onclick = () => showTab(b.dataset.tab);
	window.addEventListener('resize', layOut);
	narrow.addEventListener('change', foldSide);
}

// "#test" in the address: at once, so that a program can read the result in the document.
function test() {
	const { wrong, items } = selfTest(), root = document.documentElement;

	root.dataset.selftest = wrong.length ? `failed: ${wrong.slice(0, 20).join('; ')}` :
		`passed: ${threads.length} threads, ${cpus.length} CPUs, ${items} items`;
	if (wrong.length)
		$('title').append(element('b', ' The sums of this page are wrong.'));
}

// What is shown, as the end of an address: see Documentation/html.rst.

const FLAGS = ['group', 'asleep', 'arrows'];
const seconds = ns => (ns / 1e9).toFixed(9).replace(/\.?0+$/, '');
const nanoseconds = text => (/^(\d+\.?\d*|\.\d+)$/.test(text) ? Number(text) * 1e9 : NaN);

// Two times as "1.5-1.6", or null.
function range(text) {
	const [from, to, ...more] = text.split('-').map(nanoseconds);

	return from < to && from < LENGTH && !more.length ? [from, Math.min(to, LENGTH)] : null;
}

const usualTab = () => (view.chosen || view.select ? 'sums' : 'report');
// Of programs with one process, that is what is folded; a process with marks is open as long as nobody folds it.
const isUnfolded = p => p.open && !p.unfolded && (p.processes ? p.processes.length > 1 :
	!p.marked && (!view.group || p.program.processes.length === 1 || p.program.open));

function addressOf() {
	const to = new URLSearchParams(), who = view.chosen, put = (name, value, usual) => value !== usual && to.append(name, value);

	if (view.t0 > 0 || view.t1 < LENGTH) {
		to.set('from', seconds(view.t0));
		to.set('to', seconds(view.t1));
	}
	if (view.select)
		to.set('select', view.select.map(seconds).join('-'));
	put('search', $('search').value, '');
	put('sort', view.sort, 'cpu');
	put('rows', view.group ? 'programs' : 'processes', 'programs');
	put('all', view.asleep ? '1' : '0', '0');
	put('arrows', view.arrows ? '1' : '0', '0');
	for (const p of [...programs.values(), ...shownProcesses]) {
		if (isUnfolded(p))
			to.append('unfold', p.processes ? p.name : p.pid);
	}
	if (who)
		to.set(who.tid ? 'tid' : who.processes ? 'program' : 'pid', who.tid || (who.processes ? who.name : who.pid));
	// Where the tables are folded, a link with a tab would show them.
	if (isSideShown())
		put('tab', view.tab, narrow.matches ? '' : usualTab());
	put(view.theme, '1', view.theme ? '' : '1');
	return to.toString();
}

let keeping = 0;

// Not while the user moves: browsers allow few changes of an address in a time.
function keepAddress() {
	clearTimeout(keeping);
	keeping = setTimeout(() => history.replaceState(null, '', `#${addressOf()}`), 200);
}

const threadOf = tid => shownThreads.find(t => String(t.tid) === tid);
const processWith = pid => shownProcesses.find(p => String(p.pid) === pid);
const chosenBy = hash => threadOf(hash.get('tid')) || processWith(hash.get('pid')) || programs.get(hash.get('program')) || null;

// The words of a link, and whether this page can do what their value says.
const any = () => true;
const oneOf = (...values) => value => values.includes(value);
const WORDS = {
	from: value => nanoseconds(value) < LENGTH, to: value => nanoseconds(value) > 0, select: range, search: any,
	pid: processWith, tid: threadOf, program: name => programs.has(name), unfold: who => programs.has(who) || processWith(who),
	sort: oneOf('cpu', 'queue', 'start', 'name', 'pid'), rows: oneOf('programs', 'processes'), all: oneOf('0', '1'),
	arrows: oneOf('0', '1'), tab: hasTab, dark: any, light: any, test: any,
};

// A link may be written by hand, or be of another capture: nobody shall take what it shows for what it says.
function sayMisread(hash) {
	const wrong = [...hash].filter(([word, value]) => !Object.keys(WORDS).includes(word) || !WORDS[word](value));

	if (nanoseconds(hash.get('from')) >= nanoseconds(hash.get('to')))
		wrong.push(['to', hash.get('to')]);
	$('misread').textContent = wrong.length ? `Not understood, or not in this capture: ${
		wrong.map(([word, value]) => shown(value ? `${word}=${value}` : word)).join(', ')}` : '';
}

// The time that a link says; one end may be missing.
function moveBy(hash) {
	const from = nanoseconds(hash.get('from')), to = nanoseconds(hash.get('to')), t0 = from < LENGTH ? from : 0, t1 = to > 0 ? Math.min(to, LENGTH) : LENGTH;

	if (t0 < t1)
		move(t0, t1);
}

// What a link names: a program, or its only process; a process, and the program that it is in.
function unfoldNamed(names) {
	for (const p of shownProcesses) {
		const alone = p.program.processes.length === 1, named = names.includes(String(p.pid));

		Object.assign(p, { unfolded: false, open: named || (alone && names.includes(p.program.name)) || !!p.marked });
		p.program.open = p.program.open || (named && !alone);
	}
}

// A thread that is chosen is to be seen.
function unfold(who) {
	who.open = true;
	if (who.tid)
		unfold(who.process);
	else if (who.program)
		who.program.open = true;
}

// Show what an address says.
function follow() {
	const hash = new URLSearchParams(location.hash.slice(1)), names = hash.getAll('unfold');

	view.theme = hash.has('dark') ? 'dark' : hash.has('light') ? 'light' : '';
	setTheme(view.theme ? view.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches);
	$('sort').value = hash.get('sort') || 'cpu';
	view.sort = $('sort').value = $('sort').value || 'cpu';
	Object.assign(view, { group: hash.get('rows') !== 'processes', asleep: hash.get('all') === '1', arrows: hash.get('arrows') === '1' });
	FLAGS.forEach(what => $(what).classList.toggle('on', view[what]));
	programs.forEach(g => Object.assign(g, { unfolded: false, open: names.includes(g.name) }));
	unfoldNamed(names);
	view.chosen = chosenBy(hash);
	if (view.chosen)
		unfold(view.chosen);
	view.select = range(hash.get('select') || '');
	$('search').value = hash.get('search') || '';
	search($('search').value);
	showTab(hash.get('tab') || usualTab());
	if (hasTab(hash.get('tab')))
		showSide(true);
	moveBy(hash);
	sayMisread(hash);
	settle();
}

function begin() {
	const hash = new URLSearchParams(location.hash.slice(1));

	$('title').textContent = `${D.command || 'host'} ${D.command ? 'on ' : ''}${D.host}, ${cpusOfAll}, ${
		brief(LENGTH)}, ${count(REPORT.events)} events`;
	if (D.part)
		$('title').prepend(element('b', `${D.part}: `, 'part'));
	if (D.nr_losses)
		$('title').append(element('b', `, ${REPORT.events_lost ? count(REPORT.events_lost) : 'some'} lost`));
	else
		$('title').append(', none lost');
	if (REPORT.times)
		$('title').append(element('b', `, times ${REPORT.times}`));
	if (REPORT.not_all_recorded)
		$('title').append(element('b', `, not all recorded: ${REPORT.not_all_recorded}`));
	$('width').textContent = D.width ? `Neighbours that together last no longer than ${length(D.width)} are shown as one, ` +
		'with exact sums.' : 'Each interval is shown as it was recorded.';
	document.title = `ovnik: ${D.host}${D.part ? `, ${D.part}` : ''}`;
	buttons();
	foldSide();
	layOut();
	keys();
	mouseOnRows();
	mouseOnOverview();
	reportTables();
	memoryTab();
	follow();
	window.addEventListener('hashchange', follow);
	draw();
	document.documentElement.dataset.opened = Math.round(performance.now());
	redraw();
	if (hash.has('test'))
		test();
	else
		setTimeout(test, 500);
}

begin();
