import { isTerminating, objectKey } from '@hawser/client';
import { type Controller, controller, type Setup, toOwnKey, type Watched, WriteBudget } from '@hawser/controller';
import { type APIServiceExport, klutchDialect } from '@hawser/klutch';
import { isWithdrawn } from '@hawser/kube-bind';
import { turnEvent } from '../act-export.js';
import { fieldManager } from '../field-manager.js';
import { usualRestores } from '../restore-pace.js';
import { nextReviewMs } from '../review-again.js';
import {
  changeOf,
  decideInlineExport,
  type InlineExportAction,
  type InlineExportRound,
  inSync,
} from './decide-inline-export.js';
import { watchInlineOffers } from './inline-offers.js';
import type { InlineExportOptions } from './inline-options.js';

const byResource = 'inline/resource';

/** Keeps the withdrawal mark of Klutch's exports: see `createInlineExportControllers`. */
export function createInlineExportController(options: InlineExportOptions): Controller<'provider'> {
  const { admission = 'Exported', concurrency = 4, restores: pace = usualRestores } = options;
  return controller('inlineexport', (setup: Setup<'provider'>) => {
    const { clusters, clock, random, watch } = setup;
    const exports = watch<APIServiceExport>(
      clusters.provider,
      { resource: klutchDialect.resources.apiServiceExports, kind: 'APIServiceExport' },
      toOwnKey,
    );
    exports.addIndex(byResource, ({ metadata }) => [metadata.name]);
    const withdrawn = (found: readonly APIServiceExport[]): readonly string[] =>
      found.filter(({ metadata }) => isWithdrawn(metadata)).map(objectKey);
    const offers = watchInlineOffers(setup, {
      admission,
      offering: (resource) => withdrawn(exports.byIndex(byResource, resource)),
      ofConsumer: (namespace) => withdrawn(exports.list(namespace)),
    });
    const restores = new WriteBudget(pace);
    return {
      concurrency,
      fieldManager,
      async observe(key, signal): Promise<InlineExportRound> {
        const found = exports.get(key);
        const one = found === undefined || isTerminating(found) ? undefined : found;
        const offer =
          one !== undefined && changeOf(one, true).turn?.kind === 'restored'
            ? await offers.of(one.metadata.namespace ?? '', one.metadata.name, signal)
            : undefined;
        return {
          export: one,
          offer,
          restoreInMs: restores.waitMs(key, clock.monotonic()),
          reviewInMs: nextReviewMs(random),
          now: clock.now(),
        };
      },
      decide: decideInlineExport,
      act: (action, signal, { now }) => {
        if (action.type === 'annotate' && action.change.turn?.kind === 'restored')
          restores.spend(objectKey(action.export), clock.monotonic());
        return actInlineExport(exports, action, now, signal);
      },
    };
  });
}

/** The only place that writes for exports of Klutch. Failures are the client's ApiErrors. */
async function actInlineExport(
  exports: Watched<APIServiceExport>,
  action: InlineExportAction,
  now: number,
  signal: AbortSignal,
): Promise<void> {
  switch (action.type) {
    case 'annotate': {
      const { annotations, turn } = action.change;
      await exports.patch(action.export, { metadata: { annotations } }, signal);
      if (turn !== undefined) exports.recordEvent(action.export, turnEvent(turn));
      return;
    }
    case 'markInSync':
      await exports.commitStatus(
        action.export,
        (status) => ({ ...status, conditions: inSync(status.conditions, now) }),
        signal,
      );
  }
}
