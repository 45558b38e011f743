import { describe, expect, it } from '@jest/globals';
import { decideConsumer, type ObservedConsumer, type Settled } from './decide-consumer.js';
import type { ExportObject } from './export-object.js';
import { anExport, databases, endedExport } from './testing/observed.js';

const standing = anExport({}, { name: 'standing', uid: 'standing' });
const gone = endedExport();
const quiet: Settled = { left: new Map(), waitMs: undefined };
const some = (count: number) => ({ count, examples: ['x/a'] });
const decided = (more: Partial<ObservedConsumer>) =>
  decideConsumer({ namespaceEnds: false, exports: [], offered: [], settled: new Map(), counts: new Map(), ...more });
const all = (...settled: readonly (readonly [ExportObject, Settled])[]): Partial<ObservedConsumer> => ({
  exports: settled.map(([one]) => one),
  settled: new Map(settled),
});

describe('a look at one consumer', () => {
  it('settles each export, with the resources that no other one stands for', () => {
    expect(decided({ exports: [gone], offered: ['zones.example.com'] })).toEqual({
      kind: 'step',
      step: { type: 'settleExport', found: gone, resources: [databases] },
    });
    expect(decided({ exports: [gone, standing] })).toEqual({
      kind: 'step',
      step: { type: 'settleExport', found: gone, resources: [] },
    });
    expect(decided({ exports: [gone, standing], settled: new Map([[gone, quiet]]) })).toEqual({
      kind: 'step',
      step: { type: 'settleExport', found: standing, resources: [] },
    });
  });

  it('counts the copies of ended resources that were not read, of exports that are gone too', () => {
    const one = { ...all([gone, quiet]), offered: ['zones.example.com'] };
    expect(decided(one)).toEqual({ kind: 'step', step: { type: 'countCopies', resource: 'zones.example.com' } });
    expect(decided({ ...one, counts: new Map([['zones.example.com', some(2)]]) })).toEqual({
      kind: 'step',
      step: { type: 'countCopies', resource: databases },
    });
    expect(
      decided({
        ...one,
        counts: new Map([
          ['zones.example.com', some(2)],
          [databases, undefined],
        ]),
      }),
    ).toEqual({
      kind: 'settled',
      conclusions: [{ type: 'tellLeft', left: new Map([['zones.example.com', some(2)]]) }, { type: 'countAgain' }],
    });
  });

  it('counts nothing that an export stands for, nor what was read just now', () => {
    const left = new Map([[databases, some(1)]]);
    expect(decided({ ...all([gone, { left, waitMs: 5_000 }]), offered: [databases] })).toEqual({
      kind: 'settled',
      conclusions: [{ type: 'tellLeft', left }, { type: 'wait', ms: 5_000 }, { type: 'countAgain' }],
    });
    expect(decided({ ...all([standing, quiet]), offered: [databases] })).toEqual({
      kind: 'settled',
      conclusions: [{ type: 'tellLeft', left: new Map() }],
    });
  });

  it('looks again when the first of its exports wants it', () => {
    const other = endedExport({}, { uid: 'other' });
    const decision = decided({
      ...all([gone, { left: new Map(), waitMs: 9 }], [other, { left: new Map(), waitMs: 4 }]),
      counts: new Map([[databases, some(0)]]),
    });
    expect(decision).toEqual({
      kind: 'settled',
      conclusions: [
        { type: 'tellLeft', left: new Map() },
        { type: 'wait', ms: 4 },
      ],
    });
  });

  it('sees to exports on their way out alone while the cluster namespace ends, and counts nothing', () => {
    const exports = [standing, gone];
    expect(decided({ namespaceEnds: true, exports, offered: [databases] })).toEqual({
      kind: 'step',
      step: { type: 'settleExport', found: gone, resources: [] },
    });
    expect(decided({ namespaceEnds: true, exports, offered: [databases], settled: new Map([[gone, quiet]]) })).toEqual({
      kind: 'settled',
      conclusions: [{ type: 'forgetLeft' }],
    });
  });
});
