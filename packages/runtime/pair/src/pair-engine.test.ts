import { ApiError, type ApiErrorCode, type Client } from '@hawser/client';
import { FakeClock } from '@hawser/clock';
import { type EventMessage, noMetrics, silentLogger } from '@hawser/telemetry';
import { describe, expect, it } from '@jest/globals';

import type { PairDecision } from './decision.js';
import { PairEngine } from './pair-engine.js';
import type { PairRole, PairTypes } from './role.js';

/** Texts and their copies: the smallest pairs that there are. */
interface Texts extends PairTypes {
  readonly action: { readonly type: 'write' | 'note'; readonly text: string };
  readonly observed: {
    readonly original: string | undefined;
    readonly copy: string | undefined;
    readonly noted: string | undefined;
    readonly read: number;
  };
  readonly decision: PairDecision<Texts['action']>;
  readonly result: { readonly wait?: boolean };
  readonly learned: number;
}

const texts = () => {
  const clock = new FakeClock();
  const originals = new Map<string, string>();
  const copies = new Map<string, string>();
  const notes = new Map<string, string>();
  const done: string[] = [];
  const events: EventMessage[] = [];
  /** What a server answers to a step before it takes it. */
  let answer: (action: Texts['action'], key: string) => void = () => undefined;
  /** What becomes of a write. */
  let store = (text: string): string => text;
  /** Whether nothing more can be done after it before an event. */
  let waits: (action: Texts['action']) => boolean = () => false;
  let looked = (): void => undefined;
  let settled: (observed: Texts['observed']) => void = () => undefined;
  let changes = 0;
  let lookAfterMs: number | undefined;
  let refusals = 0;
  let filled = true;
  const role: PairRole<Texts> = {
    nothingLearned: 0,
    observe(key, read) {
      looked();
      return { original: originals.get(key), copy: copies.get(key), noted: notes.get(key), read };
    },
    decide({ original, copy, noted }) {
      if (original === undefined)
        return { actions: [], verdict: copy === undefined ? { kind: 'absent' } : { kind: 'orphan', message: 'lost' } };
      if (original === 'secret')
        return { actions: [], verdict: { kind: 'held', reason: 'Secret', message: 'not copied', actor: 'operator' } };
      if (copy !== original)
        return {
          actions: [{ type: 'write', text: original }],
          verdict: { kind: 'progressing', waitingFor: 'write' },
          requeueAfterMs: lookAfterMs,
        };
      return { actions: noted === original ? [] : [{ type: 'note', text: original }], verdict: { kind: 'inStep' } };
    },
    act(action, key) {
      try {
        answer(action, key);
      } catch (error) {
        refusals++;
        throw error;
      }
      done.push(`${action.type} ${key} ${action.text}`);
      (action.type === 'write' ? copies : notes).set(key, action.type === 'write' ? store(action.text) : action.text);
      return Promise.resolve(waits(action) ? { wait: true } : {});
    },
    learn: (_, __, read) => read,
    readAgain: (_, __, read) => Promise.resolve(read + 1),
    isGone: (error) => error instanceof ApiError && error.code === 'NotFound',
    settled: (_, observed) => {
      settled(observed);
    },
    steps: {
      textOf: ({ type, text }) => `${type}/${text}`,
      effortOf: ({ type, text }) => (type === 'write' ? `${type}/${text}` : undefined),
      endpointOf: ({ type }) => type,
      clientOf: () => ({}) as Client,
      isBackground: ({ type }) => type === 'note',
    },
    words: {
      subjectOf: (name) => ({ apiVersion: 'v1', kind: 'Text', name }),
      refused: (_, error) => ({
        atOnce:
          error instanceof ApiError && error.code === 'Invalid'
            ? { reason: 'Refused', message: error.message, actor: 'consumer' }
            : undefined,
        later: undefined,
      }),
      undone: (_, __, ___, atOnce) =>
        Promise.resolve({ reason: 'Undone', message: atOnce ? 'at once' : 'later', actor: 'operator' }),
      stalled: () => ({ reason: 'Stalled', message: 'no end', actor: 'operator' }),
      unhandled: (error) =>
        error instanceof ApiError ? undefined : { reason: 'Unhandled', message: 'broken', actor: 'operator' },
      standing: (_, { verdict }) => (verdict.kind === 'held' ? { problem: verdict, onObject: true } : undefined),
    },
  };
  const engine = new PairEngine<Texts>(role, {
    name: 'texts',
    concurrency: 2,
    ready: Promise.resolve(),
    isFilled: () => filled,
    recoveries: [],
    events: {
      record: (_, event) => {
        events.push(event);
      },
      flush: () => Promise.resolve(),
    },
    changed: () => {
      changes++;
    },
    clock,
    random: () => 0.5,
    logger: silentLogger,
    metrics: noMetrics,
  });
  return {
    engine,
    clock,
    originals,
    copies,
    notes,
    done,
    events,
    answers: (how: typeof answer) => {
      answer = how;
    },
    stores: (how: typeof store) => {
      store = how;
    },
    waitsAfter: (how: typeof waits) => {
      waits = how;
    },
    looks: (how: typeof looked) => {
      looked = how;
    },
    settles: (how: typeof settled) => {
      settled = how;
    },
    fills: (now: boolean) => {
      filled = now;
    },
    changes: () => changes,
    refused: () => refusals,
    wantsLookAfter: (ms: number) => {
      lookAfterMs = ms;
    },
    /** Until nothing waits, running what becomes due within `ms`. */
    async run(ms = 0): Promise<void> {
      for (let at = 0; at <= ms; at += 100) {
        await engine.idle();
        if (at < ms) await clock.advance(100);
      }
      await engine.idle();
    },
  };
};

const refusal = (code: ApiErrorCode): ApiError =>
  new ApiError(code, `it is ${code}`, { cluster: 'right', verb: 'create', resource: 'texts' });

describe('a pair engine', () => {
  it('takes steps until a pair is in step, and none from then on', async () => {
    const world = texts();
    world.originals.set('a', 'one');
    world.engine.noticed('a');
    await world.run();
    expect(world.done).toEqual(['write a one', 'note a one']);
    world.engine.noticed('a');
    await world.run();
    expect(world.done).toHaveLength(2);
    expect(world.engine.problems()).toEqual([]);
    await world.engine.stop();
  });

  it('looks again where the event that it waits for does not come: what was written may have been undone unseen', async () => {
    const world = texts();
    world.waitsAfter(({ type }) => type === 'write');
    world.originals.set('a', 'one');
    world.engine.noticed('a');
    await world.run();
    expect(world.done).toEqual(['write a one']);
    world.copies.delete('a');
    world.waitsAfter(() => false);
    await world.run(119_000);
    expect(world.done).toHaveLength(1);
    await world.run(2_000);
    expect(world.done).toEqual(['write a one', 'write a one', 'note a one']);
    await world.engine.stop();
  });

  it('looks again at what was gone as it was written to, where nothing tells of that: it may have come back as it was', async () => {
    const world = texts();
    let isThere = false;
    world.answers(() => {
      if (!isThere) throw refusal('NotFound');
    });
    world.originals.set('a', 'one');
    world.engine.noticed('a');
    await world.run();
    isThere = true;
    await world.run(119_000);
    expect(world.done).toEqual([]);
    await world.run(2_000);
    expect(world.done).toEqual(['write a one', 'note a one']);
    await world.engine.stop();
  });

  it('takes what nobody waits for after the steps of all other pairs', async () => {
    const world = texts();
    for (const key of ['a', 'b', 'c', 'd']) {
      world.originals.set(key, 'one');
      world.engine.noticed(key);
    }
    await world.run();
    expect(world.done.map((step) => step.split(' ')[0])).toEqual([
      ...Array<string>(4).fill('write'),
      ...Array<string>(4).fill('note'),
    ]);
    await world.engine.stop();
  });

  it('reads again after a conflict, three times', async () => {
    const world = texts();
    let refused = 0;
    world.originals.set('a', 'one');
    world.answers(({ type }) => {
      if (type === 'write' && refused++ < 3) throw refusal('Conflict');
    });
    world.engine.noticed('a');
    await world.run();
    expect(world.copies.get('a')).toBe('one');
    expect(refused).toBe(4);
    await world.engine.stop();
  });

  it('waits for the event of an object that went while it was being written to', async () => {
    const world = texts();
    world.originals.set('a', 'one');
    world.answers(() => {
      throw refusal('NotFound');
    });
    world.engine.noticed('a');
    await world.run(5_000);
    expect([world.done, world.engine.problems()]).toEqual([[], []]);
    await world.engine.stop();
  });

  it('tells a refusal once, parks the step, and tries another one at once', async () => {
    const world = texts();
    let asked = 0;
    world.originals.set('a', 'bad');
    world.answers(({ text }) => {
      if (text !== 'bad') return;
      asked++;
      throw refusal('Invalid');
    });
    world.engine.noticed('a');
    await world.run(60_000);
    expect(world.engine.problemOf('a')).toMatchObject({ reason: 'Refused', actor: 'consumer' });
    expect(world.engine.deadLetters()).toMatchObject([{ object: 'a', attempts: asked }]);
    expect(asked).toBeLessThan(12);
    expect(world.events).toEqual([{ type: 'Warning', reason: 'Refused', message: 'it is Invalid' }]);
    world.originals.set('a', 'good');
    world.engine.noticed('a');
    await world.run(60_000);
    expect([world.copies.get('a'), world.engine.deadLetters()]).toEqual(['good', []]);
    await world.engine.stop();
  });

  it('looks at a pair when its decision wants it, though the step of the pair is parked for longer', async () => {
    const world = texts();
    world.originals.set('a', 'bad');
    world.answers(() => {
      throw refusal('Invalid');
    });
    world.wantsLookAfter(20_000);
    world.engine.noticed('a');
    // Parked for minutes by now.
    await world.run(1_200_000);
    let looks = 0;
    world.looks(() => looks++);
    const refused = world.refused();
    await world.run(120_000);
    expect(looks).toBeGreaterThanOrEqual(5);
    expect(world.refused() - refused).toBeLessThanOrEqual(1);
    await world.engine.stop();
  });

  it('takes a step that is undone ever less often, and tells who undoes it', async () => {
    const world = texts();
    world.originals.set('a', 'one');
    world.stores(() => 'something else');
    world.engine.noticed('a');
    await world.run(60_000);
    expect(world.done.length).toBeLessThan(12);
    expect(world.engine.problemOf('a')).toMatchObject({ reason: 'Undone', message: 'at once' });
    world.stores((text) => text);
    await world.run(120_000);
    expect([world.copies.get('a'), world.engine.problems()]).toEqual(['one', []]);
    await world.engine.stop();
  });

  it('parks a pair whose steps have no end', async () => {
    const world = texts();
    let times = 0;
    world.originals.set('a', '0');
    world.stores((text) => {
      world.originals.set('a', String(++times));
      return text;
    });
    world.engine.noticed('a');
    await world.run(30_000);
    expect(world.engine.problemOf('a')).toMatchObject({ reason: 'Stalled' });
    expect(times).toBeLessThan(100);
    await world.engine.stop();
  });

  it('says what is held, and that it is no more', async () => {
    const world = texts();
    world.originals.set('a', 'secret');
    world.engine.noticed('a');
    await world.run();
    expect(world.engine.problems()).toMatchObject([{ object: 'a', reason: 'Secret' }]);
    world.originals.delete('a');
    world.engine.noticed('a');
    await world.run();
    expect(world.engine.problems()).toEqual([]);
    await world.engine.stop();
  });

  it('goes on with the others when a look at one throws', async () => {
    const world = texts();
    world.originals.set('a', 'one').set('b', 'two');
    world.answers((_, key) => {
      if (key === 'a') throw new TypeError('bug');
    });
    world.engine.noticed('a');
    world.engine.noticed('b');
    await world.run(1_000);
    expect(world.copies.get('b')).toBe('two');
    expect(world.engine.problemOf('a')).toMatchObject({ reason: 'Unhandled' });
    await world.engine.stop();
  });

  it('has surveyed when every pair was looked at with all caches filled, and not before', async () => {
    const world = texts();
    world.fills(false);
    world.originals.set('a', 'one');
    world.engine.noticed('a');
    world.engine.survey();
    await world.run();
    expect(world.engine.surveyed).toBe(false);
    world.fills(true);
    world.engine.survey();
    await world.run();
    expect(world.engine.surveyed).toBe(true);
    world.engine.surveyAgain();
    expect(world.engine.surveyed).toBe(false);
    await world.run();
    expect(world.engine.surveyed).toBe(true);
    await world.engine.stop();
  });

  it('tells a refusal for as long as it lasts, also of a step that was undone before', async () => {
    const world = texts();
    let refuses = false;
    world.originals.set('a', 'one');
    world.stores(() => 'something else');
    world.answers(() => {
      if (refuses) throw refusal('Invalid');
    });
    world.engine.noticed('a');
    await world.run(120_000);
    refuses = true;
    for (let seconds = 0; seconds < 300; seconds += 5) {
      world.engine.noticed('a');
      await world.run(5_000);
    }
    expect(world.events.map(({ reason }) => reason)).toEqual(['Undone', 'Refused']);
    await world.engine.stop();
  });

  it('remembers what it has seen before anything else can happen', async () => {
    const world = texts();
    const settled: (string | undefined)[] = [];
    world.looks(() => {
      queueMicrotask(() => {
        world.notes.set('a', 'later');
      });
    });
    world.settles(({ noted }) => {
      settled.push(noted, world.notes.get('a'));
    });
    world.engine.noticed('a');
    await world.run();
    expect(settled).toEqual([undefined, undefined]);
    await world.engine.stop();
  });

  it('plans without a step, and tells nobody after its end', async () => {
    const world = texts();
    world.originals.set('a', 'one');
    expect(world.engine.plan('a').actions).toEqual([{ type: 'write', text: 'one' }]);
    await world.run();
    expect([world.done, world.changes()]).toEqual([[], 0]);
    await world.engine.stop();
    world.engine.notifyChanged();
    await Promise.resolve();
    expect(world.changes()).toBe(0);
  });
});
