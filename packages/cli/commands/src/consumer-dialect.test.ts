import { describe, expect, it } from '@jest/globals';

import { type DialectStanding, foundDialect } from './consumer-dialect.js';

const found = (kubeBind: DialectStanding, klutch: DialectStanding): ReturnType<typeof foundDialect> =>
  foundDialect([
    { name: 'kube-bind', standing: kubeBind },
    { name: 'klutch', standing: klutch },
  ]);

describe('foundDialect', () => {
  it.each<[DialectStanding, DialectStanding, string, boolean]>([
    ['nothing', 'nothing', 'kube-bind', false],
    ['served', 'nothing', 'kube-bind', false],
    ['bound', 'nothing', 'kube-bind', false],
    ['nothing', 'served', 'klutch', true],
    ['nothing', 'bound', 'klutch', true],
    ['served', 'bound', 'klutch', true],
    ['bound', 'served', 'kube-bind', true],
    ['served', 'served', 'kube-bind', true],
  ])('kube-bind %s, Klutch %s: %s', (kubeBind, klutch, name, hasReason) => {
    const { name: chosen, why } = found(kubeBind, klutch);
    expect([chosen, why !== undefined]).toEqual([name, hasReason]);
  });

  it('does not choose where both have bindings', () => {
    expect(() => found('bound', 'bound')).toThrow('--dialect');
  });
});
