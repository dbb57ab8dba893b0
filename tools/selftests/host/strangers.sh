#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# strangers.sh - root writes where others may touch what is there: nothing elsewhere changes
#
# Those are a user without any right. What he must not change is the folder "victim".

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/decode-lib.sh
. "$here/../lib/decode-lib.sh"

refs=$top/build/ovnik-refs
sync=$top/build/ovnik-sync
user=12345
stranger=(setpriv "--reuid=$user" "--regid=$user" --clear-groups)

if [ "$(id -u)" != 0 ]; then
	skip "root writes among strangers" "needs root"
	finish
fi
# "make" trusts the owner of this tree.
unset SUDO_UID SUDO_GID
chmod 755 "$work"
# Where we are, the user may not be.
cp "$decode" "$work"
check "a capture" build gen-capture
check "one who leads us elsewhere" build gen-lead
cp --remove-destination "$(realpath "$work/gen-lead")" "$work/gen-lead"
"$work/gen-capture" random "$work/cap" -n 20000 -c 2 -t 20 -s 6
printf 'r12345678\1abcdefgh' >"$work/one"

# A folder of root's, and one of the user's with the outputs in it.
fresh()
{
	rm -rf "${work:?}"/{victim,home}
	mkdir -p "$work/victim/cfg/thread" "$work/home/out"
	for file in secret thread.prv laplace.txt cfg/thread/state.cfg; do
		echo "root's $file" >"$work/victim/$file"
	done
	chmod -R go-w "$work/victim"
	before=$(listing)
	chown -R $user:$user "$work/home"
}

listing()
{
	(cd "$work/victim" && find . -printf '%p %u %m\n' | sort && find . -type f | sort | xargs sha256sum)
}

as_it_was()
{
	listing | diff <(echo "$before") -
}

# ls of what strangers can read below the folders
readable()
{
	"${stranger[@]}" find "$@" -type f -readable 2>/dev/null
}

# shellcheck disable=SC2317 # called through check
# refused TEXT COMMAND... - and nothing has changed
refused()
{
	says 1 "$@" && as_it_was
}

# A directory of others, and the way to one.

into=(--to "laplace,prv,ovni")
fresh
check "a user's directory" refused "$work/home is owned by user $user, who could redirect the output" \
	"$decode" "$work/cap" -o "$work/home/out" "${into[@]}"
check "one that is not there, in his" refused "$work/home is owned by user $user" \
	"$decode" "$work/cap" -o "$work/home/new" "${into[@]}"
check "it is not made" test ! -e "$work/home/new"
mkdir -m 777 "$work/open" && mkdir "$work/open/out"
check "a directory that all may write to" refused "every user can write to $work/open" \
	"$decode" "$work/cap" -o "$work/open" "${into[@]}"
check "one in such" refused "every user can write to $work/open" \
	"$decode" "$work/cap" -o "$work/open/out" "${into[@]}"
chmod 770 "$work/open" && chgrp $user "$work/open"
check "or that a group may" refused "group $user can write to $work/open" \
	"$decode" "$work/cap" -o "$work/open/out" "${into[@]}"
chmod 1777 "$work/open"
check "where only owners rename, root may" "$decode" "$work/cap" -o "$work/open/out" "${into[@]}"
ln -s "$work/victim" "$work/open/link" && chown -h $user "$work/open/link"
check "but not by a user's link" refused "symbolic link link is owned by user $user" \
	"$decode" "$work/cap" -o "$work/open/link" "${into[@]}"
check "nor through it" refused "symbolic link link is owned by user $user" \
	"$decode" "$work/cap" -o "$work/open/link/out" "${into[@]}"
ln -s "$work/open/out" "$work/own"
check "by root's own link root may" "$decode" "$work/cap" -o "$work/own" "${into[@]}"
check "and through one" "$decode" "$work/cap" -o "$work/own/deep" "${into[@]}"
check "its outputs are there" test -s "$work/open/out/deep/laplace.txt"
check "the emulator refuses, too" refused "$work/home is owned by user $user" \
	"$emu" "$work/own/ovni" -o "$work/home/out"
check "so do the tracers" refused "$work/home is owned by user $user" \
	"$decode" "$work/cap" --tracer "csv,file=$work/home/out/tasks.csv"
check "and the references" refused "$work/home is owned by user $user" \
	"$refs" --to-text "$work/one" -o "$work/home/out/text"
check "a user who called sudo is root" env SUDO_UID=$user SUDO_GID=$user \
	"$decode" "$work/cap" -o "$work/home/out" "${into[@]}"
check "another one is not" refused "$work/home is owned by user $user" \
	env SUDO_UID=$((user + 1)) "$decode" "$work/cap" -o "$work/home/out" "${into[@]}"
rm -rf "$work/home/out" && "${stranger[@]}" mkdir "$work/home/out"
chmod 755 "$work/cap"
check "who is not root refuses nothing of his" "${stranger[@]}" \
	"$work/ovnik-decode" "$work/cap" -o "$work/home/out/here" "${into[@]}"

# Asked for: what is in the directory leads elsewhere.

# planted NAME COMMAND... - the command makes something in the directory; the outputs are whole, or an error is said
planted()
{
	local name=$1 status=0

	shift
	fresh
	(cd "$work/home/out" && "${stranger[@]}" "$@")
	"$decode" --trust-dir "$work/cap" -o "$work/home/out" "${into[@]}" 2>"$work/log" || status=$?
	if [ "$status" = 1 ]; then
		check "$name: said" grep "error: $work/home/out" "$work/log"
	else
		check "$name: replaced" test -s "$work/home/out/thread.prv" -a ! -L "$work/home/out/thread.prv"
	fi
	check "$name: nothing elsewhere" as_it_was
}

planted "a stage of the user's" mkdir -m 777 "$work/home/out/.ovnik.part"
check "is not used" grep "/.ovnik.part: another user has made it, or can use it" "$work/log"
planted "a stage that is a link" ln -s "$work/victim" "$work/home/out/.ovnik.part"
planted "a directory of root's as a stage" true
mkdir "$work/home/out/keep" && touch "$work/home/out/keep/root" && "${stranger[@]}" \
	mv "$work/home/out/keep" "$work/home/out/.ovnik.part"
check "is not emptied" says 1 "/.ovnik.part: another user has made it, or can use it" \
	"$decode" --trust-dir "$work/cap" -o "$work/home/out"
check "what was in it is there" test -e "$work/home/out/.ovnik.part/root"
planted "a link for a file" ln -s "$work/victim/thread.prv" "$work/home/out/thread.prv"
planted "a link for the views" ln -s "$work/victim/cfg" "$work/home/out/cfg"
planted "a link among the views" sh -c "mkdir cfg && ln -s $work/victim/cfg/thread cfg"
planted "a link for the trace" ln -s "$work/victim" "$work/home/out/ovni"
planted "a link in the trace" sh -c "mkdir ovni && ln -s $work/victim ovni/loom.a"

# Asked for: the user leads it elsewhere while it runs.

# led HOW PROGRAM... - $work/said then says whether it was
led()
{
	local how=$1 leader

	shift
	fresh
	if [ "$how" = plant ]; then
		"${stranger[@]}" mkdir -p "$work/home/out/own/cfg/thread"
		for file in thread.prv laplace.txt cfg/thread/state.cfg planted; do
			echo planted | "${stranger[@]}" tee "$work/home/out/own/$file" >/dev/null
		done
	fi
	: >"$work/said"
	"${stranger[@]}" "$work/gen-lead" "$how" "$work/home/out" "$work/victim" >"$work/said" 2>&1 &
	leader=$!
	until grep -q ready "$work/said"; do
		sleep 0.01
	done
	"$@" --trust-dir -o "$work/home/out" >"$work/log" 2>&1
	[ "$how" != merge ] || "$@" --trust-dir -o "$work/home/out" >>"$work/log" 2>&1
	kill $leader 2>/dev/null
	wait $leader 2>/dev/null
}

# shellcheck disable=SC2317 # called through check
# What the user has put there may be only where he has put it.
not_moved()
{
	! grep -rl planted "$work/home" | grep -v "/own/\|/.ovnik.part/" && as_it_was
}

for how in link plant dir; do
	led $how "$decode" "$work/cap" "${into[@]}"
	check "$how: the decoder was led" grep -qx led "$work/said"
	check "$how: nothing elsewhere has changed" not_moved
	led $how "$emu" "$work/own/ovni"
	check "$how: the emulator was led" grep -qx led "$work/said"
	check "$how: nothing elsewhere has changed" not_moved
done
for ((i = 0; i < $(amount 5 40); i++)); do
	led merge "$decode" "$work/cap" "${into[@]}"
	cat "$work/said" >>"$work/all-said"
	as_it_was >>"$work/changed" 2>&1 || break
done
check "merge: a folder was led" grep -qx led "$work/all-said"
check "merge: nothing elsewhere has changed" test ! -s "$work/changed"

# One file.

fresh
ln -s "$work/victim/secret" "$work/link"
check "a link to a file is replaced" "$refs" --to-text "$work/one" -o "$work/link"
check "not followed" as_it_was
check "by the file" grep -q ^r "$work/link"
check "and is no link" test ! -L "$work/link"
mkfifo "$work/pipe" && ln -s "$work/pipe" "$work/to-pipe"
cat "$work/pipe" >"$work/came" &
check "a link to a pipe is" "$refs" --to-text "$work/one" -o "$work/to-pipe"
wait $!
check "what was written came" grep -q ^r "$work/came"
"$refs" --to-text "$work/one" -o /dev/stdout >"$work/came"
check "standard output by its name is not replaced" test -L /dev/stdout
check "but written to" grep -q ^r "$work/came"
mkdir -m 1777 "$work/sticky"
"${stranger[@]}" mkfifo -m 666 "$work/sticky/pipe"
"${stranger[@]}" ln -s /dev/null "$work/sticky/null"
"${stranger[@]}" ln -s "$work/victim/secret" "$work/sticky/link"
for file in pipe null link; do
	check "$file of a user's, where all may write" refused "is owned by user $user" \
		timeout 10 "$refs" --to-text "$work/one" -o "$work/sticky/$file"
done
if [ -x "$sync" ]; then
	ln -sf "$work/victim/secret" "$work/link"
	check "a table of clocks" env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
		"$sync" -n 10 -o "$work/link"
	check "replaces a link, too" as_it_was
	check "it is there" grep -q "^rank hostname" "$work/link"
fi

modes()
{
	stat -c %a "$@" | paste -sd' '
}

# hands_down DIR - give it a default access control list: all rights to everybody
hands_down()
{
	python3 - "$1" 2>/dev/null <<-'EOF'
		import os, struct, sys
		entries = b"".join(struct.pack("<HHI", tag, 7, 0xffffffff) for tag in (1, 4, 0x20))
		os.setxattr(sys.argv[1], "system.posix_acl_default", struct.pack("<I", 2) + entries)
	EOF
}

# Rights: none that the capture does not give. Of a file that nobody else can read, others read nothing.

umask 022
chmod 700 "$work/cap" && chmod 600 "$work/cap"/* "$work/one"
all=$("$decode" --list-outputs | sed -n '/on stdout$/!s/ .*//p' | paste -sd,)
mkdir "$work/made"
check "all outputs: $all" "$decode" "$work/cap" -o "$work/made/out" --to "$all"
check "a tracer's file" "$decode" "$work/cap" --tracer "csv,file=$work/made/tasks.csv"
check "a database" "$decode" "$work/cap" --tracer "database,file=$work/made/tasks.db"
check "of references" "$refs" --to-text "$work/one" -o "$work/made/one.txt"
check "what is made of a trace" "$emu" "$work/made/out/ovni" -o "$work/made/emu"
check "$(find "$work/made" -type f | wc -l) files are there" \
	test "$(find "$work/made" -type f | wc -l)" -gt 50
check "no stranger can read one" test -z "$(readable "$work/made")"
rm -rf "$work/made"/*
chmod 750 "$work/cap" && chmod 640 "$work/cap"/*
check "what the group may read" "$decode" "$work/cap" -o "$work/made/out" "${into[@]}"
check "it may" test "$(modes "$work/made/out" "$work/made/out/laplace.txt")" = "750 640"
chgrp -R $user "$work/cap"
check "what another group may" "$decode" "$work/cap" -o "$work/made/other" "${into[@]}"
check "ours may not" test "$(modes "$work/made/other" "$work/made/other/laplace.txt")" = "700 600"
mkdir "$work/made/theirs" && chgrp $user "$work/made/theirs" && chmod 2755 "$work/made/theirs"
check "in a directory whose group others take over" \
	"$decode" "$work/cap" -o "$work/made/theirs/out" "${into[@]}"
check "it may, for it is the same" test "$(stat -c '%a %g' "$work/made/theirs/out" \
	"$work/made/theirs/out/laplace.txt" | paste -sd' ')" = "2750 $user 640 $user"
chgrp 0 "$work/cap" "$work/cap"/* && chmod 640 "$work/one"
check "what only our group may" "$decode" "$work/cap" -o "$work/made/theirs/ours" "${into[@]}"
check "theirs may not" test "$(modes "$work/made/theirs/ours" "$work/made/theirs/ours/laplace.txt")" = "2700 600"
check "nor of references" "$refs" --to-text "$work/one" -o "$work/made/theirs/one"
check "it may not, either" test "$(modes "$work/made/theirs/one")" = 600
check "a tracer's file there" "$decode" "$work/cap" --tracer "csv,file=$work/made/theirs/tasks.csv"
check "has the rights of the others" test "$(modes "$work/made/theirs/tasks.csv")" = 600
chmod 755 "$work/cap" && chmod 644 "$work/cap"/* && chgrp -R $user "$work/cap"
check "what everybody may" "$decode" "$work/cap" -o "$work/made/all" "${into[@]}"
check "everybody may" test "$(modes "$work/made/all" "$work/made/all/laplace.txt")" = "755 644"
chmod 600 "$work/cap/cpu1.ovk"
check "one file is root's" "$decode" "$work/cap" -o "$work/made/one" "${into[@]}"
check "so is all that is made of it" test "$(modes "$work/made/one" "$work/made/one/laplace.txt")" = "700 600"
if hands_down "$work/made/theirs"; then
	check "where a list of rights is handed down" "$decode" "$work/cap" -o "$work/made/theirs" "${into[@]}"
	check "no such list is used" test "$(modes "$work/made/theirs/laplace.txt")" = 600
	"$refs" --to-text "$work/one" -o "$work/made/theirs/two"
	"$decode" "$work/cap" --tracer "csv,file=$work/made/theirs/two.csv" >/dev/null 2>&1
	check "nor to single files" test "$(modes "$work/made/theirs/two" "$work/made/theirs/two.csv")" = "600 600"
else
	skip "lists of rights that are handed down" "the file system has none"
fi

finish
