// What is run inside a sandbox to learn which sessions live there: plain POSIX sh and a few usual tools, reading only,
// and no longer than it takes. Content is printed as hex, each line of it with a space before it. The agent's secrets
// are not touched: of an environment two names are read, of a config folder the session records.
import { limits } from "../../../base/limits.ts";
import { beginWord, endWord } from "../../core/probe.ts";
import { probeFormat } from "../../core/probeAnswer.ts";

/** Its only argument is the nonce. It starts no program in the background, so that nothing of it stays behind. */
export const probeScript = `
exec 2>/dev/null
say() { printf '%s\\n' "$*"; }
say "${beginWord} ${probeFormat} $1"
hex() { od -An -v -tx1 -N "$2" "$1"; }
say "pidns $(readlink /proc/self/ns/pid || ls -l /proc/self/ns/pid)"
if read -r boot </proc/sys/kernel/random/boot_id; then say "boot $boot"; fi
say "clock $(date +%s)"
if read -r self _ </proc/self/stat; then say "self $$ $self"; fi
while read -r _ _ _ root at rest; do
  case $at in /proc) say "procfs $root $rest";; esac
  case $root in */*containers/*) say "mount $root";; esac
done </proc/self/mountinfo
while IFS=: read -r _ _ group; do say "group $group"; done </proc/self/cgroup
folders=
seen=0
whole=whole
for d in /proc/[0-9]*; do
  comm=
  read -r comm <"$d/comm" || continue
  case $comm in claude|node|bun|MainThread|[0-9]*.[0-9]*.[0-9]*) ;; *) continue;; esac
  seen=$((seen + 1))
  if [ "$seen" -gt ${limits.probedProcesses} ]; then whole=cut; break; fi
  say "process \${d#/proc/}"
  hex "$d/stat" 1024
  say cmdline
  hex "$d/cmdline" 4096
  say "exe $(readlink "$d/exe")"
  home=$(tr '\\000\\n' '\\n ' <"$d/environ" | while IFS= read -r entry; do
    case $entry in CLAUDE_CONFIG_DIR=/*) say "\${entry#*=}"; break;; esac
  done)
  [ -n "$home" ] || home=$(tr '\\000\\n' '\\n ' <"$d/environ" | while IFS= read -r entry; do
    case $entry in HOME=/*) say "\${entry#*=}/.claude"; break;; esac
  done)
  [ -z "$home" ] || folders="$folders
$home"
done
say "processes $whole"
count=0
told=
tell() {
  case "$told
" in *"
$1
"*) return;; esac
  told="$told
$1"
  [ -d "$1/sessions" ] || return
  count=$((count + 1))
  if [ "$count" -gt ${limits.probedFolders} ]; then say "skipped more than ${limits.probedFolders} config folders inside"; return; fi
  say folder
  printf %s "$1" | od -An -v -tx1
  records=0
  for f in "$1"/sessions/*.json; do
    name=\${f##*/}
    case \${name%.json} in ''|*[!0-9]*) continue;; esac
    [ -f "$f" ] || continue
    if [ -h "$f" ]; then say "skipped a session record inside that is a link"; continue; fi
    records=$((records + 1))
    if [ "$records" -gt ${limits.probedRecords} ]; then say "skipped more than ${limits.probedRecords} session records inside"; break; fi
    say "record $name"
    hex "$f" ${limits.probedRecordBytes}
  done
}
while IFS= read -r folder; do [ -z "$folder" ] || tell "$folder"; done <<END
$folders
\${CLAUDE_CONFIG_DIR:-}
\${HOME:-}/.claude
/root/.claude
END
for folder in /home/*/.claude; do [ ! -d "$folder" ] || tell "$folder"; done
say "${endWord} $1"
`;
