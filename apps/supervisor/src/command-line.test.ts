import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import type { Command } from './command.js';
import { readCommand } from './command-line.js';
import { type Config, ConfigError } from '@hawser/config';
import { readKbindCommand, readKonnectorCommand, readSyncagentCommand } from './run-commands.js';

const configOf = (command: Command): Config => {
  if (command.kind !== 'run') throw new Error('expected a run');
  return command.config;
};
const file = (content: string): string => {
  const path = join(mkdtempSync(join(tmpdir(), 'hawser-config-')), 'config.yaml');
  writeFileSync(path, content);
  return path;
};

describe('the flags of the Go konnector', () => {
  it('have its defaults', () => {
    const config = configOf(readKonnectorCommand([], 'v0'));
    expect(config).toMatchObject({
      roles: ['konnector'],
      serverAddress: ':8090',
      logging: { level: 'info', format: 'text' },
    });
    expect(config.konnector).toMatchObject({
      kubeconfig: '',
      context: '',
      lease: { enabled: true, namespace: '' },
      providerPollingIntervalSeconds: 15,
    });
  });

  it('are read in every form that pflag knows', () => {
    const config = configOf(
      readKonnectorCommand(
        [
          '--kubeconfig=/a',
          '--context',
          'c',
          '--lease-name=l',
          '--lease-namespace',
          'ns',
          '--server-address=127.0.0.1:9',
          '--provider-polling-interval=1m30s',
          '-v=4',
          '--logging-format',
          'json',
          '--vmodule=x=1',
          '--log-json-split-stream',
        ],
        'v0',
      ),
    );
    expect(config).toMatchObject({ serverAddress: '127.0.0.1:9', logging: { level: 'debug', format: 'json' } });
    expect(config.konnector).toMatchObject({
      kubeconfig: '/a',
      context: 'c',
      lease: { name: 'l', namespace: 'ns' },
      providerPollingIntervalSeconds: 90,
    });
    expect(configOf(readKonnectorCommand(['-v', '5'], 'v0')).logging.level).toBe('debug');
    expect(configOf(readKonnectorCommand(['-v2'], 'v0')).logging.level).toBe('info');
  });

  it('say which app cluster is served from a control plane of Klutch, and where', () => {
    const args = [
      '--control-plane-mode',
      '--app-cluster-kubeconfig-secret-name=kubeconfig',
      '--app-cluster-kubeconfig-secret-namespace=root',
      '--binding-root-namespace=root',
      '--lease-namespace=root',
    ];
    const config = configOf(readKonnectorCommand(args, 'v0'));
    expect(config.konnector).toMatchObject({
      dialect: 'klutch',
      lease: { namespace: 'root' },
      controlPlaneMode: {
        kubeconfigSecret: { namespace: 'root', name: 'kubeconfig', key: 'kubeconfig' },
        rootNamespace: 'root',
      },
    });
    expect([
      config.serverAddress,
      configOf(
        readKonnectorCommand([...args, '--server-address=:1', '--app-cluster-kubeconfig-secret-key=value'], 'v0'),
      ).konnector.controlPlaneMode?.kubeconfigSecret.key,
    ]).toEqual([':8080', 'value']);
    expect(configOf(readKonnectorCommand(['--control-plane-mode=false'], 'v0')).konnector).toMatchObject({
      dialect: 'kube-bind',
    });
  });

  it('help with a command is the help of that command', () => {
    expect(readCommand(['help', 'why'], 'v1')).toEqual(readCommand(['why', '--help'], 'v1'));
    expect(readCommand(['help', 'schema'], 'v1')).not.toEqual(readCommand(['help'], 'v1'));
    expect(() => readCommand(['help', 'nope'], 'v1')).toThrow('unknown command: nope');
  });

  it('help names flags that do nothing last', () => {
    const help = readKonnectorCommand(['--help'], 'v1');
    const text = help.kind === 'print' ? help.text : '';
    expect(text.slice(text.indexOf('accepted for compatibility'))).not.toContain('--kubeconfig');
    expect(text.indexOf('--version')).toBeLessThan(text.indexOf('accepted for compatibility'));
  });

  it('the namespace of the Lease holds for every role', () => {
    const command = readCommand(
      ['run', '--roles=konnector,provider', '--lease-namespace=ns', '--lease-name=mine'],
      'v1',
    );
    expect(command).toMatchObject({
      kind: 'run',
      config: { konnector: { lease: { namespace: 'ns', name: 'mine' } }, provider: { lease: { namespace: 'ns' } } },
    });
  });

  it('print the version and the help', () => {
    expect(readKonnectorCommand(['--version'], 'v1')).toEqual({ kind: 'print', text: 'v1' });
    expect(readKonnectorCommand(['--help'], 'v1')).toMatchObject({
      kind: 'print',
      text: expect.stringContaining('--lease-namespace'),
    });
  });

  it.each([
    [['--nope'], 'unknown flag: --nope'],
    [['-x'], 'unknown flag: -x'],
    [['--roles=provider'], 'unknown flag: --roles'],
    [['--kubeconfig'], '--kubeconfig: needs a value'],
    [['extra'], 'unexpected argument: extra'],
    [['--provider-polling-interval=0s'], '--provider-polling-interval: must be longer than zero, not "0s"'],
    [['--provider-polling-interval=soon'], '--provider-polling-interval: is not a duration: "soon"'],
    [['--logging-format=xml'], '--logging-format: must be text or json, not "xml"'],
    [['--server-address=8090'], 'flags: serverAddress: must be host:port or :port'],
    [['--binding-root-namespace=root'], '--binding-root-namespace: means something only with --control-plane-mode'],
    [
      ['--control-plane-mode', '--app-cluster-kubeconfig-secret-namespace=root', '--binding-root-namespace=root'],
      '--app-cluster-kubeconfig-secret-name: is required with --control-plane-mode',
    ],
    [
      ['--control-plane-mode', '--app-cluster-kubeconfig-secret-name=kubeconfig', '--binding-root-namespace=root'],
      '--app-cluster-kubeconfig-secret-namespace: is required with --control-plane-mode',
    ],
    [
      [
        '--control-plane-mode',
        '--app-cluster-kubeconfig-secret-name=kubeconfig',
        '--app-cluster-kubeconfig-secret-namespace=root',
      ],
      '--binding-root-namespace: is required with --control-plane-mode',
    ],
  ])('%j is refused in one line', (args, message) => {
    expect(() => readKonnectorCommand(args, 'v0')).toThrow(new ConfigError(message));
  });
});

describe('the flags of the Go agent', () => {
  const required = ['--kcp-kubeconfig=/kcp', '--namespace', 'agents', '--apiexportendpointslice-ref=example.com'];

  it('have its defaults', () => {
    const config = configOf(readSyncagentCommand(required, 'v0'));
    expect(config).toMatchObject({
      roles: ['syncagent'],
      serverAddress: '',
      metricsAddress: '127.0.0.1:8085',
      healthAddress: '',
      logging: { level: 'info', format: 'json' },
    });
    expect(config.syncagent).toMatchObject({
      kubeconfig: '',
      hostOverride: '',
      caFileOverride: '',
      agents: [
        {
          kcpKubeconfig: '/kcp',
          namespace: 'agents',
          endpointSlice: 'example.com',
          publishedResourceSelector: '',
          disabledControllers: [],
          adoption: 'Adopt',
          lease: { enabled: false },
        },
      ],
    });
  });

  it('are all read', () => {
    const config = configOf(
      readSyncagentCommand(
        [
          ...required,
          '--kubeconfig=/k',
          '--kubeconfig-host-override=https://other',
          '--kubeconfig-ca-file-override=/ca',
          '--agent-name=mine',
          '--published-resource-selector=a in (b, c)',
          '--enable-leader-election',
          '--metrics-address=0',
          '--health-address=:8086',
          '--disabled-controllers=apiexport',
          '--disabled-controllers',
          'sync,apiresourceschema',
          '--log-debug',
          '--log-format=console',
        ],
        'v0',
      ),
    );
    expect(config).toMatchObject({
      metricsAddress: '',
      healthAddress: ':8086',
      logging: { level: 'debug', format: 'text' },
    });
    expect(config.syncagent).toMatchObject({
      kubeconfig: '/k',
      hostOverride: 'https://other',
      caFileOverride: '/ca',
      agents: [
        {
          agentName: 'mine',
          publishedResourceSelector: 'a in (b, c)',
          disabledControllers: ['apiexport', 'sync', 'apiresourceschema'],
          lease: { enabled: true },
        },
      ],
    });
  });

  it('may name the export, as they once did', () => {
    expect(
      configOf(
        readSyncagentCommand(['--kcp-kubeconfig=/kcp', '--namespace=agents', '--apiexport-ref=example.com'], 'v0'),
      ).syncagent.agents[0]?.endpointSlice,
    ).toBe('example.com');
  });

  it('tell everything that is missing at once', () => {
    expect(() => readSyncagentCommand(['--log-format=xml'], 'v0')).toThrow(
      new ConfigError(
        '--kcp-kubeconfig: is required\n--namespace: is required\n--apiexportendpointslice-ref: is required\n--log-format: must be JSON or Console, not "xml"',
      ),
    );
  });

  it.each([
    ['--agent-name=1st', 'flags: syncagent.agents.0.agentName: must be a DNS label that begins with a letter'],
    [
      '--disabled-controllers=sink',
      'flags: syncagent.agents.0.disabledControllers.0: Invalid option: expected one of "apiexport"|"apiresourceschema"|"sync"',
    ],
  ])('%s is refused', (flag, message) => {
    expect(() => readSyncagentCommand([...required, flag], 'v0')).toThrow(new ConfigError(message));
  });
});

describe('the flags of the Go konnector of kbind', () => {
  it('have its defaults, and serve core.kbind.io alone', () => {
    const config = configOf(readKbindCommand([], 'v0'));
    expect(config).toMatchObject({
      roles: ['konnector'],
      serverAddress: '',
      metricsAddress: ':8085',
      healthAddress: ':8081',
      logging: { level: 'info', format: 'text' },
    });
    expect(config.konnector).toMatchObject({
      lease: { enabled: false, name: 'konnector.kbind.io' },
      coreKbind: { enabled: true, alone: true, secretNamespaces: ['*'] },
    });
  });

  it('are read', () => {
    const args = [
      '--kubeconfig=/a',
      '--metrics-bind-address=0',
      '--health-probe-bind-address=127.0.0.1:9',
      '--leader-elect',
      '--leader-election-id=l',
      '--zap-devel=false',
      '--zap-log-level=2',
      '--zap-stacktrace-level=panic',
      '--zap-time-encoding=iso8601',
    ];
    const config = configOf(readCommand(['kbind', ...args], 'v0'));
    expect(config).toMatchObject({
      metricsAddress: '',
      healthAddress: '127.0.0.1:9',
      logging: { level: 'debug', format: 'json' },
    });
    expect(config.konnector).toMatchObject({ kubeconfig: '/a', lease: { enabled: true, name: 'l' } });
  });

  it.each([
    ['--zap-log-level=loud', '--zap-log-level: must be debug, info, error, panic or a number from 1 on, not "loud"'],
    ['--zap-encoder=xml', '--zap-encoder: must be console or json, not "xml"'],
  ])('%s is refused', (flag, message) => {
    expect(() => readKbindCommand([flag], 'v0')).toThrow(new ConfigError(message));
  });
});

describe('hawser run', () => {
  it('needs an agent for the role syncagent', () => {
    expect(() => readCommand(['run', '--roles=syncagent'], 'v0')).toThrow(
      new ConfigError('flags: syncagent.agents: the role syncagent needs at least one'),
    );
  });

  it('takes a config file, and lets flags win', () => {
    const path = file(
      'roles: [konnector, provider]\nkonnector:\n  concurrency: 8\n  lease: {enabled: false}\n  context: file\n',
    );
    const config = configOf(readCommand(['run', '--config', path, '--context=flag', '--provider-kubeconfig=/p'], 'v0'));
    expect(config).toMatchObject({
      roles: ['konnector', 'provider'],
      konnector: { concurrency: 8, context: 'flag', lease: { enabled: false } },
      provider: { kubeconfig: '/p' },
    });
  });

  it('opens API groups to providers by flag or by file', () => {
    expect(configOf(readCommand(['run'], 'v0')).konnector).toMatchObject({
      allowedGroups: ['*'],
      allowConversionWebhooks: false,
    });
    expect(
      configOf(readCommand(['run', '--allowed-groups=example.com, *.example.org'], 'v0')).konnector.allowedGroups,
    ).toEqual(['example.com', '*.example.org']);
    const path = file('konnector:\n  allowedGroups: [example.com]\n  allowConversionWebhooks: true\n');
    expect(configOf(readCommand(['run', '--config', path], 'v0')).konnector).toMatchObject({
      allowedGroups: ['example.com'],
      allowConversionWebhooks: true,
    });
  });

  it('lets templates decide what consumers may bind, unless it is told otherwise', () => {
    const admission = (...args: readonly string[]): unknown =>
      configOf(readCommand(['run', '--roles=provider', ...args], 'v0')).provider.requestAdmission;
    expect(admission()).toBe('Template');
    expect(admission('--provider-request-admission=Exported')).toBe('Exported');
    expect(() => admission('--provider-request-admission=All')).toThrow(/provider\.requestAdmission/u);
  });

  it('speaks kube-bind to consumers, and Klutch if it is told to, by flag or by file', () => {
    const dialects = (...args: readonly string[]): readonly string[] =>
      configOf(readCommand(['run', '--roles=provider', ...args], 'v0')).provider.dialects;
    expect(dialects()).toEqual(['kube-bind']);
    expect(dialects('--provider-dialects=kube-bind, klutch')).toEqual(['kube-bind', 'klutch']);
    expect(dialects('--config', file('provider:\n  dialects: [klutch]\n'))).toEqual(['klutch']);
    expect(() => dialects('--provider-dialects=klutch,klutch')).toThrow(
      new ConfigError('flags: provider.dialects: must not name one twice'),
    );
    expect(() => dialects('--provider-dialects=')).toThrow(/^flags: provider\.dialects\.0: /u);
  });

  it('serves app clusters only if the file says so, and only where Klutch is spoken', () => {
    const mode = (text: string): unknown =>
      configOf(readCommand(['run', '--roles=provider', '--config', file(text)], 'v0')).provider.controlPlaneMode;
    expect(mode('provider: {}')).toEqual({ enabled: false, konnectorImage: '' });
    expect(
      mode('provider:\n  dialects: [klutch]\n  controlPlaneMode: {enabled: true, konnectorImage: "konnector:1"}\n'),
    ).toEqual({ enabled: true, konnectorImage: 'konnector:1' });
    expect(() => mode('provider:\n  controlPlaneMode: {enabled: true}\n')).toThrow(
      /provider\.controlPlaneMode\.enabled: needs klutch in provider\.dialects$/u,
    );
  });

  it('keeps orphans unless it is told to delete them', () => {
    expect(configOf(readCommand(['run'], 'v0')).konnector).toMatchObject({
      orphans: { policy: 'Keep', deletionsPerMinute: 10, graceSeconds: 60 },
      contestedAfter: 5,
      bounds: { claimedObjectsPerBinding: 1_000, namespacesPerProvider: 100 },
    });
    const path = file('konnector:\n  orphans: {deletionsPerMinute: 3}\n');
    expect(configOf(readCommand(['run', '--config', path, '--orphan-policy=Delete'], 'v0')).konnector.orphans).toEqual({
      policy: 'Delete',
      deletionsPerMinute: 3,
      graceSeconds: 60,
    });
    expect(() => readCommand(['run', '--orphan-policy=delete'], 'v0')).toThrow(/^flags: konnector\.orphans\.policy: /u);
  });

  it('has one konnector work unless it is told how many share the work', () => {
    const shards = (...args: readonly string[]): number =>
      configOf(readCommand(['run', ...args], 'v0')).konnector.shards;
    expect(shards()).toBe(1);
    expect(shards('--shards=3')).toBe(3);
    expect(() => shards('--shards=many')).toThrow(/^flags: konnector\.shards: /u);
    expect(() => shards('--shards=17')).toThrow(/^flags: konnector\.shards: /u);
  });

  it('limits requests and leaves labelled Secrets alone only if asked to', () => {
    expect(configOf(readCommand(['run'], 'v0')).konnector).toMatchObject({
      limits: { consumer: {}, provider: {} },
      labelledSecrets: true,
    });
    const path = file(
      'konnector:\n  limits: {provider: {qps: 0.5, burst: 3}}\n  labelledSecrets: false\nprovider:\n  limits: {qps: 20}\n',
    );
    const config = configOf(readCommand(['run', '--config', path], 'v0'));
    expect(config).toMatchObject({
      konnector: { limits: { consumer: {}, provider: { qps: 0.5, burst: 3 } }, labelledSecrets: false },
      provider: { limits: { qps: 20 } },
    });
  });

  it.each([
    ['konnector:\n  limits: {consumer: {burst: 3}}\n', 'konnector.limits.consumer.burst'],
    ['konnector:\n  limits: {consumer: {qps: 0}}\n', 'konnector.limits.consumer.qps'],
    ['konnector:\n  labelledSecrets: maybe\n', 'konnector.labelledSecrets'],
    ['konnector:\n  orphans: {deletionsPerMinute: 0}\n', 'konnector.orphans.deletionsPerMinute'],
    ['konnector:\n  allowedGroups: ["a b"]\n', 'konnector.allowedGroups.0'],
    ['konnector:\n  concurrency: many\n', 'konnector.concurrency'],
    ['konnector:\n  concurency: 1\n', 'concurency'],
    ['roles: [cook]\n', 'roles.0'],
    ['- a\n', 'must be a mapping'],
    ['a: [\n', 'is not YAML'],
  ])('names what is wrong in %j', (content, named) => {
    const path = file(content);
    const read = (): Command => readCommand(['run', `--config=${path}`], 'v0');
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(named);
    expect(read).toThrow(path);
  });

  it('refuses a role, a command and a file that it does not know', () => {
    expect(() => readCommand(['run', '--roles=cook'], 'v0')).toThrow('roles.0');
    expect(() => readCommand(['walk'], 'v0')).toThrow('unknown command: walk');
    expect(() => readCommand(['run', '--config=/does/not/exist'], 'v0')).toThrow(
      '/does/not/exist: cannot be read: ENOENT',
    );
  });
});
