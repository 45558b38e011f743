import { createController } from '@hawser/controller';
import { type APIServiceBinding, resources } from '@hawser/kube-bind';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type StrippedSides, openStrippedSides } from '../../konnector-connection/src/testing/stripped-sides.js';
import { createBindingPolicies } from './binding-policies.js';
import { createBindingReports } from './binding-reports.js';
import { ObjectsReport } from './objects-report.js';

let sides: StrippedSides;
beforeEach(async () => {
  sides = await openStrippedSides();
});
afterEach(() => sides.close());

it('writes condition ObjectsInSync that an admission takes away ever less often, and tells', async () => {
  await sides.bind('databases');
  let request = (): void => undefined;
  const reporter = createController<'consumer' | 'provider'>('reporter', async (ctx, scope) => {
    const bindings = scope.informer(
      ctx.clusters.consumer.informers.acquire<APIServiceBinding>({ resource: resources.apiServiceBindings }),
    );
    const { clock, metrics } = ctx;
    const policies = createBindingPolicies({ clock, metrics, secrets: () => [], changed: () => undefined });
    scope.own(() => {
      policies.close();
    });
    const problem = {
      resource: 'databases.example.com',
      reason: 'FailedOnProvider',
      message: 'no',
      actor: 'provider',
    } as const;
    const objects = new ObjectsReport({
      ctx,
      signal: scope.signal,
      bindings,
      served: sides.connection.bindings,
      policies,
      running: () => [],
      blocked: () => [problem],
    });
    const reports = createBindingReports(2_000, ctx, (binding) => objects.report(binding));
    scope.own(() => reports.close());
    request = () => {
      reports.request('databases');
    };
    await scope.synced();
  });
  const running = await sides.run(reporter);
  // As where objects go in and out of step all the time.
  const touch = (): Promise<void> => {
    request();
    return Promise.resolve();
  };
  await sides.during(15, touch);
  const writes = await sides.during(20, touch);
  expect(writes.length).toBeGreaterThanOrEqual(3);
  expect(writes.length).toBeLessThanOrEqual(8);
  expect(running.events.map(({ event }) => event.reason)).toContain('WritesUndone');
});
