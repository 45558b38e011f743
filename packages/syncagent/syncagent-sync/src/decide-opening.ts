import { objectKey, type UnstructuredObject } from '@hawser/client';

import type { ChosenCopy } from './choose-copy.js';
import type { Decision } from './decision.js';
import type { Selection } from './selection.js';
import { held, waiting } from './verdicts.js';

/**
 * Reports the obstacle for an object whose workspace no virtual workspace shows. `hasCopy`: it has a copy that may be
 * ours. Pure.
 */
export function decideUnbound(cluster: string, hasCopy: boolean): Decision {
  if (!hasCopy) return { actions: [], verdict: { kind: 'absent' } };
  return {
    actions: [],
    verdict: {
      kind: 'orphan',
      message: `The copy belongs to workspace ${cluster}, which is deleted, unbound, or not reachable at present. It is kept. It goes on by itself if the workspace comes back; delete the copy if it is not needed.`,
    },
  };
}

/** The state before work on an object. */
export interface Opening {
  readonly source: UnstructuredObject | undefined;
  readonly chosen: ChosenCopy;
  /** For an ended publication that keeps copies: releases the object, whatever its copies and the filter. */
  readonly keepsCopies: boolean;
  /** The rules need the path of the workspace, which is unknown. */
  readonly lacksPath: boolean;
  /** Called only if nothing else stops the object. */
  readonly selection: () => Selection;
}

/** Why work on an object is impossible now, or whether the filter selects it. Pure. */
export function decideOpening({
  source,
  chosen,
  keepsCopies,
  lacksPath,
  selection,
}: Opening):
  { readonly kind: 'nothing'; readonly decision: Decision } | { readonly kind: 'open'; readonly selected: boolean } {
  const nothing = (decision: Decision): ReturnType<typeof decideOpening> => ({ kind: 'nothing', decision });
  if (chosen.kind === 'several' && !keepsCopies) {
    const copyKeys = chosen.copies
      .map(({ metadata }) => objectKey(metadata))
      .sort()
      .join(' and ');
    return nothing(
      held(
        'TwoCopies',
        `On the service cluster, ${copyKeys} both bear the marks of this object. Nothing is written until one of them is deleted, or loses its labels syncagent.kcp.io/remote-object-*.`,
        'provider',
      ),
    );
  }
  const deleting = source?.metadata.deletionTimestamp !== undefined;
  if (lacksPath && source !== undefined && !deleting && !keepsCopies) return nothing(waiting('workspacePath'));
  const wanted = source === undefined || keepsCopies ? 'selected' : selection();
  switch (wanted) {
    case 'notReady':
      return nothing(waiting('cache'));
    case 'unknown':
      return nothing(
        held(
          'NamespaceNotVisible',
          'Whether this object is to be synced depends on the labels of its namespace, which this workspace does not show. Accept the permission claim on namespaces in the APIBinding.',
          'consumer',
        ),
      );
    case 'selected':
    case 'notSelected':
      return { kind: 'open', selected: wanted === 'selected' };
  }
}
