#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# sync.sh TOP OUT - in guest 1 or 2 of a network, which has the host's files: ovnik-sync measures the
# clocks of both. TOP and OUT are the host's paths; results go to OUT, and so do the commands that
# mpirun has for the other guest.

set -eu

top=$1
out=$2
root=/host

for dir in run tmp; do
	mount -t tmpfs tmpfs $root/$dir
done
mount -t proc proc $root/proc
mount -t sysfs sysfs $root/sys
mount -o bind /dev $root/dev

# The rsh of this network: guest 2 does what is in a file, and writes its status.
cat >$root/tmp/rsh <<END
#!/bin/sh
shift
echo "\$*" >$out/command.new
mv $out/command.new $out/command
until [ -e $out/status ]; do sleep 0.1; done
exit "\$(cat $out/status)"
END
chmod 755 $root/tmp/rsh

# bound NODE OUT - from files that come and go, independent of the network: node2's clock was read between
# two reads of node1's
cat >$root/tmp/bound <<'END'
import os, sys, time

mine, out = sys.argv[1], sys.argv[2]
best = None

def wait(path):
    while not os.path.exists(path):
        time.sleep(0.0005)

def write(path, value):
    with open(path + ".new", "w") as file:
        file.write(str(value))
    os.rename(path + ".new", path)

for i in range(30):
    ask, answer = f"{out}/ask{i}", f"{out}/answer{i}"
    if mine == "node2":
        wait(ask)
        write(answer, time.monotonic_ns())
        continue
    begin = time.monotonic_ns()
    write(ask, "")
    wait(answer)
    end = time.monotonic_ns()
    there = int(open(answer).read())
    if not best or end - begin < best[1] - best[0]:
        best = (begin - there, end - there)
if best:
    print(*best)
END

in_root()
{
	chroot $root env -i HOME=/tmp PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"
}

node=$(hostname)
in_root python3 /tmp/bound "$node" "$out" >"$root$out/bound-$node"
if [ "$node" = node2 ]; then
	until [ -e "$root$out/command" ]; do sleep 0.1; done
	status=0
	in_root sh "$out/command" || status=$?
	echo $status >"$root$out/status"
	exit $status
fi
in_root env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --host 10.9.0.1,10.9.0.2 -N 1 \
	--mca plm_rsh_agent /tmp/rsh --mca btl tcp,self --mca oob_tcp_if_include 10.9.0.0/24 \
	--mca btl_tcp_if_include 10.9.0.0/24 "$top/build/ovnik-sync" -o "$out/table" >"$root$out/said" 2>&1
