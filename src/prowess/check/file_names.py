"""
Whether a name in a criterion can only be that of a file. `old_add`, `--verbose` and `Calculator.old` in
backticks are names of code; that there is no file of such a name would say nothing of them.
"""

import re

_ENDINGS = (
    "adoc astro bash bat bats bazel bzl c cc cfg cjs cmake conf cpp cs csproj css csv cts cu cxx dart "
    "dockerfile docx elm erl ex exs fish gif go gql gradle graphql groovy h hcl hpp hrl hs htm html hxx ico "
    "ini ipynb j2 java jinja jinja2 jl jpeg jpg js json json5 jsonc jsonl jsx kt kts less lua md mdx mjs mk "
    "ml mli mm mts ndjson nim nix parquet pdf php phpt pl plist png po pot proto ps1 py pyi pyx rb rs rst "
    "sass sbt scala scss sh sln sol sql svelte svg swift tar tex tf tfvars tgz toml ts tsv tsx ttf txt vb vue "
    "wasm webp whl woff woff2 xlsx xml xsd yaml yml zig zip zsh"
)
_ENDING = re.compile(rf"[^/]+\.(?:{'|'.join(_ENDINGS.split())})", re.IGNORECASE)
# Others that begin with a dot may be classes of CSS, or methods.
_HIDDEN = re.compile(
    r"\.(?:env(?:\.[\w.-]+)?|envrc|git|github|gitlab|gitattributes|gitmodules|gitkeep|husky|vscode|idea|devcontainer"
    r"|circleci|cargo|changeset|storybook|tool-versions|python-version|node-version|ruby-version|htaccess"
    r"|coveragerc|flake8|editorconfig|mailmap|\w+ignore|[\w-]+rc|[\w.-]+\.(?:cjs|js|json|toml|ya?ml))"
)
_NAMED = re.compile(
    r"(?:GNU)?[Mm]akefile|(?:Docker|Container|Jenkins|Vagrant|Proc|Gem|Rake|Brew|Pip|Cap|Just|Earth|Tilt|Cask|Guard)file"
    r"|Justfile|justfile|Cartfile|Podfile|\w[\w-]*\.R|gradlew|mvnw|CODEOWNERS|PKGBUILD"
    r"|README|LICEN[CS]E|COPYING|CHANGELOG|(?:uv|poetry|Cargo|yarn|composer|Gemfile|flake|mix|pdm|Pipfile|deno|bun|pubspec)\.lock|go\.(?:mod|sum|work)|py\.typed"
)
# Values and products with names like those of files.
_NO_FILE = re.compile(
    r"(?:self|this|cls|super)\..*|(?:req|request|res|response)\.json|process\.env"
    r"|(?:node|vue|next|nuxt|react|express|ember|backbone|three|d3|p5|alpine|knockout|discord)\.js",
    re.IGNORECASE,
)


def is_of_a_file(name: str) -> bool:
    """Whether this can be nothing but the path of a file or a folder."""
    if name.startswith(("/", "@", "-", "~")) or _NO_FILE.fullmatch(name):
        return False
    last = name.rsplit("/", 1)[-1]
    return not last or any(form.fullmatch(last) for form in (_ENDING, _HIDDEN, _NAMED))
