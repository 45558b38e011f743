import { describe, expect, it } from '@jest/globals';

import { configProblems } from './config-problems.js';

const problemLines = (text: string): readonly string[] =>
  configProblems(text).map(({ line, path, message }) => `${line ?? '-'} ${path}: ${message}`);

describe('what is wrong with a config file', () => {
  it('is nothing where it can be run', () => {
    expect(problemLines('')).toEqual([]);
    expect(problemLines('roles: [konnector, provider]\nkonnector: {concurrency: 3}\n')).toEqual([]);
  });

  it('is told all at once, with lines and what is allowed', () => {
    expect(
      problemLines(`roles: [cook]
konnector:
  concurency: 1
  concurrency: many
  contestedAfter: 100
  labelledSecrets: "yes"
  orphans:
    policy: delete
    deletionsPerMinute: 0
  allowedGroups: ["a b"]
  limits: {consumer: {qps: 0}}
logging:
surprise: 1
`),
    ).toEqual([
      '1 roles[0]: must be konnector, provider, gateway or syncagent, not "cook"',
      '3 konnector.concurency: is not known; did you mean concurrency? There are: kubeconfig, context, dialect, controlPlaneMode, coreKbind, adoptFromProvider, lease, shards, concurrency, limits, labelledSecrets, secretKubeconfigs, allowedGroups, allowConversionWebhooks, schemaUpdate, migrateStoredVersions, bounds, orphans, contestedAfter, heartbeatIntervalSeconds, providerPollingIntervalSeconds',
      '4 konnector.concurrency: must be a number, not "many"',
      '5 konnector.contestedAfter: must be at most 60, not 100',
      '6 konnector.labelledSecrets: must be true or false, not "yes"',
      '8 konnector.orphans.policy: must be Keep or Delete, not "delete"',
      '9 konnector.orphans.deletionsPerMinute: must be at least 1, not 0',
      '10 konnector.allowedGroups[0]: must be a group, *.domain or *, not "a b"',
      '11 konnector.limits.consumer.qps: must be more than 0, not 0',
      '12 logging: must be a mapping, and has no value',
      '13 surprise: is not known; there are: roles, serverAddress, metricsAddress, healthAddress, profiling, logging, konnector, provider, syncagent',
    ]);
  });

  it('is also what does not fit together, beside what is wrong by itself', () => {
    expect(
      problemLines(
        'roles: [syncagent]\nkonnector:\n  contestedAfter: 1\n  limits: {consumer: {burst: 3}}\n  controlPlaneMode: {kubeconfigSecret: {namespace: a, name: b}, rootNamespace: c}\n',
      ),
    ).toEqual(
      [
        '3 konnector.contestedAfter: must be at least 2, not 1',
        '4 konnector.limits.consumer.burst: burst counts only together with qps',
        '5 konnector.controlPlaneMode: needs the dialect klutch',
        '- syncagent.agents: the role syncagent needs at least one',
      ].toSorted(),
    );
  });

  it('is work that is shared where there is no Lease, or one that is renewed too seldom', () => {
    const problems = (konnector: string): readonly string[] =>
      problemLines(`konnector:\n  shards: 3\n  ${konnector}\n`);
    expect(problems('concurrency: 2')).toEqual([]);
    expect(problems('lease: {enabled: false}')).toEqual([
      '2 konnector.shards: more than 1 needs a lease, and is not for control plane mode',
    ]);
    expect(problems('lease: {retryPeriodSeconds: 5}')).toEqual([
      '2 konnector.shards: more than 1 needs a lease.renewDeadlineSeconds of more than 2.4 times lease.retryPeriodSeconds',
    ]);
  });

  it('is core.kbind.io alone where it is not enabled', () => {
    expect(problemLines('roles: [konnector]\nkonnector:\n  coreKbind: {alone: true}\n')).toEqual([
      '3 konnector.coreKbind.alone: needs konnector.coreKbind.enabled',
    ]);
  });

  it('is a portal where only Klutch is spoken', () => {
    const portal = 'publicUrl: https://p.example.com, issuer: {url: https://i.example.com, clientId: hawser}';
    const problems = (dialects: string): readonly string[] =>
      problemLines(`roles: [provider]\nprovider:\n  dialects: ${dialects}\n  portal: {${portal}}\n`);
    expect(problems('[kube-bind, klutch]')).toEqual([]);
    expect(problems('[klutch]')).toEqual([
      '4 provider.portal: needs kube-bind in provider.dialects: people of Klutch are served besides',
    ]);
  });

  it.each([
    ['an alias that leads nowhere', 'a: *nope\n'],
    [
      'aliases without measure',
      `a: &a [x]\n${Array.from('bcdefgh', (name, at) => `${name}: &${name} [${Array.from({ length: 9 }, () => `*${'abcdefg'[at] ?? ''}`).join(', ')}]`).join('\n')}\n`,
    ],
  ])('is told of %s', (_title, text) => {
    expect(problemLines(text)).toEqual([expect.stringMatching(/^- : is not YAML: .*alias/u)]);
  });

  it('is told as it is written where it is not a number of JSON', () => {
    expect(problemLines('konnector: {concurrency: .inf}\n')).toEqual([expect.stringContaining('not Infinity')]);
  });

  it('is told for what is missing where it belongs', () => {
    expect(problemLines('syncagent:\n  agents:\n    - kcpKubeconfig: /kcp\n      namespace: agents\n')).toEqual([
      '3 syncagent.agents[0].endpointSlice: is required',
    ]);
  });

  it.each([
    ['- a\n', '1 : must be a mapping'],
    ['a: 1\na: [\n', /^\d : is not YAML: /u],
    ['roles: [konnector]\nroles: [provider]\n', '2 : is not YAML: Map keys must be unique'],
  ])('is that %j is none', (text, message) => {
    const [first] = problemLines(text);
    if (typeof message === 'string') expect(first).toBe(message);
    else expect(first).toMatch(message);
  });
});
