/** Suites that run with the supervisor as pods, in this order: `bundle` leaves its bindings in the clusters. */
export const podSuites: readonly string[] = [
  'pods',
  'bad-input',
  'main-path',
  'deletion',
  'namespaces',
  'claims',
  'policies',
  'combinations',
  'hostile',
  'files',
  'bundle',
];

const proxies = 'disturbs connections by a proxy in the process of the tests, which pods do not reach';
const kills = 'kills the konnector at chosen moments, as a process of the tests';
const processes = 'is about the process, its flags and signals';

const kcp = 'runs the syncagent as a process beside a kcp in the process of the tests';
const klutch = 'starts its roles itself, as processes, with the rights of the charts';
const commands = 'runs commands beside the clusters, where the name that pods have for the provider is not known';
const tenants = 'has several consumer clusters of its own';

/** Why the other suites do not run as pods. */
export const notAsPods: Readonly<Record<string, string>> = {
  agent: kcp,
  'agent-bad-input': kcp,
  'agent-crash': kcp,
  'agent-lease': kcp,
  'agent-life': kcp,
  'agent-schema': kcp,
  'agent-rights': kcp,
  'agent-shards': kcp,
  'agent-take-over': kcp,
  'app-clusters': klutch,
  bind: commands,
  chart: 'renders templates; needs no cluster',
  charts: 'starts an API server of its own; the charts are installed by every suite here',
  connection: `${proxies}, and restarts API servers`,
  crash: kills,
  explain: commands,
  isolation: 'sends the requests of consumers itself; no konnector takes part',
  'isolation-chart': 'renders templates; needs no cluster',
  'kill-points': kills,
  klutch,
  'klutch-bind': klutch,
  'klutch-konnector': klutch,
  'klutch-withdrawn': klutch,
  lease: 'names the holders of the Lease, and reads audit logs; pods are killed in suite pods',
  onboarding: 'starts hawser-backend as a process, with the rights of the chart',
  process: processes,
  schema: tenants,
  stop: processes,
  'take-over': 'loads recordings into etcd before the API server starts',
  unbind: proxies,
};

/** Decides which suites run. */
export function planSuites(
  all: readonly string[],
  wanted: readonly string[],
): { readonly run: readonly string[]; readonly leftOut: readonly string[] } {
  const run = wanted.length > 0 ? wanted : podSuites.filter((suite) => all.includes(suite));
  const leftOut =
    wanted.length > 0
      ? []
      : all
          .filter((suite) => !run.includes(suite))
          .map((suite) => `${suite}: ${notAsPods[suite] ?? 'has not been tried with pods'}`);
  return { run, leftOut };
}
