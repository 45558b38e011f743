import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeClock } from '@hawser/clock';
import { type ConnectionConfig, followKubeconfig } from './index.js';

describe('a kubeconfig that is replaced', () => {
  let folder: string;
  let clock: FakeClock;
  let changes: (string | undefined)[];
  let current: () => ConnectionConfig;
  const file = (): string => join(folder, 'config');
  const write = (token: string, server = 'https://server:6443'): Promise<void> =>
    writeFile(
      file(),
      JSON.stringify({
        'current-context': 'c',
        contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
        clusters: [{ name: 'c', cluster: { server } }],
        users: [{ name: 'u', user: { token } }],
      }),
    );
  /** Asks until something was told: reading the file takes real time. */
  const nextChange = async (): Promise<void> => {
    const before = changes.length;
    while (changes.length === before) {
      await clock.advance(10_000);
      current();
      await new Promise(setImmediate);
    }
  };
  const token = (): unknown => current().credentials;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hawser-followed-'));
    clock = new FakeClock();
    changes = [];
    await write('first');
    current = await followKubeconfig({
      file: file(),
      env: {},
      clock,
      onChange: (problem) => {
        changes.push(problem?.message);
      },
    });
  });
  afterEach(async () => {
    await rm(folder, { recursive: true });
  });

  it('is used within ten seconds of being asked for', async () => {
    await write('second');
    expect(token()).toEqual({ kind: 'token', token: 'first' });
    await nextChange();
    expect(token()).toEqual({ kind: 'token', token: 'second' });
    expect(changes).toEqual([undefined]);
  });

  it('leaves what was there while it cannot be used, and says so once', async () => {
    await writeFile(file(), '{"current-context": "secret-text"');
    await nextChange();
    expect(token()).toEqual({ kind: 'token', token: 'first' });
    expect(changes[0]).toContain(file());
    expect(changes[0]).not.toContain('secret-text');
    await write('third');
    await nextChange();
    expect(token()).toEqual({ kind: 'token', token: 'third' });
    expect(changes).toHaveLength(2);
  });

  it('does not lead to another cluster', async () => {
    await write('second', 'https://elsewhere:6443');
    await nextChange();
    expect(current()).toMatchObject({ server: 'https://server:6443', credentials: { token: 'first' } });
    expect(changes).toEqual([`${file()} names another server now. The operator must restart this process to use it.`]);
  });

  it('must be usable from the start', async () => {
    await expect(followKubeconfig({ file: join(folder, 'none'), env: {}, clock })).rejects.toThrow(
      'cannot be read (ENOENT)',
    );
  });
});
