/** One machine: its faults affect every process that runs on it. */
export class Machine {
  /** Error of its wall clock. Timers do not depend on it. */
  skewMs = 0;
  /** Virtual time until which nothing runs on it: no timer, no answer from the network. Then all of it runs at once. */
  stalledUntil = 0;

  constructor(readonly name: string) {}
}
