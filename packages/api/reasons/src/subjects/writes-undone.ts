import type { ReasonGroup } from '../reason.js';

/** On bindings and bundles. */
export const writesUndoneOnConsumer = {
  meaning: 'Where what the konnector writes does not stay. Told by Events.',
  reasons: [
    {
      reason: 'WritesUndone',
      cause:
        'the API server takes a status or the schema of a CRD, and answers without it: an admission webhook or policy changes it, or the API server does not know a field; a status is written again ever less often',
      actor: 'operator',
      remedy:
        'let the write pass; the message says which one, and of the status of the ClusterBinding the provider has to',
      event: 'Warning',
    },
  ],
} as const satisfies ReasonGroup;

/** On every object of the provider whose status a controller writes. */
export const writesUndone = {
  meaning: 'Where what the provider role writes does not stay.',
  reasons: [
    {
      reason: 'WritesUndone',
      cause:
        'the API server takes a status, a finalizer or the schema of a BoundSchema, and answers without it: an admission webhook or policy changes it, or the CRD of the kind is older than the provider role; it is written again ever less often',
      actor: 'provider',
      remedy: 'let the write pass, or install the CRDs of this release; the message names what does not stay',
      event: 'Warning',
    },
  ],
} as const satisfies ReasonGroup;
