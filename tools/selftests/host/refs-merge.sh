#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# refs-merge.sh - captures and logs of references that a guest does not make every day

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/decode-lib.sh
. "$here/../lib/decode-lib.sh"

merge=$top/build/ovnik-merge
refs=$top/build/ovnik-refs

# merged KIND - in $work/out
merged()
{
	rm -rf "$work/out"
	"$work/gen-refs" "$1" "$work/$1" &&
		"$merge" --stat --basic --per-process "$work/$1" "$work/$1.refs" -o "$work/out" 2>"$work/log"
}

# rows ROW... - of references.csv
rows()
{
	tail -n +2 "$work/out/references.csv" >"$work/rows"
	printf '%s\n' "$@" | cmp - "$work/rows" || cat "$work/rows"
	printf '%s\n' "$@" | cmp -s - "$work/rows"
}

# files NAME... - of processes
files()
{
	(cd "$work/out/processes" && find . -type f | sort | cut -c3- >"$work/found")
	printf '%s.txt\n' "$@" | cmp - "$work/found" || cat "$work/found"
	printf '%s.txt\n' "$@" | cmp -s - "$work/found"
}

# frames - three references to a page, three to the next one, and one to two each; fetches between
frames()
{
	awk '
		NR % 2 == 0 { page[NR / 2] = $2 }
		END {
			same = page[3] == page[4] && page[4] == page[5]
			next_one = page[6] != page[5] && page[6] == page[7] && page[7] == page[8]
			other = page[9] != page[8] && page[10] != page[9] && page[10] != page[8]
			exit !(NR == 22 && same && next_one && other)
		}' "$work/out/basic.txt" || { cat "$work/out/basic.txt"; false; }
}

# loads WANTED - the process's, as LENGTH:PAGE
loads()
{
	got=$(awk '/^r/ { printf "%s:%s ", $3, $4 }' "$work/out/processes/100/100.txt")
	echo "$got"
	[ "$got" = "$1 " ]
}

# of_kernel - its store for the process, to a page of the process, is one of the kernel
of_kernel()
{
	page=$(awk '/^r/ && $4 == "10003" { print $5 }' "$work/out/processes/100/100.txt")
	cat "$work/out/kernel.txt"
	[ -n "$page" ] && [ "$(awk -v page="$page" '/^w/ && $4 == "10003" && $5 == page' "$work/out/kernel.txt" | wc -l)" = 1 ]
}

# of_process KIND PID - what is cut for it is what the merge gave it
of_process()
{
	"$refs" --to-text --wide --pid "$2" --capture "$work/$1" "$work/$1.refs" >"$work/cut" 2>"$work/log" || return
	cat "$work/out/processes/$2"/*.txt "$work/out/processes/$2"-*/*.txt 2>/dev/null |
		awk '/^[irw]/ { print $2, $3 }' | sort >"$work/wanted"
	awk '{ print $2, $3 }' "$work/cut" | sort | cmp - "$work/wanted" && [ -s "$work/wanted" ]
}

# cut_with_kernel - what the kernel does while the process runs is the process's, and no more
cut_with_kernel()
{
	"$refs" --to-text --wide --pid 100 --capture "$work/kernel" "$work/kernel.refs" | cut -d ' ' -f 1,5 >"$work/cut"
	cat "$work/cut"
	printf '%s\n' "I ffffffff81000000" "W 10003000" "I 401000" "R 10003000" "I 401000" "R 10002000" |
		cmp - "$work/cut"
}

# refuses STATUS PATTERN ARGUMENT...
refuses()
{
	want=$1
	pattern=$2
	shift 2
	status=0
	"$refs" --to-text --wide "$@" >"$work/cut" 2>"$work/log" || status=$?
	cat "$work/log"
	[ "$status" = "$want" ] && grep -q "$pattern" "$work/log" && [ ! -s "$work/cut" ]
}

quiet()
{
	! grep -E 'warning|error' "$work/log"
}

# bytes_flipped N - N damaged logs and captures: outputs or an error, and nothing else
bytes_flipped()
{
	python3 - "$merge" "$work" "$1" <<'END'
import os, random, shutil, subprocess, sys
merge, work, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
rng = random.Random(7)
statuses = set()
for i in range(count):
    kind = rng.choice(("leader", "exec", "self"))
    capture, log, out = work + "/flipped", work + "/flipped.refs", work + "/flipped.out"
    for path in (capture, out):
        shutil.rmtree(path, ignore_errors=True)
    shutil.copytree(f"{work}/{kind}", capture)
    shutil.copy(f"{work}/{kind}.refs", log)
    name = rng.choice((log, capture + "/cpu0.ovk", capture + "/meta.json"))
    data = bytearray(open(name, "rb").read())
    for _ in range(rng.choice((1, 2, 8))):
        data[rng.randrange(len(data))] = rng.randrange(256)
    if rng.random() < 0.2:
        del data[rng.randrange(len(data)):]
    open(name, "wb").write(data)
    done = subprocess.run([merge, "--stat", "--basic", "--per-process", capture, log, "-o", out],
                          capture_output=True, timeout=60)
    statuses.add(done.returncode)
    if done.returncode not in (0, 1, 3, 4) or done.returncode == 1 and b"error: " not in done.stderr:
        sys.exit(f"{i}: status {done.returncode}: {done.stderr.decode(errors='replace')}")
print(statuses)
sys.exit(len(statuses) < 2)
END
}

check "the generator is built" build gen-refs
check "the first thread ends first" merged leader
check "its process is one" rows '100,worker,[anonymous],4,4,0,4'
check "a thread comes before its process is known" merged early
check "it has the process's directory" files 100/100 100/101
check "and nothing is said about another run" quiet
check "a thread is dumped before the first one" merged late
check "the process has its number" files 100/100 100/101
check "a thread that executes a program" merged exec
check "goes on under the first one's number" files 100/100-2 100/100 100/101
check "a number is given again" merged again
check "to another process" files 1/1 100-2/100-2 100/100 100/101
check "cut for that number, a log has both" of_process again 100
check "but nothing of one that never ran" refuses 1 "again: process 1 never ran" \
	--pid 1 --capture "$work/again" "$work/again.refs"
cut_capture()
{
	cp -r "$work/again" "$work/again-cut"
	truncate -s -10 "$work/again-cut/cpu0.ovk"
	"$refs" --to-text --wide --pid 100 --capture "$work/again-cut" "$work/again.refs" >"$work/cut" 2>"$work/log"
	[ $? = 1 ] && [ -s "$work/cut" ] && grep -q "again-cut: is damaged or lacks events" "$work/log"
}
check "of a capture that is cut, what is known, and an error" cut_capture
check "a process needs a capture" refuses 2 "need each other" --pid 1 "$work/again.refs"
check "and one that is there" refuses 1 "none: No such file" --pid 1 --capture "$work/none" "$work/again.refs"
tar -C "$work" -xzf "$here/../captures/0.1/module.tar.gz"
check "of one CPU" refuses 1 "module: was recorded on 2 CPUs, but references are logged on one" \
	--pid 100 --capture "$work/module" "$work/again.refs"
check "its number is one" refuses 2 "must be the number of a process" \
	--pid 0 --capture "$work/again" "$work/again.refs"
check "a process that runs until the capture ends" merged last
check "has what it does at the end, cut and merged" of_process last 100
check "which is there" grep -q " 10003 " "$work/out/processes/100/100.txt"
check "a log after an exec" merged exec
check "has what the process did before and after it" of_process exec 100
check "a name that is no text" merged name
# The end of a line is in it.
check "is text in the tables, and no formula" \
	rows "100,\"'=1\"\"," '=1+1��",[anonymous],1,1,0,2'
check "and one line in the summary" grep -qF '=1",\x0a=1+1\xff\x1b 100' "$work/out/stat.txt"
check "a copy of a range from itself" merged self
check "a task without an address space" merged none
check "its process has the references" rows '100,app,[anonymous],1,1,0,2'
check "frames of a process that the kernel refers to as well" merged frames
check "are the process's pages while it has them" frames
check "references at borders of pages" merged border
check "are two if they cross one" \
	loads "4:10001 4:10002 8:10004 8:10006 4:10006 4:10007 8:10007 8:10007 1:10002"
check "and counted so" rows '100,app,[anonymous],4,9,0,6'
check "a kernel that refers to a process's memory" merged kernel
check "is counted as the kernel" \
	rows '100,app,[anonymous],2,2,0,3' '0,kernel,[anonymous],0,0,2,2' '0,kernel,[kernel],2,0,0,1'
check "and written so" of_kernel
check "cut for the process, its references are there, too" cut_with_kernel
all_lines()
{
	"$decode" "$work/crowd" --to laplace -o "$work/crowd.out" 2>"$work/log" &&
		grep '^m' "$work/crowd.out/laplace.txt" >"$work/lines" &&
		grep -h '^m' "$work/out/processes/100"/*.txt | cmp - "$work/lines" &&
		[ "$(wc -l <"$work/lines")" -gt 9000 ]
}
check "a program that gets 9,000 mappings at once" merged crowd
check "has them all in its file" all_lines
check "100 damaged inputs" bytes_flipped 100

# Each status of its page. One capture is cut; of the other, a BPF probe did not run.
cp -r "$work/leader" "$work/lacking"
sed -i '/"checksum"/d; /"crc"/d; s/"host":/"missed": [{"runs": 1}], &/' "$work/lacking/meta.json"
check_status 0 "ovnik-merge: 0" "$merge" --stat "$work/leader" "$work/leader.refs" -o "$work/s0"
check_status 1 "ovnik-merge: 1" "$merge" --stat "$work/nowhere" "$work/leader.refs" -o "$work/s1"
two_cpus()
{
	! "$merge" "$work/module" "$work/again.refs" -o "$work/two" 2>"$work/log" &&
		grep -q "^ovnik-merge: error: .*module: was recorded on 2 CPUs, but references are logged on one" "$work/log"
}
check "ovnik-merge: a capture of two CPUs" two_cpus
check_status 2 "ovnik-merge: 2" "$merge" --stat "$work/leader"
check_status 3 "ovnik-merge: 3" "$merge" --stat "$work/again-cut" "$work/again.refs" -o "$work/s3"
check_status 4 "ovnik-merge: 4" "$merge" --stat "$work/lacking" "$work/leader.refs" -o "$work/s4"
all_statuses()
{
	sed -n '/^\.SH EXIT STATUS/,/^\.SH [^E]/s/^\.B \([0-9]\)$/\1/p' "$top/Documentation/man/ovnik-merge.1" |
		tr -d '\n' | grep -qx 01234
}
check "these are all" all_statuses
finish
