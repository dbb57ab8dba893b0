#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# agree.sh - Paraver, the tasks and XRay say the same of what each thread does, of captures with
# losses and damage, and of parts of them
#
# soak/agree-N-of-M.sh have 10000 captures.

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/decode-lib.sh
. "$here/../lib/decode-lib.sh"

for generator in gen-activity gen-capture gen-memory gen-xray gen-report; do
	check "$generator is built" build $generator
done

# judge NAME CAPTURE [OPTION...] - the outputs of it agree
judge()
{
	judge_name=$1
	judge_capture=$2
	shift 2
	rm -rf "$work/out" "$work/tasks.csv"
	"$decode" "$judge_capture" -o "$work/out" --to ovni,prv,xray "$@" 2>"$work/log"
	judge_status=$?
	"$decode" "$judge_capture" "$@" \
		--tracer "csv,kind=thread|run|wait|unknown|call|fault,file=$work/tasks.csv" \
		>/dev/null 2>&1
	check "$judge_name: status $judge_status, and the tasks with the same" test "$judge_status" -eq $?
	check "$judge_name: the outputs agree" "$checkers/agree.py" "$work/out" "$work/tasks.csv" \
		"$work/log"
}

"$work/gen-activity" known "$work/known"
judge "nothing is missing" "$work/known"
"$work/gen-activity" random "$work/lossy" 30000 2 60
judge "events are lost" "$work/lossy"
"$work/gen-xray" known "$work/gaps"
judge "what is lost is known by its kind" "$work/gaps"
"$work/gen-xray" lost "$work/call"
judge "who was lost is in a call that ends in a gap" "$work/call"
"$work/gen-report" lossy "$work/part"
judge "a part with losses" "$work/part" --cpu 0

# zeros FILE BYTES OFFSET... - the file is damaged there
zeros()
{
	zeros_file=$1
	zeros_bytes=$2
	shift 2
	for offset; do
		dd if=/dev/zero of="$zeros_file" bs=$((zeros_bytes)) count=1 seek=$((offset)) \
			oflag=seek_bytes conv=notrunc 2>/dev/null
	done
}

"$work/gen-activity" random "$work/whole" 200000 3 0
cp -r "$work/whole" "$work/places"
zeros "$work/places/cpu0.ovk" 0x4000 0x88000 0x108000 0x188000
judge "three places of 16 KiB are zeros" "$work/places"
check "each is a gap" test \
	"$(grep -c ' gap on CPU 0 .*damaged' "$work/log")" -eq 3
# A sub-buffer that has lost its records and its counts looks as if it had none; its CRC is wrong.
cp -r "$work/whole" "$work/buffers"
for number in 8 16 24; do
	at=$("$gen/damage.py" "$work/buffers/cpu0.ovk" find 894f564e494b5342 $number)
	zeros "$work/buffers/cpu0.ovk" 0xf000 $((at + 128))
done
judge "three sub-buffers are zeros but for their beginning" "$work/buffers"
check "each is a gap in which an unknown number is missing" test \
	"$(grep -c ' gap on CPU 0 .* unknown number' "$work/log")" -eq 3

number=24
mkdir "$work/random"
check "$number captures at random, with losses, damage, and parts of them" \
	"$checkers/agreerandom.py" "$decode" "$work" "$work/random" 1 "$number"
check_status 1 "a decoder that makes nothing agrees with nothing" \
	"$checkers/agreerandom.py" false "$work" "$work/random" 1 1
cat >"$work/killed" <<END
#!/bin/sh
"$decode" "\$@" || exit
[ "\$1" = report ] || kill -ABRT \$\$
END
chmod +x "$work/killed"
check_status 1 "nor does one that is killed when it has made all" \
	"$checkers/agreerandom.py" "$work/killed" "$work" "$work/random" 1 1
finish
