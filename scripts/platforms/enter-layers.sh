#!/bin/sh
# Runs a command in a root made of read-only layers below one that is thrown away.
# Called by layers.mjs in its own mount and process namespace: all mounts and processes end with it, however it ends.
# usage: enter-layers.sh <empty folder> <layers, top first, colon between> <folders to show, colon between> <command>...
set -eu
space=$1 layers=$2 shown=$3
shift 3
here=$(pwd)

mount -t tmpfs -o mode=755 none "$space"
mkdir "$space/root" "$space/upper" "$space/work"
mount -t overlay -o "lowerdir=$layers,upperdir=$space/upper,workdir=$space/work" overlay "$space/root"
mount -t proc proc "$space/root/proc"
mount --rbind /dev "$space/root/dev"
# The daemons of Wine meet in /tmp: each run has its own.
mount -t tmpfs -o mode=1777 none "$space/root/tmp"
echo '127.0.0.1 localhost' > "$space/root/etc/hosts"
cp /etc/resolv.conf "$space/root/etc/resolv.conf"

IFS=:
for folder in $shown; do
  mkdir -p "$space/root$folder"
  mount --rbind "$folder" "$space/root$folder"
done
unset IFS

# Not exec: as long as this shell is the first process, whatever the command leaves behind ends with the shell.
code=0
/usr/sbin/chroot "$space/root" /bin/sh -c 'cd "$1" 2> /dev/null || cd /; shift; exec "$@"' sh "$here" "$@" || code=$?
exit "$code"
