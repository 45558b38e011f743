import Sequencer from '@jest/test-sequencer';

/** Files that say little and run long. */
const longest = /\/(?:conformance\/src\/conformance(?:\.integration)?|e2e\/src\/(?:isolation|schema))\.test\.ts$/u;

/**
 * In which order jest starts the files: those that run long first, then those with control planes, which wait much, then the rest. So no long one is left over
 * that a single worker runs at the end. Within these it is jest's own order, which knows no durations on a clean checkout and goes by size.
 */
export default class extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => (longest.test(path) ? 0 : path.endsWith('.integration.test.ts') ? 1 : 2);
    return super.sort(tests).sort((one, other) => rank(one) - rank(other));
  }
}
