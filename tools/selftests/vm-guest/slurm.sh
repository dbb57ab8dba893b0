#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# slurm.sh TOP PREFIX OUT - in a guest that has the host's files: Slurm, its plugin, and what is
# installed in PREFIX record steps. TOP, PREFIX and OUT are the host's paths; results go to OUT.

set -eu

top=$1
prefix=$2
out=$3
root=/host

# What is written is the guest's own, but for OUT.
for dir in run var/spool; do
	mount -t tmpfs tmpfs $root/$dir
done
mount -t proc proc $root/proc
mount -t sysfs sysfs $root/sys
mount -o bind /dev $root/dev
# As without systemd: with version 2, slurmd would ask it for a scope.
mount -t tmpfs tmpfs $root/sys/fs/cgroup
for dir in cpuset cpuacct memory devices freezer; do
	mkdir $root/sys/fs/cgroup/$dir
	mount -t cgroup -o $dir $dir $root/sys/fs/cgroup/$dir
done
mkdir $root/sys/fs/cgroup/systemd
mount -t cgroup -o none,name=systemd systemd $root/sys/fs/cgroup/systemd
# Slurm looks up the name of the machine.
echo 127.0.0.1 localhost "$(hostname)" >$root/var/spool/hosts
mount -o bind $root/var/spool/hosts $root/etc/hosts
# Programs that look for addresses want one that is not the loopback's.
ip addr add 192.0.2.1/32 dev lo
insmod "$root$top/build/kmod/ovnik.ko"

cat >$root/var/spool/steps <<END
set -u
cd /var/spool/shared
as_user="setpriv --reuid=daemon --regid=daemon --clear-groups"
# Both tasks on one node, which is this kernel.
\$as_user srun -w node1 -n2 --ovnik=one sh -c 'seq 3000 | sort -r | md5sum' >one.out 2>&1
echo \$? >one.status
# Two nodes that are one kernel: it can be recorded once. Each task begins after its node's recorder
# has, or cannot, and lasts until the other one has begun.
\$as_user srun -N2 --ovnik=two,sched,task sh -c '
	touch up.\$SLURMD_NODENAME
	until [ -e up.node1 ] && [ -e up.node2 ]; do sleep 0.1; done' >two.out 2>&1
echo \$? >two.status
$prefix/bin/ovnik status >status.out 2>&1
find . -printf '%M %u %P\n' >/var/spool/owners
END
mkdir -m 755 $root/var/spool/slurm
mkdir -m 777 $root/var/spool/shared
echo "optional $prefix/lib/ovnik/ovnik_spank.so" >$root/var/spool/slurm/plugstack.conf
chroot $root env PATH=/usr/sbin:/usr/bin:/sbin:/bin "$top/tools/demo/slurm" /var/spool/slurm 2 sh /var/spool/steps || { tail -n 5 $root/var/spool/slurm/log/*; exit 1; }
cp -r $root/var/spool/shared $root/var/spool/owners "$root$out/"
rmmod ovnik
