import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startReaper } from '@hawser/testenv';

/** Ends the programs that are still watched when it is closed, and also when this process dies, however it dies. */
export interface Watchdog {
  watch(pid: number): void;
  forget(pid: number): void;
  close(): Promise<void>;
}

export function startWatchdog(): Watchdog {
  return startReaper(mkdtempSync(join(tmpdir(), 'hawser-e2e-')));
}
