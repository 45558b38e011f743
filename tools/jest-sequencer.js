import Sequencer from '@jest/test-sequencer';

/** Long-running files with little output. */
const longest = /\/(?:conformance\/src\/conformance(?:\.integration)?|e2e\/src\/(?:isolation|schema))\.test\.ts$/u;

/**
 * Order of jest's files: long ones first, then those with control planes, which mostly wait, then the rest. So no long
 * file runs alone at the end. Within each group jest's order holds; on a clean checkout it knows no durations and goes
 * by size.
 */
export default class extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => (longest.test(path) ? 0 : path.endsWith('.integration.test.ts') ? 1 : 2);
    return super.sort(tests).sort((one, other) => rank(one) - rank(other));
  }
}
