#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# slurm.sh - the plugin for Slurm and ovnik-job, with a real Slurm of three nodes on this machine
#
# Nothing may be recorded here: in ovnik's place is a program that writes down how it was called,
# and behaves as the recorder does. soak/cluster.sh has the real one.

# shellcheck disable=SC2016,SC2317 # expanded there; called through check

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/decode-lib.sh
. "$here/../lib/decode-lib.sh"
cd "$top" || exit

for program in slurmctld slurmd srun munged mpirun; do
	if ! command -v $program >/dev/null; then
		skip "Slurm" "there is no $program"
		finish
	fi
done
if [ "$(id -u)" != 0 ]; then
	skip "Slurm" "its daemons need root here"
	finish
fi
if [ ! -e build/ovnik_spank.so ]; then
	skip "Slurm" "there is no slurm/spank.h"
	finish
fi

# Daemons, spool and users are the machine's: two of this at once would see each other.
exec 8>/run/lock/ovnik-host-slurm
flock 8
chmod 755 "$work"
prefix=$work/prefix
said=$work/said
slurm=
clean_up()
{
	[ -z "$slurm" ] || { kill "$slurm"; wait "$slurm"; } 2>/dev/null
	rm -rf "$work"
}
trap clean_up EXIT

# A user of Slurm.
user=(setpriv --reuid=daemon --regid=daemon --clear-groups)

# The stand-in: "running" is the file that a capture of this machine keeps, and "nodes" has what is to
# be recorded on each node. The plugin's script knows the node.
stand_in()
{
	cat >"$prefix/bin/ovnik" <<-END
		#!/bin/bash
		# record -o DIR [OPTION...] -- COMMAND...
		out=\$3
		echo "called \$(id -u) \$*" >>$work/calls
		while [ -e $work/hangs ]; do sleep 0.1; done
		if [ -e $work/running ]; then
			echo 'ovnik: error: a capture is already running (PID 7); "ovnik stop" stops it' >&2
			exit 1
		fi
		mkdir -m 700 "\$out" || exit 1
		case \$out in /var/spool/*) dirname "\$out" >>$work/outs ;; esac
		while [ "\$1" != -- ]; do shift; done
		shift
		echo "begins \$out" >>$work/calls
		"\$@"
		echo "ends \$out" >>$work/calls
		node=\${out##*/}
		[ "\$node" != capture ] || node=\$(tr '\0' '\n' </proc/\$PPID/cmdline | sed -n 7p)
		umask 077
		echo '{"host":"node"}' >"\$out/meta.json"
		echo 0 >"\$out/cpu0.ovk"
		[ ! -e "$work/nodes/\$node" ] || cp "$work/nodes/\$node"/* "\$out"
		echo "ovnik: \$out: 10 events, 3 lost" >&2
		echo "ovnik: warning: events were lost: try a larger buffer" >&2
		echo "ovnik: next: ovnik-decode report \$out" >&2
	END
	chmod 755 "$prefix/bin/ovnik"
}

# What each task writes down: that it runs, and where.
task='echo "task $SLURM_LOCALID $SLURMD_NODENAME" >>'$work/calls

# run COMMAND... - as a job; its messages are in $said
run()
{
	rm -f "$work/calls"
	: >"$work/calls"
	chmod 666 "$work/calls"
	(cd "$work/shared" && timeout 300 "$@") >"$said" 2>&1
}

calls()
{
	diff "$work/calls" -
}

says()
{
	check "$1" grep -q -e "$2" "$said"
}

silent()
{
	! grep "$1" "$said"
}

# in_order - between the begin and the end of a recorder are all its tasks: of one node
in_order()
{
	awk '{ print $1 }' "$work/calls" | uniq -c | awk '{ print $1, $2 }' | diff - /dev/fd/3 3<<-END
		1 called
		1 begins
		$1 task
		1 ends
	END
}

# owned DIR OWNER NODE... - exactly these captures are in it, complete, and only for the owner
owned()
{
	local dir=$work/shared/$1 owner=$2

	shift 2
	(cd "$dir" && find . -mindepth 1 -printf '%M %u %P\n' | LC_ALL=C sort -k 3) | diff - <(
		for node; do
			echo "drwx------ $owner $node"
			echo "-rw------- $owner $node/cpu0.ovk"
			echo "-rw------- $owner $node/meta.json"
		done | LC_ALL=C sort -k 3)
}

nothing_in_spool()
{
	local dir

	while read -r dir; do
		[ ! -e "$dir" ] || return
	done <"$work/outs"
}

ended()
{
	local left

	# It must not find itself; its status would tell of files that it may not read, too.
	left=$(env -u SLURM_CONF grep -lzsxF "SLURM_CONF=$work/slurm/slurm.conf" /proc/[0-9]*/environ)
	echo "$left"
	[ -z "$left" ]
}

mkdir "$work/slurm" "$work/shared"
chown daemon "$work/shared"
check "it is installed" env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make --no-print-directory install PREFIX="$prefix"
stand_in
# So that a user who holds what the plugin runs does not hold this test as long.
check "its deadline is shorter here" sh -c 'sed -i s/^end_s=30/end_s=5/ "$1" && grep -q ^end_s=5 "$1"' sh \
	"$prefix/lib/ovnik/spank-record"
echo "optional $prefix/lib/ovnik/ovnik_spank.so" >"$work/slurm/plugstack.conf"
chmod 755 "$work/slurm"
export PATH=$prefix/bin:$PATH
tools/demo/slurm "$work/slurm" 3 sh -c "touch $work/up; exec sleep 3000" >"$work/slurm.log" 2>&1 &
slurm=$!
until [ -e "$work/up" ] || ! kill -0 $slurm 2>/dev/null; do sleep 0.1; done
check "Slurm runs" test -e "$work/up" || { explain <"$work/slurm.log"; finish; }
export SLURM_CONF=$work/slurm/slurm.conf

# The plugin.
run srun --help
says "srun knows the option" "--ovnik=DIR\[,EVENTS\]"
check "a step of one node" run "${user[@]}" srun -w node2 -n2 --ovnik=one sh -c "$task"
check "its two tasks are within the recording" in_order 2
check "root records, into a place of its own" grep -qx \
	"called 0 record -o /var/spool/ovnik/[0-9]*\.[0-9]*\.0\.node2\.[A-Za-z0-9]*/capture --private=$(id -u daemon) -- cat" "$work/calls"
check "the capture is the user's" owned one daemon node2
says "what the recorder warns of is said" '^ovnik: node2: warning: events were lost: try a larger buffer'
check "nothing else is" test "$(grep -c ovnik "$said")" = 1
check "three nodes, five tasks, some events" run "${user[@]}" srun -N3 -n5 "--ovnik=$work/shared/three,sched,task" \
	sh -c "$task"
check "three captures" owned three daemon node1 node2 node3
check "the events are what was asked for" test "$(grep -c '^called .*/capture --private=[0-9]* --events=sched,task -- cat$' \
	"$work/calls")" = 3
check "all tasks have run" test "$(grep -c ^task "$work/calls")" = 5
check_status 3 "the status is the task's" run "${user[@]}" srun -w node1 --ovnik=status sh -c 'exit 3'
check "it is recorded" test -s "$work/shared/status/node1/meta.json"
check "a second step of that name" run "${user[@]}" srun -w node2 --ovnik=one true
check "keeps the first one's capture" owned one daemon node2 node2.old
plugin=$(cat "$work/slurm/plugstack.conf")
echo "$plugin private=no other" >"$work/slurm/plugstack.conf"
check "the administrator allows the memory of others" run "${user[@]}" srun -w node2 --ovnik=open true
check "it is recorded" grep -q '^called 0 record -o .*/capture -- cat$' "$work/calls"
says "what the plugin does not know is said" '^ovnik: node2: plugstack.conf: "other" is not an argument of this plugin'
echo "$plugin" >"$work/slurm/plugstack.conf"
check "without the option" run "${user[@]}" srun -w node1 true
check "nothing is recorded" calls </dev/null

touch "$work/running"
check "another capture runs" run "${user[@]}" srun -w node1 -n2 --ovnik=second sh -c "$task"
check "the tasks have run" test "$(grep -c ^task "$work/calls")" = 2
says "that is said" '^ovnik: node1: a capture is already running (PID 7); "ovnik stop" stops it'
says "and what it means" '^ovnik: node1: not recorded'
check "there is no capture" owned second daemon
rm "$work/running"
check "a directory that the user may not make" run "${user[@]}" srun -w node1 --ovnik=/root/x sh -c "$task"
says "that is said" "ovnik: node1: mkdir: cannot create directory .*/root.*: Permission denied"
check "the task has run, and nothing was recorded" calls <<<"task 0 node1"
mkdir "$work/secret"
check "root's rights are not used" run "${user[@]}" sh -c \
	'mkdir trap && ln -s "$1" trap/node1.old && srun -w node1 --ovnik=trap true && srun -w node1 --ovnik=trap true' sh "$work/secret"
check "whatever the user points to is untouched" test -z "$(ls -A "$work/secret")" -a -d "$work/secret"
check "DIR is gone at the end" run "${user[@]}" srun -w node1 --ovnik=gone sh -c 'rm -r gone && touch gone'
says "where the capture is, is said" \
	'ovnik: node1: .*/gone/node1 cannot be written; the capture stays in /var/spool/ovnik/[0-9.]*node1.[A-Za-z0-9]*/capture'
kept=$(sed -n 's,.* stays in \(/var/spool/ovnik/.*\)/capture$,\1,p' "$said")
check "it is there, for root" test "$(stat -c '%U %a' "$kept")" = "root 700" -a -s "$kept/capture/meta.json"
[ -z "$kept" ] || rm -rf "$kept"
check "DIR cannot be written any more" run "${user[@]}" srun -w node1 --ovnik=shut sh -c 'chmod 0 shut'
says "it has the capture under another name" 'ovnik: node1: .*/shut/node1 cannot be written; the capture is .*/shut/.node1.[0-9.]*.part'
chmod 700 "$work/shared/shut"
check "complete" test -s "$(echo "$work"/shared/shut/.node1.*.part)/meta.json"
check "and root has none" test ! -e "$(tail -n 1 "$work/outs")"

# held SECONDS COMMAND... - a step ends in so many seconds while its user does this with what the plugin runs
held()
{
	local most=$1 begin

	shift
	"${user[@]}" "$@" &
	begin=$(date +%s)
	run "${user[@]}" srun -w node1 --ovnik=held sleep 1
	kill $! 2>/dev/null
	wait $!
	[ $(($(date +%s) - begin)) -lt "$most" ]
}

# To take all descriptors of the receiver, which the user may trace; and its end, which is not seen while it is traced.
cat >"$work/shared/grab" <<'END'
import ctypes, os, sys, time
libc = ctypes.CDLL(None, use_errno=True)
PIDFD_GETFD, SEIZE, TRACEEXIT = 438, 0x4206, 1 << 6
held = {}
end = time.time() + 200
while time.time() < end:
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            ours = open(f"/proc/{pid}/comm").read() == "tar\n" and os.stat(f"/proc/{pid}").st_uid == os.getuid()
        except OSError:
            continue
        if not ours or pid in held:
            continue
        pidfd = os.pidfd_open(int(pid))
        held[pid] = [fd for fd in (libc.syscall(PIDFD_GETFD, pidfd, number, 0) for number in range(16)) if fd >= 0]
        parent = int(open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[1])
        traced = [libc.ptrace(SEIZE, one, 0, TRACEEXIT) for one in (int(pid), parent)]
        open(sys.argv[1], "a").write(f"{len(held[pid])} {traced}\n")
    time.sleep(0.01)
END
check "the user keeps what the receiver has open, and its end" held 100 /usr/bin/python3 "$work/shared/grab" "$work/shared/grabbed"
check "they had descriptors, and were traced" grep -q '^[3-9] \[0, 0\]$' "$work/shared/grabbed"
check "the user stops the receiver" held 100 sh -c 'for i in $(seq 5000); do sleep 0.02; pkill -STOP -u daemon tar; done'
says "it is said" 'node1: .*/held/node1 cannot be written; the capture stays in /var/spool/ovnik/'
check "root has the capture" sh -c 'rm -r /var/spool/ovnik/"$(id -u daemon)".*'
mkdir /var/spool/ovnik/"$(id -u daemon)".{1,2,3}
# What a recorder that was killed has left there.
mkfifo /var/spool/ovnik/"$(id -u daemon)".3/data
check "a capture that cannot be handed over, and three are there" run "${user[@]}" srun -w node1 --ovnik=gone3 sh -c \
	'rm -r gone3 && touch gone3'
says "it is removed" '/gone3/node1 cannot be written; the capture is removed: 3 of this user are kept in /var/spool/ovnik'
check "it is gone" test "$(cd /var/spool/ovnik && echo *)" = "$(echo "$(id -u daemon)".{1,2,3})"
rm -r /var/spool/ovnik/"$(id -u daemon)".{1,2,3}
check "a user who can write gets theirs" run "${user[@]}" srun -w node1 --ovnik=after true
check "complete" test -s "$work/shared/after/node1/meta.json"
mv "$prefix/bin/ovnik" "$work/ovnik"
check "no recorder is installed" run "${user[@]}" env "PATH=/usr/bin:/bin" srun -w node1 --ovnik=none sh -c "$task"
says "that is said" 'ovnik: node1: .*ovnik: not found'
mv "$work/ovnik" "$prefix/bin/ovnik"
check_status 255 "no directory" run "${user[@]}" srun -w node1 --ovnik=,sched true
says "is refused" '--ovnik=DIR\[,EVENTS\]: ",sched" is no directory with a list of events'

# Of two directories that have not changed for 40 days, the one in which a step is recorded stays.
ages()
{
	local dir old=/var/spool/ovnik/aged.$$

	: >"$work/calls"
	"${user[@]}" sh -c 'cd "$1" && exec srun -w node1 --ovnik=long sh -c "$2; until [ -e end ]; do sleep 0.1; done"' \
		sh "$work/shared" "$task" >"$said" 2>&1 &
	until grep -q ^task "$work/calls"; do sleep 0.1; done
	dir=$(tail -n 1 "$work/outs")
	mkdir -p "$old/capture"
	: >"$old/capture/meta.json"
	find "$dir" "$old" -depth -exec touch -h -d '40 days ago' {} +
	sed -n 's/30d$/mM:30d/p' tools/install/tmpfiles.conf >"$work/tmpfiles.conf"
	systemd-tmpfiles --clean "$work/tmpfiles.conf"
	[ -e "$dir/log" ] && [ ! -e "$old" ]
	kept=$?
	rm -rf "$old"
	touch "$work/shared/end"
	wait $!
	return "$kept"
}
if command -v systemd-tmpfiles >/dev/null; then
	check "the spool is cleaned while a long step is recorded" ages
	check "its capture is complete" owned long daemon node1
else
	skip "a long step" "there is no systemd-tmpfiles"
fi

# Options of a job are those of its steps. A node has one recorder: that of the script, if it runs there.
cat >"$work/shared/script" <<-END
	#!/bin/bash
	#SBATCH --nodes=2 --nodelist=node1,node2 --output=job.txt --ovnik=batch,sched
	$task
	srun sh -c '$task'
END
: >"$work/shared/job.txt"
chown daemon "$work/shared/job.txt"
said=$work/shared/job.txt
check "sbatch knows the option, in a line of its script" sh -c '
	work=$1; shift; : >"$work/calls"; chmod 666 "$work/calls"; cd "$work/shared" && exec "$@"' sh "$work" \
	"${user[@]}" timeout 300 sbatch --wait script
check "its script and its step have run" test "$(grep -c ^task "$work/calls")" = 3
check "both nodes are recorded, once each" owned batch daemon node1 node2
check "the first one with the script, the other one with the step" test "$(grep -o \
	'^called .*ovnik/[0-9]*\.[0-9]*\.\(batch\.node1\|0\.node2\)\..*events=sched' "$work/calls" | wc -l)" = 2
check "nothing else" test "$(grep -c ^called "$work/calls")" = 2
says "a step on a node that is recorded already is told so" \
	"^ovnik: node1: the job's script is recorded on this node, and this step with it$"
check "on the others not" test "$(grep -c "the job's script" "$said")" = 1
said=$work/said
check "salloc, too" run "${user[@]}" salloc -w node3 --ovnik=allocated srun sh -c "$task"
check "the step is recorded" in_order 1
check "and the capture is the user's" owned allocated daemon node3
check_status 255 "sbatch without a directory" run "${user[@]}" sbatch --ovnik= --wrap true
says "is refused" '--ovnik=DIR\[,EVENTS\]: "" is no directory with a list of events'

# A step that is ended from outside is recorded until its tasks have ended.
cancelled()
{
	local i

	: >"$work/calls"
	"${user[@]}" sh -c 'cd "$1" && exec srun -w node1 --ovnik=ended sh -c "$2; sleep 600"' sh "$work/shared" "$task" \
		>"$said" 2>&1 &
	until grep -q ^task "$work/calls"; do sleep 0.1; done
	scancel -u daemon
	wait $!
	# Its directory in the spool goes last.
	for ((i = 0; i < 600; i++)); do
		[ -e "$(tail -n 1 "$work/outs")" ] || [ ! -e "$work/shared/ended/node1/meta.json" ] || return 0
		sleep 0.1
	done
	cat "$said" "$work/calls"
	return 1
}
check "a step that is cancelled" cancelled
check "its capture is the user's" owned ended daemon node1
check "nothing is left in the spool" nothing_in_spool

# The wrapper.
check "ovnik-job: a node with three tasks" run srun -w node1 -n3 -O ovnik-job -o job1 -e sched -b 16M -- sh -c "$task"
check "ovnik-job: they are within the recording" in_order 3
check "ovnik-job: its options are the recorder's" grep -q \
	'^called 0 record -o job1/node1 --events=sched --buffer-size=16M -- sh -c ' "$work/calls"
says "ovnik-job: what the recorder warns of is said" '^ovnik-job: node1: warning: events were lost'
check "ovnik-job: five tasks on three nodes" run srun -N3 -n5 ovnik-job -ojob2 sh -c "$task"
check "ovnik-job: three captures" owned job2 root node1 node2 node3
check "ovnik-job: all tasks have run" test "$(grep -c ^task "$work/calls")" = 5
check_status 3 "ovnik-job: the status is the task's" run srun -w node1 ovnik-job --output=job3 sh -c 'exit 3'
check_status 137 "ovnik-job: a task that is killed" run srun -w node1 -n2 ovnik-job -o job4 \
	sh -c '[ $SLURM_LOCALID = 0 ] || kill -KILL $$'
check "ovnik-job: is recorded" owned job4 root node1
touch "$work/running"
check "ovnik-job: another capture runs" run srun -w node1 -n2 ovnik-job -o job5 sh -c "$task"
check "ovnik-job: the tasks have run" test "$(grep -c ^task "$work/calls")" = 2
says "ovnik-job: that is said" '^ovnik-job: node1: a capture is already running'
says "ovnik-job: and what it means" '^ovnik-job: node1: not recorded'
rm "$work/running"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
check "ovnik-job: mpirun" run mpirun --oversubscribe -n 3 ovnik-job -o job6 sh -c "echo task >>$work/calls"
check "ovnik-job: its three tasks are within the recording" in_order 3
check "ovnik-job: no launcher" run ovnik-job -o job7 sh -c "echo task >>$work/calls"
check "ovnik-job: one task" in_order 1
check "ovnik-job: nothing is left where tasks meet" sh -c '! ls -d /tmp/ovnik-job.0.node*'
check_status 2 "ovnik-job: no command" run ovnik-job -o x
check_status 2 "ovnik-job: an unknown option" run ovnik-job -x true

mkdir "$work/held"
check "ovnik-job: two beside each other, without a launcher" run sh -c '
	ovnik-job -o job8 sh -c "until [ -e $1/b ]; do sleep 0.1; done; : >$1/a" &
	ovnik-job -o job9 sh -c ": >$1/b; until [ -e $1/a ]; do sleep 0.1; done"; wait' sh "$work/held"
check "ovnik-job: both have a recorder" test -s "$work/shared/job8/$(hostname -s)/meta.json" -a \
	-s "$work/shared/job9/$(hostname -s)/meta.json"

# Names at which tasks could meet, and others would like them to: of another user, many, a link, one of a job that was killed.
lure=/tmp/ovnik-job.0.node1.trap.0
lures()
{
	mkdir "$work/lure" "$lure" "$lure.killed" "$lure".oth{100..399} &&
		mkfifo {"$work/lure","$lure","$lure.killed"}/{go,held} "$lure".oth{100..399}/{go,held} &&
		chown -R daemon "$lure" "$lure".oth* && ln -s "$work/lure" "$lure.link00"
}

# What the tasks ask other programs about a directory; "slow" holds them up.
watched()
{
	local program

	mkdir "$work/watched"
	for program in stat flock; do
		cat >"$work/watched/$program" <<-END
			#!/bin/sh
			echo "$program \$*" >>$work/asked
			[ ! -e $work/slow ] || sleep 0.2
			exec $(command -v "$program") "\$@"
		END
	done
	sed 's/^limit=60/limit=2/' "$prefix/bin/ovnik-job" >"$work/watched/ovnik-job-2s"
	chmod 755 "$work/watched"/*
	grep -q '^limit=2' "$work/watched/ovnik-job-2s"
}

# task_of_two NUMBER [OVNIK-JOB] - without a launcher
task_of_two()
{
	cd "$work/shared" && env "PATH=$work/watched:$PATH" SLURMD_NODENAME=node1 SLURM_JOB_ID=trap SLURM_STEP_ID=0 \
		"SLURM_LOCALID=$1" SLURM_NODEID=0 SLURM_STEP_TASKS_PER_NODE=2 "${2-ovnik-job}" -o job10 \
		sh -c "echo task >>$work/calls"
}

two_tasks()
{
	: >"$work/calls"
	(task_of_two 1 & task_of_two 0; wait) >"$said" 2>&1
	cat "$said"
	in_order 2
}

# Its time is up before it has asked about each of the user's own, which costs a process.
second_alone()
{
	rm -f "$work/asked"
	: >"$work/calls"
	mkdir "$lure".mine{10..59} && mkfifo "$lure".mine{10..59}/held && touch "$work/slow" || return
	(task_of_two 1 ovnik-job-2s) >"$said" 2>&1
	rm -r "$work/slow" "$lure".mine*
	cat "$said"
	calls <<<task && [ "$(grep -c "$lure.mine" "$work/asked")" -lt 50 ]
}

# The recorder begins after that.
slow_recorder()
{
	: >"$work/calls"
	touch "$work/hangs"
	(task_of_two 1 ovnik-job-2s & task_of_two 0 ovnik-job-2s; wait) >"$said" 2>&1 &
	until [ "$(grep -c ^task "$work/calls")" = 2 ] || ! kill -0 $! 2>/dev/null; do sleep 0.1; done
	rm "$work/hangs"
	wait $!
	cat "$said"
	[ "$(grep -c '^ovnik-job: node1: the recorder has not begun within 2 s' "$said")" = 2 ]
}
check "ovnik-job: what it calls is watched" watched
check "ovnik-job: whatever has a name that can be guessed is there already" lures
check "ovnik-job: the tasks meet elsewhere" two_tasks
check "ovnik-job: both are recorded" test -s "$work/shared/job10/node1/meta.json"
check "ovnik-job: they have asked" grep -qx 'flock 7' "$work/asked"
check "ovnik-job: what belongs to others costs no process" sh -c '! grep -F "$1" "$2" | head -n 3 | grep .' sh \
	"$lure.oth" "$work/asked"
check "ovnik-job: nothing else is left" test "$(echo "$lure".*)" = "$(echo "$lure".{killed,link00} "$lure".oth*)"
check "ovnik-job: nothing is written there" test "$(cd "$work/lure" && echo *)" = "go held"
check "ovnik-job: a task that meets nobody begins" second_alone
says "ovnik-job: that is said" '^ovnik-job: node1: not recorded: the tasks cannot meet in /tmp'
check "ovnik-job: the recorder does not begin, the tasks do, and each says so" slow_recorder
rm -rf "$lure" "$lure".*

# The template. Each node has a name of its own for MPI, and what it is to record.
node()
{
	"$work/gen-capture" random "$work/nodes/$1" -n 500 -s "$2" -c 2 -t 4 -C
	sed -i "s/\"host\":\"gen\"/\"host\":\"$1\"/" "$work/nodes/$1/meta.json"
}

named_sync()
{
	mv "$prefix/bin/ovnik-sync" "$prefix/bin/the-sync"
	cat >"$prefix/bin/ovnik-sync" <<-END
		#!/bin/sh
		[ ! -e "$work/no-mpi" ] || exit 1
		exec unshare --uts sh -c 'hostname "\$SLURMD_NODENAME"; exec "\$@"' sh "$prefix/bin/the-sync" "\$@"
	END
	chmod 755 "$prefix/bin/ovnik-sync"
}

# submit [SED] - as it is, or so changed
submit()
{
	sed "${1-}" "$prefix/share/ovnik/ovnik.sbatch" >"$work/shared/job.sbatch"
	run sbatch --wait --output="$work/job.log" job.sbatch
	status=$?
	cat "$work/job.log" >>"$said"
	cat "$said"
	return "$status"
}

measured()
{
	local job

	job=$(results)
	grep -q '^2 node3 ' "$job/before.txt" && grep -q '^2 node3 ' "$job/after.txt" &&
		grep -q 'node3' "$job/nodes/node3/ovni/clock-offsets.txt"
}

# results - where the job has them, as it says
results()
{
	sed -n 's,^open \(/.*\)/thread\.prv with .*,\1,p' "$work/job.log"
}

# drawn NODE... - in rows of both timelines, and in the report
drawn()
{
	local node job

	job=$(results)
	build/selftests/prvcheck "$job" || return
	for node; do
		grep -q "TH .* $node" "$job/thread.row" && grep -q "CPU .* $node" "$job/cpu.row" &&
			grep -q "^ *$node " "$job/report.txt" || return
	done
}

check "gen-capture is built" build gen-capture
mkdir "$work/nodes"
node node1 1; node node2 2; node node3 3
named_sync
# Root's jobs write into a directory of root's.
chown root "$work/shared"
printf '#!/bin/sh\nexit 3\n' >"$work/shared/application"
chmod 755 "$work/shared/application"
check_status 3 "ovnik.sbatch: the status is the application's" submit
check "ovnik.sbatch: three nodes are drawn and reported" drawn node1 node2 node3
check "ovnik.sbatch: the clocks are measured before and after" measured
check "ovnik.sbatch: nothing is missing" silent 'not all\|not of all\|not measured'
rm -r "$work/nodes/node2"
touch "$work/no-mpi"
check_status 3 "ovnik.sbatch: with ovnik-job, a damaged node, and no MPI" submit 's/^#record/record/'
check "ovnik.sbatch: the others are drawn and reported" drawn node1 node3
says "ovnik.sbatch: the node is named" 'ovnik-decode: .*captures/node2'
says "ovnik.sbatch: that is said" 'not all captures could be decoded'
says "ovnik.sbatch: so are the clocks" 'the clocks are not measured after the application'

kill $slurm
wait $slurm
slurm=
check "nothing is left of Slurm" ended
finish
