import { describe, expect, it } from '@jest/globals';

import { ConfigError } from '@hawser/config';
import { readBind } from './bind.js';
import { readBindings } from './bindings.js';
import { readDoctor } from './doctor.js';
import { ago, document, table } from './output.js';
import { readUnbind } from './unbind.js';

describe('the commands that bind', () => {
  it.each([
    ['bind', readBind],
    ['unbind', readUnbind],
    ['bindings', readBindings],
    ['doctor', readDoctor],
  ])('%s has help with its exit codes', (name, read) => {
    const help = read(['--help']);
    expect(help).toContain(`hawser ${name} `);
    expect(help).toMatch(/Exit codes: 0 .+, 1 .+, 2 wrong usage/su);
  });

  const bound = ['--provider-kubeconfig=file', '--resource=databases.example.com'];
  it.each([
    [
      () => readBind(['--resource=databases.example.com']),
      'bind needs either --provider-kubeconfig or --operator-kubeconfig; see hawser bind --help',
    ],
    [
      () => readBind([...bound, '--operator-kubeconfig=file']),
      'bind needs either --provider-kubeconfig or --operator-kubeconfig; see hawser bind --help',
    ],
    [
      () => readBind(['--provider-kubeconfig=file']),
      'bind needs either --template or --resource; see hawser bind --help',
    ],
    [
      () => readBind([...bound, '--template=databases']),
      'bind needs either --template or --resource; see hawser bind --help',
    ],
    [
      () => readBind([...bound, '--resource=tables']),
      '--resource: must be PLURAL.GROUP or PLURAL.GROUP/VERSION, not "tables"',
    ],
    [
      () => readBind([...bound, '--resource=tables.example.com', '--dialect=kube-bind']),
      'bind needs --name where there are several resources',
    ],
    [
      () => readBind([...bound, '--dialect=klutch', '--name=databases']),
      '--name: in Klutch an APIServiceBinding, and the export that it binds, have the name of their CRD; there is no other',
    ],
    [
      () => readBind([...bound, '--resource=tables.example.com/v1', '--dialect=klutch']),
      '--resource: an export of Klutch has every version that its CRD serves, whatever a request says; name tables.example.com without a version',
    ],
    [
      () => readBind(['--provider-kubeconfig=file', '--template=databases', '--dialect=core-kbind']),
      '--template: core.kbind.io has none; name CRDs of the provider by --resource',
    ],
    [() => readBind([...bound, '--namespace=team']), '--namespace: means something only with --dialect=core-kbind'],
    [
      () => readBind([...bound, '--claims=accept', '--dialect=core-kbind']),
      '--claims: means nothing with --dialect=core-kbind',
    ],
    [
      () => readUnbind(['databases', '--namespace=team', '--dialect=klutch']),
      '--namespace: means something only with --dialect=core-kbind',
    ],
    [() => readBind([...bound, '--claims=maybe']), '--claims: must be one of ask, accept, reject, not "maybe"'],
    [() => readBind([...bound, '--timeout=soon']), '--timeout: is not a duration longer than zero: "soon"'],
    [() => readBind([...bound, '--output=xml']), '--output: must be one of table, json, yaml, not "xml"'],
    [() => readBind([...bound, 'more']), 'unexpected argument: more'],
    [() => readUnbind([]), 'unbind needs the NAME of a binding; see hawser unbind --help'],
    [() => readUnbind(['one', 'two']), 'unexpected argument: two'],
    [() => readUnbind(['one', '--policy=Destroy']), '--policy: must be one of Orphan, Delete, Block, not "Destroy"'],
    [() => readBindings(['--side=both']), '--side: must be one of consumer, provider, not "both"'],
    [
      () => readBindings(['--side=provider', '--provider-kubeconfig=file']),
      '--side=provider: the provider is the cluster of --kubeconfig',
    ],
    [() => readDoctor(['--service-account=konnector']), '--service-account: must be NAMESPACE/NAME, not "konnector"'],
  ])('%s is wrong usage', (read, message) => {
    expect(read).toThrow(new ConfigError(message));
  });
});

describe('output', () => {
  it('has columns', () => {
    expect(
      table(
        ['NAME', 'WHY'],
        [
          ['databases', ''],
          ['a', 'because'],
        ],
      ),
    ).toBe('NAME        WHY\ndatabases\na           because');
    expect(document({ a: [1] }, 'json')).toBe('{"a":[1]}');
    expect(document({ a: [1] }, 'yaml')).toBe('a:\n  - 1');
  });

  it.each([
    [undefined, 'never'],
    [-5_000, '0s'],
    [90_000, '90s'],
    [600_000, '10m'],
    [7_200_000, '2h'],
    [200_000_000, '2d'],
  ])('says how long ago: %s', (ms, text) => {
    expect(ago(ms === undefined ? undefined : new Date(1_800_000_000_000 - ms).toISOString(), 1_800_000_000_000)).toBe(
      text,
    );
  });
});
