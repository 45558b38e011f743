import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startReaper } from '@hawser/testenv';

/** Ends the watched programs when it is closed, and also when this process dies in any way. */
export interface Watchdog {
  watch(pid: number): void;
  forget(pid: number): void;
  close(): Promise<void>;
}

export function startWatchdog(): Watchdog {
  return startReaper(mkdtempSync(join(tmpdir(), 'hawser-e2e-')));
}
