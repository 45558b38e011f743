import { expect } from '@jest/globals';
import { roughEdge } from '@hawser/testenv';
import { agentFunctions } from './agent-functions.js';
import { compileNaming } from './naming.js';

const functions = agentFunctions({ clock: { now: () => 0 }, random: (size) => new Uint8Array(size) });

function nameOf(rule: string | undefined, metadata: { readonly name: string; readonly namespace?: string }): string {
  const compilation = compileNaming(rule === undefined ? undefined : { name: rule }, {
    functions,
    localScope: 'Namespaced',
  });
  if (compilation.kind === 'refused') throw new Error(JSON.stringify(compilation.findings));
  return compilation.value({ apiVersion: 'example.com/v1', kind: 'CronTab', metadata }, 'ws1', undefined).name;
}

roughEdge('RE-10', 'an object without a namespace has a name by default', () => {
  expect(() => nameOf(undefined, { name: 'one' })).not.toThrow();
});

roughEdge('RE-30', 'a name that is none is refused, and not sent', () => {
  expect(() => nameOf('{{ .Object.spec.missing }}', { name: 'one' })).toThrow('does not have');
  expect(() => nameOf('{{ .Object.metadata.name }}', { name: 'a'.repeat(254) })).toThrow('253');
});
