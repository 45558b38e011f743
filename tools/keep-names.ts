import { readFile } from 'node:fs/promises';

import type { Options } from 'tsup';

type Plugin = NonNullable<Options['esbuildPlugins']>[number];

/**
 * Keeps names of oidc-provider's classes and functions in an executable: it looks up settings of a class by
 * `this.name`, and a minifier removes names that no code uses.
 */
export const keepNames: Plugin = {
  name: 'keep-names',
  setup(build) {
    // Go evaluates this expression and lacks the flag `u`.
    build.onLoad(
      { filter: new RegExp('[/\\\\]node_modules[/\\\\]oidc-provider[/\\\\]lib[/\\\\].*[.]js$') },
      async ({ path }) => {
        const { code } = await build.esbuild.transform(await readFile(path, 'utf8'), {
          loader: 'js',
          keepNames: true,
          sourcefile: path,
          sourcemap: 'inline',
        });
        return { contents: code, loader: 'js' };
      },
    );
  },
};
