import type { Reason, ReasonSubject } from '../reason.js';
import { writesUndone } from './writes-undone.js';

const healthy = [
  {
    reason: 'OtherBackendWrites',
    cause: 'a Go backend works on the same cluster',
    actor: 'provider',
    remedy: 'scale it down to zero; an hour later the condition is True',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

export const clusterSubject = {
  kind: 'Cluster',
  title: 'Cluster (on the provider)',
  intro: 'Written by the provider role.',
  groups: [
    {
      condition: 'Healthy',
      meaning: 'Whether the provider role is alone at its work. Absent as long as it always was.',
      reasons: healthy,
    },
    writesUndone,
  ],
} as const satisfies ReasonSubject;
