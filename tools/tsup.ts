import type { Options } from 'tsup';
import { defineConfig } from 'tsup';

import { bundledRequire } from './bundled-require.ts';

/** Libraries are transpiled file by file into one module; their dependencies stay imports. Declarations come from `tsc -b`. */
export function library(overrides: Options = {}): ReturnType<typeof defineConfig> {
  return defineConfig({
    entry: ['src/index.ts'],
    format: ['esm'],
    target: 'node22',
    platform: 'node',
    sourcemap: true,
    clean: false,
    dts: false,
    skipNodeModulesBundle: true,
    ...overrides,
  });
}

/** Apps are one file with everything that every run needs: they start faster and need less memory than a tree of modules. */
export function application(entry: Record<string, string>, overrides: Options = {}): ReturnType<typeof defineConfig> {
  return defineConfig({
    entry,
    format: ['esm'],
    target: 'node22',
    platform: 'node',
    sourcemap: true,
    clean: false,
    dts: false,
    // What is imported lazily stays out of memory until it is needed.
    splitting: true,
    noExternal: [/.*/u],
    esbuildOptions: (options) => {
      // `import` and `require` go with the statement: a library that has both is not the same by either.
      options.conditions = ['hawser-source', 'node'];
      options.minifyWhitespace = true;
      options.minifySyntax = true;
    },
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
    ...overrides,
    esbuildPlugins: [bundledRequire, ...(overrides.esbuildPlugins ?? [])],
  });
}
