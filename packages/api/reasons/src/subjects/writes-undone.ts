import type { ReasonGroup } from '../reason.js';

/** On bindings and bundles. */
export const writesUndoneOnConsumer = {
  meaning: 'Writes of the konnector that do not stay. Reported by Events.',
  reasons: [
    {
      reason: 'WritesUndone',
      cause:
        'the API server accepts a write of a status or of the schema of a CRD, but its answer lacks the change. An admission webhook or policy removes it, or the API server does not know a field. The konnector writes a status again less and less often',
      actor: 'operator',
      remedy: 'allow the write that the message names; for the status of the ClusterBinding, the provider does so',
      event: 'Warning',
    },
  ],
} as const satisfies ReasonGroup;

/** On every object of the provider whose status a controller writes. */
export const writesUndone = {
  meaning: 'Writes of the provider role that do not stay.',
  reasons: [
    {
      reason: 'WritesUndone',
      cause:
        'the API server accepts a write of a status, a finalizer or the schema of a BoundSchema, but its answer lacks the change. An admission webhook or policy removes it, or the CRD of the kind is older than the provider role. The provider role writes again less and less often',
      actor: 'provider',
      remedy: 'allow the write, or install the CRDs of this release; the message names what does not stay',
      event: 'Warning',
    },
  ],
} as const satisfies ReasonGroup;
