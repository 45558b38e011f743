import type { Reason, ReasonSubject } from '../reason.js';
import { writesUndone } from './writes-undone.js';

const healthy = [
  {
    reason: 'OtherBackendWrites',
    cause: 'a Go backend works on the same cluster',
    actor: 'provider',
    remedy: 'scale the Go backend down to zero. The condition becomes True an hour later',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

export const clusterSubject = {
  kind: 'Cluster',
  title: 'Cluster (on the provider)',
  intro: 'The provider role writes it.',
  groups: [
    {
      condition: 'Healthy',
      meaning: 'Whether the provider role works alone. Absent as long as it always has.',
      reasons: healthy,
    },
    writesUndone,
  ],
} as const satisfies ReasonSubject;
