import { expect, it } from '@jest/globals';
import { publicManifest } from './stage-packages.ts';

it('publishes a manifest without what only the workspace understands', () => {
  const manifest = {
    name: '@hawser/x',
    exports: {
      '.': { 'hawser-source': './src/index.ts', types: './dist/index.d.ts', default: './dist/index.js' },
      './package.json': './package.json',
    },
    scripts: { build: 'tsup' },
    dependencies: { undici: '8.0.0' },
    nx: { tags: ['layer:runtime'] },
  };
  expect(publicManifest(manifest)).toEqual({
    name: '@hawser/x',
    exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' }, './package.json': './package.json' },
    dependencies: { undici: '8.0.0' },
    engines: { node: '>=22.19' },
    keywords: expect.arrayContaining(['kubernetes']),
    publishConfig: { access: 'public', provenance: true },
  });
});
