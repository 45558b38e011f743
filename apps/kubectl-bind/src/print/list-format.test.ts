import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseFlags } from '@hawser/config';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { listFlags, readListFormat } from './list-format.js';

const list = {
  kind: 'List',
  items: [{ metadata: { name: 'databases', managedFields: [{ manager: 'helm' }] } }, { metadata: { name: 'caches' } }],
};
const printed = (...args: readonly string[]): string => {
  const format = readListFormat(parseFlags(args, listFlags));
  return format.kind === 'document' ? format.print(list) : format.kind;
};

describe('a list', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'hawser-format-'));
    writeFileSync(join(folder, 'go'), '{{range .items}}{{.metadata.name}}\n{{end}}');
    writeFileSync(join(folder, 'path'), '{.items[1].metadata.name}');
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('is printed in each format of the Go plugin', () => {
    const names = '{{range .items}}{{.metadata.name}} {{end}}';
    expect([printed(), printed('-o', 'name'), printed('-o=table')]).toEqual(['table', 'name', 'table']);
    for (const args of [
      [`-o=go-template=${names}`],
      [`-o=template=${names}`],
      ['-o', 'go-template', '--template', names],
      ['--template', names],
    ])
      expect([args, printed(...args)]).toEqual([args, 'databases caches ']);
    for (const name of ['go-template-file', 'templatefile'])
      expect(printed('-o', `${name}=${join(folder, 'go')}`)).toBe('databases\ncaches\n');
    expect(printed('-o', 'jsonpath={.items[*].metadata.name}')).toBe('databases caches');
    expect(printed('-o', `jsonpath-file=${join(folder, 'path')}`)).toBe('caches');
    expect(JSON.parse(printed('-o', 'jsonpath-as-json={.items[*].metadata.name}'))).toEqual(['databases', 'caches']);
  });

  it('shows managed fields where they are asked for', () => {
    expect(printed('-o', 'json')).not.toContain('managedFields');
    expect(printed('-o', 'json', '--show-managed-fields')).toContain('helm');
  });

  it.each([
    [['-o', 'wide'], 'must be one of table, json'],
    [['-o', 'json=x'], 'must be one of'],
    [['-o', 'jsonpath'], 'needs a template'],
    [['-o', 'go-template='], 'needs a template'],
    [['-o', 'jsonpath={.items'], 'is not closed'],
    [['-o', 'go-template={{.items'], 'line 1 of the template'],
    [['-o', 'go-template={{.}}', '--allow-missing-template-keys=false'], '<no value>'],
    [['-o', 'jsonpath={.nothing}', '--allow-missing-template-keys=false'], 'nothing is not found'],
    [['-o', 'jsonpath-file=/nowhere'], 'cannot be read'],
  ])('%j is wrong usage', (args, words) => {
    expect(() => printed(...args)).toThrow(words);
  });
});
