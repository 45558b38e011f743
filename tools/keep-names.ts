import { readFile } from 'node:fs/promises';

import type { Options } from 'tsup';

type Plugin = NonNullable<Options['esbuildPlugins']>[number];

/** Classes and functions of oidc-provider keep their names in an executable: it looks up settings of a class by `this.name`, and a minifier takes names that no code uses. */
export const keepNames: Plugin = {
  name: 'keep-names',
  setup(build) {
    // Go reads this expression, and knows no flag `u`.
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
