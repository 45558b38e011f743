import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Runs `install` while no other process installs into `folder`: two builds at once would take twice as long. Takes over
 * the lock of a dead process.
 */
export async function withInstallLock<T>(
  folder: string,
  print: (line: string) => void,
  install: () => Promise<T>,
): Promise<T> {
  await mkdir(folder, { recursive: true });
  const file = join(folder, '.lock');
  for (let waited = 0; ; waited++) {
    try {
      await writeFile(file, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const owner = Number(await readFile(file, 'utf8').catch(() => '0'));
    if (owner > 0 && !isAlive(owner)) await rm(file, { force: true });
    else {
      if (waited % 20 === 0) print(`waiting for process ${owner}, which is installing into ${folder}`);
      await delay(500);
    }
  }
  try {
    return await install();
  } finally {
    await rm(file, { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
