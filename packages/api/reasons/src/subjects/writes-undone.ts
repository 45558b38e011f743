import type { ReasonGroup } from '../reason.js';

/** On every object of the provider whose status a controller writes. */
export const writesUndone = {
  meaning: 'Where the status that the provider role writes does not stay.',
  reasons: [
    {
      reason: 'WritesUndone',
      cause:
        'the API server takes the status and answers without it: an admission webhook or policy changes it, or the CRD of the kind is older than the provider role; it is written again ever less often',
      actor: 'provider',
      remedy: 'let the status pass, or install the CRDs of this release; the message names the fields',
      event: 'Warning',
    },
  ],
} as const satisfies ReasonGroup;
