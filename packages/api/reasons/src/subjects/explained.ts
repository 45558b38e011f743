import type { Reason, ReasonSubject } from '../reason.js';

export const explainedReasons = [
  {
    reason: 'UnderWay',
    cause: 'writes are due, or something is waited for that comes by itself',
    actor: 'nobody',
    remedy: 'wait',
  },
  {
    reason: 'KonnectorSilent',
    cause: 'writes are due, and no konnector has reported to the provider for twice the heartbeat interval',
    actor: 'operator',
    remedy: 'see whether the konnector runs, and holds its Lease',
  },
  {
    reason: 'AgentSilent',
    cause: 'writes are due, and no agent holds the Lease',
    actor: 'operator',
    remedy: 'see whether the agent runs, and holds its Lease',
  },
  {
    reason: 'NotReadable',
    cause: 'the agent cannot read what it needs to do anything at all; the message says what',
    actor: 'operator',
    remedy: 'grant it: `hawser rbac --roles syncagent` prints the rights',
  },
  {
    reason: 'CopyTerminating',
    cause: 'the copy, or the object itself, is being deleted and waits for the finalizers that are named',
    actor: 'provider',
    remedy: 'if it does not go, find out why its finalizers are not removed',
  },
  {
    reason: 'Rewritten',
    cause: 'in step, but for values that the provider changes whenever they are written',
    actor: 'nobody',
    remedy: 'nothing',
  },
  {
    reason: 'NoSuchObject',
    cause: 'neither side has the object',
    actor: 'nobody',
    remedy: 'see whether name and namespace are right',
  },
  {
    reason: 'NotKnown',
    cause: 'something that would have to be read could not be; the message says what',
    actor: 'nobody',
    remedy: 'try again, or ask with other rights',
  },
] as const satisfies readonly Reason[];

export const explainedSubject = {
  kind: 'Explained',
  title: 'Said by `hawser why` alone',
  intro: '`hawser why` looks from outside, at one moment, and says these where no condition or Event does.',
  groups: [{ meaning: 'How an object of a bound or published API stands.', reasons: explainedReasons }],
} as const satisfies ReasonSubject;
