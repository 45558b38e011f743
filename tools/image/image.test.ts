import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { architectures, readPins, workspaceNode } from './base.ts';
import { filesOfBundle } from './bundle.ts';
import { bundledPackages, componentOf, sbom } from './sbom.ts';

let folder: string;
const write = (path: string, content: unknown): void => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content));
};
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hawser-image-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

it('a bundle is its entry with all that it loads, and nothing that was there before', () => {
  write('app.js', 'import{a}from"./chunk-A.js";const later=()=>import("./later-B.js");const text="./no-such-file.js"');
  write('chunk-A.js', 'export const a=1');
  write('later-B.js', "import { a } from './chunk-A.js'");
  write('chunk-OLD.js', '');
  expect(filesOfBundle(folder, 'app.js')).toEqual(['app.js', 'chunk-A.js', 'later-B.js']);
});

it('the bill of materials has every package whose sources are in the bundle, once, with its tarball', () => {
  write('package-lock.json', {
    packages: {
      'node_modules/@scope/one': { integrity: `sha512-${Buffer.from('tarball').toString('base64')}` },
      'node_modules/unused': {},
    },
  });
  write('node_modules/@scope/one/package.json', { name: '@scope/one', version: '1.2.3', license: 'MIT' });
  write('node_modules/@scope/one/node_modules/two/package.json', {
    name: 'two',
    version: '2.0.0',
    license: '(MIT OR Apache-2.0)',
  });
  write('node_modules/unused/package.json', { name: 'unused', version: '9.9.9' });
  write('dist/app.js.map', {
    sources: [
      '../src/app.ts',
      '../node_modules/@scope/one/index.js',
      '../node_modules/@scope/one/node_modules/two/lib/two.js',
    ],
  });
  write('dist/chunk.js.map', { sources: ['../node_modules/@scope/one/other.js'] });
  const packages = bundledPackages(join(folder, 'dist'), ['app.js', 'chunk.js'], folder);
  expect(packages).toEqual([
    { name: '@scope/one', version: '1.2.3', license: 'MIT', sha512: Buffer.from('tarball').toString('hex') },
    { name: 'two', version: '2.0.0', license: '(MIT OR Apache-2.0)' },
  ]);
  expect(sbom({ name: 'app', version: '0.1.0', license: 'Apache-2.0' }, packages.map(componentOf))).toMatchObject({
    bomFormat: 'CycloneDX',
    components: [
      { purl: 'pkg:npm/%40scope/one@1.2.3', licenses: [{ license: { id: 'MIT' } }], hashes: [{ alg: 'SHA-512' }] },
      { purl: 'pkg:npm/two@2.0.0', licenses: [{ expression: '(MIT OR Apache-2.0)' }] },
    ],
    dependencies: [{ ref: 'pkg:generic/app@0.1.0', dependsOn: ['pkg:npm/%40scope/one@1.2.3', 'pkg:npm/two@2.0.0'] }],
  });
});

it('the image has the Node that everything is tested with, and each of its packages has a hash', () => {
  const { node, packages } = readPins();
  expect(node.version).toBe(workspaceNode());
  for (const architecture of architectures) {
    expect(node.integrity[architecture]).toMatch(/^sha512-.{88}$/u);
    expect(packages[architecture].map(({ name }) => name)).toContain('libc6');
    for (const { sha256 } of packages[architecture]) expect(sha256).toMatch(/^[0-9a-f]{64}$/u);
  }
});
