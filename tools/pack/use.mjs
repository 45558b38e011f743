// Runs in the empty project: imports each package named on the command line, and performs its small real task below.
import assert from 'node:assert/strict';

/** Nothing listens there. */
const nowhere = { server: 'https://127.0.0.1:1', credentials: { kind: 'token', token: 'none' } };

/** @type {Record<string, (module: any) => unknown>} */
const uses = {
  '@hawser/clock': async ({ FakeClock, sleep, backoffDelay }) => {
    const clock = new FakeClock(0);
    const slept = sleep(clock, 1_000).then(() => clock.now());
    await clock.advance(1_000);
    assert.equal(await slept, 1_000);
    assert.equal(
      backoffDelay({ initialMs: 100, capMs: 150 }, 5, () => 0),
      150,
    );
  },
  '@hawser/json': ({ parse, stringify }) => {
    const text = '{"limit":9223372036854775807}';
    assert.equal(stringify(parse(text)), text);
  },
  '@hawser/kubeconfig': async ({ parseSecretKubeconfig, loadKubeconfig }) => {
    assert.equal(parseSecretKubeconfig('not a kubeconfig').ok, false);
    const { systemClock } = await import('@hawser/clock');
    await assert.rejects(loadKubeconfig({ env: {}, clock: systemClock, serviceAccountFolder: '/nonexistent' }), {
      code: 'NotFound',
    });
  },
  '@hawser/telemetry': async ({ createLogger, createMetrics }) => {
    assert.equal(createLogger({ level: 'warn', format: 'json' }).isEnabled('info'), false);
    const metrics = createMetrics();
    metrics.counter({ name: 'packed_total', help: 'Packed.' }).inc();
    assert.match((await metrics.expose()).body, /^packed_total 1$/mu);
  },
  '@hawser/client': async ({ createClient, isApiError }) => {
    const client = createClient({ name: 'nowhere', connection: nowhere });
    await assert.rejects(client.raw('GET', '/version', undefined, { timeoutMs: 500 }), (error) => isApiError(error));
    await client.close();
  },
  '@hawser/informer': async ({ createSharedInformers }) => {
    const { createClient } = await import('@hawser/client');
    const { noMetrics, silentLogger } = await import('@hawser/telemetry');
    const { systemClock } = await import('@hawser/clock');
    const client = createClient({ name: 'nowhere', connection: nowhere });
    const informers = createSharedInformers({
      client,
      clock: systemClock,
      random: Math.random,
      logger: silentLogger,
      metrics: noMetrics,
    });
    const handle = informers.acquire({ resource: { group: '', version: 'v1', resource: 'configmaps' } });
    assert.equal(informers.active.length, 1);
    handle.release();
    await informers.close();
    await client.close();
  },
  '@hawser/controller': async ({ createQueue, done }) => {
    const { noMetrics, silentLogger } = await import('@hawser/telemetry');
    const { systemClock } = await import('@hawser/clock');
    const seen = [];
    const reconcile = (key) => {
      seen.push(key);
      return Promise.resolve(done);
    };
    const queue = createQueue({
      name: 'pack',
      concurrency: 1,
      reconcile,
      clock: systemClock,
      random: Math.random,
      logger: silentLogger,
      metrics: noMetrics,
    });
    queue.add('a');
    queue.add('a');
    await queue.idle();
    await queue.stop();
    assert.deepEqual(seen, ['a']);
  },
  '@hawser/lease': ({ LeaseError }) => {
    assert.ok(new LeaseError('InvalidOptions', 'no') instanceof Error);
  },
  '@hawser/kube-bind': ({ crds, crdYAML, validate }) => {
    assert.match(crdYAML(crds[0] ?? Object.values(crds)[0]), /^kind: CustomResourceDefinition$/mu);
    assert.notDeepEqual(validate('APIServiceBinding', { spec: {} }), []);
  },
  '@hawser/konnector-connection': ({ createServedBindings }) => {
    const bindings = createServedBindings();
    bindings.join('databases');
    assert.deepEqual(bindings.names(), ['databases']);
  },
  '@hawser/konnector-main': ({ SecretReader }) => {
    assert.equal(new SecretReader({}).read({ kind: 'missing' }, 'kubeconfig').kind, 'missing');
  },
  '@hawser/konnector-sync': ({ samePath }) => {
    assert.equal(samePath(['spec', 'size'], ['spec', 'size']), true);
  },
  '@hawser/servicebinding': ({ sameCrdSpec }) => {
    const crd = { spec: { group: 'example.com', names: {}, scope: 'Namespaced', versions: [] } };
    assert.equal(sameCrdSpec(crd, crd), true);
  },
  '@hawser/portal': ({ createPortal }) => {
    const issuer = { url: 'https://issuer.example.com', clientId: 'hawser' };
    const options = {
      address: ':0',
      publicUrl: 'http://portal.example.com',
      issuer,
      prettyName: 'x',
      version: 'x',
      namespace: 'x',
    };
    assert.throws(() => createPortal(options), /publicUrl/u);
  },
  '@hawser/trial-issuer': async ({ startTrialIssuer }) => {
    const { systemClock: clock } = await import('@hawser/clock');
    const { silentLogger: log } = await import('@hawser/telemetry');
    const callbackUrl = 'http://127.0.0.1:1/api/callback';
    await assert.rejects(startTrialIssuer({ url: 'http://0.0.0.0:0', callbackUrl, clock, log }), /loopback/u);
    await (await startTrialIssuer({ url: 'http://127.0.0.1:0', callbackUrl, clock, log })).close();
  },
  '@hawser/clusterbinding': ({ decide }) => {
    assert.equal(decide({ clusterBinding: { kind: 'missing' } }).kind, 'disconnected');
  },
  '@hawser/apiserviceexport': ({ planSyncs }) => {
    assert.deepEqual(planSyncs({ export: {}, binding: undefined, resources: [] }), []);
  },
  '@hawser/servicenamespace': async ({ createServiceNamespaceController }) => {
    const { kubeBindDialect } = await import('@hawser/kube-bind');
    await createServiceNamespaceController({ dialect: kubeBindDialect, isolation: 'Prefixed' }).stop();
  },
  '@hawser/exportrequest': ({ createExportRequestController }) =>
    createExportRequestController({ informerScope: 'Namespaced', isolation: 'Prefixed' }).stop(),
  '@hawser/testenv': ({ kubeconfigText }) => {
    assert.match(kubeconfigText('nowhere', nowhere), /current-context: nowhere/u);
  },
  '@hawser/faultproxy': ({ createFaultProxy }) => {
    assert.equal(typeof createFaultProxy, 'function');
  },
};

let wrong = 0;
for (const name of process.argv.slice(2)) {
  try {
    const module = await import(name);
    assert.notDeepEqual(Object.keys(module), [], 'exports nothing');
    await uses[name]?.(module);
  } catch (error) {
    wrong++;
    console.error(`${name}: ${error instanceof Error ? error.stack : error}`);
  }
}
process.exitCode = wrong > 0 ? 1 : 0;
