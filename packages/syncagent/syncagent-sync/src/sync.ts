import { type ControllerContext, createController } from '@hawser/controller';

import type { Engagement } from './engagement.js';
import type { Retirement } from './observed.js';
import { type Run, openRun } from './run.js';
import type { Sync, SyncOptions } from './sync-options.js';
import { waiting } from './verdicts.js';

/** Creates a {@link Sync}. Engagements added before the start count from the start. */
export function createSync(options: SyncOptions): Sync {
  const engagements = new Map<string, Engagement>(
    (options.engagements ?? []).map((engagement) => [engagement.url, engagement]),
  );
  let run: Run | undefined;
  let retired: Retirement | undefined;
  const controller = createController<'service'>('syncagent-sync', async (ctx: ControllerContext<'service'>, scope) => {
    const opened = openRun(options, ctx);
    run = opened;
    scope.own(() => opened.close());
    if (retired !== undefined) opened.retire(retired);
    for (const engagement of engagements.values()) opened.add(engagement);
    await opened.filled();
  });
  return {
    name: controller.name,
    start: (ctx) => controller.start(ctx),
    async stop() {
      await controller.stop();
      run = undefined;
    },
    add(engagement) {
      engagements.set(engagement.url, engagement);
      run?.add(engagement);
    },
    remove(url) {
      engagements.delete(url);
      run?.remove(url);
    },
    counts: () => run?.counts() ?? { objects: 0, workspaces: 0, failing: 0, orphans: 0, held: 0 },
    problems: () => run?.problems() ?? [],
    troubles: () => run?.troubles() ?? [],
    pause: options.pause,
    get lastSyncMs() {
      return run?.lastSyncMs;
    },
    get surveyed() {
      return run?.surveyed ?? false;
    },
    get complete() {
      return run?.complete ?? false;
    },
    holdersAt: (url) => run?.holdersAt(url),
    remembered: () => run?.remembered(),
    survey: () => run?.survey(),
    why: (object) => run?.why(object) ?? { verdict: waiting('cache').verdict, problem: undefined },
    plan: (object) => run?.plan(object) ?? waiting('cache'),
    keys: () => run?.keys() ?? [],
    copyOf: (object) => run?.copyOf(object),
    recheck: () => run?.recheck(),
    reread: () => run?.reread(),
    retire(how) {
      retired = how;
      run?.retire(how);
    },
  };
}
