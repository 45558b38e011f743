/** One machine: what goes wrong with it goes wrong for every process that runs on it. */
export class Machine {
  /** How wrong its wall clock is. Timers do not depend on it. */
  skewMs = 0;
  /** Until when nothing runs on it, in virtual time: no timer, no answer from the network. Then all of it at once. */
  stalledUntil = 0;

  constructor(readonly name: string) {}
}
