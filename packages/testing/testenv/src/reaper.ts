import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';

/** Ends child processes and removes their folder, even when this process dies abruptly. */
export interface Reaper {
  watch(pid: number): void;
  forget(pid: number): void;
  /** Ends the remaining watched processes and removes the folder; resolves when done. Idempotent. */
  close(): Promise<void>;
}

/*
 * The shell reads commands from a pipe. When this process dies in any way, the kernel closes the pipe, the loop ends,
 * and the shell cleans up. It has its own session, out of reach of Ctrl-C in the terminal.
 */
const script = `
pids=
while read -r operation pid; do
  case "$operation" in
    watch) pids="$pids $pid" ;;
    forget) rest=; for one in $pids; do [ "$one" = "$pid" ] || rest="$rest $one"; done; pids=$rest ;;
  esac
done
for one in $pids; do kill -9 "$one" 2>/dev/null; done
tries=0
for one in $pids; do while kill -0 "$one" 2>/dev/null && [ $tries -lt 40 ]; do tries=$((tries + 1)); sleep 0.05; done; done
rm -rf "$1"
`;

/** @param folder removed at the end, with everything in it. */
export function startReaper(folder: string): Reaper {
  const shell = spawn('/bin/sh', ['-c', script, 'hawser-reaper', folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    cwd: '/',
  });
  const exited = once(shell, 'exit');
  exited.catch(() => {
    /* reported by close() */
  });
  shell.unref();
  const pipe = shell.stdin;
  pipe.on('error', () => {
    /* the shell is gone; close() still resolves */
  });
  // A pipe to a child is a socket, despite its declared type; it must not keep this process alive.
  if (pipe instanceof Socket) pipe.unref();
  return {
    watch: (pid) => {
      pipe.write(`watch ${pid}\n`);
    },
    forget: (pid) => {
      pipe.write(`forget ${pid}\n`);
    },
    async close() {
      shell.ref();
      pipe.end();
      await exited;
    },
  };
}
