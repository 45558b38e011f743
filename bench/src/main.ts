import { writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { installAgents } from './agent/installation.js';
import { build } from './build.js';
import { readDialect } from './dialect.js';
import { benchGrowth, slope } from './growth.js';
import { benchDistance } from './distance.js';
import { benchFairness } from './fairness.js';
import { type Installation, type InstallOptions, install } from './installation.js';
import { benchGatewayWatches, gatewayWatchesVerdicts } from './gateway-watches.js';
import { benchGatewayTiming, gatewayTimingVerdicts } from './gateway-timing.js';
import { benchGateway, gatewayVerdicts } from './gateway.js';
import { benchJson } from './json.js';
import { benchKonnector, verdicts } from './konnector.js';
import { benchPortal, portalVerdicts } from './portal.js';
import { prepare } from './prepare.js';
import { benchProvider, providerVerdicts } from './provider/measure.js';
import { benchQueue } from './queue.js';
import { type Relay, openRelay } from './relay.js';
import { benchRestart } from './restart.js';
import { benchScale } from './scale.js';
import { benchSoak } from './soak.js';
import { agentVerdicts, benchSyncagent } from './syncagent.js';
import type { Verdict } from './konnector.js';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    dialect: { type: 'string', default: 'v1' },
    count: { type: 'string' },
    bindings: { type: 'string', default: '1' },
    providers: { type: 'string', default: '1' },
    counts: { type: 'string', default: '1000,5000' },
    changes: { type: 'string', default: '300' },
    minutes: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '3' },
    idle: { type: 'string', default: '10' },
    json: { type: 'string' },
    profile: { type: 'string' },
    consumers: { type: 'string', default: '200' },
    exports: { type: 'string', default: '1' },
    konnectors: { type: 'string', default: '1' },
    kcp: { type: 'string' },
    workspaces: { type: 'string', default: '1,100,1000' },
    present: { type: 'string', default: '10000' },
    'round-trips': { type: 'string', default: '0,20,80,200' },
  },
});
const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const { profile } = values;

const count = (fallback: number): number => Number(values.count ?? fallback);

/** Runs on two control planes with bindings, prepared by a konnector that has ended. */
async function installed<T>(
  work: (installation: Installation) => Promise<T>,
  options: InstallOptions = {},
): Promise<T> {
  build(root);
  print('starting two control planes');
  const installation = await install({ dialect: readDialect(values.dialect), ...options });
  try {
    await prepare(installation, root);
    return await work(installation);
  } finally {
    await installation.close();
  }
}

function write(result: unknown): void {
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(result, undefined, 2)}\n`);
}

function printVerdicts(results: readonly Verdict[]): void {
  for (const { figure, measured, goal, reached } of results)
    print(
      `${figure.padEnd(30)} ${measured.toFixed(2).padStart(8)}   goal ${goal.padEnd(8)} ${reached ? 'reached' : 'missed'}`,
    );
}

switch (positionals[0]) {
  case 'konnector': {
    const rounds = await installed((installation) =>
      benchKonnector(installation, {
        count: count(1_000),
        changes: Number(values.changes),
        rounds: Number(values.rounds),
        idleMs: Number(values.idle) * 1_000,
        root,
        profile,
        print,
      }),
    );
    const results = verdicts(rounds, readDialect(values.dialect));
    printVerdicts(results);
    write({ rounds, results });
    break;
  }
  case 'syncagent': {
    build(root);
    print('starting a service cluster and a kcp');
    const installation = await installAgents({ root, kubeconfig: values.kcp, print });
    try {
      const result = await benchSyncagent(installation, {
        count: count(1_000),
        changes: Number(values.changes),
        rounds: Number(values.rounds),
        workspaces: values.workspaces.split(',').map(Number),
        present: Number(values.present),
        bindings: 5,
        idleMs: Number(values.idle) * 1_000,
        root,
        profile,
        print,
      });
      const results = agentVerdicts(result);
      printVerdicts(results);
      write({ ...result, results });
    } finally {
      await installation.close();
    }
    break;
  }
  case 'provider': {
    build(root);
    print('starting a control plane');
    const result = await benchProvider({
      consumers: Number(values.consumers),
      exports: Number(values.exports),
      konnectors: Number(values.konnectors),
      rounds: Number(values.rounds),
      stored: count(10_000),
      root,
      profile,
      print,
    });
    const results = providerVerdicts(result);
    printVerdicts(results);
    write({ ...result, results });
    break;
  }
  case 'portal': {
    build(root);
    const result = await benchPortal({
      signIns: count(1_000),
      reads: 5_000,
      templates: 20,
      consumers: 200,
      exports: 20,
      root,
      print,
    });
    const results = portalVerdicts(result);
    printVerdicts(results);
    write({ ...result, results });
    break;
  }
  case 'gateway': {
    const result = await benchGateway({
      changes: Number(values.changes),
      consumers: Number(values.consumers),
      objects: Number(values.present),
      print,
    });
    const results = gatewayVerdicts(result);
    print(JSON.stringify(result, undefined, 2));
    printVerdicts(results);
    write({ ...result, results });
    break;
  }
  case 'gateway-timing': {
    const cases = await benchGatewayTiming({ requests: count(3_000), print });
    const results = gatewayTimingVerdicts(cases);
    printVerdicts(results);
    write({ cases, results });
    break;
  }
  case 'gateway-watches': {
    build(root);
    const result = await benchGatewayWatches({
      consumers: Number(values.consumers),
      resources: 20,
      objects: 10,
      root,
      print,
    });
    const results = gatewayWatchesVerdicts(result);
    print(JSON.stringify(result, undefined, 2));
    printVerdicts(results);
    write({ ...result, results });
    break;
  }
  case 'growth': {
    const results = await installed((installation) =>
      benchGrowth(installation, { counts: values.counts.split(',').map(Number), root, profile, print }),
    );
    print(
      `per further object: ${slope(results, 'cpuMs').toFixed(2)} ms CPU, ${(slope(results, 'restRssBytes') / 1_000).toFixed(1)} kB resident at rest, ${(slope(results, 'heapBytes') / 1_000).toFixed(1)} kB of heap`,
    );
    write(results);
    break;
  }
  case 'restart':
    write(
      await installed((installation) =>
        benchRestart(installation, { count: count(1_000), rounds: Number(values.rounds), root, print }),
      ),
    );
    break;
  case 'fairness':
    write(
      await installed(
        (installation) =>
          benchFairness(installation, { count: count(5_000), changes: Number(values.changes), root, print }),
        { bindings: 2 },
      ),
    );
    break;
  case 'distance': {
    let relay: Relay | undefined;
    const between = async (server: string): Promise<string> => {
      relay = await openRelay(server);
      return relay.server;
    };
    try {
      write(
        await installed(
          async (installation) => {
            if (relay === undefined) throw new Error('nothing leads over the relay');
            const roundTrips = values['round-trips'].split(',').map(Number);
            const changes = Number(values.changes);
            return benchDistance(installation, relay, { count: count(1_000), changes, roundTrips, root, print });
          },
          { between },
        ),
      );
    } finally {
      await relay?.close();
    }
    break;
  }
  case 'scale':
    write(
      await installed((installation) => benchScale(installation, { count: count(20_000), root, print }), {
        bindings: Number(values.bindings),
        providers: Number(values.providers),
      }),
    );
    break;
  case 'soak':
    write(
      await installed((installation) =>
        benchSoak(installation, { count: count(5_000), minutes: Number(values.minutes), root, print }),
      ),
    );
    break;
  case 'json':
    for (const { operation, reference, hawser } of benchJson()) {
      print(
        `${operation.padEnd(26)} JSON ${reference.toFixed(1).padStart(6)} µs   hawser ${hawser.toFixed(1).padStart(6)} µs   ratio ${(hawser / reference).toFixed(2)}`,
      );
    }
    break;
  case 'queue': {
    const costs = await benchQueue();
    for (const { what, cpuMicros, heapBytes } of costs)
      print(
        `${what.padEnd(42)} ${cpuMicros.toFixed(1).padStart(6)} µs CPU for each key, ${heapBytes.toFixed(0).padStart(5)} B of heap for each that waits`,
      );
    write(costs);
    break;
  }
  case undefined:
  default:
    print(
      'usage: npm run bench -- konnector [--dialect v1|v2] [--count 1000] [--changes 300] [--rounds 3] [--idle seconds] [--json FILE] [--profile FOLDER]',
    );
    print(
      '       npm run bench -- syncagent [--kcp KUBECONFIG] [--workspaces 1,100,1000] [--count 1000] [--present 10000] [--changes 300] [--rounds 3] [--idle seconds] [--json FILE] [--profile FOLDER]',
    );
    print(
      '       npm run bench -- provider [--consumers 200] [--exports 1] [--konnectors 1] [--count 10000] [--rounds 3] [--json FILE] [--profile FOLDER]',
    );
    print('       npm run bench -- portal [--count 1000] [--json FILE]');
    print('       npm run bench -- gateway [--consumers 200] [--present 10000] [--changes 300] [--json FILE]');
    print('       npm run bench -- gateway-timing [--count 3000] [--json FILE]');
    print('       npm run bench -- gateway-watches [--consumers 500] [--json FILE]');
    print('       npm run bench -- growth [--counts 1000,5000] [--json FILE] [--profile FOLDER]');
    print('       npm run bench -- restart [--dialect v1|v2] [--count 1000] [--rounds 3] [--json FILE]');
    print('       npm run bench -- fairness [--count 5000] [--changes 300] [--json FILE]');
    print('       npm run bench -- distance [--count 1000] [--changes 300] [--round-trips 0,20,80,200] [--json FILE]');
    print('       npm run bench -- soak [--count 5000] [--minutes 10] [--json FILE]');
    print('       npm run bench -- scale [--count 20000] [--bindings 1] [--providers 1] [--json FILE]');
    print('       npm run bench -- queue [--json FILE]');
    print('       npm run bench -- json');
    process.exitCode = 2;
}
