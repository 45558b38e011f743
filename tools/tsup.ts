import type { Options } from 'tsup';
import { defineConfig } from 'tsup';

import { bundledRequire } from './bundled-require.ts';

/**
 * Build of libraries: transpiled file by file into one module; dependencies stay imports. Declarations come from `tsc
 * -b`.
 */
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

/**
 * Build of apps: one file with the code of every run, which starts faster and needs less memory than a tree of modules.
 */
export function application(entry: Record<string, string>, overrides: Options = {}): ReturnType<typeof defineConfig> {
  return defineConfig({
    entry,
    format: ['esm'],
    target: 'node22',
    platform: 'node',
    sourcemap: true,
    clean: false,
    dts: false,
    // Lazy imports stay out of memory until needed.
    splitting: true,
    noExternal: [/.*/u],
    esbuildOptions: (options) => {
      // `import` and `require` follow the statement: a library with both differs between them.
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
