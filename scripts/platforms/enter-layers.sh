#!/bin/sh
# Runs a command in a root made of read-only layers below one that is thrown away.
# Called by layers.mjs in namespaces of its own: all mounts, emulators and processes end with it, however it ends.
# usage: enter-layers.sh <empty folder> <layers, top first, colon between> <folders to show, colon between> <emulator or -> <command>...
set -eu
space=$1 layers=$2 shown=$3 emulator=$4
shift 4
here=$(pwd)

mount -t tmpfs -o mode=755 none "$space"
mkdir "$space/root" "$space/upper" "$space/work" "$space/binfmt"
mount -t overlay -o "userxattr,lowerdir=$layers,upperdir=$space/upper,workdir=$space/work" overlay "$space/root"
mkdir -p "$space/root/proc" "$space/root/dev" "$space/root/tmp"
mount -t proc proc "$space/root/proc"
mount --rbind /dev "$space/root/dev"
# The daemons of Wine meet in /tmp: each run has its own.
mount -t tmpfs -o mode=1777 none "$space/root/tmp"
echo '127.0.0.1 localhost' > "$space/root/etc/hosts"

if [ "$emulator" != - ]; then
  # Programs for arm64 start like any other: what a test starts is emulated too. F: opened now, found from every root.
  # P: they see the name they were called by.
  mount -t binfmt_misc none "$space/binfmt"
  magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
  mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
  printf '%s' ":aarch64:M::$magic:$mask:$emulator:FP" > "$space/binfmt/register"
fi

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
