import { createHash } from 'node:crypto';
import { createTransformer as createSwc } from '@swc/jest';
import { keyOf, withItsMutants } from './sources.ts';

/** swc's transform of sources with their mutants in them, switched off. */
export default {
  createTransformer(options) {
    const swc = createSwc(options);
    return {
      ...swc,
      process: (source, path, jestOptions) => swc.process(withItsMutants(source, path), path, jestOptions),
      processAsync: (source, path, jestOptions) => swc.processAsync(withItsMutants(source, path), path, jestOptions),
      getCacheKey: (source, path, jestOptions) =>
        createHash('sha256')
          .update(swc.getCacheKey(source, path, jestOptions))
          .update(keyOf(path))
          .digest('hex'),
    };
  },
};
