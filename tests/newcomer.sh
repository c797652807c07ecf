#!/usr/bin/env bash
# What the README promises a newcomer, done as it says: its commands word for word, a first program, five mistakes that
# everybody makes, and the removal, after which only what the README names is left. It shares the build of `cargo test`.
set -eu
cd "$(dirname "$0")/.."
here=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "newcomer: $1" >&2
    exit 1
}

# Programs live in $work, and so does everything that the program may write for its user.
mkdir -p "$work/home" "$work/programs"
as_newcomer() {
    HOME="$work/home" XDG_DATA_HOME="$work/home/.local/share" PATH="$work/home/bin:$PATH" NO_COLOR=1 "$@"
}

# ── The commands ────────────────────────────────────────────────────────────────────────────────────────────────────
# The first block of commands of the README, without its remarks.
commands=$(awk '/^```sh$/ { inside = 1; next } /^```$/ { if (inside) exit } inside' README.md | sed 's/ *#.*$//')
known='cargo run --profile first --no-default-features -- run examples/pendulum.mech
cargo test
cargo install --path . --locked'
[ "$commands" = "$known" ] || fail "the README has other commands than this script:
$commands"

had_table=$([ -e pendulum.csv ] && echo yes || echo no)
cargo run -q --profile first --no-default-features -- run examples/pendulum.mech >"$work/pendulum.out" 2>"$work/pendulum.err" || fail "the first program does not run"
cat "$work/pendulum.err" >>"$work/pendulum.out"
# The table that it saves lies where it was run, and is named in its last line.
[ -s pendulum.csv ] || fail "the first program saves no table"
[ "$had_table" = yes ] || rm pendulum.csv
cmp -s "$work/pendulum.out" examples/pendulum.out || fail "the first program answers something else than examples/pendulum.out"
# `cargo test` is what runs this script. Installed is what was built for it, and not below the user's own folder.
cargo install -q --path . --locked --debug --offline --root "$work/home" 2>"$work/install.log" || {
    cat "$work/install.log" >&2
    fail "it cannot be installed"
}
as_newcomer lepage --version --verbose | grep -q '^features:' || fail "the installed program does not run"

# ── A first program of one's own ────────────────────────────────────────────────────────────────────────────────────
cd "$work/programs"
as_newcomer lepage new swing 2>"$work/new.log" || fail "lepage new"
as_newcomer lepage run swing/swing.mech >"$work/swing.out" || fail "the program that lepage new makes does not run"
[ -s "$work/swing.out" ] || fail "the program that lepage new makes says nothing"
as_newcomer lepage check swing || fail "a folder cannot be checked"
as_newcomer lepage fmt --check swing || fail "the program that lepage new makes is not in the one style"
as_newcomer lepage --help | grep -q ' run ' || fail "lepage --help"
as_newcomer lepage completions bash | grep -q lepage || fail "lepage completions"
as_newcomer lepage run swing/swing.mech | head -1 >/dev/null || fail "head is not enough for lepage"

# ── Five mistakes ───────────────────────────────────────────────────────────────────────────────────────────────────
# What was typed, and the whole answer.
mistake() {
    local expected
    expected=$(cat)
    if printf '%s\n' "$1" | as_newcomer lepage run - >"$work/out" 2>"$work/talk"; then
        fail "this was accepted: $1"
    fi
    [ "$(cat "$work/talk")" = "$expected" ] || {
        diff <(echo "$expected") "$work/talk" >&2 || true
        fail "another answer to: $1"
    }
}

mistake "manifold Y over t { x }
T = x'^2/2" <<'SAID'
error[E0101]: the name `T` is not declared
   ╭─[ <stdin>:2:1 ]
 2 │ T = x'^2/2
   │ ┬
   │ ╰── not known here
   │ note: a bare equation asks whether its sides are equal
   │ help: to give the name a meaning: `let T = …`
SAID

mistake "manifold Y over t { x }
lagrangian L on J1(Y) = 2x'^2" <<'SAID'
error[E0009]: a product needs its `*`
   ╭─[ <stdin>:2:26 ]
 2 │ lagrangian L on J1(Y) = 2x'^2
   │                          ─┬
   │                           ╰── two operands in a row
   │ help: write `2*x'`
SAID

mistake "manifold Y over t { x y }" <<'SAID'
error[E0001]: a comma is missing between two coordinates
   ╭─[ <stdin>:1:23 ]
 1 │ manifold Y over t { x y }
   │                       ┬
   │                       ╰── another one begins here
   │ help: write `x, y`
SAID

mistake "manifold Y over t { x }
lagrangian L on J1(Y) = x'^2/2
print(equations(L))" <<'SAID'
error[E0101]: there is no function `print`
   ╭─[ <stdin>:3:1 ]
 3 │ print(equations(L))
   │ ──┬──
   │   ╰──── of another system
   │ help: an expression alone is a question, and its answer is shown
SAID

mistake "manifold Y over t { x }
lagrangian L on J1(Y) = x'^2/2
simulate(L, x = 1)" <<'SAID'
error[E0101]: a run is a statement
   ╭─[ <stdin>:3:1 ]
 3 │ simulate(L, x = 1)
   │ ────┬───
   │     ╰───── not a function
   │ help: its clauses stand in braces: `simulate L { from x = 1; until t = 10 }`
SAID

# ── Removal ─────────────────────────────────────────────────────────────────────────────────────────────────────────
# A session at a terminal keeps its history; where there is no `script` to make a terminal, a file stands for it.
if command -v script >/dev/null; then
    printf '1 + 1\n:quit\n' | as_newcomer script -qec lepage /dev/null >/dev/null 2>&1 || true
fi
mkdir -p "$work/home/.local/share/lepage"
touch "$work/home/.local/share/lepage/history.txt"
cd "$here"
removal=$(awk '/^## Remove$/ { section = 1 } section && /^```sh$/ { inside = 1; next } /^```$/ { if (inside) exit } inside' README.md |
    sed 's/ *#.*$//')
known='cargo uninstall lepage
rm -r ~/.local/share/lepage'
[ "$removal" = "$known" ] || fail "the README removes it by other commands than this script:
$removal"
cargo uninstall -q lepage --root "$work/home"
as_newcomer bash -c 'rm -r ~/.local/share/lepage'
# Cargo's own lists of what is installed stay.
left=$(find "$work/home" -type f ! -name '.crates*' ! -name '.rustc_info.json')
[ -z "$left" ] || fail "removed, and these are left:
$left"
echo "newcomer: the README holds"
