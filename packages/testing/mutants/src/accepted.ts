/** A generated mutant that unit tests of its package need not find. */
export interface AcceptedMutant {
  /** From the repository's root. */
  readonly file: string;
  /** The function that it changes. */
  readonly within: string;
  /** As `npm run mutants` prints both. */
  readonly find: string;
  readonly replace: string;
  readonly reason: string;
}

/** Known survivors, each with the reason. One that is no longer generated, or that a test finds, fails the run. */
export const acceptedMutants: readonly AcceptedMutant[] = [
  {
    file: 'packages/konnector/konnector-sync/src/ownership.ts',
    within: 'objectMark',
    find: 'slash < 0',
    replace: 'slash <= 0',
    reason: 'They differ for an apiVersion that begins with a slash, which no API server stores.',
  },
  {
    file: 'packages/konnector/konnector-sync/src/deletion-prover.ts',
    within: 'start',
    find: 'running === reading',
    replace: '!(running === reading)',
    reason: 'A read that has ended then counts as running. The next caller still gets reads that begin after its call.',
  },
  {
    file: 'packages/konnector/konnector-sync/src/decide-content.ts',
    within: 'decideContent',
    find: 'whole.wrong.length === 0 && whole.extra.length === 0 && !adopting',
    replace: 'false',
    reason: 'The guard only saves the hash. Without a difference the rest of the function ends in step, too.',
  },
  {
    file: 'packages/konnector/claimedresources/src/decide-conflict.ts',
    within: 'isAdoptable',
    find: "mayBeAdopted(found) && marks.roleOf(found, side) === 'original'",
    replace: 'mayBeAdopted(found)',
    reason:
      'An object that is a copy without saying so proves the pair: no conflict is decided then. One that says so is refused by the last condition.',
  },
  {
    file: 'packages/konnector/claimedresources/src/decide-in-step.ts',
    within: 'keepInStep',
    find: 'copy === undefined || contents.copy === undefined',
    replace: 'contents.copy === undefined',
    reason: 'Only what is cached has content that counts, so that the copy is there with its content.',
  },
  {
    file: 'packages/konnector/claimedresources/src/decide-in-step.ts',
    within: 'keepInStep',
    find: 'copy === undefined || contents.copy === undefined',
    replace: 'copy === undefined',
    reason: 'A copy without its content has been sent to be read before.',
  },
  {
    file: 'packages/konnector/apiserviceexport/src/decide-blocked.ts',
    within: 'decideBlocked',
    find: "plan.kind === 'stop' && plan.actor !== undefined",
    replace: 'plan.actor !== undefined',
    reason: 'Only a plan that stops a sync names who must act. The kind is asked for the compiler.',
  },
  {
    file: 'packages/syncagent/apiresourceschema/src/decide-look.ts',
    within: 'decideLook',
    find: 'object === undefined',
    replace: 'false',
    reason:
      'Without a PublishedResource the publication is `forget`, which has no actions either. The guard is for the types.',
  },
];
