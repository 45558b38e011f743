import { sprigFunctions } from '@hawser/gotemplate';
import { expect } from '@jest/globals';
import { roughEdge } from '@hawser/testenv';
import { compileMutations } from './index.js';

const functions = sprigFunctions({ clock: { now: () => 0 }, random: (size) => new Uint8Array(size) });

roughEdge('RE-22', 'no rule changes which object it is', () => {
  const compilation = compileMutations(
    { spec: [{ regex: { path: 'metadata.name', replacement: 'another' } }] },
    { functions },
  );
  if (compilation.kind === 'refused') throw new Error(JSON.stringify(compilation.findings));
  expect(
    compilation.value.spec(
      { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'one', namespace: 'team-a' } },
      undefined,
    ).metadata.name,
  ).toBe('one');
});
