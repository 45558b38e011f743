import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { createBundle, segment } from './bundle.js';
import { writeBundle } from './write-bundle.js';

describe('a bundle', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'hawser-bundle-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  const deep = `consumer/workloads/logs/${segment('n'.repeat(63))}/${segment('p'.repeat(253))}.log`;
  const files = [
    { path: 'README.txt', content: Buffer.from('read me') },
    { path: deep, content: Buffer.from('x'.repeat(512)) },
    { path: 'empty.json', content: Buffer.alloc(0) },
  ];

  it('is an archive that tar reads, for its owner alone', async () => {
    const output = join(folder, 'bundle.tar.gz');
    await writeBundle({ files, output, root: 'bundle', nowMs: Date.parse('2026-01-02T03:04:05Z') });
    expect(statSync(output).mode & 0o777).toBe(0o600);
    execFileSync('tar', ['-xzf', output, '-C', folder]);
    for (const { path, content } of files) expect(readFileSync(join(folder, 'bundle', path))).toEqual(content);
    await expect(writeBundle({ files, output, root: 'bundle', nowMs: 0 })).rejects.toThrow('EEXIST');
  });

  it('is a folder where the name says so, and takes no folder that is there', async () => {
    const output = join(folder, 'some', 'bundle');
    await writeBundle({ files, output, root: 'bundle', nowMs: 0 });
    for (const { path, content } of files) expect(readFileSync(join(output, path))).toEqual(content);
    await expect(writeBundle({ files, output, root: 'bundle', nowMs: 0 })).rejects.toThrow('EEXIST');
  });

  it('says what had no place, and goes on with what has', () => {
    const bundle = createBundle(100);
    expect(bundle.add('a', '', 'x'.repeat(80))).toBe(true);
    expect(bundle.add('b', '', 'x'.repeat(80))).toBe(false);
    expect(bundle.add('c', '', 'x'.repeat(20))).toBe(true);
    expect(bundle.finish().map(({ path }) => path)).toEqual(['a', 'c']);
    expect(bundle.contents.dropped).toMatchObject([{ path: 'b', bytes: 80 }]);
  });

  it('removes secrets that become known later, and escapes for terminals', () => {
    const bundle = createBundle(1_000);
    bundle.add('a', '', 'the word: hunter22\u001b[2J\n');
    bundle.addSecret('hunter22');
    expect(bundle.finish()[0]?.content.toString()).toBe('the word: [redacted]?[2J\n');
  });

  it.each([
    ['../../etc/passwd', '__.._etc_passwd'],
    ['..', '_'],
    ['databases.example.com', 'databases.example.com'],
  ])('makes of the name %s the path %s', (name, expected) => {
    expect(segment(name)).toBe(expected);
  });
});
