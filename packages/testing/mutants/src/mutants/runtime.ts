import type { Mutant } from '../mutant.js';

export const runtimeMutants: readonly Mutant[] = [
  {
    name: 'R20',
    foundBy: { tests: ['packages/runtime/controller/src/create-controller.test.ts'] },
    edits: [
      {
        file: 'packages/runtime/controller/src/controller-scope.ts',
        find: 'onDelete: (object) => { changed(object); }',
        replace: 'onDelete: (object, witnessed) => { if (witnessed) changed(object); }',
      },
    ],
  },
  {
    name: 'RE-41',
    foundBy: { tests: ['packages/syncagent/syncagent-sync/src/rough-edges.test.ts'] },
    edits: [
      {
        file: 'packages/runtime/controller/src/failures.ts',
        find: 'const steps = stepsOf(key);\n' + '      if (steps === undefined) return repeated;',
        replace:
          'return repeated;\n' +
          '      const steps = stepsOf(key);\n' +
          '      if (steps === undefined) return repeated;',
      },
    ],
  },
  {
    name: 'retry-without-back-off',
    foundBy: { seed: 1 },
    edits: [
      {
        file: 'packages/runtime/controller/src/retry-after.ts',
        find: 'return { asked, delay };',
        replace: 'return { asked, delay: 0 };',
      },
    ],
  },
  {
    name: 'expired-watch-resumed',
    foundBy: { seed: 8 },
    edits: [
      {
        file: 'packages/runtime/informer/src/reflector-machine.ts',
        find: "return 'list';\n" + "    case 'NotFound':",
        replace: "return 'resume';\n" + "      return 'list';\n" + "    case 'NotFound':",
      },
    ],
  },
  {
    name: 'missed-deletions-dropped',
    foundBy: { seed: 11 },
    edits: [
      {
        file: 'packages/runtime/informer/src/reflector.ts',
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
        file: 'packages/runtime/informer/src/stall-timer.ts',
        find: 'else this.onStall();',
        replace: '',
      },
    ],
  },
  {
    name: 'R37',
    foundBy: { tests: ['packages/runtime/kubeconfig/src/secret-kubeconfig.test.ts'] },
    edits: [
      {
        file: 'packages/runtime/kubeconfig/src/secret-kubeconfig.ts',
        find: 'if (key === undefined) continue;',
        replace: "if (key === undefined || (key === 'exec')) continue;",
      },
    ],
  },
  {
    name: 'lease-never-expires',
    foundBy: { tests: ['packages/runtime/lease/src/term.test.ts'], seed: 3 },
    edits: [
      {
        file: 'packages/runtime/lease/src/term.ts',
        find: 'if (this.#reason !== undefined || elapsedMs(this.#clock, this.#renewedAt) < this.#renewDeadlineMs) return;',
        replace:
          'return;\n' +
          '    if (this.#reason !== undefined || elapsedMs(this.#clock, this.#renewedAt) < this.#renewDeadlineMs) return;',
      },
    ],
  },
  {
    name: 'shard-taken-by-what-the-watch-says',
    foundBy: { tests: ['packages/runtime/lease/src/shard-member.test.ts'] },
    edits: [
      {
        file: 'packages/runtime/lease/src/shard-leases.ts',
        find: '    if (!view.isDead(holder)) return false;\n',
        replace: '    return view.isDead(holder);\n',
      },
    ],
  },
  {
    name: 'shard-released-while-it-is-worked-on',
    foundBy: { tests: ['packages/runtime/lease/src/shard-member.test.ts'] },
    edits: [
      {
        file: 'packages/runtime/lease/src/shard-holdings.ts',
        find: 'if (!(await this.#settle()) || this.#isOver()) return;',
        replace: 'void this.#settle();',
      },
    ],
  },
  {
    name: 'two-own-one-key',
    foundBy: { tests: ['packages/runtime/lease/src/shard-member.test.ts'], seed: 19 },
    edits: [
      {
        file: 'packages/runtime/lease/src/shard-holdings.ts',
        find: 'return this.#held.has(shard) && !this.#leaving.has(shard) && !this.#options.term.ended;',
        replace: 'return shard >= 0 && !this.#options.term.ended;',
      },
    ],
  },
  {
    name: 'shard-kept-beyond-the-term',
    foundBy: { tests: ['packages/runtime/lease/src/shard-member.test.ts'] },
    edits: [
      {
        file: 'packages/runtime/lease/src/shard-member.ts',
        find: "if (own?.kind === 'held' && common?.kind === 'held') term.extend(",
        replace:
          "term.extend({ monotonic: this.#options.clock.monotonic(), epoch: this.#options.clock.now() });\n      if (own?.kind === 'held' && common?.kind === 'held') term.extend(",
      },
    ],
  },
  {
    name: 'one-item-without-metadata-ends-its-page',
    foundBy: { tests: ['packages/runtime/informer/src/unusable.test.ts'] },
    edits: [
      {
        file: 'packages/runtime/client/src/decode.ts',
        find:
          '    if (onUnusable === undefined) throw new MalformedError(`an item of the ${kind.slice(0, LONGEST_KIND)} ${problem}`);\n' +
          '    onUnusable(',
        replace:
          '    if (Number.isFinite(0)) throw new MalformedError(`an item of the ${kind.slice(0, LONGEST_KIND)} ${problem}`);\n' +
          '    onUnusable?.(',
      },
    ],
  },
  {
    name: 'nameless-item-lets-others-go',
    foundBy: { tests: ['packages/runtime/informer/src/unusable.test.ts'] },
    edits: [
      {
        file: 'packages/runtime/informer/src/list-pass.ts',
        find: '    if (this.#hasNameless) return;\n',
        replace: '    if (this.#hasNameless && this.restored) return;\n',
      },
    ],
  },
  {
    name: 'list-walks-cost-one-step',
    foundBy: { tests: ['packages/language/cel/src/expression/json-expression.test.ts'] },
    edits: [
      {
        file: 'packages/language/cel/src/values/steps.ts',
        find: 'writtenElements(value) * WRITTEN_STEPS : value.size * 2;',
        replace: 'writtenElements(value) * WRITTEN_STEPS : 0;',
      },
    ],
  },
  {
    name: 'poison-released-each-time',
    foundBy: { tests: ['packages/runtime/controller/src/obstacles.test.ts'] },
    edits: [
      {
        file: 'packages/runtime/controller/src/obstacles.ts',
        find: 'notBeforeMs: nowMs + backoffDelay(RELEASES, times, random)',
        replace: 'notBeforeMs: nowMs + 0 * backoffDelay(RELEASES, times, random)',
      },
    ],
  },
  {
    name: 'right-asked-for-each-object',
    foundBy: { tests: ['packages/runtime/controller/src/obstacles.test.ts'] },
    edits: [
      {
        file: 'packages/runtime/controller/src/missing-right.ts',
        find: "id: JSON.stringify(['right', error.request.cluster, asked]),",
        replace: "id: JSON.stringify(['right', error.request.cluster, asked, error.request.name ?? error.message]),",
      },
    ],
  },
  {
    name: 'reconcile-outlives-missing-right',
    foundBy: { tests: ['packages/runtime/controller/src/create-controller.test.ts'] },
    edits: [
      {
        file: 'packages/runtime/controller/src/controller-scope.ts',
        find: 'if (right !== undefined) obstacles.met(key, right);',
        replace: 'if (right === undefined) obstacles.left(key);',
      },
    ],
  },
  {
    name: 'undone-writes-repeated',
    foundBy: { seed: 4 },
    edits: [
      {
        file: 'packages/runtime/controller/src/failures.ts',
        find: '      if (effort !== undefined) efforts.done(idOf(key, effort));',
        replace: "      if (effort === 'never') efforts.done(idOf(key, effort));",
      },
    ],
  },
  {
    name: 'pages-never-shrink',
    foundBy: {
      tests: ['packages/runtime/client/src/list-pages.test.ts', 'packages/runtime/informer/src/listing.test.ts'],
    },
    edits: [
      {
        file: 'packages/runtime/client/src/page-size.ts',
        find: 'if (this.#limit === 1) return false;',
        replace: 'if (this.#limit >= 1) return false;',
      },
    ],
  },
  {
    name: 'one-large-object-ends-its-list',
    foundBy: { tests: ['packages/runtime/informer/src/listing.test.ts'] },
    edits: [
      {
        file: 'packages/runtime/informer/src/page-reader.ts',
        find: 'if (size.shrink()) continue;',
        replace: 'if (size.shrink()) continue;\n        if (!signal.aborted) throw error;',
      },
    ],
  },
  {
    name: 'objects-judged-without-a-pause',
    foundBy: { tests: ['packages/runtime/schemagate/src/check-stored.test.ts'] },
    edits: [
      {
        file: 'packages/runtime/schemagate/src/check-stored.ts',
        find: 'if (judged === STRETCH || (judged > 0 && performance.now() - began >= STRETCH_MS)) {',
        replace: 'if (judged === STRETCH) {',
      },
    ],
  },
  {
    name: 'patterns-without-end',
    foundBy: { tests: ['packages/runtime/schemagate/src/check-stored.test.ts'] },
    edits: [
      {
        file: 'packages/runtime/schemagate/src/candidate.ts',
        find: 'return withPatternWork(PATTERN_WORK, () => this.#judge(object));',
        replace: 'return this.#judge(object);',
      },
    ],
  },
  {
    name: 'rules-without-end',
    foundBy: { tests: ['packages/runtime/schemagate/src/check-stored.test.ts'] },
    edits: [
      {
        file: 'packages/runtime/schemagate/src/candidate.ts',
        find: 'withinSteps(RULE_STEPS, () => this.#evaluate(object));',
        replace: 'withinSteps(RULE_STEPS * 30, () => this.#evaluate(object));',
      },
    ],
  },
  {
    name: 'deep-object-ends-its-list',
    foundBy: { seed: 10 },
    edits: [
      {
        file: 'packages/runtime/informer/src/same-content.ts',
        find: '  } catch {\n    return false;\n  }',
        replace: '  } catch (error) {\n    throw error;\n  }',
      },
    ],
  },
  {
    name: 'stall-timers-gathered',
    foundBy: { seed: 1 },
    edits: [
      {
        file: 'packages/runtime/informer/src/stall-timer.ts',
        find: 'if (limitMs === undefined || limitMs === this.#limitMs) return;',
        replace: 'this.#arm(this.#limitMs);\n    if (limitMs === undefined || limitMs === this.#limitMs) return;',
      },
    ],
  },
  {
    name: 'answers-kept',
    foundBy: { seed: 8 },
    edits: [
      {
        file: 'packages/runtime/client/src/requester.ts',
        find: 'if (response.status < 300) return response;',
        replace:
          'if (response.status < 300) {\n' +
          '          const gathered = this.#options as { kept?: unknown[] };\n' +
          '          (gathered.kept ??= []).push(Array.from({ length: 10_000 }, () => response));\n' +
          '          return response;\n' +
          '        }',
      },
    ],
  },
  {
    name: 'waiting-write-to-whoever-answers',
    foundBy: { tests: ['packages/runtime/client/src/failures.test.ts'] },
    edits: [
      {
        file: 'packages/runtime/client/src/exchange.ts',
        find: 'if (maySend?.() === false) throw new HeldBackError();',
        replace: '',
      },
    ],
  },
  {
    name: 'lease-asked-for-before-the-first-try-alone',
    foundBy: { tests: ['packages/runtime/client/src/failures.test.ts'], regression: 'writes-after-a-stall' },
    edits: [
      {
        file: 'packages/runtime/client/src/request-scope.ts',
        find: 'if (this.over && this.#ending !== undefined) {',
        replace: 'if (this.#ending !== undefined) {',
      },
      {
        file: 'packages/runtime/client/src/exchange.ts',
        find: 'if (this.#cancelled || scope.over) throw new CancelledError();',
        replace: 'if (this.#cancelled) throw new CancelledError();',
      },
    ],
  },
];
