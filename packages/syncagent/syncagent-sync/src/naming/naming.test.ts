import { describe, expect, it } from '@jest/globals';
import type { UnstructuredObject } from '@hawser/client';
import { agentFunctions } from './agent-functions.js';
import { compileNaming, type LocalName, type Naming, type Scope } from './naming.js';
import { NamingError, type NamingProblem } from './naming-error.js';

const functions = agentFunctions({
  clock: { now: () => Date.UTC(2026, 0, 1) },
  random: (size) => new Uint8Array(size),
});

const object = (
  metadata: { readonly name?: string; readonly namespace?: string } = {},
  spec: object = {},
): UnstructuredObject => ({
  apiVersion: 'example.com/v1',
  kind: 'CronTab',
  metadata: { name: 'objname', ...metadata },
  spec,
});

const namespaced = object({ namespace: 'objnamespace' });

interface Rules {
  readonly name?: string;
  readonly namespace?: string;
}

function compiled(rules: Rules | undefined, localScope: Scope = 'Namespaced'): Naming {
  const compilation = compileNaming(rules, { functions, localScope });
  if (compilation.kind === 'refused') throw new Error(JSON.stringify(compilation.findings));
  return compilation.value;
}

const nameOf = (rules: Rules | undefined, subject = namespaced, path?: string): LocalName =>
  compiled(rules)(subject, 'testcluster', path);

function problemOf(
  rules: Rules,
  subject = namespaced,
): { readonly field: string; readonly problem: NamingProblem; readonly message: string } {
  try {
    nameOf(rules, subject);
  } catch (error) {
    if (error instanceof NamingError) return { field: error.field, problem: error.problem, message: error.message };
    throw error;
  }
  throw new Error('the rules yield a name');
}

function findings(
  rules: Rules,
): readonly { readonly severity: string; readonly path: string; readonly message: string }[] {
  const compilation = compileNaming(rules, { functions, localScope: 'Namespaced' });
  return compilation.kind === 'refused' ? compilation.findings : compilation.warnings;
}

const hashes = '2928c2aa0e510f017f07-73d08a1ba188f1340dae';

describe('naming rules', () => {
  it.each<[string, Rules | undefined, LocalName]>([
    ['none', undefined, { namespace: 'testcluster', name: hashes }],
    ['empty ones', { name: '', namespace: '' }, { namespace: 'testcluster', name: hashes }],
    ['a namespace for all', { namespace: 'foobar' }, { namespace: 'foobar', name: hashes }],
    [
      'a namespace by cluster',
      { namespace: 'foobar-$remoteClusterName' },
      { namespace: 'foobar-testcluster', name: hashes },
    ],
    ['the namespace in kcp', { namespace: '$remoteNamespace' }, { namespace: 'objnamespace', name: hashes }],
    ['a name with a prefix', { name: 'foobar-$remoteName' }, { namespace: 'testcluster', name: 'foobar-objname' }],
    [
      'hashes of the old kind',
      { namespace: '$remoteNamespaceHash', name: '$remoteNameHash' },
      { namespace: 'e75ee3d444e238331f6a', name: '8b09d63c82efb771a2c5' },
    ],
    [
      'words one behind the other',
      { name: '$remoteNameHash$remoteName.$remoteNamespaceHash' },
      { namespace: 'testcluster', name: '8b09d63c82efb771a2c5objname.e75ee3d444e238331f6a' },
    ],
    [
      'templates',
      { namespace: 'ns-{{ .Object.metadata.namespace }}', name: '{{ .ClusterName }}-{{ .Object.metadata.name }}' },
      { namespace: 'ns-objnamespace', name: 'testcluster-objname' },
    ],
    [
      'space around a result',
      { name: '\n  {{ .Object.metadata.name }}\t\n' },
      { namespace: 'testcluster', name: 'objname' },
    ],
    [
      'a hash of a given length',
      { name: '{{ sha3short .Object.metadata.name 10 }}' },
      { namespace: 'testcluster', name: '73d08a1ba1' },
    ],
    [
      'a length beyond the hash',
      { name: '{{ sha3short .Object.metadata.name 999 | len }}' },
      { namespace: 'testcluster', name: '64' },
    ],
    [
      'the whole hash',
      { name: '{{ sha3sum .Object.metadata.name | trunc 20 }}' },
      { namespace: 'testcluster', name: '73d08a1ba188f1340dae' },
    ],
    [
      'the hash of old',
      { name: '{{ shortHash .Object.metadata.name }}' },
      { namespace: 'testcluster', name: '8b09d63c82efb771a2c5' },
    ],
    [
      'a fallback',
      { name: '{{ .Object.spec.alias | default .Object.metadata.name }}' },
      { namespace: 'testcluster', name: 'objname' },
    ],
    [
      'a fallback for what lies deep',
      { name: '{{ .Object.spec.a.b.c | default "test" }}' },
      { namespace: 'testcluster', name: 'test' },
    ],
  ])('%s', (_, rules, wanted) => {
    expect(nameOf(rules)).toEqual(wanted);
  });

  it('know the path of the workspace where it is given', () => {
    const rules = { name: '{{ .ClusterPath | replace ":" "-" }}.{{ .Object.metadata.name }}' };
    expect(nameOf(rules, namespaced, 'root:test:team').name).toBe('root-test-team.objname');
    expect(problemOf(rules).problem).toBe('illegal');
  });

  it('see the whole object, numbers as numbers', () => {
    expect(
      nameOf(
        { name: '{{ if gt .Object.spec.replicas 2 }}big{{ else }}small{{ end }}-{{ .Object.spec.replicas }}' },
        object({ namespace: 'a' }, { replicas: 3 }),
      ).name,
    ).toBe('big-3');
  });
});

describe('defaults', () => {
  it('name copies without a namespace by cluster', () => {
    expect(compiled(undefined, 'Cluster')(object(), 'testcluster', undefined)).toEqual({
      name: 'testcluster-73d08a1ba188f1340dae',
      namespace: undefined,
    });
  });

  it('name copies of objects without a namespace by cluster, too', () => {
    expect(nameOf(undefined, object())).toEqual({ name: 'testcluster-73d08a1ba188f1340dae', namespace: 'testcluster' });
    expect(nameOf({ namespace: 'shared' }, object())).toEqual({
      name: 'testcluster-73d08a1ba188f1340dae',
      namespace: 'shared',
    });
  });

  it('tell objects of two clusters apart where there is no namespace', () => {
    const naming = compiled(undefined, 'Cluster');
    expect(naming(object(), 'a', undefined).name).not.toBe(naming(object(), 'b', undefined).name);
  });

  it('tell objects of two namespaces apart where their copies have none', () => {
    const naming = compiled(undefined, 'Cluster');
    const names = ['team-a', 'team-b'].map((namespace) => naming(object({ namespace }), 'testcluster', undefined).name);
    expect(new Set([...names, naming(object(), 'testcluster', undefined).name]).size).toBe(3);
    for (const name of names) expect(name).toMatch(/^testcluster-[0-9a-f]{20}$/u);
  });
});

describe('results that are no names', () => {
  it.each<[string, Rules, NamingProblem]>([
    ['a field that is not there', { name: 'x-{{ .Object.spec.missing }}' }, 'missing'],
    ['nothing', { name: '{{ .Object.spec.missing | default "" }}' }, 'empty'],
    ['nothing but space', { name: '{{ "  " }}' }, 'empty'],
    ['too many characters', { name: '{{ repeat 254 "a" }}' }, 'too-long'],
    ['upper case', { name: '{{ upper .Object.metadata.name }}' }, 'illegal'],
    ['colons', { name: 'root:{{ .Object.metadata.name }}' }, 'illegal'],
    ['a dash at the end', { name: '{{ .Object.metadata.name }}-' }, 'illegal'],
    ['an empty part', { name: 'a..{{ .Object.metadata.name }}' }, 'illegal'],
    ['letters of other scripts', { name: 'é{{ .Object.metadata.name }}' }, 'illegal'],
    ['a field of a text', { name: '{{ .Object.metadata.name.first }}' }, 'template'],
    ['a missing text', { name: '{{ .Object.spec.missing | sha3short }}' }, 'template'],
    ['a length of none', { name: '{{ sha3short "a" 0 }}' }, 'template'],
    ['two lengths', { name: '{{ sha3short "a" 1 2 }}' }, 'template'],
    ['a misspelt context', { name: '{{ .Objekt.metadata.name }}' }, 'template'],
    ['a template that fails on purpose', { name: '{{ fail "not this one" }}' }, 'template'],
  ])('%s', (_, rules, problem) => {
    const found = problemOf(rules);
    expect(found).toMatchObject({ field: 'spec.naming.name', problem });
    expect(found.message).toContain('spec.naming.name: ');
  });

  it('have other limits for namespaces', () => {
    expect(problemOf({ namespace: '{{ repeat 64 "a" }}' })).toMatchObject({
      field: 'spec.naming.namespace',
      problem: 'too-long',
    });
    expect(problemOf({ namespace: '{{ .ClusterName }}.x' })).toMatchObject({
      field: 'spec.naming.namespace',
      problem: 'illegal',
    });
    expect(nameOf({ namespace: '{{ repeat 63 "a" }}' }).namespace).toHaveLength(63);
    expect(nameOf({ name: '{{ repeat 253 "a" }}' }).name).toHaveLength(253);
  });

  it('do not matter for a namespace that nobody uses', () => {
    expect(
      compiled({ namespace: '{{ .Object.spec.missing }}' }, 'Cluster')(object(), 'c', undefined).namespace,
    ).toBeUndefined();
  });

  it('are not told: they may be made of anything', () => {
    const secret = object({ namespace: 'a' }, { password: 'HunTer2' });
    for (const name of [
      '{{ .Object.spec.password }}',
      '{{ .Object.spec.password.x }}',
      '{{ index .Object.spec.password 99 }}',
      '{{ atoi .Object.spec.password | slice .Object.spec.password }}',
      '{{ toDate "2006" .Object.spec.password | sha3sum }}',
    ]) {
      expect(problemOf({ name }, secret).message).not.toMatch(/hunter2/iu);
    }
  });

  it('are no reason to try again', () => {
    try {
      nameOf({ name: '{{ .Object.spec.x }}' });
    } catch (error) {
      expect(error).toMatchObject({ code: 'NamingFailed', retryable: false });
    }
    expect.assertions(1);
  });
});

describe('rules that cannot be used', () => {
  it('are found all at once, with their fields', () => {
    const compilation = compileNaming(
      { name: '{{ .Object.metadata.name', namespace: '{{ nope . }}' },
      { functions, localScope: 'Namespaced' },
    );
    expect(compilation.kind).toBe('refused');
    expect(findings({ name: '{{ .Object.metadata.name', namespace: '{{ nope . }}' })).toEqual([
      { severity: 'error', path: 'spec.naming.name', message: 'template: spec.naming.name:1: unclosed action' },
      {
        severity: 'error',
        path: 'spec.naming.namespace',
        message: 'template: spec.naming.namespace:1: function "nope" not defined',
      },
    ]);
  });

  it.each([
    ['placeholders that do not exist', { name: '$remoteFoo' }, 'placeholder'],
    ['text that no name can have', { name: 'Foo-$remoteName' }, 'upper case'],
    ['dots in namespaces', { namespace: 'a.$remoteClusterName' }, '"."'],
    ['functions that reach the network', { name: '{{ getHostByName "example.com" }}' }, 'not offered'],
    ['functions that make certificates', { name: '{{ (genCA "a" 1).Cert }}' }, 'not offered'],
  ])('because of %s', (_, rules: Rules, reason) => {
    expect(findings(rules)).toEqual([
      expect.objectContaining({ severity: 'error', message: expect.stringContaining(reason) }),
    ]);
  });

  it('are told from those that are only doubtful', () => {
    expect(findings({ name: '$remoteName' })).toEqual([
      expect.objectContaining({ severity: 'warning', message: expect.stringContaining('deprecated') }),
    ]);
    expect(findings({ name: 'same' })).toEqual([
      expect.objectContaining({ severity: 'warning', message: expect.stringContaining('same for all') }),
    ]);
    expect(findings({ namespace: 'same' })).toEqual([]);
  });

  it('cannot read the environment', () => {
    expect(problemOf({ name: '{{ env "PATH" }}{{ expandenv "$HOME" }}' }).problem).toBe('empty');
  });
});
