"""Where a program takes its words or its input for code, no value gets there: tried in real bash."""

import os
import subprocess
from pathlib import Path

import pytest

from prowess.workflow.check import find_mistakes
from prowess.workflow.shell.line import fill_arguments, parse_line
from prowess.workflow.shell.words import UnsafeCommandError
from support import write_file

TOUCH = "touch PWNED"
SYSTEM = f"__import__('os').system('{TOUCH}')"
ARITHMETIC = f"a[$({TOUCH})]"

CODE_OPTIONS = [
    ('bash -eo pipefail -c "grep -c {x} f | cat"', f"a; {TOUCH} #"),
    ('bash -o pipefail -c "echo {x}"', f"a; {TOUCH}"),
    ('bash +o posix -c "echo {x}"', f"a; {TOUCH}"),
    ("bash --rcfile f -c {x}", TOUCH),
    ("bash -o pipefail {x}", "evil"),
    ("python3 -W ignore -c \"print('{x}')\"", f"');{SYSTEM};('"),
    ("python3 -X utf8 {x}", "evil"),
    ("python3 -m timeit {x}", SYSTEM),
    ("perl -I lib -e {x}", f"system('{TOUCH}')"),
    ("perl -ne 1 {x}", f"{TOUCH}|"),
    ("perl -e 1 -e {x}", f";system('{TOUCH}')"),
    ('find . -maxdepth 0 -exec bash -o pipefail -c "echo {x}" \\;', f"a;{TOUCH}"),
    ('docker run i bash -o pipefail -c "echo {x}"', f"a;{TOUCH}"),
    ('psql -d db -c "select {x}"', "1"),
    ("bash --rcfile {x}", "evil"),
    ("bash -c -- {x}", TOUCH),
    ("bash -c -o pipefail {x}", TOUCH),
    ("sh -c -e -u {x}", TOUCH),
    ('n={x}; sh -c -e "$n"', TOUCH),
    ("psql -d db -o {x} -c 'select 1'", f"|{TOUCH}"),
    ("dc -e {x}", f"!{TOUCH}"),
    ("m4 -D a={x} f", f"syscmd({TOUCH})"),
    ("m4 f {x}", "evil"),
    ("env m4 {x}", "evil"),
    ("perl -we 'print <ARGV>' {x}", f"{TOUCH}|"),
    ("perl -e 'print <>' -- {x}", f"{TOUCH}|"),
    ("perl -e 1 -e 'print while < >' -- {x}", f"{TOUCH}|"),
    ("perl -e 'print readline' {x}", f"{TOUCH}|"),
    ("python3 -mtimeit 1 {x}", SYSTEM),
    ('bash $OPTIONS -c "echo {x}"', f"a; {TOUCH}"),
]
INPUTS = [
    ('python3 - arg <<EOF\nprint("{x}")\nEOF', f'");{SYSTEM};("'),
    ('python3 - <<EOF\nprint("{x}")\nEOF', f'");{SYSTEM};("'),
    ("bash -s foo <<EOF\necho {x}\nEOF", f"a; {TOUCH}"),
    ("bash -eo pipefail <<EOF\necho {x}\nEOF", f"a; {TOUCH}"),
    ("bash /dev/stdin a <<< {x}", TOUCH),
    ("bash <(echo {x})", TOUCH),
    ("source <(echo {x})", TOUCH),
    (". /dev/stdin <<< {x}", TOUCH),
    ("sed -f - f <<< {x}", f"1e {TOUCH}"),
    ("sed -f <(echo {x}) f", f"1e {TOUCH}"),
    ("sed -n --file=- f <<< {x}", f"1e {TOUCH}"),
    ("awk -f <(echo {x}) f", f'BEGIN{{system("{TOUCH}")}}'),
    ("awk -f - f <<< {x}", f'BEGIN{{system("{TOUCH}")}}'),
    ("ed -s f <<EOF\na\n{x}\n.\nw\nEOF", f".\n!{TOUCH}"),
    ("sqlite3 f.db <<EOF\nselect {x};\nEOF", f"1;\n.shell {TOUCH}"),
    ("psql db <<EOF\nselect {x}\nEOF", f"1\n\\! {TOUCH}"),
    ("psql -Uolaf db <<EOF\nselect {x}\nEOF", f"1\n\\! {TOUCH}"),
    ("cat <<EOF | psql db\nselect {x}\nEOF", f"1\n\\! {TOUCH}"),
    ("make -f - <<EOF\nall:\n\techo {x}\nEOF", f"a; {TOUCH}"),
    ("ssh host <<EOF\necho {x}\nEOF", f"a; {TOUCH}"),
    ("ssh -p 22 host <<EOF\necho {x}\nEOF", f"a; {TOUCH}"),
    ("ssh host bash <<EOF\necho {x}\nEOF", f"a; {TOUCH}"),
    ("docker exec -i c bash -s a <<EOF\necho {x}\nEOF", f"a; {TOUCH}"),
    ("at now <<< {x}", TOUCH),
    ("echo {x} | parallel", TOUCH),
    ("echo {x} | bash -s foo", TOUCH),
    ("echo {x} | (cd . && bash -s foo)", TOUCH),
    ("{ bash -s foo; } <<< {x}", TOUCH),
    ("echo {x} | tee >(bash -s foo)", TOUCH),
    ("dc <<< {x}", f"!{TOUCH}"),
    ("n={x}; bash -s foo <<EOF\necho $n\nEOF", f"a; {TOUCH}"),
    ("exec <<< {x}; bash -s foo", TOUCH),
    ("echo {x} | xargs -I% %", "./evil"),
    ("echo {x} | xargs env", TOUCH),
    ("echo {x} | xargs -d '\\n' -I% sed % f", f"1e {TOUCH}"),
    ("sed <<EOF {x}\na\nEOF", f"1e {TOUCH}"),
    ("read n <<< {x}; source $n", "./evil"),
    ("python3 -i f <<< {x}", SYSTEM),
    ("unshare -r <<< {x}", TOUCH),
    ("nsenter -t 1 <<< {x}", TOUCH),
    ("sudo -s <<< {x}", TOUCH),
    ("xargs find . <<< {x}", "-maxdepth 0 -exec touch PWNED ;"),
    ("xargs git <<< {x}", "-c alias.z=!touch\\ PWNED z"),
    ("cat <<EOF\n`echo {x}`\nEOF", f"`{TOUCH}`"),
    ("bash 0<<< {x}", TOUCH),
    ("sh 0< <(echo {x})", TOUCH),
    ("python3 0<<< {x}", SYSTEM),
    ("env sh 0<<< {x}", TOUCH),
    ("echo {x} | bash 0<&0", TOUCH),
    ("echo {x} | m4", f"syscmd({TOUCH})"),
    ("echo {x} | m4 f -", f"syscmd({TOUCH})"),
    ("echo {x} | python3 -m code", SYSTEM),
    ("echo {x} | python3 -mcode", SYSTEM),
    ("echo {x} | python3 -q -m asyncio", SYSTEM),
    ("echo {x} | python3 -m pdb show.py", SYSTEM),
    ("echo {x} | env python3 -m code", SYSTEM),
    ("sed 0<<< a {x} f", f"1e {TOUCH}"),
]
PROGRAMS = [
    ("timeout -s KILL 5 {x} PWNED", "touch"),
    ("flock lock {x} PWNED", "touch"),
    ("flock lock -c {x}", TOUCH),
    ("env -u FOO {x} PWNED", "touch"),
    ("xargs -a f {x} PWNED", "touch"),
    ("env '-Ssh -c \"echo {x}\"'", f"a; {TOUCH};"),
    ("env - {x} PWNED", "touch"),
    ("env - A=1 {x} PWNED", "touch"),
    ("busybox env {x} PWNED", "touch"),
    ("env -S 'sh -c' {x}", TOUCH),
    ("env --split-string={x}", TOUCH),
    ("env PATH={x} true", "."),
    ("sudo -u root {x}", "./evil"),
    ("sudo --unheard-of word {x}", "./evil"),
    ("nice -n 5 {x} PWNED", "touch"),
    ("chrt -o 0 {x} PWNED", "touch"),
    ("stdbuf -o L {x} PWNED", "touch"),
]
CALCULATED = [
    ("test -v {x}", ARITHMETIC),
    ('n={x}; test -v "$n"', ARITHMETIC),
    ('n={x}; [ -v "$n" ]', ARITHMETIC),
    ("declare -i y; y={x}", ARITHMETIC),
    ("builtin declare -i y; y={x}", ARITHMETIC),
    ("n={x}; declare -n y=$n; echo $y", ARITHMETIC),
    ("n={x}; echo ${PATH:n}", ARITHMETIC),
    ("n={x}; echo ${PATH:$n:2}", ARITHMETIC),
    ("n={x}; echo ${!n}", ARITHMETIC),
    ("n={x}; echo ${n@P}", f"$({TOUCH})"),
    ("n={x}; cat <<EOF\n${n@P}\nEOF", f"$({TOUCH})"),
    ("n={x}; echo $[n]", ARITHMETIC),
    ("n={x}; cat <<EOF\n$((n))\nEOF", ARITHMETIC),
    ("n={x}; a=([n]=1)", ARITHMETIC),
    ("n={x}; read a[n] <<< b", ARITHMETIC),
    ('n={x}; printf -v "a[n]" b', ARITHMETIC),
    ("n={x}; test -v a[n]", ARITHMETIC),
    ('n={x}; declare "a[n]=1"', ARITHMETIC),
    ("RANDOM={x}", ARITHMETIC),
    ("OPTIND={x}", ARITHMETIC),
    ("n={x}; OPTIND=$n", ARITHMETIC),
    ("wait -n -p {x}", ARITHMETIC),
    ('n={x}; printf -v "$n" a', ARITHMETIC),
    ('n={x}; echo "${LIMIT:-$((n*2))}"', ARITHMETIC),
    ('n={x}; echo "${a-$((n))}"', ARITHMETIC),
    ('n={x}; echo "${a:=$((n))}"', ARITHMETIC),
    ('n={x}; echo "${a?$((n))}"', ARITHMETIC),
    ('n={x}; echo "${HOME+$((n))}"', ARITHMETIC),
    ('n={x}; echo "${HOME/$((n))/b}"', ARITHMETIC),
    ('n={x}; echo "${a:-$[n]}"', ARITHMETIC),
    ("n={x}; for i in ${a:-$((n))}; do ls; done", ARITHMETIC),
    ('n={x}; echo `echo "\\$((n))"`', ARITHMETIC),
    ("n={x}; echo `echo \\${HOME:n}`", ARITHMETIC),
    ("n={x}; echo hi {a[n]}>f", ARITHMETIC),
    ("n={x}; echo hi {{a[n]}}<f", ARITHMETIC),
    ("n={x}; exec {a[n]}>f", ARITHMETIC),
]
# A backslash at the end of a line, which the shell does not see and the parser takes for a space.
JOINED = [
    ('n={x}; echo "$\\\n((n))"', ARITHMETIC),
    ('n={x}; echo "$(\\\n(n))"', ARITHMETIC),
    ('n={x}; echo "$\\\n[n]"', ARITHMETIC),
    ('n={x}; echo "$\\\n{HOME:n}"', ARITHMETIC),
    ("n={x}; cat <<EOF\n$\\\n((n))\nEOF", ARITHMETIC),
    ("n={x}; echo {a[n\\\n]}>f", ARITHMETIC),
    ('n1={x}; sed -e "$n\\\n1" f', f"1e {TOUCH}"),
    ("sed p\\\n{x} f", f";1e {TOUCH}"),
    ("python3 -\\\nc {x}", SYSTEM),
    ("bash 0\\\n<<< {x}", TOUCH),
]
EVAL = f"--eval=$(shell {TOUCH})all:;@:"
VARIABLES = [
    ('IFS= read -r y <<< {x}; make -f f "$y"', EVAL),
    ('IFS=, read -r y <<< {x}; ssh host "$y"', TOUCH),
    ('command read y <<< {x}; sqlite3 f.db "$y"', f".shell {TOUCH}"),
    ('cat <<< {x} | while IFS= read -r y; do make -f f "$y"; done', EVAL),
    ('cat <<< {x} | { y=$(cat); make -f f "$y"; }', EVAL),
    ('cat <<< {x} | { make -f f "$(cat)"; }', EVAL),
    ('cat <<< {x} | make -f f "$(cat)"', EVAL),
    ('read -r y < <(cat) <<< {x}; sed -e "$y" f', f"1e {TOUCH}"),
    ('n={x}; : "${y:=$n}"; make -f f "$y"', EVAL),
    (': ; true {x}; sed -e "$BASH_EXECUTION_STRING" f', f"\n1e {TOUCH} #"),
    ('cd {x} && sed -e "$PWD" f', f"1e {TOUCH}"),
    ("read PATH <<< {x}; evil", "."),
    ("for PATH in {x}; do evil; done", "."),
    ("X={x}; export X; make", f"; {TOUCH}"),
    ("export X; read X <<< {x}; sudo make", f"; {TOUCH}"),
    ("mapfile -C 'bash -c' -c 1 <<< {x}", TOUCH),
    ('n={x}; export "$n"; evil', "PATH=."),
    ('n={x}; readonly "$n"; evil', "PATH=."),
    ("n={x}; [ $n ]", "-v a[$(touch${IFS}PWNED)]"),
    ("n={x}; test $n", "-v a[$(touch${IFS}PWNED)]"),
    ("[ $(cat <<< {x}) ]", "-v a[$(touch${IFS}PWNED)]"),
    ("test $(cat <<< {x})", "-v a[$(touch${IFS}PWNED)]"),
    ("n={x}; touch $n", "a PWNED"),
    ("n={x}; touch a$n", " PWNED"),
]
OTHERS = [
    ("git clone -{x} . d", f"u{TOUCH};git-upload-pack"),
    ("tar -{x} -cf a.tar f", f"I{TOUCH};cat"),
    ("rsync --{x} f h:", f"rsh={TOUCH}"),
    ("scp -Bo {x} f h:", f"ProxyCommand={TOUCH}"),
    ("sed -e p -ne {x} f", f"1e {TOUCH}"),
    ("sed -E -n {x} f", f"1e {TOUCH}"),
    ("sed -e p --expr {x} f", f"1e {TOUCH}"),
    ('x={x}; sed -e "$x" f', f"1e {TOUCH}"),
    ('x={x}; y=$x; sed -e "$y" f', f"1e {TOUCH}"),
    ('for i in {x}; do sed -e "$i" f; done', f"1e {TOUCH}"),
    ('x={x}; source "$x"', "./evil"),
    ('x={x}; bash "$x"', "./evil"),
    ("gawk -i inplace '/{x}/' f", f'/{{system("{TOUCH}")}}/'),
    ("jq -e -r {x} f", "env"),
    ("tar -cf /dev/null --checkpoint=1 --checkpoint-action=exec={x} .", TOUCH),
    ("tar -cf /dev/null -I {x} .", f"sh -c '{TOUCH}'"),
    ("git -c alias.z={x} z", f"!{TOUCH}"),
    ("tar cfI /dev/null {x} .", f"sh -c '{TOUCH}'"),
    ("tar --use-comp={x} -cf /dev/null .", f"sh -c '{TOUCH}'"),
    ("split --filt={x} f", TOUCH),
    ("rsync -ae {x} a b:c", TOUCH),
    ("git --git-dir a -c {x} z", f"alias.z=!{TOUCH}"),
    ("git -C . -c alias.z={x} z", f"!{TOUCH}"),
    ("git submodule foreach {x}", TOUCH),
    ("git rebase -x {x} main", TOUCH),
    ("git config alias.z {x}", f"!{TOUCH}"),
    ("git -C . config {x} v", "core.pager"),
    ("git clone -q -u {x} . d", f"{TOUCH}; git-upload-pack"),
    ("git clone -qu {x} . d", f"{TOUCH}; git-upload-pack"),
    ("git clone -qu{x} . d", f"{TOUCH}; git-upload-pack"),
    ("git clone -q{x} . d", f"u{TOUCH}; git-upload-pack"),
    ("git clone -q -c core.sshCommand={x} ssh://h/r d", TOUCH),
    ("git clone -q -c {x} ssh://h/r d", f"core.sshCommand={TOUCH}"),
    ("git clone -q --config=core.sshCommand={x} ssh://h/r d", TOUCH),
    ("git clone -q --templ={x} . d", "evil"),
    ("git init -q --template={x} d", "evil"),
    ("git -c user.name=a -c user.email=a@b rebase -fx {x} --root", TOUCH),
    ("git rebase -fx{x} --root", TOUCH),
    ("git rebase -i{x} --root", f"x{TOUCH}"),
    ("git grep -nO{x} text", TOUCH),
    ("git grep -n{x} text", f"O{TOUCH}"),
    ("git difftool -yx {x}", TOUCH),
    ("git mergetool -t {x}", "../evil"),
    ("git send-email --smtp-server={x} f", "./evil"),
    ("git send-email --cc-cmd {x} f", "./evil"),
    ("git filter-repo --blob-callback {x}", SYSTEM),
    ("git {x} -u evil . d", "clone"),
    ('n={x}; git clone "-q$n" . d', f"u{TOUCH}; git-upload-pack"),
    ("rsync -ae{x} a b:c", TOUCH),
    ("rsync -a{x} a b:c", f"e{TOUCH}"),
    ("tar -cI{x} -f /dev/null .", f"sh -c '{TOUCH}'"),
    ("tar -c{x} -f /dev/null .", f"Ish -c '{TOUCH}'"),
    ("tar c{x} /dev/null evil f", "fI"),
    ("docker exec c {x}", "./evil"),
    ("docker exec -it -u root c {x} f", "./evil"),
    ("docker container exec --unheard-of c {x}", "./evil"),
    ("docker compose exec app {x}", "./evil"),
    ("docker run --rm image {x}", "./evil"),
    ("docker exec c env {x}", "./evil"),
    ("docker run image {x} --entrypoint ls", "./evil"),
    ("docker run --entrypoint sh image -c {x}", TOUCH),
    ("docker run --entrypoint=sh image -c {x}", TOUCH),
    ("docker run --entrypoint '' image {x}", "./evil"),
    ("docker run " + "--unheard-of " * 60 + "image {x}", "./evil"),
    ("kubectl exec p -- {x}", "./evil"),
    ("kubectl -n a exec p -c b -- {x} f", "./evil"),
    ("kubectl exec p -- git -c {x} log", f"alias.log=!{TOUCH}"),
    ("lxc exec c -- {x}", "./evil"),
    ("TAR_OPTIONS={x} tar -cf /dev/null .", "--checkpoint=1 --checkpoint-action=exec=touch\\ PWNED"),
    ("MAKEFLAGS={x} make", f"--eval=$(shell {TOUCH})"),
    ("X={x} make", f"; {TOUCH}"),
    ("make {x}", f"X:=$(shell {TOUCH})"),
    ("make X={x}", f"; {TOUCH}"),
    ("hash -p {x} ls; ls", "./evil"),
    ("npx {x}", "./evil"),
    ("npx -y {x}", "./evil"),
    ("uv run {x}", "./evil"),
    ("uv run --with a {x}", "./evil"),
    ("uv --quiet run python -c {x}", SYSTEM),
    ("uv tool run {x}", "./evil"),
    ("poetry run bash -c {x}", TOUCH),
    ("npm run {x}", "evil"),
    ("npm exec -- {x}", "./evil"),
    ("bun x {x}", "./evil"),
    ("go run {x}", "./evil"),
    ("just {x}", f"x='{TOUCH}'"),
    ("task X={x}", TOUCH),
    ("jobs -x {x}", "./evil"),
    ("mongosh --eval {x}", "1"),
    ("nix-shell --run {x}", TOUCH),
    ("cmake -P {x}", "./evil"),
    ("gcc -wrapper {x} f.c", "./evil"),
    ("docker run --entrypoint {x} image", "./evil"),
    ("docker run --entrypoint={x} image", "./evil"),
    ("wget -e {x} host", "use_askpass=./evil"),
    ("openssl req -engine {x}", "./evil"),
    ("pytest -p {x}", "evil"),
    ("redis-cli eval {x} 0", "1"),
    ("n={x}; PATH=$n; evil", "."),
]  # fmt: skip


@pytest.mark.parametrize(
    ("place", "value"),
    [*CODE_OPTIONS, *INPUTS, *PROGRAMS, *CALCULATED, *JOINED, *VARIABLES, *OTHERS],
)
def test_a_value_is_never_run(place: str, value: str, tmp_path: Path) -> None:
    write_file(tmp_path / "evil", f"#!/bin/sh\n{TOUCH}\n").chmod(0o755)
    write_file(tmp_path / "f", "text\n")
    write_file(tmp_path / "Makefile", "all:\n\techo $(X)\n")

    with pytest.raises(UnsafeCommandError) as refusal:
        _run(parse_line(place).filled({"x": value}), tmp_path)

    assert refusal.value.hint
    assert not (tmp_path / "PWNED").exists()


HARMLESS = [
    "python3 - {x} <<'EOF'\nimport sys\nprint(sys.argv[1])\nEOF",
    "bash -eo pipefail -c 'echo \"$1\" | cat' _ {x}",
    "bash -o pipefail show {x}",
    "bash -c -e -o pipefail 'echo \"$1\"' _ {x}",
    "python3 -W ignore show.py {x}",
    "python3 -u show.py {x}",
    "python3 -mshow {x}",
    "python3 -m show {x}",
    "X={x} bash -c 'echo \"$X\"'",
    'n={x}; echo "$n"',
    'n={x}; echo "${n:-none}"',
    'read -r n <<< {x}; echo "$n"',
    'IFS= read -r n <<< {x}; echo "$n"',
    'for n in {x}; do echo "$n"; done',
    "for i in 1; do echo {x}; done",
    "timeout -s KILL 50 echo {x}",
    "timeout -k 5 50 echo {x}",
    "env -u FOO A=1 echo {x}",
    "env A={x} printenv A",
    "nice -n 5 echo {x}",
    "cat - <<EOF\n{x}\nEOF",
    "echo {x} | sed -n p",
    "echo {x} | grep -v python",
    "sed -n -e p <<< {x}",
    "sed -E 's/^(zzz)/y/' <<< {x}",
    "awk -v n={x} 'BEGIN {print n}'",
    "awk -F : -v n={x} 'BEGIN {print n}'",
    "xargs -a one -I % echo {x}",
    'DIR=.; bash "$DIR/show" {x}',
    "[ -n {x} ] && echo {x}",
    "cat 0<<< {x}",
    "echo \\\n  {x}",
    "echo\\\n  {x}",
    'echo \\\n"${NONE:-}"{x}',
    "sed 's/^zz/a\\\nb/' <<< {x}",
]  # fmt: skip


@pytest.mark.parametrize("place", HARMLESS)
def test_a_value_that_is_handed_over_arrives_as_it_is(place: str, tmp_path: Path) -> None:
    value = f"a; {TOUCH} $({TOUCH}) '\""
    write_file(tmp_path / "show", 'echo "$1"\n')
    write_file(tmp_path / "show.py", "import sys\nprint(sys.argv[1])\n")
    write_file(tmp_path / "one", "1\n")

    assert _run(parse_line(place).filled({"x": value}), tmp_path) == f"{value}\n"
    assert not (tmp_path / "PWNED").exists()


@pytest.mark.parametrize(
    "place",
    [
        "perl -we 'print $ARGV[0]' {x}", "perl -e 'print readline($f), <$f>' {x}", "perl -e 'print <>' f && ls {x}", "git switch -c {x}", "git commit -m {x}", "git rebase {x}", "git config --global user.name {x}", "git -C a log {x}", "tar -czf {x} .", "tar -C /usr/INFO -xzf {x}", "tar xf {x}", "zip -re {x} .",
        "rsync -a {x} b", "echo {x} | ssh host 'cat > f'", "ssh host uptime && echo {x}", "echo {x} | sudo tee f", "echo {x} | sudo -u a tee f", "echo {x} | xargs", "env -u A ls {x}",
        "echo {x} | docker exec -i c tee f", "echo {x} | python3 -m json.tool", "ls | xargs -n 1 grep {x}",
        "sudo -n ls {x}", "psql -d db -v n={x} -f q.sql", "psql db < q.sql && echo {x}", "jq -r --arg a {x} .b f",
        "yq e .a {x}", "gawk -i inplace '{print $1}' {x}", "sed -i.before s/a/b/ {x}", "node --inspect s.js {x}",
        "echo {x} | xargs ls", "echo {x} | xargs git add", "printf '[%s]' {x}", "cat <<'EOF'\n`{x}`\nEOF", "echo ${PATH:0:5} {x}", "local a; echo {x}", "uv run pytest -k {x}", "uv run --with a python s.py {x}", "uv pip install {x}", "npm run test -- -v {x}", "npm install {x}", "npx -y tool {x}", "go run . {x}", "go test {x}", "cmake -E echo {x}", "gcc -o {x} a.c", "docker run -v {x}:/a image ls", "docker run --network host {x} ls", "docker run -it -e A={x} image ls", "docker run image -s {x}", "docker run --entrypoint curl image {x}", "docker exec -w /a c ls {x}", "docker exec {x} ls", "docker network create --driver bridge {x}", "docker compose exec app ls {x}", "kubectl exec {x} -c a -- ls", "kubectl -n {x} exec p -- ls {x}", "kubectl get pods {x}",
        "cmake -S . -B build -DCMAKE_BUILD_TYPE={x}", "cmake -DPREFIX=/usr {x}", "gcc -DBUILD={x} a.c", "gcc -DBASE {x}", "git send-email --to={x} p", "git send-email --to=a@b {x}", "git send-email --smtp-server-port {x} p", "docker checkpoint create c {x}", "find {x} -type f | xargs sudo tar -cf a.tar", "cat {x} | xargs -n1 timeout 30 wget -q", "echo {x} | xargs env pytest",
        "git clone -q {x} d", "git clone -b {x} . d", "git clone -qb{x} . d", "git push -u origin {x}", "git commit -c {x}", "git commit --template={x}", "git grep -n -e {x}", "git grep -nA{x} a", "git log -n{x}", "git rebase -i {x}", "git rebase -fX theirs {x}", "tar -xzf{x}", "tar -C{x} -xf a", "wget -qO{x} a", "rsync -aT{x} a b", "gcc -O2 -o{x} a.c", "poetry run pytest {x}", "redis-cli set a {x}", "pytest {x}", "bun run build {x}", "for i in 1 2; do echo $i {x}; done", "n={x}; echo ${#n}", "n={x}; case $n in a) ls;; esac", 'n={x}; for i in $n; do ls "$i"; done', "cp $(which ls) {x}", "d=$(date +%Y); echo $d {x}", "[ -n $HOME ] && ls {x}", 'echo {x} | while read -r l; do echo "$l"; done',
    ],
)  # fmt: skip
def test_everyday_commands_with_options_are_taken(place: str) -> None:
    assert parse_line(place).filled({"x": "a"})


@pytest.mark.parametrize("command", [("bash", "-o", "pipefail", "-c", "{x}"), ("make", "{x}")])
def test_a_list_of_words_is_no_way_around(command: tuple[str, ...]) -> None:
    words = ", ".join(f'"{word}"' for word in command)
    text = (
        f"name: w\ndescription: d\ninputs: [{{name: x}}]\nsteps: [{{id: a, command: [{words}]}}]\n"
    )

    assert find_mistakes(text)
    assert fill_arguments(("echo", "{x}"), {"x": TOUCH}) == ("echo", TOUCH)


def _run(line: str, folder: Path) -> str:
    made = subprocess.run(
        ["bash", "-c", line],
        cwd=folder,
        env={**os.environ, "HOME": str(folder)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return made.stdout
