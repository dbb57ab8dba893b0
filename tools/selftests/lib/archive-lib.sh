# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# archive-lib.sh - for tests to source: tools/vm in $tree, whose programs find an archive of the test's
# own: in $work/archive a folder for each suite, with a file for each package

# shellcheck disable=SC2034,SC2317 # for the sourcing script; called through check

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree
cache=$tree/build/vm
mkdir -p "$tree/tools" "$work/bin"
cp -r tools/vm "$tree/tools/"

# The suite is that of use_suite's list.
cat >"$work/bin/apt-get" <<END
#!/bin/bash
suite=\$(sed -n 's|.*/apt-\([a-z-]*\)/sources.list .*|\1|p' <<<"\$*")
here=$work/archive/\$suite
words=" \${0##*/} \$* "
package=\${*: -1}
case \$words in
*" indextargets "*) echo http://archive ;;
*" update "*) echo Reading && [ -d "\$here" ] ;;
*" download "*) for package in \${words##* download }; do cp "\$here/\$package" "\$package.deb" || exit; done ;;
*" apt-cache "*" pkgnames "*) ls "\$here" ;;
*" apt-cache "*" depends "*) cat "\$here/\$package.depends" 2>/dev/null ;;
*" apt-cache "*" madison "*) [ ! -e "\$here/\$package" ] || echo " | \$package | http://archive \$suite/main amd64 Packages" ;;
esac
END
chmod +x "$work/bin/apt-get"
ln -s apt-get "$work/bin/apt-cache"

# archive SUITE [PACKAGE...]
archive()
{
	mkdir -p "$work/archive/$1"
	(cd "$work/archive/$1" && touch . "${@:2}")
}

# fetch PROGRAM ARGUMENT... - what tools/vm/PROGRAM prints and its messages go to files of these names
fetch()
{
	local status=0

	PATH=$work/bin:$PATH "$tree/tools/vm/$1" "${@:2}" >"$work/output" 2>"$work/messages" || status=$?
	cat "$work/output" "$work/messages"
	return "$status"
}
