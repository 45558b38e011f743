import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { type KubeObject, createClient } from '@hawser/client';
import { publishedResourceCRD } from '@hawser/syncagent-api';
import { describeWithControlPlane, eventually } from '@hawser/testenv';
import { readSyncagentCommand } from '../../apps/supervisor/src/run-commands.js';
import { parseConfig } from '../../packages/runtime/config/src/config.js';
import { type ChartName, type Helm, type Values, findHelm } from './helm.js';
import { monitoringCrds } from './monitoring-crds.js';
import { type Plane, openPlane } from './plane.js';
import { previousRelease } from './previous-release.js';
import { root } from './root.js';

interface Case {
  readonly chart: ChartName;
  readonly title: string;
  readonly values: Values;
}

const pods = {
  podAnnotations: { a: 'b' },
  podLabels: { team: 'x' },
  nodeSelector: { disk: 'fast' },
  tolerations: [{ key: 'spot', operator: 'Exists' }],
  priorityClassName: 'system-cluster-critical',
  imagePullSecrets: [{ name: 'registry' }],
};
const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;
const everything: Values = {
  ...pods,
  image: { repository: 'registry.example.com/hawser', digest },
  replicas: 3,
  boundResources: [
    { group: 'example.com', resources: ['databases', 'zones'] },
    { group: 'other.example.com', resources: ['volumes'] },
  ],
  claimedResources: ['secrets', 'configmaps', 'serviceaccounts'],
  unbinding: { delete: true },
  secrets: { namespaces: ['team-a'], readEverywhere: true },
  limits: { provider: { qps: 50, burst: 100 } },
  orphans: { policy: 'Delete', deletionsPerMinute: 3, graceSeconds: 5 },
  contestedAfter: 7,
  allowedGroups: ['*.example.com', 'example.org'],
  allowConversionWebhooks: true,
  hostAliases: [{ ip: '10.0.0.1', hostnames: ['provider.example.com'] }],
  networkPolicy: {
    enabled: true,
    from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }],
  },
  metrics: {
    service: { enabled: true },
    serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
    rules: { enabled: true, labels: { release: 'prometheus' } },
    dashboard: { enabled: true },
  },
};

const exportedResources = [{ group: 'example.com', resource: 'databases' }];
const metrics = {
  service: { enabled: true },
  serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
  rules: { enabled: true, labels: { release: 'prometheus' } },
  dashboard: { enabled: true },
};

const agent = { apiExportName: 'example.com', kcpKubeconfig: 'kcp' };
const agentWithEverything: Values = {
  ...agent,
  agentName: 'databases',
  kubeconfig: 'service',
  kubeconfigHostOverride: 'https://service.example.com',
  publishedResourceSelector: 'team in (a, b)',
  global: { imagePullSecrets: ['one', { name: 'two' }] },
  image: { repository: 'registry.example.com/hawser', digest },
  replicas: 3,
  disabledControllers: ['apiexport'],
  extraFlags: ['--log-debug'],
  extraVolumes: [{ name: 'extra', secret: { secretName: 'extra' } }],
  extraVolumeMounts: [{ name: 'extra', mountPath: '/etc/extra' }],
  extraLabels: { team: 'x' },
  extraAnnotations: { a: 'b' },
  hostAliases: { enabled: true, values: [{ ip: '10.0.0.1', hostnames: ['kcp.example.com'] }] },
  publishedResources: [{ group: 'example.com', resources: ['databases', 'zones'] }],
  relatedFromKcp: [{ group: '', resources: ['configmaps'] }],
  relatedFromService: [{ group: '', resources: ['secrets'] }],
  namespaces: { remove: true },
  networkPolicy: {
    enabled: true,
    from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }],
  },
  metrics: {
    service: { enabled: true },
    serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
    rules: { enabled: true, failingFor: '5m', labels: { release: 'prometheus' } },
    dashboard: { enabled: true },
  },
};

const cases: readonly Case[] = [
  { chart: 'syncagent', title: 'with what is required', values: agent },
  { chart: 'syncagent', title: 'with everything', values: agentWithEverything },
  {
    chart: 'syncagent',
    title: 'small',
    values: {
      ...agent,
      replicas: 1,
      enableLeaderElection: false,
      crds: { enabled: false },
      metrics: { service: { enabled: false } },
    },
  },
  { chart: 'konnector', title: 'as it is', values: {} },
  { chart: 'konnector', title: 'with everything', values: everything },
  {
    chart: 'konnector',
    title: 'small',
    values: {
      replicas: 1,
      podDisruptionBudget: { enabled: false },
      metrics: { service: { enabled: false } },
      log: { level: 'debug', format: 'text' },
    },
  },
  { chart: 'provider', title: 'as it is', values: {} },
  {
    chart: 'provider',
    title: 'with everything',
    values: {
      ...pods,
      image: { repository: 'registry.example.com/hawser', digest },
      replicas: 3,
      informerScope: 'Cluster',
      isolation: 'None',
      exportedResources: [{ group: 'example.com', resource: 'databases' }],
      sharedClusterScope: true,
      gateway: { enabled: true, tlsSecretName: 'gateway-tls', caConfigMap: 'gateway-ca', replicas: 3 },
      replaceBackend: true,
      networkPolicy: { enabled: true, from: [] },
      metrics,
      portal: {
        enabled: true,
        publicUrl: 'https://portal.example.com',
        issuer: {
          url: 'https://issuer.example.com',
          clientId: 'hawser',
          secretName: 'portal-client',
          caConfigMap: 'issuer-ca',
        },
        tlsSecretName: 'portal-tls',
        trustedProxies: ['10.0.0.0/8'],
        oneClickApply: { enabled: true, hosts: ['*.example.com'], networks: ['10.0.0.0/8', 'fd00::/8'] },
        clusterIssuers: [
          { identity: 'uid', issuer: 'https://a', jwks: { keys: [{ kty: 'RSA', n: 'AQ', e: 'AQAB' }] } },
          { identity: 'other', issuer: 'https://b', jwksUrl: 'https://b/jwks', serviceAccount: 'kube-bind/konnector' },
        ],
      },
    },
  },
];

const found = await findHelm();
if ('missing' in found) {
  process.stderr.write(`skipped: the charts: ${found.missing}\n`);
  describe.skip('the charts', () => {
    it('needs Helm', () => undefined);
  });
} else {
  describeCharts(found.helm);
}

function describeCharts(helm: Helm): void {
  const objectsOf = ({ chart, values }: Pick<Case, 'chart' | 'values'>): Promise<readonly KubeObject[]> =>
    helm.template({ chart, name: chart, namespace: 'kube-bind' }, values);

  describe('the charts', () => {
    it.each(cases)('$chart, $title, is what Helm wants', async ({ chart, values }) => {
      expect(await helm.lint(chart, values)).toContain('0 chart(s) failed');
    });

    it.each(cases)('$chart, $title, grants no wildcard, nor to give rights away', async (one) => {
      const rules = (await objectsOf(one)).flatMap(
        (object) => (object as { readonly rules?: readonly Readonly<Record<string, readonly string[]>>[] }).rules ?? [],
      );
      expect(rules.length).toBeGreaterThan(0);
      for (const rule of rules) {
        const words = Object.values(rule).flat();
        expect(words).not.toEqual(expect.arrayContaining([expect.stringContaining('*')]));
        for (const word of ['escalate', 'impersonate', 'deletecollection']) expect(words).not.toContain(word);
        if (one.chart === 'provider' && rule['apiGroups']?.includes('rbac.authorization.k8s.io') === true)
          bindsOnlyKnownRoles(rule);
        else for (const word of ['bind', 'rbac.authorization.k8s.io']) expect(words).not.toContain(word);
      }
    });

    /** The provider binds roles that the operator has made, by their names. It makes and changes none. */
    function bindsOnlyKnownRoles({
      resources: kinds = [],
      verbs = [],
      resourceNames = [],
    }: Readonly<Record<string, readonly string[]>>): void {
      if (verbs.includes('bind')) {
        expect(kinds).toEqual(['clusterroles']);
        expect(resourceNames.length).toBeGreaterThan(0);
        for (const name of resourceNames) expect(name).toMatch(/^kube-binder(?::|$)/u);
      }
      if (kinds.some((kind) => kind === 'clusterroles' || kind === 'roles'))
        for (const verb of ['create', 'update', 'patch']) expect(verbs).not.toContain(verb);
    }

    it.each([
      ['konnector', { boundResources: [{ group: 'example.com', resources: ['*'] }] }, 'boundResources'],
      ['konnector', { boundResources: [{ group: '*', resources: ['databases'] }] }, 'boundResources'],
      ['konnector', { boundResources: [{ group: '', resources: ['secrets'] }] }, 'boundResources'],
      ['konnector', { orphans: { policy: 'delete' } }, 'policy'],
      ['konnector', { allowedGroups: ['a b'] }, 'allowedGroups'],
      ['konnector', { contestedAfter: 1 }, 'contestedAfter'],
      ['syncagent', {}, 'apiExportName'],
      ['syncagent', { apiExportName: 'example.com' }, 'kcpKubeconfig'],
      ['syncagent', { ...agent, disabledControllers: ['sink'] }, 'disabledControllers'],
      [
        'syncagent',
        { ...agent, publishedResources: [{ group: 'example.com', resources: ['*'] }] },
        'publishedResources',
      ],
      ['konnector', { replicaCount: 2 }, 'replicaCount'],
      ['konnector', { log: { level: 'loud' } }, 'level'],
      ['konnector', { name: 'Not_a_name' }, 'name'],
      ['konnector', { image: { repository: 'hawser', digest: 'sha256:short' } }, 'digest'],
      ['konnector', { metrics: { serviceMonitor: { enabled: true, interval: 'often' } } }, 'interval'],
      [
        'konnector',
        { metrics: { serviceMonitor: { enabled: true }, service: { enabled: false } } },
        'needs metrics.service',
      ],
      ['provider', { isolation: 'Total' }, 'isolation'],
    ] as const)('%s refuses %j', async (chart, values, words) => {
      await expect(objectsOf({ chart, values })).rejects.toThrow(words);
    });

    it.each([
      {
        chart: 'konnector',
        values: everything,
        file: 'hawser-konnector.json',
        service: 'konnector-metrics',
        alertName: 'HawserObjectsOutOfStep',
        words: '{{ $labels.binding }}',
      },
      {
        chart: 'syncagent',
        values: agentWithEverything,
        file: 'hawser-syncagent.json',
        service: 'syncagent-syncagent-metrics',
        alertName: 'HawserPublishedObjectsFailing',
        words: 'hawser why --roles syncagent --all',
      },
      {
        chart: 'provider',
        values: { metrics },
        file: 'hawser-provider.json',
        service: 'hawser-provider-metrics',
        alertName: 'HawserConsumersSilent',
        words: 'ClusterBindings say in Healthy',
      },
      {
        chart: 'provider',
        values: { metrics, gateway: { enabled: true, tlsSecretName: 'gateway-tls' } },
        file: 'hawser-gateway.json',
        service: 'hawser-provider-gateway-metrics',
        alertName: 'HawserGatewayRightsMissing',
        words: 'hawser rbac --roles gateway',
      },
    ] as const)(
      '$chart, $file: alerts and dashboard speak of series that there are',
      async ({ chart, values, file, service, alertName, words }) => {
        const known = definedMetrics();
        const objects = await objectsOf({ chart, values });
        // Each speaks of the pods behind one Service.
        const rule = objects.find(
          (one) => one.kind === 'PrometheusRule' && JSON.stringify(one).includes(`\\"${service}\\"`),
        ) as unknown as {
          readonly spec: {
            readonly groups: readonly {
              readonly rules: readonly {
                readonly alert: string;
                readonly expr: string;
                readonly annotations: Readonly<Record<string, string>>;
              }[];
            }[];
          };
        };
        const alerts = rule.spec.groups.flatMap(({ rules }) => rules);
        const config = objects.find(
          (one) => one.kind === 'ConfigMap' && JSON.stringify(one).includes(`"${file}":`),
        ) as unknown as {
          readonly data: Readonly<Record<string, string>>;
        };
        const dashboard = JSON.parse(config.data[file] ?? '') as {
          readonly panels: readonly { readonly targets?: readonly { readonly expr: string }[] }[];
        };
        const expressions = [
          ...alerts.map(({ expr }) => expr),
          ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
        ];
        expect(expressions.length).toBeGreaterThan(15);
        expect(
          dashboard.panels.every(({ targets = [] }) =>
            targets.every(({ expr }) => expr.includes('{namespace="$namespace",service="$service"')),
          ),
        ).toBe(true);
        for (const expression of expressions) {
          const names = [...expression.matchAll(/\b([a-z]+_[a-z0-9_]+)(?=\{)/gu)].map(([, name = '']) => name);
          expect({ expression, names: names.length }).not.toEqual({ expression, names: 0 });
          for (const name of names)
            expect({
              expression,
              name,
              known: known.has(name) || known.has(name.replace(/_(?:bucket|count|sum)$/u, '')),
            }).toMatchObject({ known: true });
        }
        // What Prometheus fills in has survived Helm, and nothing of Helm's language is left.
        expect(alerts.find(({ alert }) => alert === alertName)?.annotations['description']).toContain(words);
        for (const { annotations } of alerts) expect(JSON.stringify(annotations)).not.toMatch(/\.Values|include/u);
        for (const { expr } of alerts)
          expect(expr).toMatch(new RegExp(`\\{ namespace="[a-z-]+",service="${service}"`, 'u'));
        const documented = readFileSync(join(root, 'docs/reference/metrics.md'), 'utf8');
        for (const { alert } of alerts) expect(documented).toContain(`\`${alert}\``);
      },
    );

    it('the config file is one that hawser takes', async () => {
      // The syncagent has flags instead.
      for (const one of cases.filter(({ chart }) => chart !== 'syncagent')) {
        const config = (await objectsOf(one)).find(
          ({ kind, metadata }) => kind === 'ConfigMap' && !metadata.name.endsWith('dashboard'),
        ) as unknown as { readonly data: Readonly<Record<string, string>> };
        const given = parse(config.data['config.yaml'] ?? '') as object;
        expect(parseConfig(given, one.title)).toMatchObject(given);
        expect(given).toMatchObject({ roles: [one.chart] });
      }
    });

    it('the flags of the syncagent are such that it takes', async () => {
      for (const one of cases.filter(({ chart }) => chart === 'syncagent')) {
        const deployment = (await objectsOf(one)).find(({ kind }) => kind === 'Deployment') as unknown as {
          readonly spec: {
            readonly template: {
              readonly spec: { readonly containers: readonly { readonly args: readonly string[] }[] };
            };
          };
        };
        expect(readSyncagentCommand(deployment.spec.template.spec.containers[0]?.args ?? [], 'v0')).toMatchObject({
          kind: 'run',
        });
      }
    });

    it('the CRD of PublishedResources is the one that the agent knows', async () => {
      const crd = (await objectsOf({ chart: 'syncagent', values: agent })).find(
        ({ kind }) => kind === 'CustomResourceDefinition',
      );
      expect(crd).toEqual({
        ...publishedResourceCRD,
        metadata: { ...publishedResourceCRD.metadata, annotations: { 'helm.sh/resource-policy': 'keep' } },
      });
    });
  });

  describeWithControlPlane(
    'the charts in a cluster',
    () => {
      let plane: Plane;
      beforeAll(async () => {
        plane = await openPlane('consumer');
        // Pods of the charts must do with the least that Kubernetes has a name for.
        const restricted = {
          'pod-security.kubernetes.io/enforce': 'restricted',
          'pod-security.kubernetes.io/enforce-version': 'latest',
        };
        await plane.apply(
          { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-bind', labels: restricted } },
          { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team-a' } },
          { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'konnector', namespace: 'kube-bind' } },
          {
            apiVersion: 'v1',
            kind: 'ServiceAccount',
            metadata: { name: 'syncagent-syncagent', namespace: 'kube-bind' },
          },
          { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'hawser-provider', namespace: 'kube-bind' } },
          ...monitoringCrds,
        );
        for (const { metadata } of monitoringCrds)
          await plane.kubectl(['wait', '--for=condition=Established', `crd/${metadata.name}`, '--timeout=60s']);
      }, 240_000);
      afterAll(async () => {
        await plane.stop();
      });

      it.each(cases)(
        '$chart, $title: every manifest is accepted, and the pod under the strictest standard',
        async (one) => {
          const objects = await objectsOf(one);
          const accepted = await plane.kubectl(
            ['apply', '--server-side', '--dry-run=server', '--validate=strict', '--force-conflicts', '-f', '-'],
            JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }),
          );
          expect(accepted.trim().split('\n')).toHaveLength(objects.length);
          const deployment = objects.find(({ kind }) => kind === 'Deployment') as unknown as {
            readonly spec: { readonly template: { readonly metadata: object; readonly spec: object } };
          };
          const { metadata, spec } = deployment.spec.template;
          await plane.kubectl(
            ['create', '--dry-run=server', '--validate=strict', '-f', '-'],
            JSON.stringify({
              apiVersion: 'v1',
              kind: 'Pod',
              metadata: { ...metadata, name: 'pod', namespace: 'kube-bind' },
              spec,
            }),
          );
        },
      );

      it.each<{ readonly chart: ChartName; readonly first: Values; readonly second: Values }>([
        { chart: 'konnector', first: {}, second: everything },
        { chart: 'provider', first: {}, second: { replicas: 3, exportedResources, metrics } },
        // The agent's name stands on all copies, and stays.
        { chart: 'syncagent', first: agent, second: { ...agentWithEverything, agentName: 'syncagent' } },
      ])(
        '$chart: is installed, upgraded, rolled back to what it was, and removed',
        async ({ chart, first, second }) => {
          const release = { chart, name: chart, namespace: `life-of-${chart}` };
          const { kubeconfigFile } = plane;
          /** What the release has in the cluster, without what an API server writes there. */
          const installed = async (): Promise<readonly object[]> => {
            const kinds =
              'deployment,role,rolebinding,clusterrole,clusterrolebinding,configmap,service,serviceaccount,poddisruptionbudget,networkpolicy,prometheusrule,servicemonitor,validatingadmissionpolicy,validatingadmissionpolicybinding';
            const text = await plane.kubectl([
              'get',
              kinds,
              '--all-namespaces',
              `--selector=app.kubernetes.io/instance=${chart}`,
              '--output=json',
            ]);
            const { items } = JSON.parse(text) as { readonly items: readonly (KubeObject & { status?: object })[] };
            return items
              .filter(({ metadata }) => JSON.stringify(metadata).includes(release.namespace))
              .map(({ metadata: { name, namespace, labels }, ...object }) => {
                delete object.status;
                return { ...object, name, namespace, labels };
              });
          };
          await helm.upgrade(kubeconfigFile, release, first);
          const before = await installed();
          expect(before.length).toBeGreaterThan(4);
          await helm.upgrade(kubeconfigFile, release, second);
          expect(await installed()).not.toEqual(before);
          await helm.rollback(kubeconfigFile, release, 1);
          expect(await installed()).toEqual(before);
          await helm.uninstall(kubeconfigFile, release);
          expect(await installed()).toEqual([]);
        },
        60_000,
      );

      (previousRelease.missing === undefined ? it : it.skip).each<{
        readonly chart: ChartName;
        readonly given: Values;
      }>([
        { chart: 'konnector', given: { replicas: 3 } },
        { chart: 'provider', given: { replicas: 3 } },
        { chart: 'syncagent', given: { ...agent, replicas: 3 } },
      ])(
        `$chart: an upgrade from ${previousRelease.version} keeps what the release was given`,
        async ({ chart, given }) => {
          const release = { chart, name: chart, namespace: `life-of-${chart}` };
          const { kubeconfigFile } = plane;
          await helm.installOf(join(previousRelease.folder, 'charts'), kubeconfigFile, release, given);
          const upgraded = async (): Promise<unknown> => {
            const text = await plane.kubectl([
              'get',
              'deployments',
              `--namespace=${release.namespace}`,
              `--selector=app.kubernetes.io/instance=${release.name}`,
              '--output=json',
            ]);
            const { items } = JSON.parse(text) as {
              readonly items: readonly { readonly spec: { readonly replicas: number } }[];
            };
            return items.map(({ spec }) => spec.replicas);
          };
          expect(await upgraded()).toEqual([3]);
          await helm.upgradeAsItIs(kubeconfigFile, release);
          expect(await upgraded()).toEqual([3]);
          await helm.rollback(kubeconfigFile, release, 1);
          expect(await upgraded()).toEqual([3]);
          await helm.uninstall(kubeconfigFile, release);
        },
        60_000,
      );

      it('a ClusterRole with the label counts without an upgrade, and no longer once it is gone', async () => {
        await plane.apply(...(await objectsOf({ chart: 'konnector', values: {} })));
        const connection = await plane.controlPlane!.serviceAccountAccess('kube-bind', 'konnector');
        const client = createClient({ name: 'konnector', connection: connection.connection, userAgent: 'e2e' });
        const may = async (): Promise<boolean> => {
          const spec = { resourceAttributes: { group: 'late.example.com', resource: 'lates', verb: 'patch' } };
          const review = (await client.raw('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
            apiVersion: 'authorization.k8s.io/v1',
            kind: 'SelfSubjectAccessReview',
            spec,
          })) as { readonly status: { readonly allowed: boolean } };
          return review.status.allowed;
        };
        try {
          expect(await may()).toBe(false);
          await plane.apply({
            apiVersion: 'rbac.authorization.k8s.io/v1',
            kind: 'ClusterRole',
            metadata: { name: 'lates', labels: { 'rbac.hawser.dev/aggregate-to-konnector': 'true' } },
            rules: [
              { apiGroups: ['late.example.com'], resources: ['lates'], verbs: ['get', 'list', 'watch', 'patch'] },
            ],
          });
          await eventually(
            async () => {
              expect(await may()).toBe(true);
            },
            { timeoutMs: 30_000, intervalMs: 100 },
          );
          // An upgrade leaves alone what was added.
          await plane.apply(...(await objectsOf({ chart: 'konnector', values: {} })));
          expect(await may()).toBe(true);
          await plane.kubectl(['delete', 'clusterrole', 'lates']);
          await eventually(
            async () => {
              expect(await may()).toBe(false);
            },
            { timeoutMs: 30_000, intervalMs: 100 },
          );
        } finally {
          await client.close();
        }
      });
    },
    { controllerManager: true },
  );
}

/** Names of metrics as the sources define them, and the ones of prom-client that we use. */
function definedMetrics(): ReadonlySet<string> {
  const sources = globSync('{packages,apps}/**/src/**/*.ts', {
    cwd: root,
    exclude: (name) => name.endsWith('.test.ts') || name === 'node_modules' || name === 'dist',
  });
  const names = sources.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/name: '([a-z]+_[a-z0-9_]+)'/gu)].map(([, name = '']) => name),
  );
  return new Set([
    ...names,
    'process_cpu_seconds_total',
    'process_resident_memory_bytes',
    'nodejs_eventloop_lag_p99_seconds',
  ]);
}
