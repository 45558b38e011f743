import { readFile } from 'node:fs/promises';

import type { Options } from 'tsup';

type Plugin = NonNullable<Options['esbuildPlugins']>[number];

/** What a source loads at its first use, by a require of its own. */
const LOADED = /\bcreateRequire\(import\.meta\.url\)\((["'][^"']+["'])\)/gu;

/**
 * Takes what sources load at their first use into the executable: esbuild does not know a require that is made by `createRequire`, and beside an executable there is no folder with modules. It is still not run before
 * it is needed.
 */
export const bundledRequire: Plugin = {
  name: 'bundled-require',
  setup(build) {
    // Go reads this expression, and knows no flag `u`.
    build.onLoad(
      { filter: new RegExp('[/\\\\](packages|apps)[/\\\\].*[/\\\\]src[/\\\\].*[.]ts$') },
      async ({ path }) => {
        const text = await readFile(path, 'utf8');
        return LOADED.test(text) ? { contents: text.replaceAll(LOADED, 'require($1)'), loader: 'ts' } : undefined;
      },
    );
  },
};

/** Modules that a bundle would look for beside itself, where there are none. */
export function looseModules(text: string): readonly string[] {
  return [...text.matchAll(/\bcreateRequire\d*\(import\.meta\.url\)\(["']([^"']+)["']\)/gu)].map(
    ([, name = '']) => name,
  );
}
