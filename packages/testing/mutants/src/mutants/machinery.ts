import type { Mutant } from '../mutant.js';

export const machineryMutants: readonly Mutant[] = [
  {
    name: 'R20',
    foundBy: { tests: ['packages/machinery/controller/src/create-controller.test.ts'] },
    edits: [
      {
        file: 'packages/machinery/controller/src/controller-scope.ts',
        find: 'onDelete: (object) => { changed(object); }',
        replace: 'onDelete: (object, witnessed) => { if (witnessed) changed(object); }',
      },
    ],
  },
  {
    name: 'RE-41',
    foundBy: { tests: ['packages/syncagent/sync/src/rough-edges.test.ts'] },
    edits: [
      {
        file: 'packages/machinery/controller/src/failures.ts',
        find: 
          'const steps = stepsOf(key);\n'
          + '      if (steps === undefined) return repeated;',
        replace: 
          'return repeated;\n'
          + '      const steps = stepsOf(key);\n'
          + '      if (steps === undefined) return repeated;',
      },
    ],
  },
  {
    name: 'retry-without-back-off',
    foundBy: { seed: 1 },
    edits: [
      {
        file: 'packages/machinery/controller/src/keyed-queue.ts',
        find: 'const delay = Math.max(backoffDelay(this.#backoff, entry.failures, random), asked * (1 + retryAfterJitter * random()));',
        replace: 'const delay = 0;',
      },
    ],
  },
  {
    name: 'expired-watch-resumed',
    foundBy: { seed: 8 },
    edits: [
      {
        file: 'packages/machinery/informer/src/reflector-machine.ts',
        find: 
          'return \'list\';\n'
          + '    case \'NotFound\':',
        replace: 
          'return \'resume\';\n'
          + '      return \'list\';\n'
          + '    case \'NotFound\':',
      },
    ],
  },
  {
    name: 'missed-deletions-dropped',
    foundBy: { seed: 11 },
    edits: [
      {
        file: 'packages/machinery/informer/src/reflector.ts',
        find: 'await this.#eachInTurns(pass.missing(), (key) => { pass.drop(key); });',
        replace: '',
      },
    ],
  },
  {
    name: 'silent-watch-trusted',
    foundBy: { seed: 3 },
    edits: [
      {
        file: 'packages/machinery/informer/src/stall-timer.ts',
        find: 'else this.onStall();',
        replace: '',
      },
    ],
  },
  {
    name: 'R37',
    foundBy: { tests: ['packages/machinery/kubeconfig/src/secret-kubeconfig.test.ts'] },
    edits: [
      {
        file: 'packages/machinery/kubeconfig/src/secret-kubeconfig.ts',
        find: 'if (key === undefined) continue;',
        replace: 'if (key === undefined || (key === \'exec\')) continue;',
      },
    ],
  },
  {
    name: 'lease-never-expires',
    foundBy: { tests: ['packages/machinery/lease/src/term.test.ts'], seed: 3 },
    edits: [
      {
        file: 'packages/machinery/lease/src/term.ts',
        find: 'if (this.#reason !== undefined || elapsedMs(this.#clock, this.#renewedAt) < this.#renewDeadlineMs) return;',
        replace: 
          'return;\n'
          + '    if (this.#reason !== undefined || elapsedMs(this.#clock, this.#renewedAt) < this.#renewDeadlineMs) return;',
      },
    ],
  },
];
