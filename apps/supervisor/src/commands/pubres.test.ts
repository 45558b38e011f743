import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { ConfigError } from '@hawser/config';
import { readPublishedResource, readPubres } from './pubres.js';
import type { Terminal } from '@hawser/commands';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hawser-pubres-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

let files = 0;
function fileOf(text: string): string {
  const file = join(folder, `${files++}.yaml`);
  writeFileSync(file, text);
  return file;
}

const plain =
  'apiVersion: syncagent.kcp.io/v1alpha1\nkind: PublishedResource\nmetadata: {name: things}\nspec:\n  resource: {apiGroup: example.com, kind: Thing}\n';

describe('hawser pubres', () => {
  it('has help and a version', () => {
    for (const args of [[], ['--help'], ['crd', '-h']])
      expect(readPubres(args, 'v1')).toEqual(
        expect.stringMatching(/hawser pubres crd[^]*--kubeconfig[^]*--no-projection[^]*--ars/u),
      );
    expect(readPubres(['--version'], 'v1')).toBe('v1');
  });

  it.each([
    [['ars', 'x.yaml'], 'unknown command: pubres ars; there is: pubres crd'],
    [['crd'], 'pubres crd needs the file of a PublishedResource; see hawser pubres --help'],
    [['crd', 'a', 'b'], 'unexpected argument: b'],
    [['crd', 'a', '--output=json'], 'unknown flag: --output'],
  ])('%j is wrong usage', (args, message) => {
    expect(() => readPubres(args, 'v1')).toThrow(new ConfigError(message));
  });

  it.each(['a: [', 'a: *b', '\t: x'])('a file that is not YAML is wrong usage: %j', (text) => {
    expect(() => readPublishedResource(fileOf(text), () => undefined)).toThrow(ConfigError);
  });

  it('a file, or a kubeconfig, that is not there is wrong usage', async () => {
    const terminal: Terminal = {
      out: () => undefined,
      err: () => undefined,
      ask: () => Promise.resolve(undefined),
      env: {},
      signal: new AbortController().signal,
    };
    for (const args of [
      ['crd', join(folder, 'missing.yaml')],
      ['crd', fileOf(plain), '--kubeconfig=/does/not/exist'],
    ]) {
      const task = readPubres(args, 'v1');
      await expect(typeof task === 'string' ? undefined : task(terminal)).rejects.toThrow(ConfigError);
    }
  });
});

describe('the file of a PublishedResource', () => {
  const read = (text: string): { readonly usable: boolean; readonly problems: readonly string[] } => {
    const problems: string[] = [];
    const usable =
      readPublishedResource(fileOf(text), (line) => {
        problems.push(line.replace(/^.*?yaml: /u, ''));
      }) !== undefined;
    return { usable, problems };
  };

  it.each([
    plain,
    `${plain}---\nnonsense: true\n`,
    '{"spec":{"resource":{"apiGroup":"","kind":"ConfigMap"}}}',
    plain.replace('PublishedResource', 'Anything'),
  ])('may be %j', (text) => {
    expect(read(text)).toEqual({ usable: true, problems: [] });
  });

  it.each([
    ['', 'the document must be of type object, is nothing'],
    ['[]', 'the document must be of type object, is array'],
    ['a: b', 'spec is required'],
    ['spec: {resource: {kind: X}}', 'spec.resource.apiGroup is required'],
    [`${plain}  projection: {scope: Everywhere}`, 'spec.projection.scope must be one of Cluster, Namespaced'],
  ])('%j is of no use', (text, problem) => {
    expect(read(text)).toEqual({ usable: false, problems: [problem] });
  });

  it('what takes no part in the schema is said, and is no obstacle', () => {
    expect(read(`${plain}  related: [{identifier: a}]\n`).usable).toBe(true);
    expect(read(`${plain}  related: [{identifier: a}]\n`).problems).toContainEqual(
      'spec.related[0].origin is required',
    );
    expect(read(`${plain}  mutation: {spec: [{}]}\n`)).toEqual({
      usable: true,
      problems: ['spec.mutation.spec[0] needs one of delete, regex, template, cel'],
    });
  });
});
