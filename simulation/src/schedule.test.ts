import { describe, expect, it } from '@jest/globals';
import { describeFault } from './fault.js';
import { NAMES } from './names.js';
import { drawSchedule, sharedAfter } from './schedule.js';
import { SeededRandom } from './seeded-random.js';

const options = (seed: number) => ({
  seed,
  endMs: 3_600_000,
  objects: 24,
  names: NAMES,
  settings: { claims: true, bundle: 'Beside', bystanders: true } as const,
});

describe('a schedule', () => {
  it('follows from its seed alone', () => {
    expect(drawSchedule(options(7))).toEqual(drawSchedule(options(7)));
    expect(drawSchedule(options(7))).not.toEqual(drawSchedule(options(8)));
  });

  it('is the same but for their own actions where there are claimed Secrets and bundles too', () => {
    const without = drawSchedule({ ...options(7), settings: { claims: false, bundle: 'None' } });
    const byHand = drawSchedule({ ...options(7), settings: { claims: false, bundle: 'None', byHand: true } });
    expect(byHand.actions.filter(({ kind }) => !/command|crd/u.test(kind))).toEqual(without.actions);
    expect(byHand.actions.length).toBeGreaterThan(without.actions.length);
    const webhooks = drawSchedule({ ...options(7), settings: { claims: false, bundle: 'None', webhooks: true } });
    expect(webhooks.faults.filter(({ target }) => target !== 'admission')).toEqual(without.faults);
    expect(webhooks.faults.length).toBeGreaterThan(without.faults.length);
    const hostile = drawSchedule({ ...options(7), settings: { claims: false, bundle: 'None', hostile: true } });
    expect(hostile.faults).toEqual(without.faults);
    expect(hostile.actions.filter(({ kind }) => kind !== 'attempt' && kind !== 'narrow')).toEqual(
      without.actions.filter(({ kind }) => kind !== 'narrow'),
    );
    expect(hostile.actions.filter(({ kind }) => kind === 'attempt').length).toBeGreaterThan(5);
    const grown = drawSchedule({ ...options(7), settings: { claims: false, bundle: 'None', grows: true } });
    expect(grown.faults).toEqual(without.faults);
    expect(grown.actions.filter(({ kind }) => kind !== 'grow-claims')).toEqual(without.actions);
    expect(grown.actions.length).toBeGreaterThan(without.actions.length);
    // What is agreed to there stands on no binding that people make.
    for (const other of [{ byHand: true }, { twins: true }, { bundle: 'Whole' }] as const)
      expect(
        drawSchedule({ ...options(7), settings: { claims: false, bundle: 'None', grows: true, ...other } }).actions.map(
          ({ kind }) => kind,
        ),
      ).not.toContain('grow-claims');
    const more = drawSchedule({
      ...options(7),
      settings: { claims: false, bundle: 'None', defaults: true, monsters: true, repoints: true, twins: true },
    });
    expect(more.faults.filter(({ target }) => target !== 'admission')).toEqual(without.faults);
    expect(
      more.actions.filter(
        (action) => !/monster|repoint/u.test(action.kind) && !('object' in action && action.object >= 24),
      ),
    ).toEqual(without.actions);
    expect(
      new Set(more.actions.flatMap((action) => ('object' in action && action.object >= 24 ? [action.object] : []))),
    ).toEqual(new Set(sharedAfter(24, NAMES)));
    const { actions, faults } = drawSchedule(options(7));
    expect(faults).toEqual(without.faults);
    expect(actions.filter(({ kind }) => !/secret|connection|unbundle|withdraw|child|back-up/u.test(kind))).toEqual(
      without.actions,
    );
    expect(actions.length).toBeGreaterThan(without.actions.length);
  });

  it('has over some hundred seeds every kind of fault and of action, and all of them end in time', () => {
    const kinds = new Set<string>();
    for (let seed = 0; seed < 300; seed++) {
      const { faults, actions } = drawSchedule(
        seed % 2 === 0
          ? options(seed)
          : {
              ...options(seed),
              settings: {
                claims: false,
                bundle: 'None',
                ...(seed % 4 === 1 ? { byHand: true } : { grows: true }),
                hostile: true,
                webhooks: true,
              },
            },
      );
      for (const fault of faults) {
        kinds.add(fault.target === 'link' ? `${fault.target} ${fault.fault.kind}` : fault.target);
        expect(fault.at + ('forMs' in fault ? fault.forMs : 0)).toBeLessThanOrEqual(3_600_000);
        expect(describeFault(fault)).toContain(fault.target === 'link' ? fault.fault.kind : fault.target);
      }
      for (const action of actions) kinds.add(action.kind);
    }
    expect([...kinds].sort()).toEqual([
      'add-field',
      'admission',
      'attempt',
      'back-up',
      'compaction',
      'create',
      'create-secret',
      'delete',
      'delete-crd',
      'delete-secret',
      'drop-namespace',
      'grow-claims',
      'kill',
      'link late-events',
      'link latency',
      'link partition',
      'link refuse',
      'link reset',
      'link silent-watches',
      'make-child',
      'narrow',
      'rebuild-consumer',
      'recreate',
      'recreate-secret',
      'replace-token',
      'restart',
      'restore',
      'revoke',
      'skew',
      'stall',
      'steal-lease',
      'tamper',
      'tamper-connection',
      'tamper-secret',
      'unbind',
      'unbind-by-command',
      'unbundle',
      'update',
      'update-secret',
      'withdraw',
    ]);
  });
});

describe('seeded random numbers', () => {
  it('are the same for the same seed and name, and evenly spread', () => {
    const numbers = (seed: number, name: string): readonly number[] => {
      const random = SeededRandom.stream(seed, name);
      return Array.from({ length: 1_000 }, () => random.next());
    };
    expect(numbers(1, 'a')).toEqual(numbers(1, 'a'));
    expect(numbers(1, 'a')).not.toEqual(numbers(1, 'b'));
    expect(numbers(1, 'a')).not.toEqual(numbers(2, 'a'));
    // Each seed is a run of its own, also next to one with many zeros.
    for (const from of [1, 100_000, 500_000_000])
      expect(
        new Set(Array.from({ length: 1_000 }, (_, index) => SeededRandom.stream(from + index, 'faults').next())).size,
      ).toBe(1_000);
    const mean = numbers(3, 'x').reduce((sum, number) => sum + number, 0) / 1_000;
    expect(Math.abs(mean - 0.5)).toBeLessThan(0.05);
  });
});
