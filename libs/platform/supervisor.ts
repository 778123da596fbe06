/**
 * A shell script that runs its arguments as a server, and stops it when the parent process closes its end of the pipe to stdin,
 * even if that was killed. So the server never outlives its parent. Start it with a process group of its own, so that Ctrl-C in a
 * terminal does not reach it.
 *
 * @param signal repeated until the server has ended, because a server may ignore it in its first moments
 */
export function supervisorScript(signal: 'INT' | 'TERM'): string {
  return `exec 4<&0
"$@" </dev/null 4<&- &
server=$!
(read -r _ <&4; while kill -${signal} $server; do sleep 1; done) </dev/null >/dev/null 2>&1 3<&- &
watcher=$!
exec 4<&-
wait $server
code=$?
kill $watcher 2>/dev/null
exit $code`;
}
