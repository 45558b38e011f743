import { fields, list, plain, prose, word } from '../shape.js';

/** `status.conditions`, of every API. */
export const conditions = list(
  fields({
    type: word,
    status: word,
    severity: word,
    reason: word,
    message: prose,
    lastTransitionTime: word,
    lastUpdateTime: word,
    observedGeneration: plain,
  }),
);
