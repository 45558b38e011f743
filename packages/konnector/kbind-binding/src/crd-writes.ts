import { type Client, keyOf } from '@hawser/client';
import type { Watched } from '@hawser/controller';
import { annotations, labels } from '@hawser/core-kbind';
import { type CustomResourceDefinition, customResourceDefinitions } from '@hawser/crd';
import type { Action } from './actions.js';

/** A step for a CRD on the consumer that deletes nothing. */
export type CRDAction = Extract<Action, { type: 'createCRD' | 'updateCRD' | 'markCRD' }>;

export interface CRDWriter {
  readonly consumer: Client;
  readonly crds: Watched<CustomResourceDefinition>;
}

/** Executes the step. @throws {ApiError} */
export async function writeCRD(action: CRDAction, { consumer, crds }: CRDWriter, signal: AbortSignal): Promise<void> {
  switch (action.type) {
    case 'createCRD':
      await crds.create(action.crd, signal);
      return;
    case 'updateCRD': {
      const { live, wanted } = action;
      // Replacing only `spec` keeps metadata of other writers. The resourceVersion turns a concurrent change into a
      // conflict.
      const operations = [
        { op: 'replace', path: '/metadata/resourceVersion', value: live.metadata.resourceVersion },
        {
          op: 'add',
          path: '/metadata/annotations',
          value: { ...live.metadata.annotations, ...wanted.metadata.annotations },
        },
        { op: 'replace', path: '/spec', value: wanted.spec },
      ];
      const patch = { type: 'json', operations } as const;
      crds.observe(
        await consumer.patch<CustomResourceDefinition>(customResourceDefinitions, keyOf(live), patch, { signal }),
      );
      return;
    }
    case 'markCRD': {
      const metadata = {
        labels: { [labels.managed]: 'true' },
        annotations: { [annotations.connection]: action.connection },
      };
      await crds.patch(action.live, { metadata }, signal);
    }
  }
}
