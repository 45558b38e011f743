import type { Reason, ReasonSubject } from '../reason.js';

export const explainedReasons = [
  {
    reason: 'UnderWay',
    cause: 'writes are due, or Hawser waits for something that comes by itself',
    actor: 'nobody',
    remedy: 'wait',
  },
  {
    reason: 'KonnectorSilent',
    cause: 'writes are due, but no konnector has reported to the provider for twice the heartbeat interval',
    actor: 'operator',
    remedy: 'check whether the konnector runs and holds its Lease',
  },
  {
    reason: 'AgentSilent',
    cause: 'writes are due, but no agent holds the Lease',
    actor: 'operator',
    remedy: 'check whether the agent runs and holds its Lease',
  },
  {
    reason: 'NotReadable',
    cause: 'the agent cannot read what it needs for any work; the message says what',
    actor: 'operator',
    remedy: 'grant the rights that `hawser rbac --roles syncagent` prints',
  },
  {
    reason: 'CopyTerminating',
    cause: 'the copy or the object is being deleted, and waits for the finalizers in the message',
    actor: 'provider',
    remedy: 'find out why the finalizers are not removed, if it does not go away',
  },
  {
    reason: 'Rewritten',
    cause: 'in step, except for values that the provider changes at each write',
    actor: 'nobody',
    remedy: 'do nothing',
  },
  {
    reason: 'NoSuchObject',
    cause: 'neither side has the object',
    actor: 'nobody',
    remedy: 'check name and namespace',
  },
  {
    reason: 'NotKnown',
    cause: '`hawser why` could not read something that it needs; the message says what',
    actor: 'nobody',
    remedy: 'try again, or ask with other rights',
  },
] as const satisfies readonly Reason[];

export const explainedSubject = {
  kind: 'Explained',
  title: 'Said by `hawser why` alone',
  intro: '`hawser why` looks at one moment from outside. It gives these reasons where no condition or Event does.',
  groups: [{ meaning: 'The state of one object of a bound or published API.', reasons: explainedReasons }],
} as const satisfies ReasonSubject;
