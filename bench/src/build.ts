import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Builds the measured programs: the supervisor as shipped, and the reference in the same way. */
export function build(root: string): void {
  for (const project of ['apps/supervisor', 'bench']) {
    const { status } = spawnSync(join(root, 'node_modules/.bin/tsup'), [], {
      cwd: join(root, project),
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    if (status !== 0) throw new Error(`${project} does not build`);
  }
}
