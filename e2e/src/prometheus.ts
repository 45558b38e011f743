import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { type Program, startProgram } from './program.js';
import { root } from './root.js';
import { startWatchdog } from './watchdog.js';

/** A Prometheus that scrapes one program each second, with the labels of the charts' ServiceMonitor. */
export interface Prometheus {
  /**
   * Number of series of an expression.
   * @throws Error if the expression is invalid
   */
  series(expression: string): Promise<number>;
  stop(): Promise<void>;
}

const labels = { namespace: 'hawser', service: 'metrics' };

/** @param metrics URL of its metrics, without the path */
export async function startPrometheus(command: string, metrics: string): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'hawser-prometheus-'));
  const watchdog = startWatchdog();
  const config = join(folder, 'prometheus.yaml');
  writeFileSync(
    config,
    stringify({
      global: { scrape_interval: '1s' },
      scrape_configs: [{ job_name: 'hawser', static_configs: [{ targets: [new URL(metrics).host], labels }] }],
    }),
  );
  const program: Program = await startProgram({
    name: 'prometheus',
    command,
    addressFlag: '--web.listen-address',
    args: [`--config.file=${config}`, `--storage.tsdb.path=${join(folder, 'data')}`],
    folder,
    watchdog,
  });
  return {
    async series(expression) {
      const answer = await fetch(`${program.health}/api/v1/query?query=${encodeURIComponent(expression)}`);
      const { data, error } = (await answer.json()) as {
        readonly data?: { readonly result: readonly unknown[] };
        readonly error?: string;
      };
      if (data === undefined) throw new Error(`${expression}: ${error ?? answer.status}`);
      return data.result.length;
    },
    async stop() {
      await program.stop();
      await watchdog.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type Chart = 'konnector' | 'provider' | 'syncagent';

/** Queries of a chart's dashboard panels, by title, for this program. */
export function panelsOf(chart: Chart): readonly (readonly [title: string, expression: string])[] {
  const { panels } = JSON.parse(readFileSync(join(root, 'charts', chart, 'files/dashboard.json'), 'utf8')) as {
    readonly panels: readonly { readonly title: string; readonly targets?: readonly { readonly expr: string }[] }[];
  };
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(
      ({ expr }) =>
        [title, expr.replaceAll('$namespace', labels.namespace).replaceAll('$service', labels.service)] as const,
    ),
  );
}

/** Panels without data, except those that only show faults. Runs every query, which finds invalid ones. */
export async function emptyPanels(
  prometheus: Prometheus,
  chart: Chart,
  troubles: readonly string[],
): Promise<readonly string[]> {
  const empty: string[] = [];
  for (const [title, expression] of panelsOf(chart))
    if ((await prometheus.series(expression)) === 0 && !troubles.includes(title)) empty.push(`${title}: ${expression}`);
  return empty;
}
