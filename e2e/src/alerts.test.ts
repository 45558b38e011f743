import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse, stringify } from 'yaml';
import { locatePrometheus } from '../../tools/programs/prometheus.ts';
import { type ChartName, findHelm } from './helm.js';
import { root } from './root.js';

const execute = promisify(execFile);
const [found, helm] = await Promise.all([locatePrometheus({ quick: true }), findHelm({ quick: true })]);

interface Rule {
  readonly alert: string;
  readonly annotations: Readonly<Record<string, string>>;
}

interface Scenario {
  readonly alert: string;
  /** What is measured minute by minute, in the words of promtool: first as it should be, then the fault, then as it was. `$` stands for the labels of the release. */
  readonly series: readonly (readonly [series: string, values: string])[];
  /** Minutes at which it must fire, and at which it must not. */
  readonly fires: number;
  readonly silent: readonly number[];
}

/** A gauge that is 0, then for an hour and a half `value`, then 0. */
const gauge = (value: number): string => `0x10 ${value}x90 0x200`;
/** A counter that stands still, then grows by `step` each minute for an hour, then stands still. */
const counter = (step: number): string => `0x10 0+${step}x60 ${step * 60}x200`;
/** One that always grows by as much. */
const busy = (step: number): string => `0+${step}x400`;

const requests = (alert: string, cluster: string): Scenario => ({
  alert,
  series: [
    [`hawser_client_requests_total{$,cluster="${cluster}",code="200"}`, busy(60)],
    [`hawser_client_requests_total{$,cluster="${cluster}",code="ECONNREFUSED"}`, counter(60)],
  ],
  fires: 40,
  silent: [9, 100],
});
const refused = (alert: string, code: '401' | '403'): Scenario => ({
  alert,
  series: [[`hawser_client_requests_total{$,cluster="provider",code="${code}"}`, counter(3)]],
  fires: 40,
  silent: [9, 100],
});
/** Of a hundred requests of consumers in a minute, that many more are answered so. */
const answered = (alert: string, code: string, more: number, fires: number): Scenario => ({
  alert,
  series: [
    ['hawser_gateway_requests_total{$,verb="list",code="200"}', busy(100)],
    [`hawser_gateway_requests_total{$,verb="list",code="${code}"}`, counter(more)],
  ],
  fires,
  silent: [9, 120],
});
const slow = (prefix: string): readonly Scenario[] => [
  {
    alert: `${prefix}ReconcileHangs`,
    series: [['workqueue_longest_running_processor_seconds{$,name="sync"}', gauge(301)]],
    fires: 20,
    silent: [9, 120],
  },
  {
    alert: `${prefix}QueueGrows`,
    series: [['workqueue_depth{$,name="sync"}', gauge(1_001)]],
    fires: 80,
    silent: [9, 120],
  },
];
const bug = (prefix: string): Scenario => ({
  alert: `${prefix}Bug`,
  // A series begins with its first error.
  series: [['hawser_informer_handler_errors_total{$,cluster="consumer",resource="secrets"}', '_x10 1x100']],
  fires: 12,
  silent: [9, 40],
});
const blocked = (alert: string): Scenario => ({
  alert,
  series: [['nodejs_eventloop_lag_p99_seconds{$,pod="one"}', gauge(3)]],
  fires: 40,
  silent: [9, 120],
});
const late = (alert: string, values: string, fires: number, silent: readonly number[]): Scenario => ({
  alert,
  series: [['hawser_sync_oldest_unsynced_seconds{$,binding="databases",resource="databases"}', values]],
  fires,
  silent,
});
/** The leader is away for an hour. */
const down = (alert: string): Scenario => ({
  alert,
  series: [
    ['leader_election_master_status{$,pod="one"}', '1x10 0x60 0x200'],
    ['leader_election_master_status{$,pod="two"}', '0x10 0x60 1x200'],
  ],
  fires: 30,
  silent: [9, 90],
});

const charts: readonly {
  readonly chart: ChartName;
  /** Of the PrometheusRule. */
  readonly rule: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly labels: string;
  readonly scenarios: readonly Scenario[];
}[] = [
  {
    chart: 'konnector',
    rule: 'konnector',
    values: { shards: 3 },
    labels: 'namespace="hawser",service="konnector-metrics"',
    scenarios: [
      down('HawserKonnectorDown'),
      {
        alert: 'HawserObjectsOutOfStep',
        series: [['hawser_sync_oldest_unsynced_seconds{$,binding="databases",resource="databases"}', gauge(301)]],
        fires: 40,
        silent: [9, 120],
      },
      {
        alert: 'HawserDeadLetters',
        series: [['hawser_sync_dead_letters{$,binding="databases",resource="databases",reason="Invalid"}', gauge(1)]],
        fires: 40,
        silent: [9, 24, 120],
      },
      {
        alert: 'HawserDeletionsHeld',
        series: [['hawser_sync_deletions_held{$,binding="databases"}', gauge(9)]],
        fires: 12,
        silent: [9, 120],
      },
      requests('HawserProviderUnreachable', 'provider'),
      requests('HawserConsumerUnreachable', 'consumer'),
      refused('HawserCredentialRefused', '401'),
      refused('HawserRightsMissing', '403'),
      ...slow('Hawser'),
      {
        alert: 'HawserShardsUnowned',
        series: [['hawser_shards_unowned{$,name="kube-bind",pod="one"}', '0x10 4x60 0x200']],
        fires: 30,
        silent: [9, 90],
      },
      {
        alert: 'HawserShardMembersMissing',
        series: [['hawser_shard_members{$,name="kube-bind",pod="one"}', '3x10 2x60 3x200']],
        fires: 30,
        silent: [9, 90],
      },
      {
        alert: 'HawserLeaderChanges',
        series: [['hawser_lease_terms_total{$,name="konnector",reason="expired"}', '0x10 0+1x9 9x300']],
        fires: 30,
        silent: [9, 200],
      },
      bug('Hawser'),
      blocked('HawserEventLoopBlocked'),
      late('HawserBudgetBurnsFast', '0x60 90x20 0x500', 72, [59, 200]),
      // One minute in twenty: more than the budget allows, and nothing that anybody would see at a glance.
      late('HawserBudgetBurnsSlowly', `0x400 ${'90 0x17 '.repeat(20)}0x500`, 700, [399, 1_250]),
    ],
  },
  {
    chart: 'provider',
    rule: 'hawser-provider',
    values: {},
    labels: 'namespace="hawser",service="hawser-provider-metrics"',
    scenarios: [
      down('HawserProviderDown'),
      {
        alert: 'HawserConsumersSilent',
        series: [
          ['hawser_provider_consumers{$,health="healthy"}', '9x300'],
          ['hawser_provider_consumers{$,health="silent"}', gauge(2)],
        ],
        fires: 40,
        silent: [9, 20, 120],
      },
      {
        alert: 'HawserConsumersDrifting',
        series: [['hawser_provider_consumers{$,health="drifting"}', gauge(1)]],
        fires: 60,
        silent: [9, 120],
      },
      {
        alert: 'HawserSchemaUpdatesHeld',
        series: [['hawser_provider_schema_updates_held{$,reason="Breaking",dialect="kube-bind"}', gauge(1)]],
        fires: 80,
        silent: [60, 120],
      },
      {
        alert: 'HawserWithdrawnObjects',
        series: [['hawser_provider_withdrawn_objects{$,dialect="kube-bind"}', '0x10 4x2000 0x100']],
        fires: 1_500,
        silent: [1_000, 2_100],
      },
      {
        alert: 'HawserOtherBackend',
        series: [['hawser_provider_other_backend_writes_total{$}', '0x10 3x100']],
        fires: 12,
        silent: [9, 40],
      },
      requests('HawserProviderClusterUnreachable', 'provider'),
      refused('HawserProviderCredentialRefused', '401'),
      refused('HawserProviderRightsMissing', '403'),
      ...slow('HawserProvider'),
      bug('HawserProvider'),
      blocked('HawserProviderEventLoopBlocked'),
    ],
  },
  {
    chart: 'provider',
    rule: 'hawser-provider-gateway',
    values: { gateway: { enabled: true, tlsSecretName: 'gateway-tls' } },
    labels: 'namespace="hawser",service="hawser-provider-gateway-metrics"',
    scenarios: [
      {
        alert: 'HawserGatewayDown',
        series: [['hawser_gateway_watches{$,pod="one"}', '5x10 _x60 5x100']],
        fires: 40,
        silent: [9, 90],
      },
      answered('HawserGatewayFails', '503', 6, 40),
      answered('HawserGatewayThrottles', '429', 12, 60),
      {
        alert: 'HawserGatewayRefusesConnections',
        series: [['hawser_gateway_refused_connections_total{$,reason="address"}', counter(5)]],
        fires: 50,
        silent: [9, 120],
      },
      requests('HawserGatewayClusterUnreachable', 'provider'),
      refused('HawserGatewayCredentialRefused', '401'),
      refused('HawserGatewayRightsMissing', '403'),
      bug('HawserGateway'),
      blocked('HawserGatewayEventLoopBlocked'),
    ],
  },
  {
    chart: 'syncagent',
    rule: 'syncagent-syncagent',
    values: {
      apiExportEndpointSliceName: 'lab',
      agentName: 'lab',
      kcpKubeconfig: 'kcp-kubeconfig',
      publishedResources: [{ group: 'example.com', resources: ['databases'] }],
    },
    labels: 'namespace="hawser",service="syncagent-syncagent-metrics"',
    scenarios: [
      down('HawserAgentDown'),
      {
        alert: 'HawserPublishedObjectsFailing',
        series: [['hawser_published_objects_failing{$,agent="lab",published_resource="databases"}', gauge(1)]],
        fires: 60,
        silent: [9, 120],
      },
      {
        alert: 'HawserCopiesOrphaned',
        series: [['hawser_published_copies_orphaned{$,agent="lab",published_resource="databases"}', gauge(1)]],
        fires: 80,
        silent: [60, 120],
      },
      requests('HawserServiceClusterUnreachable', 'service'),
      requests('HawserKcpUnreachable', 'kcp'),
      refused('HawserAgentCredentialRefused', '401'),
      refused('HawserAgentRightsMissing', '403'),
      ...slow('HawserAgent'),
      bug('HawserAgent'),
    ],
  },
];

if ('missing' in found) it.skip(`alerts: ${found.missing}`, () => undefined);
else if ('missing' in helm) it.skip(`alerts: ${helm.missing}`, () => undefined);
else
  describe.each(charts)('alerts of $rule', ({ chart, rule, values, labels, scenarios }) => {
    let folder: string;
    let groups: readonly { readonly rules: readonly Rule[] }[];
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'hawser-alerts-'));
      const objects = await helm.helm.template(
        { chart, name: chart, namespace: 'hawser' },
        { ...values, metrics: { rules: { enabled: true, runbookBase: 'https://docs.example.com/' } } },
      );
      const rules = objects.find(
        ({ kind, metadata }) => kind === 'PrometheusRule' && metadata.name === rule,
      ) as unknown as { readonly spec: { readonly groups: typeof groups } } | undefined;
      groups = rules?.spec.groups ?? [];
      writeFileSync(join(folder, 'rules.yml'), stringify({ groups }));
      await execute(found.promtool, ['check', 'rules', join(folder, 'rules.yml')]);
    });
    afterAll(() => {
      rmSync(folder, { recursive: true, force: true });
    });
    const alerts = (): readonly Rule[] => groups.flatMap(({ rules }) => rules);

    it('are each tried here, and have a runbook', () => {
      expect(alerts().map(({ alert }) => alert)).toEqual(scenarios.map(({ alert }) => alert));
      const headings = readFileSync(join(root, 'docs/how-to/runbooks.md'), 'utf8')
        .split('\n')
        .flatMap((line) => (line.startsWith('### ') ? [line.slice(4)] : []));
      for (const { alert, annotations } of alerts()) {
        expect(headings).toContain(alert);
        expect(annotations['runbook_url']).toBe(
          `https://docs.example.com/docs/how-to/runbooks.md#${alert.toLowerCase()}`,
        );
      }
    });

    it.each(scenarios)('$alert fires for its fault, and ends with it', async ({ alert, series, fires, silent }) => {
      const firing = `count(ALERTS{alertname="${alert}",alertstate="firing"})`;
      const at = (minute: number, samples: readonly object[]): object => ({
        expr: firing,
        eval_time: `${minute}m`,
        exp_samples: samples,
      });
      const file = join(folder, `${alert}.yml`);
      const test = {
        rule_files: ['rules.yml'],
        evaluation_interval: '1m',
        tests: [
          {
            interval: '1m',
            input_series: series.map(([name, given]) => ({ series: name.replace('$', labels), values: given })),
            promql_expr_test: [at(fires, [{ labels: '{}', value: 1 }]), ...silent.map((minute) => at(minute, []))],
          },
        ],
      };
      writeFileSync(file, stringify(test));
      expect(parse(readFileSync(file, 'utf8'))).toEqual(test);
      await execute(found.promtool, ['test', 'rules', file], { cwd: folder });
    });
  });
