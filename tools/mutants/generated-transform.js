import { createHash } from 'node:crypto';
import { createTransformer as createSwc } from '@swc/jest';
import { version, withGenerated } from './generated.ts';

/** swc's transform of sources with generated mutants in them, switched off. `mutated` names the files. */
export default {
  createTransformer({ mutated, ...options }) {
    const swc = createSwc(options);
    return {
      ...swc,
      process: (source, path, jestOptions) => swc.process(withGenerated(source, path, mutated), path, jestOptions),
      processAsync: (source, path, jestOptions) =>
        swc.processAsync(withGenerated(source, path, mutated), path, jestOptions),
      getCacheKey: (source, path, jestOptions) =>
        createHash('sha256')
          .update(swc.getCacheKey(source, path, jestOptions))
          .update(version)
          .digest('hex'),
    };
  },
};
