import { isTerminating, objectKey } from '@hawser/client';
import {
  type Controller,
  controller,
  type Decision,
  type Setup,
  toOwnKey,
  type Watched,
  WriteBudget,
} from '@hawser/controller';
import { type APIServiceExport, klutchDialect } from '@hawser/klutch';
import { type Conditions, conditionTypes, isWithdrawn, markTrue } from '@hawser/kube-bind';
import { refusedEvent, turnEvent } from '../act-export.js';
import { fieldManager } from '../field-manager.js';
import { restorePacedEvent, usualRestores } from '../restore-pace.js';
import { type WithdrawalChange, withdrawalChange } from '../withdrawal.js';
import { offerProblem } from './decide-inline-request.js';
import { type InlineOffer, watchInlineOffers } from './inline-offers.js';
import type { InlineExportOptions } from './inline-options.js';

/** An export of Klutch at one moment. */
interface InlineExportRound {
  /** Undefined: gone, or going. */
  readonly export: APIServiceExport | undefined;
  /** Whether what was withdrawn may be given again. Undefined: nobody asked, since it is not to be given. */
  readonly offer: InlineOffer | undefined;
  /** Milliseconds until what was withdrawn may be given back; 0: now. */
  readonly restoreInMs: number;
  /** When to ask again whether the consumer may bind, in milliseconds. Nothing tells when somebody gets a right. */
  readonly reviewInMs: number;
  readonly now: number;
}

type InlineExportAction =
  | { readonly type: 'annotate'; readonly export: APIServiceExport; readonly change: WithdrawalChange }
  | { readonly type: 'markInSync'; readonly export: APIServiceExport };

const byResource = 'inline/resource';
const reviewAgainMs = 60_000;

/** Keeps the mark of withdrawal of exports of Klutch: see `createInlineExportControllers`. */
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
          reviewInMs: reviewAgainMs * (0.8 + 0.4 * random()),
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

/** Klutch's requests are not recorded, so an export is never withdrawn for want of one. */
const changeOf = (found: APIServiceExport, admitted: boolean): WithdrawalChange =>
  withdrawalChange(found, { kind: 'unknown' }, admitted);

/** The next step for an export, or what it waits for. Pure. */
export function decideInlineExport(observed: InlineExportRound): Decision<InlineExportAction> {
  const { export: found, offer, restoreInMs, reviewInMs, now } = observed;
  if (found === undefined) return { actions: [] };
  const change = changeOf(found, offer?.template !== undefined);
  if (change.turn?.kind === 'restored' && restoreInMs > 0)
    return { actions: [], event: restorePacedEvent, requeueAfterMs: restoreInMs, requeuePriority: 'normal' };
  if (Object.keys(change.annotations).length > 0) return { actions: [{ type: 'annotate', export: found, change }] };
  if (inSync(found.status?.conditions, now) !== found.status?.conditions)
    return { actions: [{ type: 'markInSync', export: found }] };
  // As long as it is withdrawn, what was told of its way back is not told again, however often the consumer changes its mind.
  if (offer === undefined || offer.template !== undefined) return { actions: [], lasts: isWithdrawn(found.metadata) };
  return {
    actions: [],
    event: refusedEvent(offerProblem(found.metadata.name, offer.forbidden, offer.unapproved).message),
    requeueAfterMs: offer.forbidden.length > 0 ? reviewInMs : undefined,
  };
}

/** It carries its schema, so nothing of it can be missing. */
const inSync = (conditions: Conditions | undefined, now: number): Conditions | undefined =>
  markTrue(conditions, conditionTypes.providerInSync, now);

/** The one place that writes for exports of Klutch. Failures are the client's ApiErrors. */
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
      if (turn !== undefined) exports.tell(action.export, turnEvent(turn));
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
