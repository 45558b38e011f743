import { type UnstructuredObject, keyOf } from '@hawser/client';
import { patched } from '@hawser/preview';
import { cleanupFinalizer } from '@hawser/syncagent-api';
import type { Action, PublishedKinds } from '@hawser/syncagent-sync';

import { type RequestTarget, service } from './request-target.js';
import type { Purpose, RehearsedWrite } from './rehearsal.js';

/** The writes that a pause holds back for an object itself. */
export function withheldWrites(
  actions: readonly Action[],
  { kcp, service: local }: PublishedKinds,
  cluster: string,
  purpose: Purpose,
): readonly RehearsedWrite[] {
  const side: RequestTarget = { kind: 'kcp', workspace: cluster };
  const onKcp = (
    verb: 'patch' | 'update',
    before: UnstructuredObject,
    after: UnstructuredObject,
    subresource?: string,
  ): RehearsedWrite => ({
    side,
    purpose,
    verb,
    resource: kcp.resource,
    key: keyOf(before),
    subresource,
    before,
    after,
    withheld: true,
  });
  const finalizers = (object: UnstructuredObject, next: readonly string[]): UnstructuredObject => ({
    ...object,
    metadata: { ...object.metadata, finalizers: next },
  });
  const onService = (write: Pick<RehearsedWrite, 'verb' | 'key' | 'before' | 'after'>): RehearsedWrite => ({
    side: service,
    purpose,
    resource: local.resource,
    withheld: true,
    ...write,
  });
  const removal = (copy: UnstructuredObject | undefined): readonly RehearsedWrite[] =>
    copy === undefined ? [] : [onService({ verb: 'delete', key: keyOf(copy), before: copy })];
  return actions.flatMap((action): readonly RehearsedWrite[] => {
    switch (action.type) {
      case 'addFinalizer':
        return [
          onKcp(
            'patch',
            action.source,
            finalizers(action.source, [...(action.source.metadata.finalizers ?? []), cleanupFinalizer]),
          ),
        ];
      case 'releaseFinalizer':
        return [
          onKcp(
            'patch',
            action.source,
            finalizers(
              action.source,
              (action.source.metadata.finalizers ?? []).filter((one) => one !== cleanupFinalizer),
            ),
          ),
        ];
      case 'writeStatusBack':
        return [onKcp('update', action.source, { ...action.source, status: action.status }, 'status')];
      case 'create':
        return [onService({ verb: 'create', key: keyOf(action.object), after: action.object })];
      case 'adopt':
        return [
          onService({
            verb: 'patch',
            key: keyOf(action.destination),
            before: action.destination,
            after: patched(action.destination, { type: 'merge', patch: { metadata: action.marks } }),
          }),
        ];
      case 'patch':
        return [
          onService({
            verb: 'patch',
            key: keyOf(action.destination),
            before: action.destination,
            after: patched(action.destination, { type: 'merge', patch: action.patch }),
          }),
        ];
      // For an existing object, the deletion follows.
      case 'confirmDeletion':
      case 'delete':
        return removal(action.destination);
      // They follow from the others, and belong to the agent alone.
      case 'take':
      case 'confirmHolder':
      case 'confirmWritten':
      case 'confirmAgreement':
      case 'storeSnapshot':
      case 'forget':
      case 'confirmGone':
      case 'writeStatusForward':
        return [];
    }
  });
}
