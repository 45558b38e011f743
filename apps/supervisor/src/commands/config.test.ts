import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { ConfigError } from '@hawser/config';
import { readConfigCommand } from './config.js';

describe('hawser config', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'hawser-config-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  const check = async (text: string): Promise<{ readonly code: number; readonly out: string }> => {
    const file = join(folder, 'hawser.yaml');
    writeFileSync(file, text);
    const task = readConfigCommand(['check', file]);
    if (typeof task === 'string') throw new Error(task);
    let out = '';
    const code = await task({
      out: (line) => {
        out += line;
      },
      err: () => undefined,
      ask: () => Promise.resolve(undefined),
      env: {},
      signal: new AbortController().signal,
    });
    return { code, out: out.replaceAll(file, 'FILE') };
  };

  it('check says every problem in a line, and ends with 1', async () => {
    expect(await check('roles: [konnector]\n')).toEqual({ code: 0, out: 'FILE: is in order' });
    expect(await check('roles: [cook]\nprofiling: 1\n')).toEqual({
      code: 1,
      out: 'FILE:1: roles[0]: must be konnector, provider, gateway or syncagent, not "cook"\nFILE:2: profiling: must be true or false, not 1',
    });
  });

  it('schema prints JSON', () => {
    expect(JSON.parse(String(readConfigCommand(['schema'])))).toMatchObject({
      type: 'object',
      properties: { konnector: { type: 'object' } },
    });
  });

  it.each([
    [[], 'config needs one of check, schema; see hawser config --help'],
    [['chek'], 'config needs one of check, schema; did you mean hawser config check? See hawser config --help'],
    [['check'], 'config check needs a FILE; see hawser config --help'],
    [['check', 'one', 'two'], 'unexpected argument: two'],
    [['schema', 'one'], 'unexpected argument: one'],
  ])('%j is wrong usage', (args, message) => {
    expect(() => readConfigCommand(args)).toThrow(new ConfigError(message));
  });

  it('check refuses a file that is not there', () => {
    const task = readConfigCommand(['check', join(folder, 'missing')]);
    expect(() =>
      typeof task === 'string'
        ? undefined
        : task({
            out: () => undefined,
            err: () => undefined,
            ask: () => Promise.resolve(undefined),
            env: {},
            signal: new AbortController().signal,
          }),
    ).toThrow('cannot be read: ENOENT');
  });
});
