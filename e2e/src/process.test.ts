import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { databases } from '@hawser/installation';
import { eventually } from '@hawser/testenv';
import { LONG, objectOf, resourceOf, synced } from './copies.js';
import { type Program, probe } from './program.js';
import { describeSystem } from './suite.js';
import { type BoundApi, executables, ready } from './system.js';

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs an executable to its end, in a folder that is not the project's. */
function call(command: string, args: readonly string[], cwd: string): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(
      command,
      [...args],
      { cwd, timeout: 60_000, env: { PATH: process.env['PATH'] ?? '', HOME: cwd } },
      (error, stdout, stderr) => {
        const { code = 0 } = (error ?? {}) as { readonly code?: number };
        resolve({ code, stdout, stderr });
      },
    );
  });
}

describeSystem(
  'the process',
  () => ({ name: 'process' }),
  (system, it) => {
    const folder = mkdtempSync(join(tmpdir(), 'hawser-e2e-cwd-'));
    afterAll(() => {
      rmSync(folder, { recursive: true, force: true });
    });
    let konnector: Program;
    let bound: BoundApi;
    beforeAll(async () => {
      konnector = await system().startKonnector();
      bound = await system().bind({ name: 'databases', apis: [databases] });
      await ready(system(), 'databases');
      await eventually(() => system().consumer.client.list(resourceOf(databases), { limit: 1 }), LONG);
    }, 240_000);

    it('is called by its absolute path and through a symlink, from any folder', async () => {
      const link = join(folder, 'konnector');
      symlinkSync(executables.konnector, link);
      const relative = join(folder, 'second');
      symlinkSync('konnector', relative);
      for (const command of [executables.konnector, link, relative]) {
        const { code, stdout } = await call(command, ['--version'], folder);
        expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/kube-bind-v\d+\.\d+\.\d+/u) });
      }
      expect(await call(executables.hawser, ['--help'], folder)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('hawser run'),
      });
    });

    it('refuses what it does not know in one line that names it, with exit code 2', async () => {
      const config = join(folder, 'config.yaml');
      const cases: readonly {
        readonly command: string;
        readonly args: readonly string[];
        readonly file?: string;
        readonly names: string;
      }[] = [
        { command: executables.konnector, args: ['--nope'], names: '--nope' },
        {
          command: executables.konnector,
          args: ['--provider-polling-interval=soon'],
          names: '--provider-polling-interval',
        },
        { command: executables.konnector, args: ['--kubeconfig=/does/not/exist'], names: '/does/not/exist' },
        { command: executables.hawser, args: ['walk'], names: 'walk' },
        { command: executables.hawser, args: ['run', '--roles=cook'], names: 'roles' },
        {
          command: executables.hawser,
          args: ['run', `--config=${config}`],
          file: 'konnector: {concurrency: many}',
          names: 'konnector.concurrency',
        },
        {
          command: executables.hawser,
          args: ['run', `--config=${config}`],
          file: 'konnectors: {}',
          names: 'konnectors',
        },
        { command: executables.hawser, args: ['run', `--config=${config}`], file: '[', names: config },
      ];
      for (const { command, args, file, names } of cases) {
        if (file !== undefined) writeFileSync(config, file);
        const outcome = await call(command, args, folder);
        expect({ args, ...outcome }).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(names) });
        expect(outcome.stderr.trim().split('\n')).toHaveLength(1);
      }
    });

    it('says how it is', async () => {
      await eventually(async () => {
        const health = await probe(konnector, '/healthz');
        expect(health).toMatchObject({ status: 200, contentType: expect.stringContaining('application/json') });
        const checks = JSON.parse(health.text) as Record<string, string>;
        expect(checks['leaderElection']).toBe('ok');
        expect(Object.entries(checks).filter(([name]) => name.startsWith('connection/'))).toEqual([
          [expect.any(String), 'ok'],
        ]);
      }, LONG);
      expect(await probe(konnector, '/readyz')).toMatchObject({ status: 200, text: 'ok\n' });
      const verbose = await probe(konnector, '/readyz?verbose');
      expect(verbose.text).toMatch(/^\[\+\]leaderElection ok: leading$/mu);
      expect(verbose.text).toMatch(/^\[\+\]connection\/\S+ ok: .*1 binding/mu);
      expect(await probe(konnector, '/livez')).toMatchObject({ status: 200 });
      expect(await probe(konnector, '/nowhere')).toMatchObject({ status: 404 });
    });

    it('counts what it does', async () => {
      const key = { namespace: 'default', name: 'counted' };
      await system().consumer.client.create(resourceOf(databases), objectOf(databases, key));
      await synced(system(), bound, databases, key);
      const { status, text } = await probe(konnector, '/metrics');
      expect(status).toBe(200);
      for (const name of [
        'workqueue_depth',
        'workqueue_adds_total',
        'workqueue_retries_total',
        'process_cpu_seconds_total',
      ])
        expect(text).toContain(`# TYPE ${name} `);
      expect(text).toContain(
        'hawser_sync_actions_total{binding="databases",resource="databases.example.com",action="createCopy",outcome="done"} 1\n',
      );
      // Once for the object, and once more where the annotations that follow in the background found it settled already.
      expect(text).toMatch(
        /^hawser_sync_latency_seconds_count\{binding="databases",resource="databases\.example\.com"\} [12]$/mu,
      );
      expect(text).toMatch(/^hawser_client_requests_total\{cluster="provider",verb="create",code="201"\} \d+$/mu);
    });

    it('ends in order within 10 s, with its lease released', async () => {
      const from = Date.now();
      expect(await konnector.stop('SIGTERM', 15_000)).toEqual({ code: 0, signal: null });
      expect(Date.now() - from).toBeLessThan(10_000);
      expect(
        await system().consumer.kubectl([
          'get',
          'lease',
          '-n',
          'kube-bind',
          'kube-bind',
          '-o',
          'jsonpath={.spec.holderIdentity}',
        ]),
      ).toBe('');
    });
  },
);
