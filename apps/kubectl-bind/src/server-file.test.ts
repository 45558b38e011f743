import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '@hawser/config';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type ServerFile, changeServerFile, readServerFile } from './server-file.js';

describe('the file of logins', () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kubectl-bind-'));
    path = join(folder, 'nested', 'config');
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  const withServer =
    (name: string) =>
    (file: ServerFile): ServerFile => ({ ...file, servers: { ...file.servers, [name]: { url: name } }, current: name });

  it('is made for its owner alone, and keeps what others have written there', async () => {
    await changeServerFile(path, (file) => file);
    writeFileSync(
      path,
      JSON.stringify({ apiVersion: 'v1', kind: 'Config', more: 1, servers: { a: { url: 'a', username: 'jane' } } }),
    );
    await changeServerFile(path, withServer('b'));
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
      apiVersion: 'v1',
      kind: 'Config',
      more: 1,
      servers: { a: { url: 'a', username: 'jane' }, b: { url: 'b' } },
      current: 'b',
    });
    expect([statSync(path).mode & 0o777, statSync(join(folder, 'nested')).mode & 0o777]).toEqual([0o600, 0o700]);
  });

  it('keeps each of many logins at the same time, and leaves nothing beside it', async () => {
    const names = Array.from({ length: 20 }, (_, at) => `https://${at}.example.com`);
    await Promise.all(names.map((name) => changeServerFile(path, withServer(name))));
    expect(Object.keys((await readServerFile(path)).servers).sort()).toEqual(names.sort());
    expect(readdirSync(join(folder, 'nested'))).toEqual(['config']);
  });

  it('keeps each of them where a process that is gone has left its lock', async () => {
    await changeServerFile(path, (file) => file);
    const long = new Date(Date.now() - 60_000);
    for (let round = 0; round < 6; round++) {
      writeFileSync(`${path}.lock`, '');
      utimesSync(`${path}.lock`, long, long);
      const names = Array.from({ length: 10 }, (_, at) => `https://${round}-${at}.example.com`);
      await Promise.all(names.map((name) => changeServerFile(path, withServer(name))));
      expect(Object.keys((await readServerFile(path)).servers)).toEqual(expect.arrayContaining(names));
    }
    expect(readdirSync(join(folder, 'nested'))).toEqual(['config']);
  }, 60_000);

  it('stays as it was when a change fails, and is not locked', async () => {
    await changeServerFile(path, withServer('a'));
    const before = readFileSync(path, 'utf8');
    const broken = changeServerFile(path, () => {
      throw new ConfigError('no');
    });
    await expect(broken).rejects.toThrow('no');
    expect(readFileSync(path, 'utf8')).toBe(before);
    await changeServerFile(path, withServer('b'));
  });

  it.each([
    ['text', 'token-of-somebody'],
    ['another kind', '{"kind":"Secret","token":"token-of-somebody"}'],
    ['servers that are none', '{"servers":{"a":"token-of-somebody"}}'],
  ])('is refused with %s in it, without a word of it', async (_, text) => {
    await changeServerFile(path, (file) => file);
    writeFileSync(path, text);
    await expect(readServerFile(path)).rejects.toThrow(/is not a file of kubectl bind/u);
    await expect(readServerFile(path)).rejects.not.toThrow(/token-of-somebody/u);
    await expect(changeServerFile(path, withServer('a'))).rejects.toThrow(ConfigError);
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it('is an empty one where there is none, or nothing is in it', async () => {
    expect(await readServerFile(path)).toEqual({ apiVersion: 'v1', kind: 'Config', servers: {} });
    await changeServerFile(path, (file) => file);
    writeFileSync(path, '');
    expect((await readServerFile(path)).servers).toEqual({});
    // As the Go plugin writes it.
    writeFileSync(path, '{"apiVersion":"v1","kind":"Config","servers":null,"current":""}');
    expect((await readServerFile(path)).servers).toEqual({});
  });
});
