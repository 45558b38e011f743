import type { Decision as Round } from '@hawser/controller';
import { type APIExport, ConversionError } from '@hawser/kcp-api';
import { changesStatus } from '@hawser/publication';
import type { PublishedResource } from '@hawser/syncagent-api';
import type { Contribution } from './contribution.js';
import { type ExportChange, decide } from './decide.js';
import type { Observed, ObservedExport } from './observe.js';
import { type Report, type Reports, everywhere, notFound, statusChange, unreadable, withRefusals } from './report.js';

export type Action =
  | {
      readonly type: 'writeExport';
      readonly current: APIExport;
      readonly change: ExportChange;
      /** The change covers all contributions, one, or none. */
      readonly of: 'all' | 'none' | Contribution;
    }
  | { readonly type: 'writeStatus'; readonly object: PublishedResource; readonly report: Report };

export interface Decision extends Round<Action> {
  /** New reports for PublishedResources; they replace all earlier ones. Absent: keep those. */
  readonly reports?: Reports | undefined;
}

/** Decides about one key. Pure. */
export function decideLook(observed: Observed): Decision {
  switch (observed.kind) {
    case 'nothing':
      return { actions: [] };
    case 'status': {
      const { object, report, terms } = observed;
      const isChanged = changesStatus(object, statusChange(report, terms.now), terms);
      return { actions: isChanged ? [{ type: 'writeStatus', object, report }] : [] };
    }
    case 'export':
      return decideExport(observed);
  }
}

function decideExport(observed: ObservedExport): Decision {
  const {
    agent: { exportName },
    current,
    contributions,
  } = observed;
  if (current === undefined) return { actions: [], reports: everywhere(contributions, notFound(exportName)) };
  try {
    return bringInStep(observed, current);
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error;
    return { actions: [], reports: everywhere(contributions, unreadable(exportName, error)) };
  }
}

/** Omits what kcp has refused, so the others are exported. */
function bringInStep(
  { agent, contributions, refused, oneByOne, retryInMs }: ObservedExport,
  current: APIExport,
): Decision {
  const admitted = contributions.filter(({ uid }) => !refused.has(uid));
  const decided = (of: readonly Contribution[]): ReturnType<typeof decide> =>
    decide(current, agent.name, contributions, of);
  if (oneByOne) {
    const { change } = decided([]);
    if (change !== undefined) return { actions: [{ type: 'writeExport', current, change, of: 'none' }], yields: true };
    for (const [index, candidate] of admitted.entries()) {
      const next = decided(admitted.slice(0, index + 1)).change;
      if (next !== undefined)
        return { actions: [{ type: 'writeExport', current, change: next, of: candidate }], yields: true };
    }
  }
  const { change, outcomes } = decided(admitted);
  if (change !== undefined) return { actions: [{ type: 'writeExport', current, change, of: 'all' }] };
  return {
    actions: [],
    reports: withRefusals({ outcomes }, contributions, ({ uid }) => refused.get(uid)),
    requeueAfterMs: retryInMs,
  };
}
