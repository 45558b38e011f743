import { type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { type KubeObject, createClient } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { createSharedInformers } from '@hawser/informer';
import { type APIServiceExport, resources } from '@hawser/kube-bind';
import { noMetrics, silentLogger } from '@hawser/telemetry';
import { eventually, roughEdge } from '@hawser/testenv';
import { expect } from '@jest/globals';

import { readClaims } from './claim.js';
import { createSelection } from './selection.js';

const test = {
  apiVersion: 'example.com/v1',
  kind: 'Test',
  metadata: { namespace: 'team', name: 'one', uid: 'u', resourceVersion: '5' },
  spec: { settings: 'named' },
};
const apiExport = {
  spec: {
    informerScope: 'Namespaced',
    isolation: 'Prefixed',
    resources: [{ group: 'example.com', resource: 'tests', versions: ['v1'] }],
  },
} as Pick<APIServiceExport, 'spec'>;
const { claims } = readClaims(
  'b',
  [
    {
      group: '',
      resource: 'configmaps',
      selector: { references: [{ group: 'example.com', resource: 'tests', jsonPath: { name: 'spec.settings' } }] },
    },
  ],
  apiExport,
);
const configMap = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'team', name },
});

roughEdge(
  '§17.7 references',
  'a look at an object reads none of those that may refer to it, and what is claimed stays so while they cannot be read',
  async () => {
    const watches = new Set<ServerResponse>();
    let lists = 0;
    let refused = 0;
    let works = true;
    const server: Server = createServer(({ url = '' }, response) => {
      response.writeHead(works ? 200 : 500, { 'content-type': 'application/json' });
      if (!works) {
        refused++;
        response.end('{}');
      } else if (url.includes('watch=')) {
        watches.add(response);
        response.flushHeaders();
      } else {
        lists++;
        response.end(
          JSON.stringify({
            apiVersion: 'example.com/v1',
            kind: 'TestList',
            metadata: { resourceVersion: '5' },
            items: [test],
          }),
        );
      }
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const client = createClient({
      name: 'consumer',
      connection: {
        server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        credentials: { kind: 'none' },
      },
    });
    const informers = createSharedInformers({
      client,
      clock: systemClock,
      random: () => 0,
      logger: silentLogger,
      metrics: noMetrics,
    });
    const selection = createSelection(informers, resources.configMaps, () => undefined);
    const look = (name: string): readonly string[] => selection.claimedBy('consumer', 'team', configMap(name));
    try {
      selection.set(claims);
      await Promise.all(selection.informers.map((informer) => informer.synced(AbortSignal.timeout(20_000))));
      for (let i = 0; i < 20; i++) expect([look('named'), look(`other-${i}`)]).toEqual([['b'], []]);
      expect(lists).toBe(1);
      await eventually(() => {
        expect(watches.size).toBe(1);
      });
      works = false;
      for (const watch of watches) watch.destroy();
      await eventually(() => {
        expect(refused).toBeGreaterThan(1);
      });
      expect(look('named')).toEqual(['b']);
    } finally {
      selection.close();
      await informers.close();
      await client.close();
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    }
  },
  'references-listed',
);
