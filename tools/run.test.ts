import { getPriority } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import { must, run } from './run.ts';

const sh = (script: string, options = {}): ReturnType<typeof run> =>
  run('sh', ['-c', script], { capture: true, ...options });

describe('run', () => {
  it('tells how a command ended, and what it wrote', async () => {
    expect(await sh('echo out; echo err >&2; exit 3')).toEqual({
      ok: false,
      how: 'exit 3',
      stdout: 'out\n',
      stderr: 'err\n',
    });
  });

  it('ends a command that takes too long', async () => {
    expect(await sh('exec sleep 60', { timeoutMs: 50 })).toMatchObject({ ok: false, how: 'stopped after 0 s' });
  });

  it('leaves nothing running that the command started', async () => {
    // The one in the background closes its streams, so that only the end of the command is waited for.
    const { stdout } = await sh('sleep 60 >/dev/null 2>&1 & echo $!');
    const isRunning = async (): Promise<boolean> =>
      (await sh(`grep -q '^State:[[:space:]]*[^ZX]' /proc/${stdout.trim()}/status`)).ok;
    for (let tries = 0; (await isRunning()) && tries < 500; tries++);
    expect(await isRunning()).toBe(false);
  });

  it('gives way to others, if it shall', async () => {
    expect(await sh('nice', { behind: true })).toMatchObject({
      ok: true,
      stdout: `${Math.min(getPriority() + 10, 19)}\n`,
    });
  });

  it('gives commands no input', async () => {
    expect(await sh('cat')).toMatchObject({ ok: true, stdout: '' });
  });

  it('tells of a program that does not exist', async () => {
    expect(await run('no-such-program', [], { capture: true })).toMatchObject({
      ok: false,
      how: expect.stringContaining('ENOENT') as unknown,
    });
  });
});

describe('must', () => {
  it('fails with what the command wrote', async () => {
    await expect(must('sh', ['-c', 'echo why >&2; exit 1'])).rejects.toThrow('exit 1\nwhy');
  });
});
