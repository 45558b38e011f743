import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from './eventually.js';
import { startReaper } from './reaper.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hawser-reaper-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('the reaper', () => {
  it('ends what it watches and removes the folder when it is closed, and spares what it was told to forget', async () => {
    const reaper = startReaper(folder);
    const [doomed, spared] = [spawn('sleep', ['60']), spawn('sleep', ['60'])];
    const ended = new Promise((resolve) =>
      doomed.once('exit', (_, signal) => {
        resolve(signal);
      }),
    );
    reaper.watch(doomed.pid!);
    reaper.watch(spared.pid!);
    reaper.forget(spared.pid!);
    await reaper.close();
    expect(await ended).toBe('SIGKILL');
    expect(existsSync(folder)).toBe(false);
    expect(spared.exitCode ?? spared.signalCode).toBeNull();
    spared.kill('SIGKILL');
    await reaper.close();
  });

  it('does so too when its process is killed', async () => {
    // A process of its own: it starts a server, writes down its pid, and waits for its violent end.
    const victim = join(folder, 'victim.mjs');
    const data = join(folder, 'data');
    await writeFile(
      victim,
      `
      import { spawn } from 'node:child_process';
      import { mkdirSync, writeFileSync } from 'node:fs';
      import { tsImport } from ${JSON.stringify(import.meta.resolve('tsx/esm/api'))};
      const { startReaper } = await tsImport(${JSON.stringify(new URL('reaper.ts', import.meta.url).href)}, import.meta.url);
      mkdirSync(${JSON.stringify(data)});
      const reaper = startReaper(${JSON.stringify(data)});
      const child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
      reaper.watch(child.pid);
      writeFileSync(${JSON.stringify(join(folder, 'pid'))}, child.pid + '\\n');
      setInterval(() => {}, 1000);
    `,
    );
    const process_ = spawn(process.execPath, [victim], { stdio: ['ignore', 'ignore', 'inherit'] });
    const pid = await eventually(async () => {
      const text = await readFile(join(folder, 'pid'), 'utf8');
      return text.endsWith('\n') ? Number(text) : false;
    });
    expect(alive(pid)).toBe(true);
    process_.kill('SIGKILL');
    await eventually(() => !existsSync(data));
    // Nobody may be there to collect it in a container without an init: then it is dead but still listed.
    await eventually(async () => !alive(pid) || (await readFile(`/proc/${pid}/stat`, 'utf8')).includes(') Z '));
  });
});
