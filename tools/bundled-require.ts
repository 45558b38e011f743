import { readFile } from 'node:fs/promises';

import type { Options } from 'tsup';

type Plugin = NonNullable<Options['esbuildPlugins']>[number];

/** Matches what a source loads at its first use, by its own require. */
const LOADED = /\bcreateRequire\(import\.meta\.url\)\((["'][^"']+["'])\)/gu;

/**
 * Bundles what sources load at their first use into the executable. esbuild does not follow a require made by
 * `createRequire`, and an executable has no folder of modules beside it. The code still runs only on demand.
 */
export const bundledRequire: Plugin = {
  name: 'bundled-require',
  setup(build) {
    // Go evaluates this expression and lacks the flag `u`.
    build.onLoad(
      { filter: new RegExp('[/\\\\](packages|apps)[/\\\\].*[/\\\\]src[/\\\\].*[.]ts$') },
      async ({ path }) => {
        const text = await readFile(path, 'utf8');
        return LOADED.test(text) ? { contents: text.replaceAll(LOADED, 'require($1)'), loader: 'ts' } : undefined;
      },
    );
  },
};

/** Modules that a bundle would look for beside itself, in vain. */
export function looseModules(text: string): readonly string[] {
  return [...text.matchAll(/\bcreateRequire\d*\(import\.meta\.url\)\(["']([^"']+)["']\)/gu)].map(
    ([, name = '']) => name,
  );
}
