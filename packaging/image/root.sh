#!/bin/sh
# Makes the root of the image out of the packages that mmdebstrap has extracted into the folder $1: the
# certificates, the user, the folder of the database, and the list of the packages. `cargo xtask dist` runs it.
set -eu
umask 022
root=$1

# Scanners find here what is installed (the layout is that of the images "distroless").
mkdir -p "$root/var/lib/dpkg/status.d"
for name in base-files ca-certificates gcc-*-base libc6 libgcc-s1; do
    for package in "$root"/var/cache/apt/archives/${name}_*.deb; do
        dpkg-deb --field "$package" > "$root/var/lib/dpkg/status.d/$(dpkg-deb --field "$package" Package)"
    done
done

# The scripts of the package did not run: this is what update-ca-certificates writes.
mkdir -p "$root/etc/ssl/certs"
find "$root/usr/share/ca-certificates" -name '*.crt' | LC_ALL=C sort | xargs cat \
    > "$root/etc/ssl/certs/ca-certificates.crt"
rm -r "$root/usr/share/ca-certificates"

cat > "$root/etc/passwd" <<'PASSWD'
root:x:0:0:root:/root:/usr/sbin/nologin
obeya:x:65532:65532:Obeya:/var/lib/obeya:/usr/sbin/nologin
PASSWD
cat > "$root/etc/group" <<'GROUP'
root:x:0:
obeya:x:65532:
GROUP
echo 'hosts: files dns' > "$root/etc/nsswitch.conf"
mkdir -m 700 "$root/var/lib/obeya"
chown 65532:65532 "$root/var/lib/obeya"

# What apt and dpkg left, and the names of the machine that builds.
rm -r "$root/etc/apt" "$root/etc/dpkg" "$root/var/cache" "$root/var/lib/apt" "$root/var/log"
find "$root/var/lib/dpkg" -mindepth 1 -maxdepth 1 ! -name status.d -exec rm -r {} +
rm -f "$root/etc/fstab" "$root/etc/hostname" "$root/etc/resolv.conf"
