import { describe, expect, it } from '@jest/globals';

import { admissionNotice } from './provider-notices.js';
import type { Command } from './command.js';
import { type Config, ConfigError, parseConfig } from '@hawser/config';
import { readBackendCommand, readRunCommand } from './run-commands.js';

const configOf = (command: Command | undefined): Config => {
  if (command?.kind !== 'run') throw new Error('expected a run');
  return command.config;
};
const read = (...args: readonly string[]): Config =>
  configOf(readBackendCommand(['--frontend-disabled', ...args], 'v0'));
const readWithPortal = (...args: readonly string[]): Config => configOf(readBackendCommand(args, 'v0'));

describe('the flags of the Go backend', () => {
  it('have its defaults', () => {
    const config = read();
    expect(config).toMatchObject({
      roles: ['provider'],
      serverAddress: '127.0.0.1:8080',
      logging: { level: 'info', format: 'text' },
    });
    expect(config.provider).toMatchObject({
      kubeconfig: '',
      context: '',
      namespacePrefix: 'cluster-',
      prettyName: 'Backend',
      informerScope: 'Namespaced',
      isolation: 'Prefixed',
      external: { address: '', caFile: '', serverName: '' },
      schemaPolicy: 'Never',
      requestAdmission: 'Exported',
      sharedClusterScope: false,
      credentials: { lifeSeconds: 2_592_000, overlapSeconds: 3_600 },
      lease: { enabled: true },
    });
    expect(config.provider.requestNamespaces).toBeUndefined();
  });

  it('have the admission of the Go backend, which is told at the start, unless they say otherwise', () => {
    expect(admissionNotice(read().provider)).toContain('with or without a template');
    expect(admissionNotice(read('--request-admission=template').provider)).toBeUndefined();
    expect(admissionNotice(parseConfig({ roles: ['provider'] }, 'test').provider)).toBeUndefined();
    expect(() => read('--request-admission=all')).toThrow('--request-admission: must be exported or template');
  });

  it('are all read', () => {
    const config = read(
      '--kubeconfig=/k',
      '--context',
      'c',
      '--namespace-prefix=kube-bind-',
      '--pretty-name=Lab',
      '--consumer-scope=CLUSTER',
      '--isolation=none',
      '--external-address=https://provider.example:6443',
      '--external-ca-file=/ca',
      '--external-server-name=provider',
      '--schema-source=customresourcedefinitions',
      '--schema-sync-interval=10s',
      '--listen-address=0.0.0.0:8080',
      '--multicluster-runtime-provider=',
      '-v=4',
      '--logging-format=json',
      '--shared-cluster-scope',
      '--schema-policy=safe',
      '--request-namespaces=a,b',
      '--request-namespaces',
      'c',
      '--consumer-namespaces=team-*',
      '--consumer-namespaces=x',
    );
    expect(config).toMatchObject({ serverAddress: '0.0.0.0:8080', logging: { level: 'debug', format: 'json' } });
    expect(config.provider).toMatchObject({
      kubeconfig: '/k',
      context: 'c',
      namespacePrefix: 'kube-bind-',
      prettyName: 'Lab',
      informerScope: 'Cluster',
      isolation: 'None',
      external: { address: 'https://provider.example:6443', caFile: '/ca', serverName: 'provider' },
      schemaPolicy: 'Safe',
      sharedClusterScope: true,
      requestNamespaces: ['a', 'b', 'c'],
      consumerNamespaces: ['team-*', 'x'],
    });
  });

  it('take the deprecated ones, and those of the web part', () => {
    const config = readWithPortal(
      '--cluster-scoped-isolation=Namespaced',
      '--listen-ip=127.0.0.1',
      '--listen-port=9',
      '--frontend=embedded',
      '--token-expiry=1h',
      '--konnector-host-alias=10.0.0.1:a',
      '--konnector-host-alias=10.0.0.2:b',
      '--oidc-type=external',
      '--oidc-issuer-url=https://issuer',
      '--oidc-issuer-client-id=id',
      '--oidc-issuer-client-secret=secret',
      '--oidc-callback-url=https://me/api/callback',
      '--oidc-authorize-url=x',
      '--oidc-ca-file=/ca',
      '--oidc-allowed-groups=g',
      '--oidc-allowed-users=u',
      '--cookie-signing-key=a',
      '--cookie-encryption-key=b',
      '--redis-addr=r:1',
      '--testing-auto-select=x',
      '--apiexport-endpoint-slice-name=s',
      '--apibinding-ignore-prefixes=p',
    );
    expect(config.serverAddress).toBe('');
    expect(config.provider).toMatchObject({
      isolation: 'Namespaced',
      consumerNamespaces: ['*'],
      portal: {
        address: '127.0.0.1:9',
        publicUrl: 'https://me',
        issuer: {
          url: 'https://issuer',
          clientId: 'id',
          clientSecret: 'secret',
          caFile: '/ca',
          callbackUrl: 'https://me/api/callback',
        },
        sessionSeconds: 3_600,
        terminals: true,
        allowed: { users: ['u'], groups: ['g'] },
      },
    });
    expect(read('--oidc-issuer-url=https://issuer').provider.portal).toBeUndefined();
  });

  it('say at the start that no Redis is used, where one is named', () => {
    const noticesOf = (...args: readonly string[]): unknown => {
      const command = readBackendCommand(
        [
          '--oidc-issuer-url=https://issuer',
          '--oidc-issuer-client-id=id',
          '--oidc-callback-url=https://me/api/callback',
          ...args,
        ],
        'v0',
      );
      return command.kind === 'run' ? command.notices : command;
    };
    expect(noticesOf('--redis-addr=redis:6379')).toEqual([expect.stringMatching(/^--redis-addr is not used: /u)]);
    expect(noticesOf()).toBeUndefined();
    expect(noticesOf('--redis-addr=redis:6379', '--frontend-disabled')).toBeUndefined();
  });

  it('tell everything that is wrong at once', () => {
    expect(() =>
      readBackendCommand(
        [
          '--isolation=prefix',
          '--consumer-scope=all',
          '--schema-policy=some',
          '--schema-source=apiresourceschemas',
          '--schema-sync-interval=5s',
          '--multicluster-runtime-provider=kcp',
          '--tls-key-file=/k',
          '--oidc-type=some',
          '--token-expiry=5s',
        ],
        'v0',
      ),
    ).toThrow(
      new ConfigError(
        [
          '--consumer-scope: must be namespaced or cluster, not "all"',
          '--isolation: must be prefixed, namespaced or none, not "prefix"',
          '--schema-policy: must be never, safe or always, not "some"',
          '--schema-source: only CRDs are exported, not "apiresourceschemas"',
          '--schema-sync-interval: must be a duration of at least 10s, not "5s"',
          '--multicluster-runtime-provider: must be kubernetes, not "kcp"',
          '--oidc-type: must be external or embedded, not "some"',
          '--oidc-issuer-url, --oidc-issuer-client-id: are required, unless --frontend-disabled is set',
          '--oidc-callback-url: is required, and must be the public address and /api/callback',
          '--token-expiry: must be a duration of at least 1m',
          '--tls-cert-file, --tls-key-file: only both together',
        ].join('\n'),
      ),
    );
  });

  it('start an identity provider for trying out, at a port of its own', () => {
    const embedded = (...args: readonly string[]): unknown =>
      readWithPortal('--oidc-type=embedded', '--oidc-callback-url=http://127.0.0.1:8080/api/callback', ...args).provider
        .portal;
    expect(embedded('--oidc-issuer-url=http://127.0.0.1:8080/oidc', '--oidc-allowed-groups=g')).toMatchObject({
      address: '127.0.0.1:8080',
      publicUrl: 'http://127.0.0.1:8080',
      issuer: { type: 'embedded', url: '', clientId: '', callbackUrl: 'http://127.0.0.1:8080/api/callback' },
      allowed: { groups: ['g', 'engineering', 'devops'] },
    });
    expect(embedded('--oidc-issuer-url=http://localhost:5000/oidc')).toMatchObject({
      issuer: { url: 'http://localhost:5000' },
    });
  });

  it.each([
    [['--listen-address=0.0.0.0:8080'], 'provider.portal.address: must be on the loopback interface'],
    [['--listen-address=:8080'], 'provider.portal.address: must be on the loopback interface'],
    [
      ['--oidc-callback-url=https://portal.example.com/api/callback'],
      'provider.portal.publicUrl: must be on the loopback interface',
    ],
    [['--oidc-issuer-url=https://portal.example.com/oidc'], 'provider.portal.issuer.url: must be on the loopback'],
  ])('start none with %j', (args, message) => {
    expect(() =>
      readWithPortal('--oidc-type=embedded', '--oidc-callback-url=http://127.0.0.1:8080/api/callback', ...args),
    ).toThrow(message);
  });

  it.each([
    [['--isolation='], '--isolation: must be prefixed, namespaced or none, not ""'],
    [
      ['--namespace-prefix='],
      'flags: provider.namespacePrefix: must be at most 49 lower-case letters, digits and dashes, and not begin with a dash',
    ],
    [['--pretty-name='], 'flags: provider.prettyName: '],
    [['--external-address=http://provider'], 'flags: provider.external.address: must begin with https://'],
    [['--tls-key-file=/k'], '--tls-key-file: must be empty with --frontend-disabled'],
    [['--server-address=:1'], 'unknown flag: --server-address'],
    [['extra'], 'unexpected argument: extra'],
  ])('%j is refused', (args, message) => {
    expect(() => read(...args)).toThrow(ConfigError);
    expect(() => read(...args)).toThrow(message);
  });

  it('are those of the command, too, and in its help', () => {
    expect(configOf(readRunCommand(['backend', '--frontend-disabled'], 'v0')).roles).toEqual(['provider']);
    expect(readBackendCommand(['--help'], 'v1')).toMatchObject({
      kind: 'print',
      text: expect.stringContaining('--frontend-disabled'),
    });
    expect(readBackendCommand(['--version'], 'v1')).toEqual({ kind: 'print', text: 'v1' });
  });
});
