"""git as a launcher: a rule for git grants the workspace's own repository, and no other program."""

from pathlib import Path

import pytest

from granting import allowed
from prowess.core.chat import Call
from prowess.permit.rules import make_gate, parse_rules


@pytest.mark.parametrize(
    "command",
    [
        "git x",  # may be an alias
        "git merge-index sh -a",
        "git hook run pre-commit",
        "git checkout-index --prefix=.git/hooks/ -a",
        "git mailinfo .git/config x",
        "git log -1 --format='[alias]%n x = !id' --output=.git/config",
        "git log --output .git/config",
        "git diff --outp=x",
        "git show --output=x",
        "git archive -o x HEAD",
        "git archive -ox HEAD",
        "git archive --o=x HEAD",
        "git format-patch -o x HEAD~1",
        "git format-patch --output-directory=x HEAD~1",
        "git bundle create x HEAD",
        "git diff --ext-diff",
        "git cat-file --textconv HEAD:x",
        "git apply --unsafe-paths x.patch",
        "git rebase -s ./x main",
        "git rebase -s./x main",
        "git rebase -ms ./x main",
        "git rebase --strategy ./x main",
        'git rebase --strategy="$x" main',
        "git cherry-pick --strategy=./x HEAD",
        "git cherry-pick --strateg ./x HEAD",
        "git revert --strategy=./x HEAD",
        "git merge -ns x main",
        "git pull --rebase -s ../x",
        "git bisect view gitx/x",
        "git bisect visualize ./gitx",
        "git config -f .envrc 'a.$(touch owned).b' v",
        "git config -f.envrc a.b v",
        "git config --file=.envrc a.b v",
        "git config --fil .envrc a.b v",
        "git config -zf notes.txt a.b v",
        "git config -f notes.txt --unset a.b",
        "git config --comment --get core.pager ./x",
        "git config --com --list core.pager ./x",
        "git merge-file .envrc a b",
        "git merge-file -L -p .envrc a b",
        "git merge-file -qL x notes.txt a b",
        "git mv a .envrc",
        "git mv a sub/.husky/pre-commit",
        "git apply --directory=.husky x.patch",
        "git clone https://x.example/y .git/hooks",
        "git worktree add .git/hooks",
        "git merge-file .git/config a b",
        "git push ./evil main",
        "git push --repo=./evil",
        "git push --rep ./evil",
        "git push sub/evil main",
        "git push -o x ./evil main",
        "git push --push-opt origin ./evil main",
        "git push $PWD/evil main",
        'git push "$PWD"/evil main',
        "git push ev?l main",
        'git push "$x" main',
        "git push -o $x origin ./evil",
        "git push file:///ws/evil main",
        "git remote add x evil",
        "git remote add x evil -t https://x.example/y",
        "git remote add -- x evil",
        "git remote set-url --push origin evil",
        'git remote add x "$y"',
        "git config remote.x.url evil",
        "git config remote.x.pushurl evil",
        "git config remote.pushDefault ./evil",
        "git config branch.main.pushRemote $x",
        "git clone ./evil copy",
        "git clone --shallow-exc https://x.example/y sub/evil",
        "git submodule add ./evil sub",
        "git format-patch -no x HEAD~1",
        "git format-patch -kox HEAD~1",
        "git archive -vo x HEAD",
        "git interpret-trailers --in-place --trailer x:y .husky/pre-commit",
        "git symbolic-ref HEAD refs/heads/--exec=./x",
        "git fetch origin main:refs/heads/x/-y",
        "git remote add x ../evil",
        "git config remote.x.url ./evil",
        "git config branch.main.remote ./evil",
        "git config lfs.customtransfer.x.path evil",
        "git config gc.recentObjectsHook evil",
        "git init --separate-git-dir=out",
        "git --bare status",
        "git --git-dir=evil status",
        "git --git-dir evil/.git status",
        "git --work-tree=evil status",
        "git -C ../evil status",
        "git -C a/.. status",
        "git -C .git/modules/evil status",
        'git -C "$evil" status',
        "cd ../evil && git status",
        "cd /evil; git status",
        "(cd .git && git status)",
        "cd a && git -C /evil status",
        "cd a && git --git-dir=evil status",
        "pushd /evil && git status",
    ],
)
def test_no_other_program_and_no_planted_repository_is_reached_through_git(command: str) -> None:
    assert not allowed("Bash(git:*) Bash(pushd:*)", command)


@pytest.mark.parametrize(
    "command",
    [
        "git -C . status",
        "git -C /ws log",
        "git --git-dir=.git log",
        "git --work-tree . status",
        "cd . && git status",
        "cd /ws && git status",
        "cd src && cd .. && git log",
        "cd src && git status",
        "cd src/a && git -C b log",
        "git -C src status",
        "(cd src && pwd); git status",
        "git log --oneline --stat",
        "git log --output-indicator-new=x",
        "git log --ours",
        "git ls-files -o",
        "git push -o ci.skip origin main",
        "git push -u origin feature/x",
        "git push --force-with-lease backup main:old",
        "git push https://x.example/y.git main",
        'git push "https://x.example/$y" main',
        "git push git@x.example:y.git HEAD",
        "git push",
        "git push --tags",
        "git remote -v",
        "git remote rename origin old",
        "git remote add -f -t main up https://x.example/y",
        "git remote set-url origin ssh://git@x.example/y",
        "git clone . copy",
        "git clone -b main --depth 1 git@x.example:y.git folder/z",
        "git submodule add https://x.example/y sub",
        "git format-patch -v2 --stdout HEAD~1",
        "git archive -v HEAD",
        "git branch a-b",
        "git fetch origin main:refs/heads/x-y",
        "git remote add origin git@x.example:y.git",
        "git diff -- .github/workflows/ci.yml",
        "git add .gitignore .gitattributes",
        "git clone https://x.example/y.git z",
        "git worktree list",
        "git config remote.origin.url https://x.example/y.git",
        "git config branch.main.remote origin",
        "git init --shared",
        "git show HEAD:src/a.py",
        "git format-patch --stdout HEAD~1",
        "git commit -m 'leave out .git/hooks'",
        "git lfs pull",
        "git rebase -s ort -X ours main",
        "git rebase --stat --strategy=recursive --strategy-option=theirs main",
        "git cherry-pick -s --strategy ort HEAD",
        "git merge -sours -m 'as it was' old",
        "git merge -msome --squash main",
        "git pull -Xours --strategy=resolve",
        "git commit -s -m x",
        "git config -f .gitmodules --get submodule.x.url",
        "git config --file .gitmodules --list",
        "git config user.email a@x.example",
        "git config --get --default x core.pager",
        "git merge-file -p a b c",
        "git bisect start HEAD HEAD~9",
        "git bisect log",
        "git mv a.py b.py",
        "git apply x.patch",
    ],
)
def test_everyday_git_is_granted_as_before(command: str) -> None:
    assert allowed("Bash(git:*)", command)


@pytest.mark.parametrize("made", ["backup", "backup.git"])
def test_a_folder_is_no_remote_to_push_to(made: str, tmp_path: Path) -> None:
    gate = make_gate(allowed=parse_rules("Bash(git:*)"), workspace=str(tmp_path))

    def granted(command: str) -> bool:
        return gate(Call(id="1", tool="Bash", input={"command": command})).allowed

    assert granted("git push backup main")
    (tmp_path / made).mkdir()
    assert not granted("git push backup main")
    assert not granted("git config remote.pushDefault backup")
    assert granted("git push origin main")


def test_a_file_that_git_is_told_to_write_needs_a_rule_as_a_redirection_does() -> None:
    rules = "Bash(git:*) Write(out/**)"

    assert allowed(rules, "git diff --output=out/a.diff")
    assert allowed(rules, "git archive -o out/a.tar HEAD")
    assert allowed(rules, "git bundle create out/a HEAD")
    assert allowed(rules, "git config -f out/a x.y z")
    assert allowed(rules, "git merge-file -L mine -q out/a b c")
    assert not allowed(rules, "git merge-file -L out/a b c d")
    assert not allowed(rules, "git diff --output=a.diff")
    assert not allowed(rules, "git diff --output=../out/a.diff")
    assert not allowed(rules, 'git diff --output="$x"')
    assert not allowed("Bash(git:*) Write", "git diff --output=.git/config")


def test_an_exact_rule_still_grants_any_form_of_git() -> None:
    assert allowed("Bash(git -C sub status)", "git -C sub status")


@pytest.mark.parametrize(
    "command",
    [
        "git push",
        "git -C . push",
        "git --no-pager push",
        "git -P push origin",
        "git --git-dir .git push",
        "git -c user.name=x push",
        "git -c alias.x=push x",
        "git x",
        "git send-pack origin main",
        "timeout 9 git -P push",
    ],
)
@pytest.mark.parametrize("granted", ["Bash", "Bash(git:*)"])
def test_a_forbidden_subcommand_is_seen_behind_the_options_of_git(
    granted: str, command: str
) -> None:
    gate = make_gate(
        allowed=parse_rules(granted), disallowed=parse_rules("Bash(git push:*)"), workspace="/ws"
    )

    told = gate(Call(id="1", tool="Bash", input={"command": command}))

    assert not told.allowed
    assert gate(Call(id="1", tool="Bash", input={"command": "git -P log -1"})).allowed
